"""What tools/bench/official_score.py writes for the package, and makes of what was run."""

import contextlib
import gzip
import importlib.util
import io
import json
import os
import pathlib
import random
import sys
import types
import unittest
import unittest.mock

from harness import SOURCE, Case

sys.path.insert(0, str(SOURCE / "tools/bench"))
import official_score as official  # noqa: E402
import score_intervals  # noqa: E402

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_PACKAGES = all(importlib.util.find_spec(name) for name in ("kernel_tuner", "autotuning_methodology"))


def options(**changes):
    values = {"strategies": ["nightshift", "pso"], "applications": ["bowl"], "gpus": ["A", "B"],
              "repeats": "4,nightshift=5", "step": 2}
    return types.SimpleNamespace(**{**values, **changes})


class Tasks(unittest.TestCase):
    def test_repeats_of_all_and_of_some(self):
        repeats = official.repeats_of("20,nightshift=100")
        self.assertEqual((repeats["nightshift"], repeats["pso"]), (100, 20))
        self.assertEqual(official.repeats_of("7")["pso"], 7)

    def test_the_first_parts_of_all_come_first(self):
        tasks = official.tasks_of(options())
        self.assertEqual([task.part for task in tasks], [0] * 4 + [1] * 4 + [2] * 2)
        self.assertEqual({task.strategy for task in tasks if task.part == 2}, {"nightshift"})
        self.assertEqual(len(set(tasks)), len(tasks))


class Files(Case):
    def test_an_experiment_has_the_settings_of_the_comparison(self):
        spaces = pathlib.Path("/spaces")
        made = official.experiment("/into/part-0", spaces, ["nightshift", "pso"], ["bowl"], ["A", "B"], 5)
        statistics = made["statistics_settings"]
        self.assertEqual((statistics["cutoff_percentile_start"], statistics["cutoff_percentile"],
                          statistics["cutoff_type"]), (0.5, 0.95, "time"))
        groups = made["experimental_groups_defaults"]
        self.assertEqual((groups["gpus"], groups["repeats"], groups["samples"]), (["A", "B"], 5, 32))
        ours, peer = made["search_strategies"]
        self.assertEqual(ours["search_method"], "Nightshift")
        self.assertIn("class Nightshift", pathlib.Path(ours["custom_search_method_path"]).read_text())
        self.assertNotIn("custom_search_method_path", peer)

    @unittest.skipUnless(importlib.util.find_spec("autotuning_methodology"),
                         "autotuning_methodology is not installed")
    def test_the_package_takes_it(self):
        from autotuning_methodology.validators import validate_experimentsfile
        validate_experimentsfile(official.experiment("into", pathlib.Path("/s"), official.STRATEGIES,
                                                     official.APPLICATIONS, official.GPUS, 5))

    def test_a_problem_of_the_hub_loses_its_arguments_and_finds_its_kernel(self):
        kernels, recordings = self.folder / "hub" / "kernels", self.folder / "hub" / "cachefiles" / "bowl"
        kernels.mkdir(parents=True)
        recordings.mkdir(parents=True)
        (kernels / "bowl.json").write_text(json.dumps(
            {"KernelSpecification": {"KernelFile": "bowl.cu", "Arguments": [{"Size": 1 << 24}]}}))
        for name in ("A", "A_T4"):
            (recordings / f"{name}.json.gz").write_bytes(gzip.compress(name.encode()))
        official.unpack(self.folder / "hub", self.folder / "spaces", ["bowl"], ["A"])
        problem = json.loads((self.folder / "spaces" / "bowl.json").read_text())
        self.assertEqual(problem["KernelSpecification"],
                         {"KernelFile": str((kernels / "bowl.cu").resolve()), "Arguments": []})
        self.assertEqual((self.folder / "spaces" / "bowl" / "A_T4.json").read_text(), "A_T4")


class Scores(unittest.TestCase):
    def test_an_interval_moves_to_the_score(self):
        low, high = score_intervals.interval([i / 100 for i in range(101)], 0.5, 0.7, level=0.9)
        self.assertAlmostEqual(low, 0.25)
        self.assertAlmostEqual(high, 1.15)

    def test_a_table_has_a_row_for_each_space_and_the_repeats(self):
        rows = {"nightshift": {"official": 0.9, "A+bowl_milo": (0.8, 0.7, 0.9), "all": (0.9, 0.85, 0.95)}}
        text = official.table(rows, {("nightshift", "bowl_milo", "A"): 20}, ["bowl_milo"], ["A"])
        self.assertIn("| bowl A | 0.800 [0.700, 0.900] |", text)
        self.assertIn("| **all** | 0.900 [0.850, 0.950] |", text)
        self.assertIn("| repeats | 20 |", text)

    @unittest.skipUnless(HAS_NUMPY, "NumPy is not installed")
    def test_parts_are_joined_along_the_repeats(self):
        import numpy
        whole = score_intervals.joined([numpy.ones((2, 3, 2)), numpy.zeros((2, 5, 1))])
        self.assertEqual(whole.shape, (2, 5, 3))
        self.assertTrue(numpy.isnan(whole[:, 3:, :2]).all())
        self.assertTrue((whole[:, :, 2] == 0).all())


