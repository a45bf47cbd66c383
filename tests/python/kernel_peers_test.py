"""What tools/bench/kernel_peers has for other libraries and for lists of shapes, without a GPU."""

import ctypes
import gzip
import itertools
import json
import pathlib
import random
import subprocess
import sys
import unittest

import harness
from harness import Case, SOURCE

if sys.version_info < (3, 11):
    print(f"SKIPPED: these scripts need Python 3.11, this is {sys.version.split()[0]}")
    sys.exit(harness.SKIPPED)
sys.path.insert(0, str(SOURCE / "tools/bench"))

import measured_summary  # noqa: E402
import model_spaces  # noqa: E402
import record_spaces  # noqa: E402
from kernel_peers import cublaslt, marlin  # noqa: E402
from kernel_peers.configurations import domains, drawn, every_valid  # noqa: E402
from kernel_peers.problem import Cell, Problem, evaluate, whole  # noqa: E402
from kernel_peers.shapes import named_values, require_parameters, shapes_of  # noqa: E402

try:
    import sklearn
except ImportError:
    sklearn = None
try:
    import torch
except ImportError:
    torch = None
try:
    LIBRARY = cublaslt.library()
except cublaslt.CublasError:
    LIBRARY = None


class Shapes(Case):
    def test_shapes_of_models_are_shapes_of_the_problems(self):
        for name, count in (("bf16_gemm_wgmma", 30), ("bf16_gemm", 30), ("int8_gemm_wgmma", 30),
                            ("fp8_gemm", 20)):
            problem = Problem(name)
            shapes = shapes_of(problem, ["models"])
            self.assertEqual(len(shapes), count)
            for sizes in shapes:
                cell = Cell(problem, sizes, problem.dtype)
                self.assertEqual(set(sizes), {"M", "N", "K"})
                self.assertTrue(cell.is_valid(cell.baseline()), str(cell))

    def test_words_are_joined_and_a_list_is_cut(self):
        problem = Problem("fp8_gemm")
        models = shapes_of(problem, ["models"])
        self.assertEqual(shapes_of(problem, ["models:1-7", "models:8-20"]), models)
        self.assertEqual(shapes_of(problem, ["models:3-3", "M=8,N=16,K=128"]),
                         [models[2], {"M": 8, "N": 16, "K": 128}])
        self.assertEqual(shapes_of(problem, ["models:2-2", "models:2-2"]), [models[1]])
        self.assertEqual(shapes_of(problem, ["all"]), problem.published)

    def test_a_list_may_be_a_file(self):
        file = self.folder / "shapes.json"
        file.write_text(json.dumps({"row_sum": [{"M": 3, "N": 5, "of": "nothing"}],
                                    "softmax": "row_sum"}))
        self.assertEqual(shapes_of(Problem("softmax"), [f"@{file}"]), [{"M": 3, "N": 5}])
        self.assertEqual(shapes_of(Problem("rmsnorm"), [f"@{file}:1-1"]), [])

    def test_bytes_of_half_a_triangle_are_whole(self):
        problem = Problem("masked_softmax")
        [sizes] = shapes_of(problem, ["M=4,N=8,MASK=1,QUERIES=4"])
        # Row r sees 8 - (3 - r) columns of 8, of 2 bytes, and writes 8.
        self.assertIs(type(Cell(problem, sizes, "bfloat16").figure("bytes")), int)
        self.assertEqual(Cell(problem, sizes, "bfloat16").figure("bytes"), 2 * (26 + 32))

    def test_drawn_shapes_are_those_of_the_seed(self):
        problem = Problem("layernorm")
        drawn = shapes_of(problem, ["drawn:1:20"])
        self.assertEqual(len({tuple(s.values()) for s in drawn}), 20)
        self.assertEqual(shapes_of(problem, ["drawn:1:20"]), drawn)
        self.assertEqual(shapes_of(problem, ["drawn:1:3"]), drawn[:3])
        self.assertEqual(shapes_of(problem, ["drawn:1"]), drawn[:1])
        self.assertNotEqual(shapes_of(problem, ["drawn:2:20"]), drawn)
        self.assertNotEqual(shapes_of(Problem("rmsnorm"), ["drawn:1:20"]), drawn)
        for sizes in drawn:
            cell = Cell(problem, sizes, "bfloat16")
            self.assertTrue(cell.is_valid(cell.baseline()), str(cell))
            self.assertTrue(200 <= sizes["N"] <= 60_000, str(cell))
            self.assertTrue(15e6 < cell.figure("bytes") < 410e6, str(cell))
        aligned = sum(s["N"] % 8 == 0 for s in drawn)
        self.assertTrue(0 < aligned < 20, aligned)

    def test_drawn_products_have_whole_blocks_of_columns_and_depth(self):
        for sizes in shapes_of(Problem("fp8_gemm"), ["drawn:1:20"]):
            self.assertTrue(1 <= sizes["M"] <= 8192, sizes)
            self.assertEqual((sizes["N"] % 128, sizes["K"] % 128), (0, 0), sizes)

    def test_shapes_of_other_kernels_are_not_drawn(self):
        with self.assertRaises(SystemExit) as raised:
            shapes_of(Problem("rope"), ["drawn:1"])
        self.assertEqual(str(raised.exception), "--shapes drawn: rope is no kernel of M x N")

    def test_what_is_no_shape_is_said(self):
        for word in ("model", "M=8,N", "models:a-b", "@/no/such/file.json", "drawn", "drawn:1:0"):
            with self.assertRaises(SystemExit, msg=word) as raised:
                shapes_of(Problem("fp8_gemm"), [word])
            self.assertIn("--shapes", str(raised.exception))


