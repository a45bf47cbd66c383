"""Numbers and arrays of numpy wherever a problem has them."""

import sys
import unittest

import harness
from harness import ORDER

import nightshift as ns
from nightshift.benches import PlainBench
from nightshift.describing import described
from nightshift.errors import Failure, UserError
from nightshift.evaluation import Evaluator

try:
    import numpy
except ImportError:
    print("SKIPPED: there is no numpy for", sys.executable)
    sys.exit(harness.SKIPPED)


class Numpy(unittest.TestCase):
    def labels(self, values):
        return ns.Space({"a": values}).parameters["a"].labels

    def test_values_are_pythons_own(self):
        for values, labels in [
                (numpy.array([1, 2, 4]), [1, 2, 4]), (numpy.arange(3, dtype="uint8"), [0, 1, 2]),
                (numpy.linspace(0.5, 2, 4), [0.5, 1.0, 1.5, 2.0]),
                (numpy.float32([0.5, 0.25]), [0.5, 0.25]), (numpy.float16([2]), [2.0]),
                (numpy.array([True, False]), [True, False]), (numpy.array(["x", "y"]), ["x", "y"]),
                ([numpy.int64(1), numpy.float64(0.5), 2], [1, 0.5, 2]),
                ([None, numpy.int8(4)], ["0: None", "1: 4"]),
                ([True, numpy.bool_(False)], [True, False])]:
            with self.subTest(values):
                found = self.labels(values)
                self.assertEqual(found, labels)
                self.assertEqual([type(one) for one in found], [type(one) for one in labels])

    def test_numbers_are_what_their_own_type_prints(self):
        for values, labels in [
                (numpy.float32([0.1, 0.2, 1e-10, 16777216, 1 / 3]),
                 [0.1, 0.2, 1e-10, 16777216.0, 0.33333334]),
                (numpy.float16([0.1, 1 / 3]), [0.1, 0.3333]),
                ([numpy.array(0.1, "float32"), 0.5], [0.1, 0.5]),
                ([numpy.longdouble("0.1")], [0.1]), (numpy.float64([0.1, 1 / 3]), [0.1, 1 / 3]),
                ([numpy.float32(0.1), 0.1], [0.1]), ([numpy.float32(0.1), "x"], ["0: 0.1", "1: 'x'"]),
                ([numpy.float32(0.1), float(numpy.float32(0.1))], [0.1, 0.10000000149011612])]:
            with self.subTest(values):
                self.assertEqual(self.labels(values), labels)
        with self.assertRaisesRegex(UserError, "which is no double exactly"):
            self.labels([numpy.longdouble(1) / 3])

    def test_conditions_and_baselines_mean_the_printed_number(self):
        values = numpy.float32([0.1, 0.2, 0.5])
        for baseline in (0.2, numpy.float32(0.2), float(numpy.float32(0.2))):
            space = ns.Space({"a": values}, ["a != 0.1", "a <= N"], baseline={"a": baseline})
            self.assertIs(type(space.baseline()["a"]), numpy.float32)
            self.assertEqual(space.parameters["a"].label_of(space.baseline()["a"]), 0.2)
            self.assertTrue(space.is_baseline(space.decode({"a": 0.2})))

        @ns.problem(device="cpu", space={"a": values}, where=["a != 0.1", "a <= N"],
                    cases=[dict(N=numpy.float32(0.2))], baseline={"a": 0.2})
        def p(case, config):
            pass

        text = described(p, p.cases)
        for line in ('constraints = ["a != 0.1", "a <= 0.2"]',
                     "a = { values = [0.1, 0.2, 0.5], default = 0.2 }"):
            self.assertIn(line + "\n", text)
        self.assertIs(type(p.space.decode({"a": 0.5})["a"]), numpy.float32)

    def test_values_that_are_arrays_are_told_apart(self):
        space = ns.Space({"a": numpy.array([[1, 2], [2, 1]])}, baseline={"a": numpy.array([2, 1])})
        self.assertEqual(space.parameters["a"].labels, ["0: array([1, 2])", "1: array([2, 1])"])
        self.assertEqual(list(space.baseline()["a"]), [2, 1])
        self.assertTrue(space.is_baseline(space.decode({"a": "1: array([2, 1])"})))
        self.assertFalse(space.is_baseline(space.decode({"a": "0: array([1, 2])"})))

    def test_what_the_tuner_can_not_know_is_refused(self):
        for values, words in [(numpy.array([1, numpy.inf]), "the value inf"),
                              (numpy.array([numpy.nan]), "the value nan"),
                              (numpy.array([2 ** 64 - 1], dtype="uint64"), "does not fit 64 bits"),
                              (numpy.array(3), "must be a list")]:
            with self.subTest(words), self.assertRaisesRegex(UserError, words):
                self.labels(values)

    def test_a_problem_of_numpys_numbers_is_described(self):
        @ns.problem(device="cpu", space={"a": numpy.arange(1, 4)}, where=["a != N or fast"],
                    cases=[dict(N=numpy.int32(2), fast=numpy.bool_(False))],
                    baseline={"a": numpy.float64(3)}, tolerance=numpy.float32(0.5),
                    objectives={"time": {"weight": numpy.float64(2)}},
                    settings={"measure.samples": numpy.int64(7)})
        def p(case, config):
            pass

        text = described(p, p.cases)
        for line in ('constraints = ["a != 2 or False"]', "a = { values = [1, 2, 3], default = 3 }",
                     "weight = 2.0", "samples = 7"):
            self.assertIn(line + "\n", text)

    def answer(self, right, wrong=0, figures=None, **options):
        """Of a kernel whose second configuration adds `wrong` to its last element."""
        objectives = ["time", *(figures or {})]

        @ns.problem(device="cpu", space={"a": [1, 2]}, objectives=objectives, **options)
        def p(case, config):
            def call():
                out = right.copy()
                if config.a == 2:
                    out[-1] ^= right.dtype.type(wrong)
                return out
            return ns.Run(call, reference=lambda: right, figures=figures)

        evaluator = Evaluator(p, p.cases, PlainBench(p))
        return evaluator.measure(dict(ORDER, configuration={"a": 2}), lambda phase: None)

    def test_integers_and_truths_are_exact(self):
        for right in (numpy.full(1000, 262144, "int32"), numpy.array([0, 2 ** 53], "int64"),
                      numpy.array([0, 2 ** 63], "uint64"), numpy.array([[7, 8]] * 3, "uint8")[0],
                      numpy.array([True, False]), numpy.array([1, 2 ** 62], "longlong")):
            with self.subTest(right.dtype):
                self.assertIn("time", self.answer(right))
                with self.assertRaisesRegex(Failure, "which is to be equal"):
                    self.answer(right, wrong=right.dtype.type(1))
        right = numpy.full(1000, 262144, "int32")
        self.assertIn("time", self.answer(right, wrong=1, tolerance=numpy.float64(1e-5)))

    def test_answers_have_the_shape_of_the_reference(self):
        right = numpy.arange(64.0)
        bench = PlainBench(ns.problem(space={"a": [1]}, device="cpu")(lambda case, config: None))

        def share(got, expected=right):
            return bench.check("y", got, bench.copied(expected))
        for shape in (8, 8), (64, 1), (1, 64), (2, 4, 8):
            for got, expected in (right.reshape(shape), right), (right, right.reshape(shape)):
                with self.subTest(got=got.shape, expected=expected.shape), \
                        self.assertRaises(Failure) as caught:
                    share(got, expected)
                self.assertIn(f"y has the shape {got.shape} instead of {expected.shape}", str(caught.exception))
        with self.assertRaisesRegex(Failure, r"the shape \(65,\) instead of \(64,\)"):
            share(numpy.arange(65.0))
        view = memoryview(right)
        for got, expected in ((list(right), right), (right.tolist(), right.reshape(8, 8)), (view, right.reshape(8, 8)),
                              (right.reshape(8, 8).tolist(), right), (numpy.array([1.5]), numpy.float64(1.5)),
                              (numpy.array(1.5), numpy.array([1.5])), (1.5, numpy.array([[1.5]]))):
            self.assertEqual(share(got, expected), 0)

    def test_figures_are_numbers(self):
        right = numpy.array([1], "int32")
        answer = self.answer(right, figures={"score": numpy.int64(3), "each": numpy.arange(3) / 2,
                                             "good": numpy.bool_(True)})
        self.assertEqual((answer["score"], answer["each"], answer["good"]), (3, [0, 0.5, 1], 1))
        with self.assertRaisesRegex(UserError, "the objective 'score' is a finite number"):
            self.answer(right, figures={"score": numpy.float32("nan")})

    def timed(self, figure, unit="ms"):
        @ns.problem(space={"a": [1]}, device="cpu", objectives={"time": {}, "wall": {"unit": unit}})
        def p(case, config):
            return ns.Run(lambda: [1], reference=lambda: [1], figures={"wall": figure})
        return Evaluator(p, p.cases, PlainBench(p)).measure(dict(ORDER, configuration={"a": 1}),
                                                            lambda phase: None)["wall"]

    def test_durations_are_in_the_unit_of_the_objective(self):
        for unit, count in (("ns", 1500000), ("us", 1500), ("25us", 60), ("ps", 1500000000)):
            one = numpy.timedelta64(count, unit)
            with self.subTest(unit):
                self.assertAlmostEqual(self.timed(one), 1.5)
                self.assertAlmostEqual(self.timed(one, "us"), 1500)
                self.assertAlmostEqual(self.timed(numpy.array(one)), 1.5)
                for found in self.timed(numpy.array([one, one])), self.timed([one, one]):
                    self.assertEqual([round(each, 9) for each in found], [1.5, 1.5])
        self.assertAlmostEqual(self.timed(numpy.timedelta64(2, "h"), "s"), 7200)

    def test_durations_that_have_no_length_are_none(self):
        for figure, words in ((numpy.timedelta64("NaT", "ns"), "finite"), (numpy.timedelta64(5), "in a unit of time"),
                              (numpy.timedelta64(5, "M"), "in a unit of time")):
            with self.subTest(figure), self.assertRaisesRegex(UserError, words):
                self.timed(figure)
        with self.assertRaisesRegex(UserError, "without a duration's unit"):
            self.timed(numpy.timedelta64(5, "ns"), "J")

    def test_shapes_are_sizes(self):
        @ns.problem(device="cpu", space={"a": [1]}, cases=[dict(n=numpy.int64(3))])
        def p(case, config):
            one, two = ns.output(case.n), ns.zeros(numpy.array([2, 3]), dtype="int32")

            def call():
                for i in range(case.n):
                    one[i] = two.shape[1]
            return ns.Run(call, outputs=[one], reference=lambda: numpy.full(3, 3.0))

        evaluator = Evaluator(p, p.cases, PlainBench(p))
        self.assertIn("time", evaluator.measure(dict(ORDER, configuration={}), lambda phase: None))


if __name__ == "__main__":
    harness.main()