@unittest.skipUnless(HAS_PACKAGES, "Kernel Tuner and autotuning_methodology are not installed")
class Packages(Case):
    """A run of the real packages over a space of one's own; the program is a stand-in that proposes
    everything in order, since what is looked at is the way there and back."""

    PROGRAM = """#!{python}
import itertools, json, sys
if "--version" in sys.argv:
    sys.exit(print("nightshift of a test"))
for number, (x, y) in enumerate(itertools.product(range(1, 11), repeat=2)):
    print(json.dumps({{"id": number, "configuration": {{"x": x, "y": y}}}}), flush=True)
    sys.stdin.readline()
"""

    def hub(self):
        kernels, recordings = self.folder / "hub" / "kernels", self.folder / "hub" / "cachefiles" / "bowl"
        kernels.mkdir(parents=True)
        recordings.mkdir(parents=True)
        (kernels / "bowl.cu").write_text("__global__ void bowl() {}\n")
        sides = list(range(1, 11))
        parameters = [{"Name": name, "Type": "int", "Values": str(sides), "Default": 1} for name in "xy"]
        (kernels / "bowl.json").write_text(json.dumps({
            "General": {"BenchmarkName": "bowl", "OutputFormat": "JSON"},
            "ConfigurationSpace": {"TuningParameters": parameters, "Conditions": []},
            "KernelSpecification": {
                "Language": "CUDA", "CompilerOptions": [], "BenchmarkName": "bowl", "KernelName": "bowl",
                "KernelFile": "bowl.cu", "GlobalSizeType": "CUDA", "LocalSize": {"X": "x", "Y": "y", "Z": "1"},
                "GlobalSize": {"X": "64", "Y": "1", "Z": "1"}, "ProblemSize": [64, 1], "SharedMemory": 0,
                "Stream": None, "Arguments": []}}))
        generator = random.Random(5)
        cache, results = {}, []
        for x in sides:
            for y in sides:
                time = 1 + (x - 6) ** 2 + (y - 5) ** 2 + generator.random()
                stamp = "2025-01-01 00:00:00+00:00"
                cache[f"{x},{y}"] = {"x": x, "y": y, "time": time, "times": [time], "compile_time": 1000,
                                     "verification_time": 0, "benchmark_time": 1000, "strategy_time": 0,
                                     "framework_time": 0, "timestamp": stamp}
                results.append({"timestamp": stamp, "configuration": {"x": x, "y": y}, "invalidity": "correct",
                                "correctness": 1, "objectives": ["time"],
                                "measurements": [{"name": "time", "value": time, "unit": "ms"}],
                                "times": {"compilation": 1000, "framework": 0, "search_algorithm": 0,
                                          "validation": 0, "runtimes": [1000]}})
        recorded = {"device_name": "A", "kernel_name": "bowl", "problem_size": [64, 1],
                    "tune_params_keys": ["x", "y"], "tune_params": {"x": sides, "y": sides},
                    "objective": "time", "cache": cache}
        told = {"metadata": {"timeunit": "milliseconds"}, "schema_version": "1.0.0", "results": results}
        for name, what in (("A", recorded), ("A_T4", told)):
            (recordings / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(what).encode()))

    def test_runs_are_scored_and_kept(self):
        self.hub()
        program = self.write("program", self.PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        into = self.folder / "into"
        official.unpack(self.folder / "hub", into / "spaces", ["bowl"], ["A"])
        asked = options(strategies=["nightshift", "genetic_algorithm"], gpus=["A"], repeats="4")
        tasks = official.tasks_of(asked)
        with unittest.mock.patch.dict(os.environ, NIGHTSHIFT=str(program)):
            with contextlib.redirect_stderr(io.StringIO()) as told:
                official.run_missing(tasks, into, asked.step, jobs=1)
        self.assertEqual(len(told.getvalue().splitlines()), 4)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            official.run_missing(tasks, into, asked.step, jobs=1)
        self.assertEqual(told.getvalue(), "")
        repeats = official.merge(into, tasks)
        self.assertEqual(repeats, {(name, "bowl", "A"): 4 for name in asked.strategies})
        rows = official.scores(into, asked.strategies, ["bowl"], ["A"], 10)
        for name in asked.strategies:
            score, low, high = rows[name]["A+bowl"]
            self.assertLess(low, high + 1e-9)
            self.assertAlmostEqual(score, rows[name]["all"][0])
            self.assertLess(score, 1)


if __name__ == "__main__":
    unittest.main()