class Included(Case):
    """A problem file with those that it includes, as the program reads them."""

    def test_what_the_problem_says_goes_before_and_constraints_of_all_hold(self):
        self.write("a.toml", 'constraints = ["A"]\n[cuda.derived]\nX = "1"\nY = "2"\n[limits]\nverify = 3\n')
        self.write("b.toml", 'constraints = ["B"]\n[baseline]\nP = 4\n')
        found = whole('constraints = ["C"]\ninclude = ["a.toml", "./b.toml"]\n[cuda]\nsource = "s"\n'
                      '[cuda.derived]\nX = "5"\n', self.folder)
        self.assertCountEqual(found["constraints"], ["A", "B", "C"])
        self.assertEqual(found["cuda"], {"source": "s", "derived": {"X": "5", "Y": "2"}})
        self.assertEqual((found["limits"], found["baseline"]), ({"verify": 3}, {"P": 4}))
        self.assertNotIn("include", found)

    def test_the_baseline_of_a_parameter_that_none_names_is_its_first_value(self):
        cell = Cell(Problem("layernorm"), {"M": 64, "N": 512}, "bfloat16")
        baseline = cell.baseline()
        self.assertEqual(list(baseline), list(cell.problem.toml["parameters"]))
        self.assertEqual((baseline["RESIDENCE"], baseline["CLUSTER"], baseline["THREADS_PER_ROW"]),
                         ("reread", 1, 32))
        self.assertTrue(cell.is_valid(baseline))


class Named(Case):
    def test_values_belong_to_names(self):
        self.assertEqual(named_values(["A=1,2", "B=word"]), {"A": ["1", "2"], "B": ["word"]})
        for word in ("A", "A="):
            with self.assertRaises(SystemExit, msg=word):
                named_values([word])

    def test_a_name_that_no_kernel_has_is_said(self):
        cells = [Cell(Problem(k), {"M": 64, "N": 4096}, "bfloat16") for k in ("rmsnorm", "row_sum")]
        require_parameters({"STORED_BY": ["bulk"], "THREADS_PER_ROW": ["32"]}, cells)
        with self.assertRaises(SystemExit) as raised:
            require_parameters({"STORED_BY": ["bulk"], "B": ["1"], "A": ["1"]}, cells)
        self.assertEqual(str(raised.exception), "--only: no kernel here has a parameter A, B")


class Chosen(Case):
    """Where measured.json has a shape for several devices."""

    def cell(self):
        problem = Problem("row_sum")
        entry = {"shape": {"M": 4, "N": 8}, "dtype": "bfloat16"}
        threads = [v for v in problem.toml["parameters"]["THREADS_PER_ROW"]][:2]
        problem.found = [{**entry, "device": device, "microseconds": us,
                          "configuration": {"THREADS_PER_ROW": t}}
                         for device, us, t in (("H200", 2, threads[0]), ("H100", 3, threads[1]))]
        return Cell(problem, entry["shape"], "bfloat16"), threads

    def test_the_devices_own_is_taken_before_a_faster_one(self):
        cell, threads = self.cell()
        for device, expected in (("H100", threads[1]), ("H200", threads[0]), (None, threads[0])):
            configuration, origin = cell.choose([], device)
            self.assertEqual((configuration["THREADS_PER_ROW"], origin),
                             (expected, "measured.json"))


