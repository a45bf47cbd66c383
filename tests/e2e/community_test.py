#!/usr/bin/env python3
"""Files of the auto-tuning community: T1 problems on the fake GPU, what `check` says of problems
without a device, and recordings that travel to other tuners and back.

The official files are read where NIGHTSHIFT_T1_FILES names a folder of them: tools/bench/README.md
says which files those are. Kernel Tuner is asked where Python can import it."""

import gzip
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, USAGE, fake_gpus

# In the shape of the hub's convolution: no extern "C", a filter in constant memory that is passed as
# well, parameters that tile the image. A launch of another grid gives another answer, since each
# thread says how many there are.
KERNEL = """
__constant__ float weights[8];
__global__ void smooth(float *output, float *input, float *filter) {
  for (int yi = 0; yi < tile_size_y; yi++)
    for (int xi = 0; xi < tile_size_x; xi++) {
      int x = (blockIdx.x * tile_size_x + xi) * block_size_x + threadIdx.x;
      int y = (blockIdx.y * tile_size_y + yi) * block_size_y + threadIdx.y;
      if (x < 64 && y < 24) {
        float sum = 0;
        for (int i = 0; i < filter_width; i++) sum += input[y * (64 + 3) + x + i] * weights[i];
        output[y * 64 + x] = sum;
      }
    }
  if (blockDim.x != block_size_x || gridDim.z != 1 || kernel_tuner != 1 ||
      gridDim.x != (64 + block_size_x * tile_size_x - 1) / (block_size_x * tile_size_x) ||
      gridDim.y != (24 + block_size_y * tile_size_y - 1) / (block_size_y * tile_size_y))
    output[0] = -1000.0f * gridDim.x;
  fake_spend_us(100.0 / (tile_size_x * tile_size_y) + block_size_x / 8.0);
}
"""


QUICK = ("--set", "acceptance.confidence=quick")


def parameter(name, values, default=None):
    entry = {"Name": name, "Type": "int", "Values": values}
    return entry if default is None else dict(entry, Default=default)


def vector(name, size, **more):
    entry = {"Name": name, "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
             "FillType": "Random", "Size": size, "FillValue": 1.0}
    return dict(entry, **more)


def smooth_problem(**kernel):
    specification = {
        "Language": "CUDA", "CompilerOptions": ["-std=c++11"], "KernelName": "smooth",
        "KernelFile": "smooth.cu", "GlobalSizeType": "CUDA",
        "LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": "1"},
        "GlobalSize": {"X": "(262144 // block_size_x) // tile_size_x", "Y": "64", "Z": "1"},
        "GridDivX": ["block_size_x", "tile_size_x"], "GridDivY": ["block_size_y", "tile_size_y"],
        "ProblemSize": [64, 24], "SharedMemory": 0, "Stream": None,
        "Arguments": [
            vector("output_image", "ProblemSize[0]*ProblemSize[1]", AccessType="WriteOnly",
                   FillType="Constant", FillValue=0.0, Output=1),
            vector("input_image", "(ProblemSize[0]+max(filter_width)-1) * ProblemSize[1]"),
            vector("weights", "max(filter_width)", MemType="Constant")]}
    return {
        "General": {"BenchmarkName": "smooth", "TimeUnit": "Microseconds"},
        "ConfigurationSpace": {
            "TuningParameters": [
                parameter("block_size_x", "[8] + list(range(16, 64, 16))", [16]),
                parameter("block_size_y", "[1, 2, 4]", 8),
                parameter("tile_size_x", "[i for i in range(1, 5)]", 3),
                parameter("tile_size_y", "[1, 2]", 1),
                parameter("filter_width", "[4]", 4)],
            "Conditions": [{"Expression": "block_size_x * tile_size_x % 16 == 0"},
                           {"Expression": "tile_size_x != 3", "Parameters": ["tile_size_x"]}]},
        "Budget": {"Type": "ConfigurationCount", "BudgetValue": 6},
        "KernelSpecification": dict(specification, **kernel)}


def configurations_of(problem):
    """As Python counts them."""
    space = problem["ConfigurationSpace"]
    names = [p["Name"] for p in space["TuningParameters"]]
    found = [{}]
    for p in space["TuningParameters"]:
        found = [dict(c, **{p["Name"]: v}) for c in found for v in eval(p["Values"])]
    assert names
    return [c for c in found if all(eval(e["Expression"], {}, c) for e in space["Conditions"])]


