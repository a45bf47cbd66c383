"""What tools/bench/helion_shapes.py makes of its files and of what was measured."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

from harness import SOURCE

sys.path.insert(0, str(SOURCE / "tools/bench"))
import helion_shapes as shapes  # noqa: E402


def row(ratio, seconds=20, tuned=40):
    return {"seconds": seconds, "configurations": 100, "baseline": {"num_warps": 4}, "baseline_us": 50.0,
            "helion": {"ratio": ratio, "ours": 10 * ratio, "helion": 10.0, "seconds": tuned,
                       "configurations": 80}}


class HelionShapes(unittest.TestCase):
    def test_thirty_three_shapes_the_first_of_each_kernel_first(self):
        every = shapes.wanted(types.SimpleNamespace(only=""), {})
        self.assertEqual(len(every), 33)
        self.assertEqual([shape for _, shape in every], ["first"] * 11 + ["second"] * 11 + ["third"] * 11)
        some = shapes.wanted(types.SimpleNamespace(only="third,sum_first"), {"bmm_third": {}})
        self.assertEqual(len(some), 11)
        self.assertIn("sum_first", [shapes.name_of(*one) for one in some])

    def test_a_study_names_its_problem(self):
        lines = shapes.batch_lines(types.SimpleNamespace(seconds=20), [(pathlib.Path("sum_shapes.py"), "second")])
        self.assertIn('name = "sum_second"', lines)
        self.assertIn('set = { python.problem = "second", acceptance.devices = 1 }', lines)
        lines = shapes.batch_lines(types.SimpleNamespace(seconds=20), [(pathlib.Path("sum_shapes.py"), "second")],
                                   "search.options.near_baseline=0")
        self.assertEqual(lines[-1], 'set = { python.problem = "second", acceptance.devices = 1, '
                                    "search.options.near_baseline = 0 }")

    def test_a_second_study_is_timed_beside_both(self):
        second = {**row(1), "helion": None, "best": {"num_warps": 8}}
        self.assertEqual(shapes.winners({**row(1), "best": None, "also": second}),
                         {"ours": {"num_warps": 4}, "also": {"num_warps": 8}})
        self.assertEqual(shapes.winners({**row(1), "best": None, "also": {"error": "it was not begun"}}),
                         {"ours": {"num_warps": 4}})
        both = row(1.0)
        both["also"], both["helion"] = second, {**both["helion"], "also": 5.0, "ratio_also": 0.5}
        self.assertIn("ours over it 0.500", shapes.shown(both))
        self.assertIn("ours over the second of 1, geometric mean: 0.500",
                      shapes.totals({"a": both, "b": row(2.0)}))

    def test_each_batch_has_what_it_compiled_to_itself(self):
        batches = []
        stands = {"batch_run": lambda options, lines, names, later: batches.append(
            (options.folder, os.environ["TRITON_CACHE_DIR"], lines[-1], later)) or
            {name: {**row(1), "helion": None, "gpu": "0", "best": {}} for name in names},
            "done_already": lambda _: {}, "own_gpus": lambda: ["0"],
            "asked": lambda *given, **variables:
                batches.append(variables["TRITON_CACHE_DIR"]) or row(0.5)["helion"]}
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ), \
                unittest.mock.patch.multiple(shapes.python_corpus, **stands), \
                contextlib.redirect_stdout(io.StringIO()):
            shapes.tune(types.SimpleNamespace(only="sum_first", folder=folder, gpus=1, effort="quick", json=None,
                                              seconds=20, also="search.seed=2", end=float("inf")))
        (ours, ours_cache, ours_set, ours_later), (also, also_cache, also_set, also_later), helion_cache = batches
        self.assertEqual((ours, also), (f"{folder}/ours", f"{folder}/also"))
        self.assertEqual(len({ours_cache, also_cache, helion_cache}), 3)
        self.assertNotIn("search.seed", ours_set)
        self.assertIn("search.seed = 2", also_set)
        self.assertEqual(ours_later - also_later, shapes.IMPORTING + 20)

    def test_what_does_not_fit_into_the_time_is_left_out(self):
        def fit(seconds, gpus=1, also=""):
            with unittest.mock.patch.object(shapes.python_corpus, "left", lambda _: seconds):
                return shapes.as_many_as_fit(types.SimpleNamespace(seconds=20, gpus=gpus, also=also))
        self.assertIsNone(fit(float("inf")))
        self.assertEqual((fit(390), fit(390, gpus=2), fit(390, also="search.seed=2"), fit(9)), (6, 13, 4, 1))

    def test_the_gpus_are_those_that_a_program_sees(self):
        told = types.SimpleNamespace(stdout="GPU-a\nGPU-b\n")
        for visible, expected in ((None, ["GPU-a", "GPU-b"]), ("1", ["GPU-b"]), ("GPU-b", ["GPU-a", "GPU-b"]),
                                  ("1,0", ["GPU-b", "GPU-a"]), ("7", ["GPU-a", "GPU-b"])):
            with self.subTest(visible), unittest.mock.patch.dict(os.environ), \
                    unittest.mock.patch.object(shapes.python_corpus.subprocess, "run", lambda *_, **__: told):
                os.environ.pop("CUDA_VISIBLE_DEVICES", None)
                if visible is not None:
                    os.environ["CUDA_VISIBLE_DEVICES"] = visible
                self.assertEqual(shapes.python_corpus.own_gpus(), expected)

    def test_what_was_measured_and_not_compared_is_compared(self):
        self.assertTrue(shapes.is_to_compare({**row(1), "helion": {"error": "not done after 3 s"}}))
        self.assertFalse(shapes.is_to_compare(row(1)))
        self.assertFalse(shapes.is_to_compare({"error": "it was not begun"}))

    def test_each_shape_that_was_compared_is_kept(self):
        options = types.SimpleNamespace(only="sum_first", checkouts=".", folder=".", gpus=1, effort="quick",
                                        also="", end=float("inf"), json=None)
        rows, asked = {"sum_first": {**row(1), "helion": {}, "gpu": "0", "best": {}}}, []
        stands = {"done_already": lambda _: rows, "own_gpus": lambda: ["0"],
                  "asked": lambda *given, **_: asked.append(given[1]) or row(0.5)["helion"]}
        with unittest.mock.patch.multiple(shapes.python_corpus, **stands), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            shapes.tune(options)
        self.assertEqual(asked, ["run-helion"])
        self.assertIn("ours over Helion's 0.500", printed.getvalue())
        self.assertIn("1 of 1 compared", printed.getvalue())

    def test_the_geometric_mean_is_of_what_both_have(self):
        rows = {"a": row(0.5), "b": row(2.0), "c": row(1.0), "d": {"error": "it was not begun"}}
        said = shapes.totals(rows)
        self.assertIn("3 of 4 compared; ours over Helion's, geometric mean: 1.000", said)
        self.assertIn("ours 20.0, Helion's 40.0", said)
        self.assertIn("slower by more than 2 %: 1, faster: 1", said)
        self.assertEqual(shapes.totals({}), "nothing compared")

    def test_the_table(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file, \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            json.dump({"sum_first": row(0.9), "bmm_first": {"error": "it was\nnot begun"}}, file)
            file.flush()
            shapes.table([file.name])
        self.assertIn("| `sum_first` | 50.0 us | 9.00 us | 20 s, 100 | 10.00 us | 40 s, 80 | 0.900 |",
                      printed.getvalue())
        self.assertIn("| `bmm_first` | it was not begun | | | | | |", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