class Nearest(Case):
    """What a shape begins with that was never tuned."""

    def test_rows_of_whole_vectors_are_near_to_others_of_these(self):
        problem = Problem("row_sum")
        threads = problem.toml["parameters"]["THREADS_PER_ROW"][:2]
        problem.found = [{"shape": {"M": 64, "N": n}, "dtype": "bfloat16", "device": "H100",
                          "microseconds": 1, "configuration": {"THREADS_PER_ROW": t}}
                         for n, t in ((4096, threads[0]), (1001, threads[1]))]
        for n, expected in ((4095, threads[1]), (1008, threads[0])):
            cell = Cell(problem, {"M": 64, "N": n}, "bfloat16")
            found = [c["THREADS_PER_ROW"] for c in cell.nearest() if cell.is_valid(c)]
            self.assertEqual(found[0], expected)
            self.assertCountEqual(found, threads)
            configuration, origin = cell.choose([])
            self.assertEqual((configuration["THREADS_PER_ROW"], origin), (expected, "nearest"))

    def test_a_study_also_starts_from_the_nearest_of_each_related_kernel(self):
        problem = Problem("row_sum")
        cell = Cell(problem, {"M": 64, "N": 65536}, "bfloat16")
        usual = cell.baseline()["THREADS_PER_ROW"]
        threads = [t for t in problem.toml["parameters"]["THREADS_PER_ROW"] if t != usual]

        def found(*entries):
            return [{"shape": {"M": 64, "N": n}, "dtype": "bfloat16", "device": "H100",
                     "microseconds": 1, "configuration": configuration}
                    for n, configuration in entries]
        problem.found = found(*((65536 * 2 ** i, {"THREADS_PER_ROW": t})
                                for i, t in enumerate(threads[-5:])))
        problem.related = [found((65536, {"THREADS_PER_ROW": threads[-5], "ELSEWHERE": 1}),
                                 (2 * 65536, {"THREADS_PER_ROW": threads[-1], "ELSEWHERE": 1})), []]
        self.assertEqual([c["THREADS_PER_ROW"] for c in cell.starts()],
                         [*threads[-5:-2], threads[-1]])
        problem.found.append(found((65536, {"THREADS_PER_ROW": usual}))[0])  # which is tried anyway
        self.assertEqual([c["THREADS_PER_ROW"] for c in cell.starts()],
                         [*threads[-5:-2], threads[-1]])


class Summed(Case):
    """How entries of measured.json stand, as measured_summary.py says."""

    def standing(self, m, n, **peers):
        entry = {"shape": {"M": m, "N": n}, "dtype": "bfloat16", "device": "H100",
                 "microseconds": 100, "peers_microseconds": {k.replace("_", " "): t
                                                             for k, t in peers.items()}}
        return measured_summary.Standing(Problem("softmax"), entry)

    def test_the_goal_is_lower_for_what_is_small_or_has_few_columns(self):
        for m, n, goal in ((8192, 1024, 0.97), (8192, 976, 0.92), (7000, 1024, 0.92)):
            self.assertEqual(self.standing(m, n).goal, goal)

    def test_the_faster_copy_and_the_best_peer_count(self):
        standing = self.standing(8192, 1024, copy_by_the_driver=99, copy_by_a_kernel=96, torch=150,
                                 triton=110)
        self.assertEqual((standing.of_copy, standing.of_peer), (0.96, 1.1))
        self.assertTrue(standing.is_below())
        alone = self.standing(8192, 1024)
        self.assertEqual((alone.of_copy, alone.of_peer, alone.is_below()), (None, None, False))
        self.assertEqual(measured_summary.line("x", [standing, alone, self.standing(
            1, 1024, copy_by_a_kernel=92, torch=440)]), "| x | 2 | 1 | 2 | 2.200 | 1.100 |")

    def test_who_is_slower_than_a_peer_is_behind(self):
        self.assertTrue(self.standing(8192, 1024, torch=99, copy_by_a_kernel=101).is_behind())
        self.assertFalse(self.standing(8192, 1024, torch=100, copy_by_a_kernel=99).is_behind())
        self.assertFalse(self.standing(8192, 1024, copy_by_a_kernel=99).is_behind())

    def test_shapes_may_be_those_of_models(self):
        problem = Problem("fp8_gemm")
        every = measured_summary.standings(problem, "NVIDIA H200")
        models = measured_summary.standings(problem, "NVIDIA H200", ["models"])
        self.assertEqual(len(models), 20)
        self.assertEqual([s.cell.sizes for s in models],
                         [s.cell.sizes for s in every if s.cell.sizes in shapes_of(problem, ["models"])])
        self.assertLess(len(models), len(every))

    def test_only_entries_of_the_device_count(self):
        problem = Problem("softmax")
        entry = {"shape": {"M": 1, "N": 64}, "dtype": "bfloat16", "microseconds": 1,
                 "peers_microseconds": {}}
        problem.found = [{**entry, "device": "H100"}, {**entry, "device": "H200"}]
        self.assertEqual(len(measured_summary.standings(problem, "H200")), 1)