class T1(Case):
    def setUp(self):
        super().setUp()
        self.write("smooth.cu", KERNEL)
        self.content = smooth_problem()
        self.problem = self.write("smooth.json", json.dumps(self.content))

    def check(self, problem=None, *options, codes=(0,)):
        done = self.run_nightshift("check", problem or self.problem, "--json", *options,
                                   codes=codes)
        return json.loads(done.stdout)

    def gpus(self, **changes):
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        return fake_gpus(XDG_RUNTIME_DIR=str(runtime), **changes)

    def test_a_file_of_the_hub_is_tuned_as_kernel_tuner_launches_it(self):
        result = self.tune(self.problem, "--devices", "gpu:0", *QUICK, env=self.gpus())
        self.assertEqual(result["trials"]["failed"], {})
        self.assertEqual(result["evaluations"], 6)  # of the old Budget, an object
        notices = " ".join(result["notices"])
        self.assertIn("the Default of 'block_size_y', 8, is none of its values; 4", notices)
        self.assertIn("violate the condition 'tile_size_x != 3'", notices)
        self.assertIn("tile_size_x 2 (not 3)", notices)
        self.assertEqual(result["baseline"]["configuration"],
                         {"block_size_x": 16, "block_size_y": 4, "tile_size_x": 2,
                          "tile_size_y": 1, "filter_width": 4})

    def test_another_grid_is_a_wrong_result(self):
        # The same kernel by GlobalSize, with more blocks than the image needs: the kernel says so.
        self.content["KernelSpecification"].pop("ProblemSize")
        self.content["KernelSpecification"]["GlobalSize"] = {"X": "128 // block_size_x", "Y": 24}
        self.content["KernelSpecification"]["Arguments"] = [
            vector("output_image", 64 * 24, AccessType="WriteOnly", FillType="Constant"),
            vector("input_image", 67 * 24), vector("weights", 4, MemType="Constant")]
        self.write("smooth.json", json.dumps(self.content))
        self.write("smooth.cu", "#define kernel_tuner 1\n" + KERNEL)
        result = self.tune(self.problem, "--devices", "gpu:0", *QUICK, env=self.gpus())
        self.assertIn("wrong_result", result["trials"]["failed"])

    def test_a_missing_constant_array_is_named(self):
        self.write("smooth.cu", KERNEL.replace("weights[8]", "others[8]").replace(
            "weights[i]", "filter[i]"))
        done = self.run_nightshift("tune", self.problem, "--devices", "gpu:0", "--study", "study",
                                   codes=(harness.STUDY_FAILED,), env=self.gpus())
        self.assertIn("has no __constant__ array weights", " ".join(done.stderr.split()))

    def test_check_counts_draws_and_says_the_launch(self):
        report = self.check(None, "--seed", "5")
        valid = configurations_of(self.content)
        self.assertEqual(report["space"]["configurations"], len(valid))
        self.assertEqual(report["space"]["combinations"], 4 * 3 * 4 * 2)
        self.assertEqual(len(report["configurations"]), 10)
        for drawn in report["configurations"]:
            self.assertIn(drawn["configuration"], valid)
            self.assertIsNone(drawn["wrong"])
        self.assertEqual(report["configurations"], self.check(None, "--seed", "5")["configurations"])
        self.assertNotEqual(report["configurations"], self.check()["configurations"])
        (case,) = report["baseline"]["cases"]
        (launch,) = case["launches"]
        self.assertEqual(launch["grid"], [2, 6, 1])
        self.assertEqual(launch["block"], [16, 4, 1])
        self.assertEqual(launch["arguments"], ["output_image", "input_image", "weights"])
        self.assertIn("-Dtile_size_x=2", case["compiler"])
        self.assertIn("-Dkernel_tuner=1", case["compiler"])
        self.assertIn("-std=c++11", case["compiler"])
        self.assertNotIn("-std=c++20", case["compiler"])
        self.assertEqual([a["elements"] for a in case["arguments"]], [64 * 24, 67 * 24, 4])
        self.assertEqual(case["arguments"][2]["constant_array"], "weights")

    def test_check_says_what_cannot_be_launched(self):
        self.content["ConfigurationSpace"]["TuningParameters"][1]["Default"] = 1
        self.content["KernelSpecification"]["LocalSize"]["Y"] = "512 * block_size_y"
        report = self.check(self.write("large.json", json.dumps(self.content)))
        wrong = [c for c in report["configurations"] if c["wrong"]]
        self.assertTrue(wrong)
        for c in report["configurations"]:
            self.assertEqual(bool(c["wrong"]), c["configuration"]["block_size_y"] == 4)

    def test_check_needs_no_gpu_and_speaks_to_people(self):
        done = self.run_nightshift("check", self.problem, codes=(0,),
                                   env={"NIGHTSHIFT_CUDA_DRIVER": "/nonexistent"})
        text = " ".join(done.stdout.split())
        for words in ("smooth: grid 2 x 6 x 1, block 16 x 4 x 1",
                      "10 random configurations (seed 1)",
                      "also copied into the __constant__ array weights",
                      "5 parameters, 2 constraints"):
            self.assertIn(words, text)

    def test_an_opencl_file_says_so_and_is_counted(self):
        problem = self.write("cl.json", json.dumps(smooth_problem(
            Language="OpenCL", KernelFile="smooth.cl", Arguments=[])))
        report = self.check(problem, codes=(USAGE,))
        self.assertEqual(report["space"]["configurations"], len(configurations_of(self.content)))
        self.assertIn("an OpenCL kernel", report["mistakes"][0]["message"])
        done = self.run_nightshift("tune", problem, codes=(USAGE,))
        self.assertIn("an OpenCL kernel", done.stderr)

    def test_every_mistake_is_told(self):
        self.content["KernelSpecification"].update(
            KernelFile="smoth.cu", GridDivX=["block_size_q"], CompilerOptions="-O3")
        self.content["KernelSpecification"]["Arguments"][1]["Type"] = "flaot"
        report = self.check(self.write("bad.json", json.dumps(self.content, indent=1)),
                            codes=(USAGE,))
        words = " ".join(m["message"] for m in report["mistakes"])
        for expected in ("did you mean 'smooth.cu'", "unknown name 'block_size_q'",
                         "CompilerOptions must be a list", "did you mean 'float'"):
            self.assertIn(expected, words)
        self.assertTrue(all(m["line"] > 0 for m in report["mistakes"]))
        self.assertEqual(report["space"]["configurations"], len(configurations_of(self.content)))

    def test_a_huge_space_is_counted(self):
        parameters = [parameter(f"INLINE_{i}", "[0, 1, 2]", 1) for i in range(9)]
        parameters += [parameter(f"UNROLL_{i}", "[1, 2, 4, 8]", 1) for i in range(10)]
        parameters += [parameter(f"STORE_{i}", "[1, 2, 4, 8, 16]", 1) for i in range(4)]
        content = smooth_problem(GridDivX=[], GridDivY=[], LocalSize={"X": "64"})
        content["KernelSpecification"]["Arguments"] = [vector("x", 64, AccessType="ReadWrite")]
        content["ConfigurationSpace"] = {"TuningParameters": parameters, "Conditions": []}
        report = self.check(self.write("huge.json", json.dumps(content)))
        self.assertEqual(report["space"]["configurations"], 3 ** 9 * 4 ** 10 * 5 ** 4)
        self.assertTrue(report["space"]["counted"])


