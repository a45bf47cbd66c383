"""Kernels that try to look fast, on a device whose times are scripted: each meets its typed outcome."""

import array
import collections
import concurrent.futures
import fractions
import sys
import unittest

import fake_torch
import harness
from evaluation_test import FakeGpuBench
from harness import ORDER, Case

import nightshift as ns
from nightshift.benches import PlainBench
from nightshift.distrust import HonestyRule
from nightshift.errors import Failure
from nightshift.evaluation import Evaluator

COUNT = 8


class Cheats(Case):
    def setUp(self):
        super().setUp()
        self.device = fake_torch.Device()
        sys.modules["torch"] = fake_torch.module(self.device)
        self.addCleanup(sys.modules.pop, "torch")
        self.now, self.calls, self.seen = 0.0, 0, {}

    def _clock(self):
        self.now += 1e-3
        return self.now

    def measure(self, cheat, returns=False, factory=ns.normal, **changes):
        def kernel(x, y):
            self.calls += 1
            cheat(x, y)

        @ns.problem(space={"a": [1]}, dtype="float32")
        def double(case, config):
            x, y = factory(COUNT), ns.output(COUNT)
            if returns:
                def call():
                    answer = [0.0] * COUNT
                    self.device.work(1e-3, lambda: kernel(x, answer))
                    return (answer,)
                return ns.Run(call, reference=lambda: [2 * value for value in x])
            return ns.Run(lambda: self.device.work(1e-3, lambda: kernel(x, y)), outputs=[y],
                          reference=lambda: [2 * value for value in x])

        evaluator = Evaluator(double, double.cases, FakeGpuBench(double), self._clock)
        return evaluator.measure(dict(ORDER, configuration={}, **changes), lambda phase: None)

    def assertCaught(self, cheat, kind="wrong_result", words="", returns=False, **changes):
        with self.assertRaises(Failure) as caught:
            self.measure(cheat, returns, **changes)
        self.assertEqual(caught.exception.kind, kind)
        self.assertIn(words, str(caught.exception))

    def honest(self, x, y, part=COUNT):
        for i in range(part):
            y[i] = 2 * x[i]

    def test_an_honest_kernel_passes(self):
        self.assertEqual(len(self.measure(self.honest)["time"]), 3)

    def test_half_of_the_work_after_the_checks(self):
        self.assertCaught(lambda x, y: self.honest(x, y, COUNT if self.calls < 4 else COUNT // 2))

    def test_nothing_at_all_after_the_checks(self):
        self.assertCaught(lambda x, y: self.honest(x, y, COUNT if self.calls < 4 else 0))

    def half_while_timed(self, x, y):
        first = self.seen.setdefault("first", x[0])
        self.honest(x, y, COUNT if self.calls < 4 or x[0] != first else COUNT // 2)

    def test_half_of_the_work_in_timed_calls_alone(self):
        self.assertCaught(self.half_while_timed)

    def test_the_same_of_a_run_that_returns_its_answer(self):
        self.assertEqual(len(self.measure(self.honest, returns=True)["time"]), 3)
        self.calls = 0
        self.assertCaught(self.half_while_timed, returns=True)

    def test_lower_precision_while_it_is_timed(self):
        def cheat(x, y):
            self.honest(x, y)
            if self.calls >= 4:
                for i in range(COUNT):
                    y[i] = round(y[i], 3)
        self.assertCaught(cheat)

    def test_the_answer_of_an_address(self):
        def cheat(x, y):
            if id(x) not in self.seen:
                self.seen[id(x)] = [2 * value for value in x]
            for i, value in enumerate(self.seen[id(x)]):
                y[i] = value
        self.assertCaught(cheat)

    def test_the_answer_of_the_first_call(self):
        def cheat(x, y):
            for i, value in enumerate(self.seen.setdefault("first", [2 * v for v in x])):
                y[i] = value
        self.assertCaught(cheat)

    def test_an_output_is_left_where_it_looks_written(self):
        did = []

        def cheat(x, y):
            if y[0] != 2 * x[0]:
                did.append(self.calls)
                self.honest(x, y)
        self.measure(cheat)
        # Outputs are poisoned before each sample: there was nothing to leave.
        self.assertGreaterEqual(len(did), 3 + 3)

    def test_inputs_made_easy(self):
        def cheat(x, y):
            for i in range(COUNT):
                x[i] = 0
                y[i] = 0
        self.assertCaught(cheat)

    def test_inputs_written_and_right_otherwise(self):
        def cheat(x, y):
            self.honest(x, y)
            x[0] = 0
        self.assertCaught(cheat, words="is an input and was written")

    def work(self, x, y):
        self.device.now += 1e-3  # as long again as a launch without any
        self.honest(x, y)

    def remembers_contents(self, x, y):
        key = tuple(x)
        if key not in self.seen:
            self.seen[key] = [0.0] * COUNT
            self.work(x, self.seen[key])
        y[:] = memoryview(array.array("f", self.seen[key])) if hasattr(y, "obj") else self.seen[key]

    def remembers_the_last(self, x, y):
        if tuple(x) not in self.seen:
            self.seen.clear()
        self.remembers_contents(x, y)

    def test_answers_remembered_by_contents_pass_where_authors_are_trusted(self):
        self.measure(self.remembers_contents)
        self.assertEqual(len(self.seen), 2)  # the inputs, and those of the other seed

    def test_answers_remembered_by_contents(self):
        for cheat in (self.remembers_contents, self.remembers_the_last):
            for returns in (False, True):
                with self.subTest(cheat.__name__, returns=returns):
                    self.seen.clear()
                    self.assertCaught(cheat, "launch_failed", "it takes 2 times as long",
                                      returns=returns, trust="none")

    def test_answers_remembered_by_contents_are_no_claim(self):
        for cheat in (self.remembers_contents, self.remembers_the_last):
            for returns in (False, True):
                with self.subTest(cheat.__name__, returns=returns):
                    self.seen.clear()
                    self.assertCaught(cheat, "launch_failed", "it takes 2 times as long", returns=returns, audit=5.0)
        for returns in (False, True):
            conditions = self.measure(self.work, returns, audit=5.0, cold_cache=True)["conditions"]
            self.assertEqual(conditions["audit"], "its time held")
        self.assertEqual(self.measure(self.honest, factory=ns.zeros, audit=5.0)["conditions"]["audit"],
                         "on the same inputs alone")

    def test_wrong_on_all_inputs_but_those_of_the_checks(self):
        def cheat(x, y):
            self.seen.setdefault(tuple(x), len(self.seen))
            self.honest(x, y, COUNT if self.seen[tuple(x)] < 2 else COUNT // 2)
        self.measure(cheat)
        for returns in (False, True):
            self.seen.clear()
            self.assertCaught(cheat, words="instead of", returns=returns, trust="none")

    def test_an_honest_kernel_passes_where_nobody_is_trusted(self):
        for returns in (False, True):
            conditions = self.measure(self.work, returns, trust="none")["conditions"]
            self.assertEqual((conditions["unseen_pairs"], conditions["unseen_ratio"]), (9, 1.0))

    def test_an_answer_is_held_to_the_gate_of_its_own_type_where_nobody_is_trusted(self):
        def rounded(x, y):
            for i in range(COUNT):
                y[i] = 2 * x[i] * (1 + 1e-7)  # within the gate of float32, far beyond that of doubles
        self.measure(rounded, trust="none")
        self.assertCaught(rounded, words="allowed 1e-12", returns=True)  # a list of Python's floats

    def test_every_set_has_inputs_of_its_own_that_it_never_had(self):
        contents = []

        def honest(x, y):
            contents.append(tuple(x))
            self.honest(x, y)
        self.device.cache = 2 * 4 * COUNT  # three sets fill it thrice, and one more
        self.measure(honest, trust="none", cold_cache=True)
        # Nine pairs with two unseen rounds each, of seven sets.
        self.assertEqual(len(set(contents)), 2 + (9 * 2 + 2) * 7, "and twice with an extreme in the last place")

    def test_inputs_that_no_seed_changes_are_said(self):
        conditions = self.measure(self.honest, factory=ns.zeros, trust="none")["conditions"]
        self.assertEqual(conditions["unseen"], "no input is made from a seed")


def halves(v):
    total = sum(v)
    return [x / total for x in v]


class Lazy:
    """Computes when it is read, by whichever method."""

    def __init__(self, v):
        self.v = v

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        return halves(self.v)[i]


class Iterable(Lazy):
    def __iter__(self):
        return iter(halves(self.v))


class Listing(Lazy):
    def tolist(self):
        return halves(self.v)


class LazyList(list):
    def __init__(self, v):
        super().__init__(v)
        self.v = v

    def __iter__(self):
        return iter(halves(self.v))


class LazyTuple(tuple):
    def __iter__(self):
        return iter(halves(tuple.__getitem__(self, slice(None))))


class LazyDict(dict):
    def values(self):
        return halves(dict.values(self))


class LazyArray(array.array):
    def tolist(self):
        return halves(array.array.tolist(self))


class Number:
    def __init__(self, does):
        self.does = does

    def __float__(self):
        return self.does()


class Float(float):
    def __float__(self):
        return self.does()


def float_of(x, total):
    made = Float(0.0)
    made.does = lambda: x / total
    return made


def fraction_of(x):
    made = fractions.Fraction(1, 2)
    made._numerator = Number(lambda: x)
    return made


Pair = collections.namedtuple("Pair", "values total")


class Answers(Case):
    """What a call returns is finished when it returns."""

    def measure(self, kernel, right=halves, **changes):
        @ns.problem(space={"a": [1]}, device="cpu")
        def norm(case, config):
            v = ns.uniform(16, low=1.0, high=2.0, dtype="float64")
            return ns.Run(lambda: kernel(v), reference=lambda: right(v))

        return Evaluator(norm, norm.cases, PlainBench(norm)).measure(
            dict(ORDER, configuration={}, **changes), lambda phase: None)

    LAZY = {
        "generator": lambda v: (x for x in halves(v)), "map": lambda v: map(float, halves(v)),
        "zip": lambda v: zip(halves(v)), "filter": lambda v: filter(None, halves(v)),
        "Lazy": Lazy, "Iterable": Iterable, "Listing": Listing, "LazyList": LazyList,
        "LazyDict": lambda v: LazyDict(enumerate(v)), "LazyArray": lambda v: LazyArray("d", v),
        "Number": lambda v: [Number(lambda: x) for x in halves(v)],
        "Fraction": lambda v: [fraction_of(x) for x in v],
        "Future": lambda v: concurrent.futures.Future(), "range": lambda v: range(len(v)),
        "dict_values": lambda v: dict(enumerate(v)).values()}

    def test_what_computes_when_it_is_read_is_refused(self):
        for name, kernel in self.LAZY.items():
            for nested in (lambda one: one, lambda one: [one], lambda one: ([1.0], {"k": (one,)})):
                with self.subTest(name), self.assertRaises(Failure) as caught:
                    self.measure(lambda v: nested(kernel(v)))
                self.assertEqual(caught.exception.kind, "wrong_result")
                self.assertRegex(str(caught.exception),
                                 f"^output [0-9]+ is of type {name}, .*return what is finished")

    def test_what_a_subclass_says_of_itself_is_not_asked(self):
        def floats(v):
            total = sum(v)
            return [float_of(x, total) for x in v]
        for kernel in (LazyTuple, floats):
            with self.assertRaises(Failure) as caught:
                self.measure(kernel)
            self.assertIn("instead of", str(caught.exception))

    def test_outputs_that_are_named_are_finished_as_well(self):
        @ns.problem(space={"a": [1]}, device="cpu")
        def norm(case, config):
            v, out = ns.uniform(4, low=1.0), [0.0] * 4

            def call():
                out[:] = [Number(lambda: x) for x in v]
            return ns.Run(call, outputs=[out], reference=lambda: [list(v)])
        with self.assertRaises(Failure) as caught:
            Evaluator(norm, norm.cases, PlainBench(norm)).measure(
                dict(ORDER, configuration={}), lambda phase: None)
        self.assertIn("output 0 is of type Number", str(caught.exception))

    def test_an_answer_that_is_lazy_in_timed_calls_alone_is_refused(self):
        calls = []

        def kernel(v):
            calls.append(1)
            return halves(v) if len(calls) < 3 else iter(halves(v))
        with self.assertRaises(Failure) as caught:
            self.measure(kernel)
        self.assertIn("is of type list_iterator", str(caught.exception))

    def test_a_type_of_few_bits_has_the_gate_of_the_inputs_where_nobody_is_trusted(self):
        def short(v):
            return array.array("f", halves(v))
        self.measure(short)
        with self.assertRaises(Failure) as caught:
            self.measure(short, trust="none")
        self.assertEqual(caught.exception.kind, "wrong_result")
        self.assertIn("allowed 1e-12", str(caught.exception))
        self.measure(halves, trust="none")

    def measure_beside(self, baseline, kernel, **options):
        """Of a kernel that is not the baseline."""
        @ns.problem(space={"kernel": [0, 1]}, device="cpu", **options)
        def norm(case, config):
            v = ns.uniform(16, low=1.0, high=2.0, dtype="float64")
            return ns.Run(lambda: (kernel if config.kernel else baseline)(v), reference=lambda: halves(v))

        evaluator = Evaluator(norm, norm.cases, PlainBench(norm))
        return [evaluator.measure(dict(ORDER, configuration={"kernel": number}), lambda phase: None)
                for number in (0, 1)]

    def test_a_type_of_few_bits_has_the_gate_of_what_the_baseline_answers_in(self):
        def short(v):
            return array.array("f", halves(v))

        def wide(v):
            return array.array("d", halves(v))
        with self.assertRaisesRegex(Failure, "allowed 1e-12"):
            self.measure_beside(wide, short)
        self.measure_beside(short, short)
        self.measure_beside(short, wide)
        self.measure_beside(wide, wide)
        # A tolerance is the problem's own; one by type is that of the baseline's type as well.
        self.measure_beside(wide, short, tolerance=1e-6)
        self.measure_beside(wide, short, tolerance={"float64": 1e-6})
        with self.assertRaisesRegex(Failure, "allowed 1e-12"):
            self.measure_beside(wide, short, tolerance={"float32": 1e-6})

    def test_of_several_answers_each_has_the_gate_of_the_baselines_own(self):
        def pair(first, second):
            return lambda v: (array.array(first, halves(v)), array.array(second, halves(v)))

        @ns.problem(space={"kernel": ["df", "fd", "ff"]}, device="cpu")
        def norm(case, config):
            v = ns.uniform(16, low=1.0, high=2.0, dtype="float64")
            return ns.Run(lambda: pair(*config.kernel)(v), reference=lambda: (halves(v), halves(v)))
        evaluator = Evaluator(norm, norm.cases, PlainBench(norm))

        def measure(kernel):
            return evaluator.measure(dict(ORDER, configuration={"kernel": kernel}), lambda phase: None)
        self.assertIn("time", measure("df"))
        for kernel in ("fd", "ff"):
            with self.assertRaisesRegex(Failure, r"output 0\[.*allowed 1e-12"):
                measure(kernel)

    def test_finished_answers_pass(self):
        def packed(v):
            return memoryview(array.array("d", halves(v)))
        for kernel in (halves, lambda v: tuple(halves(v)), lambda v: array.array("d", halves(v)),
                       packed, lambda v: [halves(v)], lambda v: [[x] for x in halves(v)],
                       lambda v: list(map(float, halves(v)))):
            self.assertIn("time", self.measure(kernel, trust="none"))

    def test_several_answers_and_those_of_named_tuples_pass(self):
        def both(v):
            return halves(v), sum(v)
        for kernel in (both, lambda v: Pair(*both(v)), lambda v: list(both(v))):
            self.assertIn("time", self.measure(kernel, both, trust="none"))
        self.assertIn("time", self.measure(lambda v: sum(v), lambda v: [sum(v)]))

    def test_a_flat_list_is_one_answer(self):
        for right in (halves, lambda v: [halves(v)], lambda v: array.array("d", halves(v))):
            self.assertIn("time", self.measure(halves, right, trust="none"))
        for short in (lambda v: halves(v)[:-1], lambda v: []):
            with self.assertRaisesRegex(Failure, "output 0 has [0-9]+ elements instead of 16"):
                self.measure(short)

    def test_as_many_answers_as_the_reference_has(self):
        def three(v):
            return halves(v), halves(v), sum(v)
        with self.assertRaises(Failure) as caught:
            self.measure(lambda v: three(v)[:2], three)
        self.assertEqual(caught.exception.kind, "wrong_result")
        self.assertIn("the reference has 3 answers, the run 2; a flat list of numbers is one "
                      "answer, and several are a list or a tuple", str(caught.exception))


class Rule(unittest.TestCase):
    def verdict(self, pairs, tick=0.0, **options):
        rule = HonestyRule(tick, **options)
        for number, (usual, unseen) in enumerate(pairs, start=1):
            said = rule.add(usual, unseen)
            if said != "go_on":
                return said, number
        return said, number

    def test_equal_times_are_honest_after_nine_pairs(self):
        self.assertEqual(self.verdict([(1.0, 1.04)] * 25), ("honest", 9))

    def test_longer_ones_are_told_after_all_pairs(self):
        self.assertEqual(self.verdict([(1.0, 1.2)] * 25), ("remembers", 25))

    def test_what_only_most_pairs_say_is_noise(self):
        pairs = [(1.0, 1.2)] * 6 + [(1.0, 0.9)] * 4 + [(1.0, 1.2)] * 15
        self.assertEqual(self.verdict(pairs), ("honest", 25))
        self.assertEqual(self.verdict(pairs[:9] + [(1.0, 1.2)] * 16), ("remembers", 25))

    def test_a_second_look_ends_early_where_all_pairs_agree(self):
        enough = (9, 9), (15, 14), (49, 36)
        self.assertEqual(self.verdict([(1.0, 1.2)] * 49, enough=enough), ("remembers", 9))
        mostly = ([(1.0, 1.2)] * 3 + [(1.0, 0.9)]) * 13
        self.assertEqual(self.verdict(mostly[:49], enough=enough), ("remembers", 49))
        barely = ([(1.0, 1.2)] * 2 + [(1.0, 0.9)]) * 17
        self.assertEqual(self.verdict(barely[:49], enough=enough), ("honest", 49))

    def test_a_tick_of_the_clock_is_no_difference(self):
        self.assertEqual(self.verdict([(1.0, 1.2)] * 25, tick=0.2), ("honest", 9))


if __name__ == "__main__":
    harness.main()