class Expected(Case):
    """What record_spaces.py --expected writes of problem files."""

    def test_costs_are_over_what_was_recorded(self):
        for name in ("bf16_gemm", "bf16_gemm_wgmma", "fp8_gemm"):
            cost = record_spaces.expected_cost(name)
            recording = json.loads(gzip.decompress(
                (SOURCE / f"kernels/recorded/{name}_h200.json.gz").read_bytes()))
            for one in recording["results"][::100]:
                self.assertGreater(evaluate(cost, one["configuration"]), 0, cost)

    def test_who_expects_nothing_has_none(self):
        self.assertIsNone(record_spaces.expected_cost("rmsnorm"))


class Drawn(Case):
    """Configurations of a space of which next to nothing is valid."""

    def test_they_are_valid_and_different_and_of_what_is_asked_for(self):
        problem = Problem("rmsnorm")
        cell = Cell(problem, {"M": 98, "N": 57838}, "bfloat16")
        only = {"CLUSTER": ["8"], "STORED_BY": ["bulk"]}
        configurations = drawn(cell, 10, only, random.Random(1))
        self.assertEqual(len({json.dumps(c) for c in configurations}), 10)
        for one in configurations:
            self.assertTrue(cell.is_valid(one), one)
            self.assertEqual((one["CLUSTER"], one["STORED_BY"]), (8, "bulk"))
            self.assertEqual(list(one), list(problem.toml["parameters"]))
        self.assertEqual(configurations, drawn(cell, 10, only, random.Random(1)))

    def test_all_of_a_part_are_those_that_no_constraint_forbids(self):
        cell = Cell(Problem("swiglu_int8"), {"M": 300, "N": 4096}, "bfloat16")
        only = {"LOAD_HINT": ["standard"], "STORE_HINT": ["standard"], "MIN_BLOCKS": ["1", "2"],
                "THREADS_PER_ROW": ["128", "512"], "ROWS_PER_BLOCK": ["1"], "UNROLL": ["1", "4"],
                "ROWS_PER_THREAD": ["1"], "BLOCKS_PER_SM": ["0", "2"], "CLUSTER": ["1", "2"]}
        parameters = domains(cell, only)
        whole = [dict(zip(parameters, values)) for values in itertools.product(*parameters.values())]
        valid = [one for one in whole if cell.is_valid(one)]
        self.assertGreater(len(whole), 2 * len(valid))
        found = every_valid(cell, parameters, len(valid))
        self.assertEqual(sorted(map(json.dumps, found)), sorted(map(json.dumps, valid)))
        self.assertIsNone(every_valid(cell, parameters, len(valid) - 1))

    def test_there_may_be_fewer_than_are_asked_for(self):
        cell = Cell(Problem("copy"), {}, "float32")
        baseline = cell.baseline()
        only = {name: [str(value)] for name, value in baseline.items()}
        self.assertEqual(drawn(cell, 3, only, random.Random(1)), [baseline])
        with self.assertRaises(SystemExit):
            drawn(cell, 3, {next(iter(baseline)): ["none such"]}, random.Random(1))