class Check(Case):
    def test_a_command_line_is_shown_with_its_values(self):
        problem = self.write("problem.toml", """
name = "p"
[parameters]
LEVEL = [1, 9]
[command]
argv = ["./run it", "--level={LEVEL}"]
environment = { FLAGS = "-O{LEVEL}" }
[[objective]]
name = "time"
unit = "ms"
""")
        report = json.loads(self.run_nightshift("check", problem, "--json", codes=(USAGE,)).stdout)
        self.assertEqual(report["baseline"]["command"], ["./run it", "--level=1"])
        self.assertEqual(report["baseline"]["environment"], {"FLAGS": "-O1"})
        self.assertEqual(report["runs_on"], "cores")
        text = self.run_nightshift("check", problem, "--no-build", codes=(0,)).stdout
        self.assertIn("'./run it' --level=1", text)
        self.assertIn("tune would not begin on this machine", " ".join(text.split()))

    def test_a_host_kernel_needs_no_compiler(self):
        rmsnorm = harness.SOURCE / "kernels/host/rmsnorm/problem.toml"
        report = json.loads(self.run_nightshift("check", rmsnorm, "--json", "--no-build", codes=(0,),
                                                env={"PATH": "/nonexistent"}).stdout)
        self.assertEqual(report["space"]["configurations"], 22400)
        (case,) = report["baseline"]["cases"]
        self.assertIn("-shared", case["compiler"])
        self.assertTrue(all(a["elements"] > 0 for a in case["arguments"] if "elements" in a))

    def test_mistakes_of_a_toml_file_are_those_of_tune(self):
        problem = self.write("problem.toml", 'nmae = "p"\n[parameters]\nA = [1, 1]\n')
        done = self.run_nightshift("check", problem, codes=(USAGE,))
        for words in ("unknown key 'nmae'", "has the value 1 twice", "there is no backend"):
            self.assertIn(words, " ".join(done.stdout.split()))


