"""Elements that a call leaves alone where NaN is expected, which is what outputs hold before it."""

import math
import unittest

import harness
from harness import ORDER

import nightshift as ns
from nightshift.benches import PlainBench, TorchBench
from nightshift.errors import Failure
from nightshift.evaluation import Evaluator

try:
    import torch
except ImportError:
    torch = None

COUNT = 64


def _said(problem, bench):
    """What is wrong with its answer; "" where nothing is."""
    try:
        Evaluator(problem, problem.cases, bench(problem)).measure(dict(ORDER, configuration={}), lambda phase: None)
    except Failure as failure:
        return str(failure)
    return ""


class Plain(unittest.TestCase):
    def said(self, skips, reference=True, check=None, dtype="float64"):
        @ns.problem(device="cpu", space={"a": [1]}, dtype=dtype)
        def roots(case, config):
            x, y = ns.normal(COUNT), ns.output(COUNT)

            def right():
                return [math.sqrt(one) if one > 0 else math.nan for one in x]

            def call():
                for place, one in enumerate(right()):
                    if not (skips and one != one):
                        y[place] = one

            return ns.Run(call, outputs=[y], reference=right if reference else None, check=check)

        return _said(roots, PlainBench)

    def test_what_is_left_alone_is_not_written(self):
        for dtype in ("float32", "float64"):
            self.assertEqual(self.said(False, dtype=dtype), "")
            self.assertRegex(self.said(True, dtype=dtype), r"output 0\[\d+\] was not written, where nan was expected")

    def test_of_a_baseline_or_a_check_of_ones_own_nobody_asks_it(self):
        self.assertEqual(self.said(True, reference=False), "")
        self.assertEqual(self.said(True, check=lambda outputs, expected: ""), "")


@unittest.skipIf(torch is None, "there is no torch")
class Torch(unittest.TestCase):
    def said(self, skips, dtype, count=COUNT):
        @ns.problem(device="cpu", space={"a": [1]}, dtype=dtype)
        def roots(case, config):
            x, whole = ns.normal(COUNT, dtype="float32"), ns.output(COUNT)
            y = whole[:count]

            def right():
                root = x[:count].double().sqrt()
                return torch.complex(root, root) if whole.is_complex() else root

            def call():
                written = x[:count] > 0 if skips else torch.ones(count, dtype=torch.bool)
                y[written] = right().to(y.dtype)[written]

            return ns.Run(call, outputs=[y], reference=right)

        return _said(roots, TorchBench)

    def test_what_is_left_alone_is_not_written(self):
        for dtype in ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "complex64", "complex128"):
            with self.subTest(dtype):
                self.assertEqual(self.said(False, dtype), "")
                self.assertRegex(self.said(True, dtype), r"output 0\[\d+\] was not written, where nan was expected")

    def test_what_is_beside_an_output_is_nobodys(self):
        self.assertEqual(self.said(False, "float32", COUNT // 2), "")
        self.assertIn("was not written", self.said(True, "float32", COUNT // 2))


if __name__ == "__main__":
    harness.main()