class Modelled(Case):
    """Spaces for bench-search that stand for those of kernels."""

    PART = ["PIPELINE=fused", "ROWS_PER_BLOCK=1", "ROWS_PER_THREAD=1", "LOAD_HINT=standard",
            "STORE_HINT=standard", "UNROLL=1", "MIN_BLOCKS=1", "VALUES=kept", "RESIDENCE=registers"]

    def model(self, *options):
        command = [sys.executable, str(SOURCE / "tools/bench/model_spaces.py"), "--into", self.folder]
        return subprocess.run([*command, *options], capture_output=True, text=True)

    @unittest.skipUnless(sklearn, "SKIPPED: scikit-learn is not here")
    def test_a_part_of_a_space_becomes_a_cache(self):
        starts = pathlib.Path(self.folder) / "starts.json"
        done = self.model("--shapes", "swiglu_int8:307x31395", "--only", *self.PART,
                          "--starts", str(starts))
        self.assertEqual(done.returncode, 0, done.stderr)
        file = pathlib.Path(self.folder) / "swiglu_int8_307x31395.json.gz"
        cache = json.loads(gzip.decompress(file.read_bytes()))
        cell = Cell(Problem("swiglu_int8"), {"M": 307, "N": 31395}, "bfloat16")
        self.assertGreater(len(cache["cache"]), 20)
        for entry in cache["cache"].values():
            one = {name: entry[name] for name in cache["tune_params_keys"]}
            self.assertTrue(cell.is_valid(one), one)
            self.assertTrue(10 < entry["time"] < 500, entry)
        self.assertEqual(list(json.loads(starts.read_text())), ["swiglu_int8_307x31395"])

    def test_starts_are_those_of_other_shapes_that_the_part_has(self):
        cell = Cell(Problem("row_sum"), {"M": 64, "N": 65536}, "bfloat16")
        usual = cell.baseline()["THREADS_PER_ROW"]
        own, other, absent = [t for t in cell.problem.values_of("THREADS_PER_ROW") if t != usual][-3:]

        def found(n, threads):
            return {"shape": {"M": 64, "N": n}, "dtype": "bfloat16", "device": "H100",
                    "configuration": {"THREADS_PER_ROW": threads}}
        cell.problem.found = [found(65536, own), found(2 * 65536, other), found(4 * 65536, absent)]
        cell.problem.related = []
        part = [cell.complete({"THREADS_PER_ROW": t}) for t in (usual, own, other)]
        self.assertEqual([c["THREADS_PER_ROW"] for c in cell.starts()], [own, other, absent])
        self.assertEqual(model_spaces.starts_of(cell, part), [2])

    @unittest.skipUnless(sklearn, "SKIPPED: scikit-learn is not here")
    def test_what_is_too_much_or_not_there_is_told(self):
        shape = ["--shapes", "swiglu_int8:307x31395"]
        for options, words in (([*shape, "--most", "5", "--only", *self.PART], "more than 5 config"),
                               (["--shapes", "swiglu_int8:1x1"], "there are swiglu_int8:307x31395")):
            done = self.model(*options)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    @unittest.skipIf(sklearn, "SKIPPED: scikit-learn is here")
    def test_a_library_that_is_missing_is_named(self):
        self.assertIn("scikit-learn is needed", self.model().stderr)


class Launches(Case):
    def test_a_launch_is_programmatic_where_its_problem_says_so(self):
        cell = Cell(Problem("layernorm_backward"), {"M": 4096, "N": 1024}, "bfloat16")
        for word, expected in (("in_order", [False, False]), ("programmatic", [False, True])):
            launches = cell.launches(cell.complete({"FINISH_LAUNCH": word}), 132)
            self.assertEqual([launch.programmatic for launch in launches], expected)


class Completed(Case):
    def test_what_the_problem_has_not_is_named(self):
        cell = Cell(Problem("add_layernorm"), {"M": 64, "N": 512}, "bfloat16")
        complete = cell.complete({"THREADS_PER_ROW": 32})
        self.assertEqual(complete, {**cell.baseline(), "THREADS_PER_ROW": 32})
        for configuration, words in (({"VARIANCE": "shifted"}, "VARIANCE of add_layernorm .* shifted"),
                                     ({"THREADS": 32}, "no parameter THREADS")):
            with self.assertRaisesRegex(ValueError, words):
                cell.complete(configuration)