class Recordings(Case):
    def explored(self, study):
        names = None
        found = {}
        for row in self.csv_rows(study):
            names = names or [n for n in row if n.startswith(("tile", "unroll"))]
            if row["job"] == "explore":
                found[tuple(row[n] for n in names)] = row
        return found

    def setUp(self):
        super().setUp()
        self.space = self.recorded_space(sizes=(5, 4, 3))
        self.result = self.tune(self.space, "--searcher", "exhaustive", "--budget", "1000t")

    def test_costs_and_budgets_survive_t4(self):
        t4 = json.loads(self.export("t4"))
        for result in t4["results"]:
            self.assertAlmostEqual(result["times"]["compilation"], 300)
            self.assertAlmostEqual(result["times"]["benchmark"], 1 + 40 + 0.5 + 2)
        self.write("t4.json", json.dumps(t4))
        from_cache = self.tune(self.space, "--budget", "8s", "--searcher", "random", study="a")
        from_t4 = self.tune("t4.json", "--budget", "8s", "--searcher", "random", study="b")
        self.assertLess(from_cache["evaluations"], 5 * 4 * 3)
        self.assertAlmostEqual(from_t4["simulated_seconds"], from_cache["simulated_seconds"],
                               delta=0.35)

    def test_every_trial_is_in_t4(self):
        trials = [row["trial"] for row in self.csv_rows()]
        self.assertEqual([str(r["trial"]) for r in json.loads(self.export("t4"))["results"]],
                         trials)
        self.assertGreater(len(trials), 5 * 4 * 3)

    def test_each_form_of_another_tuner_is_the_same_space_again(self):
        explored = self.explored("study")
        for form, name in (("kernel-tuner", "kt.json"), ("ktt", "ktt.json"),
                           ("ktt-xml", "ktt.xml")):
            with self.subTest(form=form):
                path = self.write(name, self.export(form))
                again = self.tune(path, "--searcher", "exhaustive", "--budget", "1000t",
                                  study=f"again-{form}")
                self.assertEqual(again["evaluations"], self.result["evaluations"])
                self.assertEqual(again["trials"], self.result["trials"])
                self.assertAlmostEqual(again["simulated_seconds"] / self.result["simulated_seconds"],
                                       1, delta=0.3)  # confirmations are drawn anew
                replayed = self.explored(f"again-{form}")
                self.assertEqual(set(replayed), set(explored))
                for key, row in replayed.items():
                    self.assertEqual(row["status"], explored[key]["status"])
                    if row["time"]:
                        scale = 1000 if form.startswith("ktt") else 1
                        self.assertAlmostEqual(float(row["time"]) / scale /
                                               float(explored[key]["time"]), 1, delta=0.02)

    def test_ktt_cannot_hold_what_is_no_time(self):
        cache = json.loads(self.space.read_text())
        cache["objective"] = "GFLOP/s"
        for entry in cache["cache"].values():
            entry["GFLOP/s"] = entry["time"] if isinstance(entry["time"], str) else 5 / entry["time"]
        self.tune(self.write("rate.json", json.dumps(cache)), "--budget", "5t", study="rate")
        done = self.run_nightshift("export", "rate", "--format", "ktt", codes=(USAGE,))
        self.assertIn("KTT's results hold times", done.stderr)

    def test_figures_that_are_not_of_their_repetitions_are_said_once(self):
        cache = json.loads(self.space.read_text())
        for i, entry in enumerate(cache["cache"].values()):
            if "times" in entry and i % 2:
                entry["time"] *= 590
        odd = sum(1 for i, e in enumerate(cache["cache"].values()) if "times" in e and i % 2)
        measured = sum(1 for e in cache["cache"].values() if "times" in e)
        path = self.folder / "odd.json.gz"
        path.write_bytes(gzip.compress(json.dumps(cache).encode()))
        said = f"in {odd} of {measured} configurations 'time' is neither the mean"
        result = self.tune(path, "--budget", "5t", study="odd")
        self.assertEqual([n.startswith(said) for n in result["notices"]], [True])
        self.assertIn(f"(in {odd} it lies outside of them", result["notices"][0])
        resumed = json.loads(self.run_nightshift("resume", "odd", "--budget", "6t", "--json").stdout)
        self.assertEqual(resumed["notices"], result["notices"])
        self.assertEqual(self.result["notices"], [])

    @unittest.skipUnless(importlib.util.find_spec("kernel_tuner"),
                         "Kernel Tuner is not installed for this Python")
    def test_kernel_tuner_goes_on_from_a_cache(self):
        path = self.write("kt.json", self.export("kernel-tuner"))
        script = f"""
import json
import kernel_tuner
names = {{"tile_x": list(range(1, 6)), "tile_y": list(range(1, 5)), "unroll": list(range(1, 4))}}
kernel = "extern \\"C\\" __global__ void bowl(float *x) {{ }}"
results, env = kernel_tuner.tune_kernel("bowl", kernel, 64, [], names, lang="CUDA",
    cache={str(path)!r}, simulation_mode=True, strategy="brute_force", verbose=False, quiet=True)
from kernel_tuner.util import read_cache, store_cache
before = len(read_cache({str(path)!r}, open_cache=True)["cache"])
store_cache("9,9,9", {{"tile_x": 9, "tile_y": 9, "unroll": 9, "time": 1.0}}, {str(path)!r}, {{}})
after = len(read_cache({str(path)!r}, open_cache=False)["cache"])
best = min((r for r in results if "__error__" not in r), key=lambda r: r["time"])
print(json.dumps([len(results), before, after, {{n: best[n] for n in names}}]))
"""
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        results, before, after, best = json.loads(done.stdout.splitlines()[-1])
        measured = sum(row["status"] == "measured" for row in self.explored("study").values())
        self.assertGreaterEqual(results, measured)
        self.assertEqual((before, after), (5 * 4 * 3, 5 * 4 * 3 + 1))
        explored = self.explored("study")
        fastest = min((r for r in explored.values() if r["time"]), key=lambda r: float(r["time"]))
        self.assertEqual({n: str(v) for n, v in best.items()}, {n: fastest[n] for n in best})


