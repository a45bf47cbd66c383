"""Inputs that closures reach and a call writes, answers that tell nothing, and checks that return no text, where
the problem's author is trusted."""

import importlib.util
import math
import random
import unittest

from harness import ORDER, Case

import nightshift as ns
from nightshift.benches import PlainBench
from nightshift.errors import Failure, UserError
from nightshift.evaluation import Evaluator

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def measure(make):
    """make(): an ns.Run. The answer's members."""
    problem = ns.problem(space={"a": [1]}, device="cpu")(lambda case, config: make())
    return Evaluator(problem, problem.cases, PlainBench(problem)).measure(
        {**ORDER, "configuration": {}}, lambda phase: None)


def drawn():
    return [random.random() for _ in range(50)]


def sort(values):
    values.sort()
    return values[0]


def fill(table):
    for key in table:
        table[key] = 0.0
    return 1.0


class WrittenInputs(Case):
    def refused(self, make, words):
        with self.assertRaises(Failure) as caught:
            measure(make)
        self.assertEqual(caught.exception.kind, "wrong_result")
        self.assertIn(words, str(caught.exception))

    def test_a_list_that_a_seed_makes(self):
        def of_python():
            values = drawn()
            return ns.Run(lambda: sort(values), reference=lambda: min(values))

        def of_a_factory():
            values = list(ns.uniform(50))
            return ns.Run(lambda: sort(values), reference=lambda: min(values))
        for make in (of_python, of_a_factory):
            self.refused(make, "values is an input and was written, so that the next call finds")

    def test_a_dict_and_a_default_value(self):
        def of_a_dict():
            table = dict(enumerate(drawn()))
            return ns.Run(lambda: fill(table), reference=lambda: 1.0)

        def of_a_default():
            return ns.Run(lambda values=drawn(): sort(values), reference=lambda: 0.5)
        self.refused(of_a_dict, "table is an input and was written")
        with self.assertRaises(Failure):
            measure(of_a_default)

    @unittest.skipUnless(HAS_NUMPY, "no numpy")
    def test_an_array_of_numpy(self):
        import numpy

        def make():
            values = numpy.random.rand(50)

            def call():
                values.sort()
                return values[0]
            return ns.Run(call, reference=lambda: values.min())
        self.refused(make, "values is an input and was written")

    def test_what_is_no_input_may_be_written(self):
        outside = drawn()

        def of_a_buffer():
            values, rows = drawn(), [0.0] * 50

            def call():
                rows[:] = sorted(values)
                return rows[0]
            return ns.Run(call, reference=lambda: min(values))

        def of_what_is_remembered():
            values, known = drawn(), {}
            return ns.Run(lambda: known.setdefault("least", min(values)), reference=lambda: min(values))

        def of_an_output():
            values = drawn()

            def call():
                values[:] = [1.0] * 50
            return ns.Run(call, outputs=[values], reference=lambda: [[1.0] * 50])

        def of_what_the_function_does_not_make():
            return ns.Run(lambda: sort(outside), reference=lambda: min(outside))
        for make in (of_a_buffer, of_what_is_remembered, of_an_output, of_what_the_function_does_not_make):
            with self.subTest(make.__name__):
                self.assertTrue(measure(make)["time"])

    def test_a_function_that_cannot_be_called_again_is_left_alone(self):
        turns = iter([0])

        def make():
            next(turns)
            values = drawn()
            return ns.Run(lambda: sort(values), reference=lambda: min(values))
        self.assertTrue(measure(make)["time"])


class TellsNothing(Case):
    def test_answers_that_nothing_can_be_compared_with(self):
        for right in ([], [math.nan] * 3, [[], []], complex(math.nan, 0.0)):
            with self.subTest(right=right), self.assertRaises(UserError) as caught:
                measure(lambda: ns.Run(lambda: right, reference=lambda: right))
            self.assertIn("has no elements, or nothing but NaN", str(caught.exception))
        with self.assertRaises(UserError):  # of the baseline's own answer
            measure(lambda: ns.Run(lambda: [math.nan]))

    def test_one_number_is_enough(self):
        for right in ([math.nan, 1.0], ([], [2.0]), [math.inf], [False]):
            with self.subTest(right=right):
                self.assertTrue(measure(lambda: ns.Run(lambda: right, reference=lambda: right))["time"])

    def test_a_check_returns_a_text(self):
        def checked(said):
            return measure(lambda: ns.Run(lambda: [1.0], reference=lambda: [1.0], check=lambda got, given: said))
        for said in (None, True, False, 0, ["wrong"]):
            with self.subTest(said=said), self.assertRaises(UserError) as caught:
                checked(said)
            self.assertIn(f"a check returned {said!r}", str(caught.exception))
        with self.assertRaises(Failure):
            checked("it is no sum")
        self.assertTrue(checked("")["time"])


if __name__ == "__main__":
    unittest.main()