class Kept(Case):
    """keep_measured.py, run as it is."""

    def keep(self, microseconds, *options, device="NVIDIA H200", problem="row_sum", expect=0,
             dtype="bfloat16"):
        result = self.folder / "result.json"
        cell = {"problem": problem, "sizes": {"M": 4, "N": 8}, "dtype": dtype,
                "configuration": {"THREADS": 32}, "errors": {"nightshift": {"y": 0.00123456}},
                "less": ["half"], "microseconds": {"nightshift": [9, *microseconds],
                                                   "torch": [1.5, 1.25, 1.75], "half": [1, 1, 1]}}
        result.write_text(json.dumps({"environment": {"device": device}, "cells": [cell]}))
        (self.folder / "row_sum").mkdir(exist_ok=True)
        done = subprocess.run([sys.executable, SOURCE / "tools/bench/keep_measured.py", result,
                               "--kernels-folder", self.folder, *options], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stdout + done.stderr

    def found(self):
        return json.loads((self.folder / "row_sum/measured.json").read_text())["found"]

    def test_a_time_is_the_median_and_what_does_less_is_no_peer(self):
        self.keep([2, 3])
        self.assertEqual(self.found(), [
            {"shape": {"M": 4, "N": 8}, "dtype": "bfloat16", "microseconds": 3,
             "configuration": {"THREADS": 32}, "peers_microseconds": {"torch": 1.5},
             "relative_error": {"y": 0.00123}}])

    def test_a_problem_without_a_type_has_none(self):
        self.keep([4, 5], dtype=None)
        self.keep([2, 3], dtype=None)
        self.assertEqual([(e["microseconds"], "dtype" in e) for e in self.found()], [(3, False)])

    def test_what_is_slower_is_kept_only_when_asked(self):
        self.keep([2, 3])
        self.assertIn("no slower", self.keep([4, 5]))
        self.assertEqual([e["microseconds"] for e in self.found()], [3])
        self.keep([4, 5], "--slower")
        self.assertEqual([e["microseconds"] for e in self.found()], [5])

    def test_a_size_that_the_problem_file_has_need_not_be_named(self):
        (self.folder / "row_sum").mkdir()
        self.write("row_sum/problem.toml", "[cuda]\nsizes = { M = 1, N = 8 }\n")
        self.write("row_sum/measured.json", json.dumps({"device": "NVIDIA H200", "found": [
            {"shape": {"M": 4}, "dtype": "bfloat16", "microseconds": 5}]}))
        self.keep([2, 3])
        self.assertEqual([(e["shape"], e["microseconds"]) for e in self.found()], [({"M": 4}, 3)])

    def test_each_device_has_entries_of_its_own(self):
        self.keep([4, 5])
        self.keep([2, 3], device="NVIDIA H100")
        self.assertIn("no slower", self.keep([6, 7], device="NVIDIA H100"))
        self.assertEqual([(e["microseconds"], e.get("device")) for e in self.found()],
                         [(5, None), (3, "NVIDIA H100")])

    def test_an_unknown_kernel_is_a_mistake(self):
        self.assertIn("no such kernel", self.keep([1, 1], problem="absent", expect=1))


class Function:
    """A function of a library that notes its calls, as ctypes would pass them on."""

    def __init__(self, name, calls, act):
        self.name, self.calls, self.act = name, calls, act

    def __call__(self, *arguments):
        self.calls.append((self.name, arguments))
        return self.act(*arguments) if self.act else 0


class FakeLibrary:
    """Hands out handles 1, 2, ... and proposes three algorithms, of which the second cannot be."""

    def __init__(self, heuristic_status=0):
        self.calls, self.handles, self.heuristic_status = [], 0, heuristic_status
        self.attributes, self.layouts = {}, {}

    def __getattr__(self, name):
        act = None
        if name.endswith("Create"):
            act = self.create if name != "cublasLtMatrixLayoutCreate" else self.create_layout
        elif name.endswith("SetAttribute"):
            act = self.set_attribute
        elif name == "cublasLtMatmulAlgoGetHeuristic":
            act = self.propose
        elif name == "cublasLtGetStatusName":
            return lambda status: b"CUBLAS_STATUS_%d" % status
        made = Function(name, self.calls, act)
        setattr(self, name, made)
        return made

    def create(self, target, *_):
        self.handles += 1
        target._obj.value = self.handles
        return 0

    def create_layout(self, target, *about):
        self.create(target)
        self.layouts[self.handles] = about
        return 0

    def set_attribute(self, which, attribute, value, size):
        assert size == ctypes.sizeof(value._obj)
        self.attributes[which.value, attribute] = (value._obj.value, size)
        return 0

    def propose(self, *arguments):
        most, proposals, count = arguments[7:]
        states = (0, 15, 0)[:most]
        for i, state in enumerate(states):
            proposals[i].algorithm.data[0], proposals[i].state = 100 + i, state
        count._obj.value = len(states)
        return self.heuristic_status


class Cublaslt(unittest.TestCase):
    def test_structures_are_as_long_as_those_of_the_header(self):
        self.assertEqual(ctypes.sizeof(cublaslt.Algorithm), 64)
        self.assertEqual(ctypes.sizeof(cublaslt.Proposal), 96)
        offsets = [getattr(cublaslt.Proposal, name).offset
                   for name in ("workspace_bytes", "state", "waves", "reserved")]
        self.assertEqual(offsets, [64, 72, 76, 80])

    def test_a_product_by_rows_is_one_by_columns_of_the_other_order(self):
        fake = cublaslt.declared(FakeLibrary())
        product = cublaslt.Product(fake, 5, 7, 11, "bfloat16", "bfloat16")
        self.assertEqual(fake.layouts[product.a.value.value], (14, 11, 5, 11))
        self.assertEqual(fake.layouts[product.b.value.value], (14, 11, 7, 11))
        self.assertEqual(fake.layouts[product.c.value.value], (14, 7, 5, 7))
        operation = product.operation()
        self.assertEqual({a: v for (which, a), v in fake.attributes.items()
                          if which == operation.value.value}, {3: (1, 4)})
        found = product.algorithms(operation, 1 << 20)
        self.assertEqual([a.data[0] for a in found], [100, 102])
        asked = next(a for n, a in fake.calls if n == "cublasLtMatmulAlgoGetHeuristic")
        self.assertEqual([h.value for h in asked[2:6]],
                         [h.value.value for h in (product.b, product.a, product.c, product.c)])
        self.assertEqual(fake.attributes[asked[6].value, 1], (1 << 20, 8))
        product.bind(operation, found[1], 1000, 2000, 3000, (4000, 1 << 20), 5000)()
        called = next(a for n, a in fake.calls if n == "cublasLtMatmul")
        self.assertEqual((called[3], called[5], called[8], called[10]), (2000, 1000, 3000, 3000))
        self.assertEqual(called[2]._obj.value, 1.0)
        self.assertEqual(called[7]._obj.value, 0.0)
        self.assertEqual(called[12]._obj.data[0], 102)
        self.assertEqual(called[13:], (4000, 1 << 20, 5000))

    def test_scales_change_places_with_their_matrices(self):
        fake = cublaslt.declared(FakeLibrary())
        product = cublaslt.Product(fake, 64, 2112, 7168, "float8_e4m3", "bfloat16")
        operation = product.operation((0x100, 0x200)).value.value
        self.assertEqual([fake.attributes[operation, a][0] for a in (17, 31, 18, 32)],
                         [0x200, 5, 0x100, 4])

    def test_whole_numbers_are_summed_as_such(self):
        fake = cublaslt.declared(FakeLibrary())
        product = cublaslt.Product(fake, 64, 64, 64, "int8", "int32")
        self.assertEqual((product.compute, product.one.value), ((72, 10), 1))
        self.assertIsInstance(product.one, ctypes.c_int32)

    def test_a_shape_without_an_algorithm_is_told_by_its_status(self):
        fake = cublaslt.declared(FakeLibrary(heuristic_status=15))
        product = cublaslt.Product(fake, 3, 8, 8, "bfloat16", "bfloat16")
        with self.assertRaisesRegex(cublaslt.CublasError, "no algorithm: CUBLAS_STATUS_15"):
            product.algorithms(product.operation(), 0)

    def test_rows_of_scales_of_blocks_are_multiples_of_four(self):
        self.assertEqual(cublaslt.scale_shapes(4096, 2112, 7168), ((56, 4096), (17, 56)))
        self.assertEqual(cublaslt.scale_shapes(1000, 1016, 1152), ((9, 1000), (8, 12)))

    @unittest.skipIf(LIBRARY is None, "cuBLASLt is not installed")
    def test_the_library_itself_takes_the_attributes(self):
        made = cublaslt.Descriptor(LIBRARY, "MatmulDesc", cublaslt.COMPUTE_FLOAT,
                                   cublaslt.TYPES["float32"])
        made.set(cublaslt.TRANSPOSE_A, ctypes.c_int32(cublaslt.TRANSPOSED))
        made.set(cublaslt.A_SCALE_MODE, ctypes.c_int32(cublaslt.OF_128_BY_128))
        made.set(cublaslt.B_SCALE_MODE, ctypes.c_int32(cublaslt.OF_128_IN_A_ROW))
        made.set(cublaslt.A_SCALE, ctypes.c_void_p(512))
        preference = cublaslt.Descriptor(LIBRARY, "MatmulPreference")
        preference.set(cublaslt.WORKSPACE_BYTES, ctypes.c_uint64(1 << 20))
        preference.set(cublaslt.REDUCTIONS, ctypes.c_uint32(cublaslt.FLOAT_REDUCTION))
        with self.assertRaisesRegex(cublaslt.CublasError, "INVALID_VALUE"):
            preference.set(cublaslt.REDUCTIONS, ctypes.c_uint64(cublaslt.FLOAT_REDUCTION))


class Marlin(unittest.TestCase):
    def test_lanes_find_their_fragments(self):
        order = marlin.weight_order()
        self.assertEqual(sorted(order), list(range(16 * 64)))
        for lane in range(32):
            for word in range(4):
                nibbles = order[8 * (4 * lane + word):][:8]
                for half in range(2):  # columns 0 to 7; 8 to 15, after a shift by 8 bits
                    column = 16 * word + 8 * half + lane // 4
                    # Two registers, each of two numbers, nibbles 16 bits apart.
                    for register in range(2):
                        row = 2 * (lane % 4) + 8 * register
                        low = 2 * half + register
                        self.assertEqual(nibbles[low], row * 64 + column)
                        self.assertEqual(nibbles[low + 4], (row + 1) * 64 + column)

    def test_scales_lie_as_a_lane_reads_them(self):
        order = marlin.scale_order()
        for column in range(8):
            for word in range(4):
                for half in range(2):
                    self.assertEqual(order[8 * column + 2 * word + half],
                                     16 * word + 8 * half + column)

    def test_there_are_locks_for_each_column_of_tiles(self):
        self.assertEqual(marlin.locks(8192), 8192 // 128 * 16)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_packed_weights_are_found_again(self):
        depth, width = 48, 128
        weights = torch.randint(0, 16, (depth, width), generator=torch.Generator().manual_seed(1))
        words = marlin.packed(weights)
        self.assertEqual(words.shape, (depth // 16, 2 * width))
        order = marlin.weight_order()
        for k in range(depth):
            for n in range(width):
                place = order.index(k % 16 * 64 + n % 64)
                word = int(words[k // 16, n // 64 * 128 + place // 8]) & 0xffffffff
                self.assertEqual(word >> 4 * (place % 8) & 15, int(weights[k, n]))
        scale = torch.arange(2 * width, dtype=torch.float32).view(2, width)
        ordered = marlin.ordered_scales(scale)
        self.assertEqual(ordered[1, 64 + 8 * 3 + 5].item(), scale[1, 64 + 3 + 8 * 5].item())


@unittest.skipIf(torch is None, "torch is not installed")
class WorkSpaceTest(unittest.TestCase):
    """What a launch leaves behind for the next one."""

    def test_what_has_a_constant_fill_is_to_be_left_so(self):
        from kernel_peers import data
        arguments = data.Arguments.__new__(data.Arguments)
        arguments.vectors = [{"name": "x", "access": "in", "fill": "constant"},
                             {"name": "partials", "access": "work"},
                             {"name": "taken", "access": "work", "fill": "constant"}]
        taken = torch.zeros(2, dtype=torch.int32)
        arguments.sets = [{"x": torch.ones(3), "partials": torch.ones(3), "taken": taken}]
        self.assertIsNone(arguments.changed_work())
        taken[1] = 7
        self.assertEqual(arguments.changed_work(), "taken")


if __name__ == "__main__":
    unittest.main()