# What Kernel Tuner 1.5.0's Searchspace counts in files that it can read.
OFFICIAL = {
    "convolution_milo.json": 4362, "dedispersion_milo.json": 11130, "gemm_milo.json": 116928,
    "hotspot_milo.json": 82984, "hyperparamtuning_pso.json": 243, "metatuning_diff_evo.json": 90,
    "metatuning_dual_annealing.json": 8, "metatuning_firefly_algorithm.json": 243,
    "metatuning_genetic_algorithm.json": 108, "metatuning_pso.json": 81,
    "metatuning_simulated_annealing.json": 81, "test_T1_input.json": 1867776,
    "test_cache_file_T1_input.json": 15, "GEMM-CAFF.json": 10312, "MD5Hash-CAFF.json": 165888,
    "TRIAD-CAFF.json": 4320, "convolution-CAFF.json": 6768, "hotspot-CAFF.json": 349853,
    "nbody-CAFF.json": 1568, "pnpoly-CAFF.json": 4092, "FFT-CAFF.json": 806215680000,
    "MD-CAFF.json": 60, "Reduction-CAFF.json": 72, "builtin_vectors-CAFF.json": 32}


class OfficialFiles(Case):
    @unittest.skipUnless("NIGHTSHIFT_T1_FILES" in os.environ,
                         "NIGHTSHIFT_T1_FILES names no folder of official T1 files")
    def test_they_count_as_kernel_tuner_counts_them(self):
        found = {}
        for path in pathlib.Path(os.environ["NIGHTSHIFT_T1_FILES"]).rglob("*.json"):
            if path.name in OFFICIAL:
                done = self.run_nightshift("check", path, "--configurations", "0", "--json")
                found[path.name] = json.loads(done.stdout)["space"]["configurations"]
        self.assertTrue(found)
        self.assertEqual(found, {name: OFFICIAL[name] for name in found})


if __name__ == "__main__":
    harness.main()
