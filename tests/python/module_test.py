"""What needs no process of its own: spaces, rules, gates, describing, exports and imports."""

import array
import copy
import decimal
import enum
import fractions
import itertools
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import types
import unittest

import harness
from harness import Case, Served

import nightshift as ns
from nightshift import helion_kernels, loading, plain_answers, whole_files
from nightshift.capture import joining, tuned
from nightshift.capture.problems import captured_in
from nightshift.describing import described
from nightshift.errors import Failure, UserError, is_beside
from nightshift.lines import Lines as Lines_, parsed
from nightshift.exporting import device_name, nearest_row
from nightshift.rules import StoppingRule, WarmUpRule, student_quantile

PROBLEM = '''
import nightshift as ns
@ns.problem(device="cpu", space={"block": [1, 2, 4], "way": ["a", "b"], "kind": [None, (1, 2)],
                                 "fast": [True, False]},
            where=["block <= N and way in ['a', 'b']"], baseline={"block": 2},
            cases={"small": dict(N=2), "large": dict(N=8)}, settings={"measure.samples": 7})
def p(case, config):
    pass
'''


class Index:
    def __index__(self):
        return 4


class Item:
    """As numpy's scalars and torch's tensors without dimensions."""

    ndim = 0

    def __init__(self, inner):
        self.inner = inner

    def item(self):
        return self.inner


class Whole(enum.IntEnum):
    ONE = 1
    TWO = 2


class Spaces(unittest.TestCase):
    def test_labels_come_back_as_values(self):
        space = ns.Space({"a": [None, (1, 2)], "b": [1, 2]}, baseline={"b": 2})
        self.assertEqual(space.decode({}), {"a": None, "b": 2})
        self.assertEqual(space.asked({"configuration": {"b": 1}, "baseline": {"b": 1}}),
                         {"a": None, "b": 1})
        self.assertEqual(space.asked({"baseline": {"a": "1: (1, 2)"}}), {"a": (1, 2), "b": 1})
        self.assertEqual(space.asked({"baseline": {"a": "0: None", "b": 2}}), {"a": None, "b": 2})
        self.assertEqual(space.decode({"a": "1: (1, 2)", "b": 1}), {"a": (1, 2), "b": 1})

    def test_a_parameter_goes_before_a_method_of_its_name(self):
        values = {"copy": [False, True], "items": [3, 4], "get": ["a"], "update": [1], "keys": [5]}
        space = ns.Space(values, baseline={"items": 4})
        configuration = space.decode({"copy": True})
        self.assertEqual((configuration.copy, configuration.items, configuration.get), (True, 4, "a"))
        self.assertEqual(dict(configuration), {"copy": True, "items": 4, "get": "a", "update": 1, "keys": 5})
        self.assertEqual({**configuration}, dict(configuration))
        self.assertEqual((space + ns.Space({"pop": [7]})).baseline().pop, 7)
        self.assertEqual(ns.Space({"a": [1]}).baseline().get("b", 2), 2)
        self.assertEqual(helion_kernels.config_of(ns.Space({"items": [1]}).baseline()), {"items": 1})
        self.assertEqual((copy.deepcopy(configuration), copy.copy(configuration).items), (configuration, 4))
        with self.assertRaisesRegex(UserError, "can't be called '__class__'"):
            ns.Space({"__class__": [1]})

    def test_a_problem_whose_parameters_are_called_like_methods_is_described(self):
        names = [name for name in vars(dict) if not name.startswith("__")]
        problem = ns.problem({name: [1, 2] for name in names}, device="cpu")(lambda case, config: None)
        text = described(problem, problem.cases, first=(problem.space.decode({"items": 2}), [{"keys": 2}]))
        self.assertIn("[baseline]", text)
        for name in names:
            self.assertIn(f"\n{name} = {2 if name == 'items' else 1}\n", text)

    def test_whatever_is_a_number_is_known_as_one(self):
        own = [Index(), Item(8), fractions.Fraction(1, 2), decimal.Decimal("0.25")]
        space = ns.Space({"a": own, "b": [Item(True), Item(False)], "c": [Item("x"), "y"]},
                         "a != 4", baseline={"a": 8})
        labels = {name: p.labels for name, p in space.parameters.items()}
        self.assertEqual(labels, {"a": [4, 8, 0.5, 0.25], "b": [True, False], "c": ["x", "y"]})
        self.assertEqual([type(one) for one in labels["a"]], [int, int, float, float])
        self.assertIs(space.decode({"a": 4})["a"], own[0])
        self.assertIs(space.baseline()["a"], own[1])
        self.assertEqual(space.constraints({}), ["a != 4"])

    def test_values_are_lists_of_any_library(self):
        class Array:
            ndim = 1

            def __iter__(self):
                return iter([Item(2), Item(4), Item(2)])

        for values, labels in [(Array(), [2, 4]), (range(1, 4), [1, 2, 3]),
                               (map(int, "12"), [1, 2]),
                               (array.array("B", [7, 8]), [7, 8]), ((1, 1.0, True), None),
                               (Whole, [1, 2]), ([None, Item(4)], ["0: None", "1: 4"])]:
            with self.subTest(values):
                parameter = ns.Space({"a": values}).parameters["a"]
                self.assertEqual(parameter.labels, labels or ["0: 1", "1: True"])
        for values in (3, "ab", {"a": 1}, b"ab", Item(3)):
            with self.assertRaisesRegex(UserError, "the values of a must be a list"):
                ns.Space({"a": values})

    def test_an_enum_of_numbers_is_its_numbers(self):
        class Whole(enum.Enum):
            X, Y = 1, 2

        class Flags(enum.Flag):
            P, Q = 1, 2

        class Text(enum.Enum):
            U = "u"

        self.assertEqual(ns.Space({"a": Whole}).parameters["a"].labels, [1, 2])
        self.assertEqual(ns.Space({"a": [Flags.P, Flags.Q]}).parameters["a"].labels, [1, 2])
        self.assertEqual(ns.Space({"a": [Text.U]}).parameters["a"].labels, ["0: <Text.U: 'u'>"])
        space = ns.Space({"a": Whole}, baseline={"a": 2})
        self.assertIs(space.baseline()["a"], Whole.Y)

    def test_a_number_is_known_exactly_or_not_at_all(self):
        for value, words in [
                (math.inf, "a has the value inf"), (math.nan, "a has the value nan"),
                (Item(math.inf), "a has the value inf"), (-2 ** 63 - 1, "does not fit 64 bits"),
                (Item(2 ** 63), "9223372036854775808, which does not fit 64 bits"),
                (fractions.Fraction(1, 3), r"Fraction\(1, 3\), which is no double exactly"),
                (decimal.Decimal("0.1234567890123456789"), "which is no double exactly")]:
            with self.subTest(value), self.assertRaisesRegex(UserError, words):
                ns.Space({"a": [1, value]})
        exact = [decimal.Decimal("0.1"), fractions.Fraction(3, 8), -2 ** 63, 2 ** 63 - 1]
        self.assertEqual(ns.Space({"a": exact}).parameters["a"].labels,
                         [0.1, 0.375, -2 ** 63, 2 ** 63 - 1])

    def test_a_text_with_control_characters_is_known_by_a_label(self):
        for text in ("a\0b", "\x1b[1m", "\x7f"):
            with self.subTest(text):
                space = ns.Space({"a": ["x", text]}, where=f"a != {text!r}")
                self.assertEqual(space.parameters["a"].labels, ["0: 'x'", f"1: {text!r}"])
                self.assertEqual(space.decode({"a": f"1: {text!r}"})["a"], text)
        self.assertEqual(ns.Space({"a": ["x", "y\n\tz"]}).parameters["a"].labels, ["x", "y\n\tz"])

        class Loud:
            def __repr__(self):
                return "\x1b[1mloud\0"
        self.assertEqual(ns.Space({"a": [Loud()]}).parameters["a"].labels, ["0: ?[1mloud?"])

    def test_values_without_an_end_are_refused(self):
        with self.assertRaisesRegex(UserError, "a has more than 65536 values"):
            ns.Space({"a": itertools.count()})
        self.assertEqual(len(ns.Space({"a": range(65536)}).parameters["a"].values), 65536)

    def test_values_that_do_not_compare_are_told_apart(self):
        class Tile:  # as arrays, whose comparison is an array
            def __init__(self, *sizes):
                self.sizes = sizes

            def __eq__(self, other):
                return Tile(*map(lambda a, b: a == b, self.sizes, other.sizes))

            def all(self):
                return all(self.sizes)

        space = ns.Space({"tile": [Tile(1, 2), Tile(2, 1)]}, baseline={"tile": Tile(2, 1)})
        first, second = space.parameters["tile"].values
        self.assertIs(space.baseline()["tile"], second)
        self.assertTrue(space.is_baseline(space.decode({})))
        self.assertFalse(space.is_baseline(ns.Configuration(tile=first)))

    def test_conditions_know_values_and_not_labels(self):
        space = ns.Space({"a": [None, 1, "x"], "b": [1, 2]},
                         ["a == 1", "a is not None", "None != a", "a in (1, 'x')", "b not in [1]"])
        self.assertEqual(space.constraints({}), [
            "a == '1: 1'", "a != '0: None'", "a != '0: None'", "a in ['1: 1', \"2: 'x'\"]",
            "b not in [1]"])
        self.assertEqual(ns.Space({"a": [None, 4]}, "a != N").constraints({"N": 4}),
                         ["a != '1: 4'"])

    def test_mistakes_are_told(self):
        for words, make in [
                ("None, which has|is no value of a",
                 lambda: ns.Space({"a": [1, "x"]}, "a == None").constraints({})),
                ("works on a", lambda: ns.Space({"a": [1, "x"]}, "a * 2 > 3").constraints({})),
                ("works on a", lambda: ns.Space({"a": [1, "x"]}, "a < 3").constraints({})),
                ("something else than a value",
                 lambda: ns.Space({"a": [1, "x"], "b": [1]}, "a == b").constraints({})),
                ("does not fit 64 bits", lambda: ns.Space({"a": [2 ** 64]})),
                ("letters from a to z", lambda: ns.Space({"größe": [1]})),
                ("'lambda', which is a word", lambda: ns.Space({"lambda": [1]})),
                ("'constraints', which is a word", lambda: ns.Space({"constraints": [1]})),
                ("is none of its values", lambda: ns.Space({"a": [1]}, baseline={"a": 2})),
                ("did you mean 'block'", lambda: ns.Space({"block": [1]}, baseline={"blok": 1})),
                ("has no values", lambda: ns.Space({"a": []})),
                ("must be a list", lambda: ns.Space({"a": 3})),
                ("no expression", lambda: ns.Space({"a": [1]}, "a <").constraints({})),
                ("names 'N'", lambda: ns.Space({"a": [1]}, "a < N").constraints({}))]:
            with self.subTest(words):
                with self.assertRaisesRegex(UserError, words):
                    make()

    def test_sizes_stand_in_conditions(self):
        space = ns.Space({"a": [1]}, "a * N <= 2 ** 5")
        self.assertEqual(space.constraints({"N": 7}), ["a * 7 <= 2 ** 5"])

    def test_what_is_true_of_a_case_stands_in_conditions_and_is_no_size(self):
        case = ns.Case({"N": Item(7), "causal": Item(True), "kind": "x", "x": Item(0.5)})
        self.assertEqual(ns.sizes(case), (7, 0.5))
        self.assertEqual(ns.Space({"a": [1]}, "a < N or causal").constraints(case._constants()),
                         ["a < 7 or True"])
        for size in (math.inf, math.nan, 2 ** 63):
            with self.assertRaisesRegex(UserError, "works on N, which is .* no number of 64 bits"):
                ns.Space({"a": [1]}, "a < N").constraints({"N": size})

    def test_functions_refuse_with_their_words(self):
        space = ns.Space({"a": [1, 2]}, lambda c: c.a == 1 or "not two")
        self.assertEqual(space.refusal({"a": 2} and ns.Configuration(a=2)), "not two")
        self.assertEqual(space.refusal(ns.Configuration(a=1)), "")


class Rules(unittest.TestCase):
    def test_quantiles_of_student(self):
        # Of published tables of the two-sided 5 % point.
        for freedom, quantile in [(1, 12.7062), (2, 4.30265), (5, 2.57058), (30, 2.04227),
                                  (1e6, 1.95996)]:
            self.assertAlmostEqual(student_quantile(freedom), quantile, places=4)

    def test_sampling_goes_on_until_the_mean_is_known(self):
        dice = random.Random(1)
        rule = StoppingRule(5, 1000, 0.01, 100)
        while (verdict := rule.add(dice.gauss(1, 0.03), 0)) == "go_on":
            pass
        self.assertEqual(verdict, "complete")
        self.assertLessEqual(rule.half_width(), 0.01)
        self.assertGreater(len(rule.values), 20)

    def test_sampling_ends_where_the_interval_says_so(self):
        dice = random.Random(2)
        for scatter in (0.0, 1e-3, 0.01, 0.03, 0.1):
            rule = StoppingRule(2, 100, 0.01, 100)
            for count in range(1, 100):
                verdict = rule.add(dice.gauss(1, scatter), 0)
                self.assertEqual(verdict == "complete", count > 1 and rule.half_width() <= 0.01)

    def test_samples_that_resemble_each_other_count_for_less(self):
        alike, apart = StoppingRule(50, 50, 0.01, 1), StoppingRule(50, 50, 0.01, 1)
        for i in range(40):
            alike.add(1 + 0.01 * (i // 20), 0)
            apart.add(1 + 0.01 * (i % 2), 0)
        self.assertGreater(alike.half_width(), 2 * apart.half_width())

    def test_time_ends_sampling_after_three(self):
        rule = StoppingRule(20, 60, 0.0, 1.0)
        self.assertEqual([rule.add(1, 2.0) for _ in range(3)], ["go_on", "go_on", "capped"])

    def test_warm_is_what_agrees(self):
        rule = WarmUpRule(runs=3, seconds=0.0)
        for number in range(1, 4):
            self.assertFalse(rule.done())
            rule.add(2e-3, number * 2e-3)
        self.assertTrue(rule.settled() and rule.done())

    def test_what_never_settles_ends(self):
        rule, elapsed = WarmUpRule(runs=1, seconds=0.0), 0.0
        while not rule.done():
            took = 2e-3 * (1 + rule.total % 2)
            elapsed += took
            rule.add(took, elapsed)
        self.assertFalse(rule.settled())
        self.assertGreaterEqual(elapsed, 0.1)


class Lines(unittest.TestCase):
    def test_no_bytes_are_too_odd(self):
        dice = random.Random(3)
        seeds = [b'{"id": 7, "do": "drop"}', b"{" * 5000, b'{"id": 1e999}', b'{"a": "\xff"}', b""]
        for _ in range(3000):
            line = bytearray(dice.choice(seeds))
            for _ in range(dice.randrange(4)):
                line.insert(dice.randrange(len(line) + 1), dice.randrange(256))
            found = parsed(bytes(line))
            self.assertTrue(found is None or isinstance(found, dict))

    def test_lines_come_whole(self):
        read, write = os.pipe()
        lines = Lines_(read)
        os.write(write, b'{"a": 1}\n{"b"')
        self.assertEqual(lines.read(), [b'{"a": 1}'])
        os.write(write, b": 2}\n")
        self.assertEqual(lines.read(), [b'{"b": 2}'])
        os.close(write)
        self.assertEqual((lines.read(), lines.ended), ([], True))
        os.close(read)


class Answers(unittest.TestCase):
    def wrong(self, got, expected, **gates):
        with self.assertRaises(Failure) as caught:
            plain_answers.check("y", got, expected, **gates)
        return caught.exception

    def test_a_usual_gate_that_is_missed_by_rounding_is_told_with_the_tolerance_to_write(self):
        def words(got, **gates):
            return str(self.wrong([got, 2.0], [1.0, 2.0], **gates))
        self.assertIn("needs tolerance=1e-07 in @ns.problem", words(1 + 1e-7))
        self.assertNotIn("needs", words(1.5))
        self.assertNotIn("needs", words(1 + 1e-7, tolerance=1e-12))

    def test_a_tolerance_that_lets_zeros_be_right_is_told(self):
        def told(**named):
            return list(ns.problem({"a": [1]}, device="cpu", **named)(lambda case, config: None).loose_tolerances())
        self.assertEqual(told(tolerance=5), ["tolerance is 5, which is 500 % of the norm of the answer: an answer of "
                                             "zeros is right; where 5 % is meant, write 0.05"])
        [words] = told(tolerance={"float32": 2.5, "float16": 0.5})
        self.assertIn("tolerance of float32 is 2.5, which is 250 % of", words)
        self.assertEqual(len(told(tolerance=1, element_tolerance=1)), 1)
        for named in ({}, dict(tolerance=0.05), dict(element_tolerance=3), dict(tolerance=5, element_tolerance=0.1),
                      dict(tolerance=5, element_tolerance={"float32": 0.1})):
            self.assertEqual(told(**named), [], named)

    def test_equal_is_equal(self):
        inf, nan = math.inf, math.nan
        self.assertEqual(plain_answers.check("y", [1.0, inf, nan], [1.0, inf, nan]), 0)

    def test_an_element_that_the_reference_leaves_is_told(self):
        for got in ([1.0, 2.0], [1, 2]):
            failure = self.wrong(got, [1.0, math.nan])
            self.assertEqual(failure.members["element"], 1)
            self.assertIn("y[1] is 2 instead of nan; what it is compared with has no number there: the reference, "
                          "or without one the baseline, does not write this element", str(failure))

    def test_the_worst_element_is_named(self):
        failure = self.wrong([1.0, 2.5, 3.1], [1.0, 2.0, 3.0])
        self.assertEqual((failure.kind, failure.members["element"]), ("wrong_result", 1))

    def test_a_nan_is_wrong_and_no_member_is_one(self):
        failure = self.wrong([1.0, math.nan], [1.0, 2.0], tolerance=10.0)
        self.assertNotIn("got", failure.members)
        json.dumps(failure.answer(), allow_nan=False)

    def test_integers_are_equal_to_the_bit(self):
        self.wrong([1, 2], [1, 3])

    def test_whole_numbers_are_exact_in_whatever_type_they_are_answered(self):
        expected = array.array("q", [5, 2 ** 24 + 1])
        near = array.array("f", [5, 2 ** 24])
        for got in near, array.array("d", [5, 2 ** 24]), [5.0, 2.0 ** 24], array.array("i", [5, 2 ** 24]):
            self.assertIn("to be equal", self.wrong(got, expected).words)
            self.assertIn("to be equal", self.wrong(got, list(expected)).words)
        self.assertEqual(plain_answers.check("y", array.array("d", expected), expected), 0)
        self.wrong(near, expected, tolerance={"float64": 1e-3})
        for tolerance in 1e-3, {"float32": 1e-3}, {"int64": 1e-3}:
            self.assertLess(plain_answers.check("y", near, expected, tolerance), 1e-7)

    def test_arrays_of_several_dimensions_have_the_same_shape(self):
        def shaped(*shape):
            return memoryview(array.array("f", range(10))).cast("B").cast("f", shape)
        self.assertIn("y has the shape (5, 2) instead of (2, 5)", self.wrong(shaped(5, 2), shaped(2, 5)).words)
        for other in shaped(2, 5), shaped(1, 2, 5), shaped(10), list(range(10)):
            self.assertEqual(plain_answers.check("y", shaped(2, 5), other), 0)

    def test_what_differs_is_shown_to_differ(self):
        for got, expected, words in [
                (4e9 + 1, 4e9, "is 4000000001.0 instead of 4000000000.0"),
                (0.1 + 0.2, 0.3, "is 0.30000000000000004 instead of 0.3"),
                (1.5, 2.0, "is 1.5 instead of 2;")]:
            with self.subTest(words):
                self.assertIn(words, self.wrong([got], [expected], tolerance=0).words)

    def test_integers_of_any_width_are_exact(self):
        for got, expected in [(2 ** 53 + 1, 2 ** 53), (2 ** 64, 2 ** 64 - 1), (10 ** 400, 0),
                              (True, False), (2 ** 53 + 1, float(2 ** 53))]:
            with self.subTest(got):
                failure = self.wrong([0, got], [0, expected])
                self.assertIn(f"y[1] is {+got} instead of", failure.words)
                self.assertIn(f" instead of {+int(expected)};", failure.words)
                self.assertIn("to be equal", failure.words)
                json.dumps(failure.answer(), allow_nan=False)
                for name in ("got", "expected"):
                    self.assertIsNot(type(failure.members.get(name)), bool)
        for got in (array.array("q", [262142]), array.array("B", [1]), b"\x01", [Item(3)], Item(5),
                    memoryview(bytes([0, 1])).cast("?")):
            right = list(plain_answers.numbers_of(got)[0])
            self.assertEqual(plain_answers.check("y", got, right), 0)
            self.wrong(got, [*right[:-1], right[-1] + 1])
            plain_answers.check("y", got, [*right[:-1], right[-1] + 1], tolerance=1.0)
            plain_answers.check("y", got, [*right[:-1], right[-1] + 1], element_tolerance=1.0)
            self.wrong(got, [*right[:-1], right[-1] + 1], tolerance={"float32": 1.0})

    def test_answers_are_numbers_of_any_library(self):
        nested = [[Item(1.5), fractions.Fraction(1, 2)], (array.array("f", [2]), Item(3))]
        self.assertEqual(plain_answers.numbers_of(nested), ([1.5, 0.5, 2.0, 3], "float32"))
        self.assertEqual(plain_answers.numbers_of([1j, 2]), ([1j, 2], "complex128"))
        for what in ("text", [1, "text"], None, object()):
            with self.assertRaisesRegex(UserError, "an answer must be numbers"):
                plain_answers.numbers_of(what)

    def test_many_small_errors_fail_by_their_norm(self):
        self.wrong([1.001] * 100, [1.0] * 100, tolerance=1e-4, element_tolerance=1.0)

    def test_lengths_are_equal(self):
        self.wrong([1.0], [1.0, 2.0])


class Describe(Case):
    def test_a_loose_tolerance_is_told(self):
        text = ("import nightshift as ns\n@ns.problem(space={'a': [1]}, device='cpu', tolerance=5)\n"
                "def f(case, config):\n    return ns.Run(lambda: [1.0])\n")
        self.assertIn("nightshift: tolerance is 5, which is 500 %",
                      self.module("describe", self.write("p.py", text)).stderr)

    def test_a_problem_is_printed_as_toml(self):
        text = self.module("describe", self.write("p.py", PROBLEM), "--case", "large").stdout
        for line in ['name = "p-large"',
                     "constraints = [\"block <= 8 and way in ['a', 'b']\"]", "protocol = 2",
                     "builds = false", 'device = "cpu"', "samples = 7",
                     "block = { values = [1, 2, 4], default = 2 }",
                     'kind = { values = ["0: None", "1: (1, 2)"], default = "0: None" }',
                     "fast = { values = [true, false], default = true }"]:
            self.assertIn(line + "\n", text)
        self.assertIn('"--case", "large"', text)

    def test_what_is_left_out_is_said(self):
        done = self.module("describe", self.write("p.py", PROBLEM))
        self.assertIn("1 more is left out", done.stderr)

    def test_mistakes_name_file_and_line(self):
        for number, (place, words, text) in enumerate([
                (":3: ", "ZeroDivisionError", "import nightshift\n\nx = 1 / 0\n"),
                (":2: ", "SyntaxError", "x = 1\ndef\n"),
                (":1: ", "has no problem", "x = 1\n"),
                (":2: ", "device is", "import nightshift as ns\n@ns.problem({'a': [1]}, "
                                      "device='tpu')\ndef p(c, k): pass\n"),
                (":1: ", "ends the program", "raise SystemExit(3)\n"),
                (":1: ", "NIGHTSHIFT_PYTHON names another", "import no_such_module\n"),
                (":2: ", "stands before p without its arguments",
                 "import nightshift as ns\n@ns.problem\ndef p(c, k): pass\n"),
                (":2: ", "must be a list, not 4",
                 "import nightshift as ns\n@ns.problem({'a': 4})\ndef p(c, k): pass\n"),
                (":2: ", "cases is a list of them", "import nightshift as ns\n"
                 "@ns.problem({'a': [1]}, cases=dict(M=4))\ndef p(c, k): pass\n"),
                (":2: ", "did you mean 'tile'", "import nightshift as ns\n"
                 "@ns.problem({'tile': [1]}, where=['tyle > 0'])\ndef p(c, k): pass\n")]):
            with self.subTest(words):
                file = self.write(f"wrong{number}.py", text)
                first = self.module("describe", file, code=2).stderr.splitlines()[0]
                self.assertTrue(first.startswith(str(file) + place), first)
                self.assertIn(words, first)

    def test_a_mistake_is_one_line_and_an_exception_has_the_lines_of_the_user_alone(self):
        said = self.module("describe", self.write("two.py", PROBLEM.replace("[1, 2, 4]", "[]")),
                           code=2).stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        self.write("beside.py", "def f():\n    raise ValueError('as it was told')\n")
        file = self.write("raises.py", "import beside\nbeside.f()\n")
        lines = self.module("describe", file, code=2).stderr.splitlines()
        self.assertTrue(lines[0].startswith(f"{self.folder}/beside.py:2: ValueError"), lines)
        self.assertIn(str(file), lines[2])
        self.assertNotIn("loading.py", "\n".join(lines))

    def test_what_kills_the_import_is_told_with_its_line(self):
        file = self.write("segv.py", "import ctypes\nctypes.string_at(0)\n")
        said = self.module("describe", file, code=-signal.SIGSEGV).stderr
        self.assertIn(f'"{file}", line 2', said)

    def test_of_several_problems_one_is_named(self):
        file = self.write("two.py", "import nightshift as ns\n" + "".join(
            f"@ns.problem({{'a': [1]}}, device='cpu')\ndef {name}(c, k): pass\n"
            for name in ("forward", "backward")))
        done = self.module("describe", file, code=2)
        self.assertIn("python.problem (--set python.problem=NAME) names one of forward, backward", done.stderr)
        self.assertNotIn("--problem", done.stderr)
        text = self.module("describe", file, "--problem", "backward").stdout
        self.assertIn('name = "backward"\n', text)
        self.assertIn('"--problem", "backward"', text)
        done = self.module("describe", file, "--problem", "sideways", code=2)
        self.assertIn("no problem 'sideways'; it has forward, backward", done.stderr)

    def test_a_case_that_is_none_is_told(self):
        done = self.module("describe", self.write("p.py", PROBLEM), "--case", "huge", code=2)
        self.assertIn("there are small, large", done.stderr)

    def test_modules_beside_the_file_count(self):
        self.write("beside.py", "x = 1\n")
        file = self.write("p.py", "import beside\n" + PROBLEM)
        self.assertIn("beside.py", self.module("describe", file).stdout)

    def test_a_problem_that_another_module_makes_is_of_the_file_that_is_read(self):
        self.write("makes.py", "import nightshift as ns\ndef made(values):\n    @ns.problem({'a': values}, "
                   "device='cpu')\n    def p(c, k): pass\n    return p\n")
        file = self.write("two.py", "from makes import made\none, other = made([1]), made([1, 2])\n")
        text = self.module("describe", file, "--problem", "other").stdout
        self.assertIn(f'"serve", "{file}", "--problem", "other"', text)
        self.assertIn("makes.py", text.split("inputs = ")[1].splitlines()[0])

    def test_what_a_file_prints_is_no_description(self):
        plain = self.module("describe", self.write("p.py", PROBLEM)).stdout
        loud = ("import argparse, atexit, os, subprocess, sys\nprint('seed = 3')\n"
                "os.write(1, b'[budget]\\n')\nsubprocess.run(['echo', 'name = 4'])\n"
                "atexit.register(print, 'trials = 5')\n")
        said = self.module("describe", self.write("p.py", loud + PROBLEM))
        self.assertEqual(said.stdout, plain)
        for printed in ("seed = 3", "[budget]", "name = 4", "trials = 5"):
            self.assertIn(printed, said.stderr)

    def test_numbers_of_other_libraries_are_written_as_numbers(self):
        text = PROBLEM.replace("import nightshift as ns", """import decimal, nightshift as ns
class Item:
    def __init__(self, inner): self.inner = inner
    def __index__(self): return self.inner""").replace("dict(N=8)", "dict(N=Item(8))").replace(
            '"measure.samples": 7', '"measure.samples": Item(7), "a.b.c": [Item(1), (2.5,)], '
            '"a.d": {"x": decimal.Decimal("0.25")}').replace(
            "cases=", 'objectives={"time": {"weight": Item(2)}, "error": {"at_most": Item(1)}}, '
                      "cases=")
        said = self.module("describe", self.write("p.py", text), "--case", "large").stdout
        for line in ("block <= 8", "samples = 7\n", "b.c = [1, [2.5]]\n", 'd = {"x" = 0.25}\n',
                     "weight = 2\n", "at_most = 1\n"):
            self.assertIn(line, said)

    def test_what_toml_has_not_is_told_with_the_line_of_python(self):
        for number, (words, change) in enumerate([
                ("the setting measure.samples is None", ("7", "None")),
                ("the setting measure.samples is 18446744073709551616", ("7", "2 ** 64")),
                ("keys such as 'measure.samples', not 'measure.größe'", ("samples", "größe")),
                ("keys such as 'measure.samples', not 'measure'", (".samples", "")),
                ("is no text of Unicode", ('"a", "b"]', '"a", "b", "\\udcff"]'))]):
            with self.subTest(words):
                file = self.write(f"wrong{number}.py", PROBLEM.replace(*change))
                said = self.module("describe", file, code=2).stderr
                self.assertTrue(said.startswith(f"{file}:3: "), said)
                self.assertIn(words, said)
                self.assertEqual(len(said.splitlines()), 1)

    def test_a_mistake_below_the_interpreters_own_code_has_the_users_line(self):
        file = self.write("p.py", "import os\nos.environ['NO_SUCH_NAME']\n")
        self.assertIn(f"{file}:2: KeyError", self.module("describe", file, code=2).stderr)

    def test_whatever_ends_an_import_is_told(self):
        for head, words in [("class Skipped(BaseException): pass\nraise Skipped('not here')",
                             "Skipped: not here"), ("from . import beside", "`import NAME` finds what lies beside it")]:
            file = self.write("p.py", head + "\n" + PROBLEM)
            self.assertIn(words, self.module("describe", file, code=2).stderr.splitlines()[0])

    def test_a_file_is_imported_as_if_it_were_run_in_its_folder(self):
        folder = self.folder / "größe {x} %s"
        folder.mkdir()
        (folder / "data.txt").write_text("3")
        for name in ("my-kernel.py", "a.b.py", "class.py", "json.py", "nightshift.py"):
            with self.subTest(name):
                file = folder / name
                file.write_text("open('data.txt').read()\nimport sys\n"
                                f"assert sys.argv == [__file__] == [{str(file)!r}]\n"
                                "assert sys.stdin.read() == ''\n" + PROBLEM)
                said = self.module("describe", file).stdout
                self.assertIn(f'directory = "{folder}"', said)
                file.unlink()

    def test_a_file_that_lowers_the_recursion_limit_is_served(self):
        self.write("low.py", "import sys\nsys.setrecursionlimit(60)\n")
        self.write("high.py", "import sys\nsys.setrecursionlimit(5000)\n")
        limit = sys.getrecursionlimit()
        for name, kept in (("low.py", limit), ("high.py", max(limit, 5000))):
            try:
                loading.imported(str(self.folder / name))
                self.assertEqual(sys.getrecursionlimit(), kept)
            finally:
                sys.setrecursionlimit(limit)

    def test_threads_and_streams_of_a_file_keep_nobody_waiting(self):
        plain = self.module("describe", self.write("p.py", PROBLEM)).stdout
        for head in ("import threading\nthreading.Thread(target=threading.Event().wait).start()",
                     "import os\nfor one in range(3): os.close(one)",
                     "import sys\nsys.stdout.close(); sys.stderr.close()",
                     "import sys\nsys.stdout = sys.stderr = None",
                     "import io, sys\nsys.stdout = sys.stderr = io.StringIO()",
                     "import subprocess\nsubprocess.Popen(['cat'])"):
            with self.subTest(head):
                file = self.write("p.py", head + "\n" + PROBLEM)
                self.assertEqual(self.module("describe", file).stdout, plain)

    def test_a_file_reads_options_as_if_it_were_run_alone(self):
        file = self.write("p.py", "import argparse\nparser = argparse.ArgumentParser()\n"
                          "parser.add_argument('--n', type=int, default=3)\n"
                          "assert parser.parse_args().n == 3\n" + PROBLEM)
        self.assertIn('name = "p-small"', self.module("describe", file, "--case", "small").stdout)

    def test_modules_that_call_themselves_files_of_the_folder_do_not_count(self):
        # As torch.ops does, whose `__file__` is relative and is none.
        file = self.write("p.py", "import sys, types\n"
                          "sys.modules['odd'] = types.ModuleType('odd')\nsys.modules['odd'].__file__ = '_odd.py'\n" + PROBLEM)
        self.assertNotIn("_odd.py", self.module("describe", file).stdout)

    def test_an_interpreter_below_the_folder_is_not_of_the_problem(self):
        lib = os.path.join(sys.base_prefix, "lib", "json", "decoder.py")
        for file, source, beside in (
                (os.path.dirname(sys.base_prefix) + "/gemm.py", lib, False),
                ("/home/me/gemm.py", "/home/me/lib/kernels.py", True),
                ("/home/me/gemm.py", "/home/me/venv/lib/site-packages/x.py", False),
                ("/home/me/gemm.py", "/home/you/kernels.py", False),
                (sys.base_prefix + "/src/gemm.py", sys.base_prefix + "/src/kernels.py", True)):
            with self.subTest(source):
                self.assertIs(is_beside(source, file), beside)

    def test_a_size_that_no_case_has_is_told(self):
        with self.assertRaisesRegex(AttributeError, "the case has no 'K'; it has M, N"):
            ns.Case(dict(M=1, N=2)).K
        with self.assertRaisesRegex(AttributeError, r"it has nothing: ns.problem\(cases"):
            ns.Case({}).M


    def test_a_case_has_its_members_as_items_and_as_attributes(self):
        case = ns.Case(dict(M=1, items=2))
        self.assertEqual((case["M"], case.M, case["items"], case.items), (1, 1, 2, 2))
        self.assertEqual((list(case), "M" in case, "K" in case), (["M", "items"], True, False))
        with self.assertRaisesRegex(KeyError, "the case has no 'K'; it has M, items"):
            case["K"]


class Exports(Case):
    CONFIGURATION = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128,
                     "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3}

    def winner(self, name, accepted=True, gpu="", **changes):
        parts = [{"kind": "processor", "name": "n", "value": "A CPU"},
                 {"kind": "device", "name": "n/cpu:1", "value": "A CPU"}]
        if gpu:
            parts.append({"kind": "device", "name": "n/GPU-1", "value": gpu})
        return self.write(name, json.dumps({
            "problem": "moe", "accepted": accepted, "made_of": parts,
            "configuration": {**self.CONFIGURATION, **changes},
            "baseline": {"configuration": {**self.CONFIGURATION, "num_warps": 8}}}))

    MOE = ("--experts", 8, "--n", 7168, "--device", "NVIDIA H200", "--dtype", "fp8_w8a8",
           "--block-shape", "128,128")

    def test_vllm(self):
        self.winner("a.json"), self.winner("b.json", accepted=False)
        done = self.module("export", "--format", "vllm-moe", *self.MOE, "--triton", "3.6.0",
                           "--output", "out", "64=b.json", "1=a.json")
        name = "E=8,N=7168,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"
        table = json.loads((self.folder / "out" / name).read_text())
        self.assertEqual(list(table), ["triton_version", "1", "64"])
        self.assertEqual(table["1"], self.CONFIGURATION)
        self.assertEqual(table["64"]["num_warps"], 8)
        self.assertIn("its baseline is written", done.stderr)
        check = ("export", "--format", "vllm-moe", *self.MOE, "--output", "out", "--check")
        self.assertIn("row 64 of", self.module(*check, 40).stdout)
        self.assertIn("row 1 of", self.module(*check, 8).stdout)

    def test_a_file_that_takes_no_more_stays_as_it_was(self):
        self.winner("a.json")
        export = ("export", "--format", "triton-config", "--output", "best.py", "a.json")
        self.module(*export)
        kept = (self.folder / "best.py").read_text()
        self.winner("a.json", num_warps=8)
        limit = (10, 10)
        done = subprocess.run([sys.executable, "-m", "nightshift", *export], cwd=self.folder, text=True,
                              env=harness.environment(), capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        self.assertEqual(done.returncode, 74)
        self.assertIn("File too large", done.stderr)
        self.assertEqual((self.folder / "best.py").read_text(), kept)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.json", "best.py"])

    def test_an_output_that_takes_nothing_is_told(self):
        self.winner("a.json")
        for redirection, words in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            done = subprocess.run(
                ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "nightshift", "export", "--format",
                 "triton-config", "a.json"], cwd=self.folder, text=True, env=harness.environment(), capture_output=True,
                check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (74, f"nightshift: standard output could not be written: {words}\n"))

    def test_what_was_captured_is_as_it_was_where_the_disk_takes_no_more(self):
        self.write("captured.json", "before")
        done = subprocess.run([sys.executable, "-m", "nightshift", "captured", "."], cwd=self.folder, text=True,
                              env=harness.environment(), capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        self.assertEqual(done.returncode, 74)
        self.assertIn("can't be written: File too large", done.stderr)
        self.assertEqual((self.folder / "captured.json").read_text(), "before")
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), [".lock", "captured.json"])

    def test_a_lookup_that_finds_nothing_says_what_it_looked_for(self):
        done = self.module("export", "--format", "vllm-moe", *self.MOE, "--check", 4, code=3)
        self.assertIn("E=8,N=7168", done.stdout)

    def test_sglang(self):
        self.winner("a.json")
        done = self.module("export", "--format", "sglang-moe", *self.MOE, "--triton", "3.6.0",
                           "--down", "--output", "out", "1=a.json")
        self.assertIn("triton_3_6_0/", done.stdout)
        self.assertIn("block_shape=[128, 128]_down.json", done.stdout)
        check = ("export", "--format", "sglang-moe", *self.MOE, "--output", "out", "--check", 3)
        self.assertIn("row 1 of", self.module(*check, "--triton", "3.6.0", "--down").stdout)
        self.module(*check, "--triton", "3.6.0", code=3)  # the first product has a file of its own

    def test_both_products_of_sglang_have_blocks_of_one_size(self):
        self.winner("small.json"), self.winner("large.json", BLOCK_SIZE_M=64)
        export = ("export", "--format", "sglang-moe", *self.MOE, "--triton", "3.6.0",
                  "--output", "out")
        done = self.module(*export, "--down", "1=small.json", "64=large.json")
        self.assertIn("need the same BLOCK_SIZE_M; it is not there", done.stderr)
        self.module(*export, "1=small.json", "64=large.json")
        self.module(*export, "--down", "1=small.json", "40=small.json", "64=large.json", code=2)
        # Their rows are equal, and change at other numbers of tokens: 32 and 36.
        done = self.module(*export, "--down", "1=small.json", "8=small.json", "64=large.json",
                           code=2)
        self.assertIn("a call with 33 tokens would get BLOCK_SIZE_M=16 here and 64 there",
                      done.stderr)
        self.module(*export, "--down", "1=small.json", "64=large.json", "128=large.json")

    def test_dense_products_in_blocks(self):
        self.winner("a.json")
        for kind, shape in (("vllm", "[128,128]"), ("sglang", "[128, 128]")):
            self.module("export", "--format", kind + "-block-fp8", "--n", 1536, "--k", 7168, "--device",
                        "NVIDIA H200 NVL", "--output", kind, "1=a.json")
            name = f"N=1536,K=7168,device_name=NVIDIA_H200_NVL,dtype=fp8_w8a8,block_shape={shape}.json"
            self.assertTrue((self.folder / kind / name).exists())

    def test_of_several_kernels_one_is_written(self):
        self.write("s.json", json.dumps({"configuration": {
            "h_BK": 32, "h_num_warps": 4, "o_BK": 64, "o_num_warps": 8}}))
        done = self.module("export", "--format", "triton-config", "s.json", "--kernel", "o")
        self.assertIn("triton.Config({'BK': 64}, num_warps=8)", done.stdout)
        done = self.module("export", "--format", "triton-config", "s.json", code=2)
        self.assertIn("several kernels: --kernel h takes what is of one of h, o", done.stderr)

    def test_triton_text_is_python(self):
        self.winner("a.json")
        text = self.module("export", "--format", "triton-config", "a.json").stdout
        made = eval(text.strip().partition("=")[2], {"triton": type("T", (), {
            "Config": staticmethod(lambda kwargs, **options: (kwargs, options))})})
        self.assertEqual(made[0][1], {"num_warps": 4, "num_stages": 3})

    def test_names_are_those_of_the_gpu_that_was_measured_on(self):
        self.winner("a.json", gpu="NVIDIA H200, compute capability 90")
        self.winner("b.json", gpu="NVIDIA H100 PCIe, compute capability 90")
        self.winner("c.json")
        dense = ("export", "--format", "vllm-block-fp8", "--n", 8, "--k", 9)
        done = self.module(*dense, "--output", "out", "1=a.json", "2=c.json")
        self.assertIn("N=8,K=9,device_name=NVIDIA_H200,", done.stdout)
        done = self.module(*dense, "1=a.json", "2=b.json", code=2)
        self.assertIn("needs --device, as nvidia-smi names it; the winners were measured on "
                      "NVIDIA H100 PCIe and NVIDIA H200", done.stderr)
        self.module(*dense, "--device", "NVIDIA H100 PCIe", "1=a.json", "2=b.json")
        self.assertIn("needs --device", self.module(*dense, "1=c.json", code=2).stderr)
        done = self.module("export", "--format", "megatron", "--output", "out", "K=a.json",
                           "L=b.json")
        self.assertEqual(done.stdout.strip(), "out/sm90.json")

    def test_a_megatron_entry_has_what_a_config_of_triton_has(self):
        self.write("plain.json", '{"problem": "k", "configuration": {"BLOCK": 64}}')
        text = self.module("export", "--format", "megatron", "--architecture", "sm90",
                           "*=plain.json").stdout
        self.assertEqual(json.loads(text)["kernels"]["k"]["*"],
                         {"kwargs": {"BLOCK": 64}, "num_warps": 4, "num_stages": 3})

    AOT = ("export", "--format", "helion-aot", "--source", "some/norms.py", "--architecture",
           "sm90")

    def test_helions_functions_choose_the_nearest_sizes(self):
        for name, block in (("a.json", 1), ("b.json", 2)):
            self.write(name, json.dumps({"problem": "norm", "configuration": {
                "block_sizes": f"0: [{block}]", "num_warps": 8, "kinds_0": "x", "kinds_1": ""}}))
        done = self.module(*self.AOT, "--output", "out", "arg0_dim0=8192,arg1_scalar=1=a.json",
                           "arg1_scalar=1,arg0_dim0=16=b.json", "arg0_dim0=1,arg1_scalar=64=a.json")
        self.assertEqual(done.stdout.strip(), "out/_helion_aot_norms_cuda_sm90.py")
        names = {}
        exec((self.folder / done.stdout.strip()).read_text(), names)
        for rows, number, block in ((8192, 1, 1), (16, 1, 2), (20, 1, 2), (400, 1, 1), (2, 100, 1)):
            tensor = types.SimpleNamespace(shape=(rows, 4))
            config = names["autotune_norm"](tensor, number)
            self.assertEqual(config, {"block_sizes": [block], "num_warps": 8, "kinds": ["x", ""]})
            self.assertEqual(names["key_norm"](tensor, number), block - 1, "equal configs are one")

    def test_one_config_of_helion_needs_no_sizes(self):
        self.winner("a.json")
        names = {}
        exec(self.module(*self.AOT, "--kernel", "f", "a.json").stdout, names)
        self.assertEqual(names["autotune_f"](1, 2), self.CONFIGURATION)

    def test_megatron_and_helion(self):
        self.winner("a.json")
        table = json.loads(self.module("export", "--format", "megatron", "--triton", "3.6.0",
                                       "--architecture", "sm90", "M=16=a.json").stdout)
        self.assertEqual(table["kernels"]["moe"]["M=16"]["num_warps"], 4)
        text = self.module("export", "--format", "helion", "a.json").stdout
        self.assertEqual(json.loads(text), self.CONFIGURATION)

    def table(self, name="table.json", default={"BLOCK": 1, "num_warps": 4}):
        rows = [{"sizes": {"M": m, "N": n}, "choice": choice}
                for m, n, choice in ((16, 64, 1), (8192, 64, 0))]
        self.write(name, json.dumps({
            "format": "nightshift-table/1", "problem": "norm", "default": default, "rows": rows,
            "configurations": [{}, {"BLOCK": 2, "num_warps": 8}],
            "kinds": ["NVIDIA H200, compute capability 90"]}))

    def test_a_table_is_a_winner_for_each_row(self):
        self.table()
        found = json.loads(self.module("export", "--format", "megatron", "{M}_{N}=table.json").stdout)
        self.assertEqual(found["arch"], "sm90")
        self.assertEqual(found["kernels"]["norm"], {
            "16_64": {"kwargs": {"BLOCK": 2}, "num_warps": 8, "num_stages": 3},
            "8192_64": {"kwargs": {"BLOCK": 1}, "num_warps": 4, "num_stages": 3}})
        self.assertIn("M=16,N=64", json.loads(
            self.module("export", "--format", "megatron", "table.json").stdout)["kernels"]["norm"])
        names = {}
        exec(self.module(*self.AOT, "arg0_dim0={M}=table.json").stdout, names)
        for rows, block in ((10, 2), (9000, 1)):
            config = names["autotune_norm"](types.SimpleNamespace(shape=(rows, 64)))
            self.assertEqual(config["BLOCK"], block)

    def test_mistakes_are_told(self):
        self.winner("a.json")
        self.table()
        self.table("other.json", {})
        self.write("bad.json", "{")
        for words, arguments in [
                ("needs --experts", ("vllm-moe", "1=a.json")),
                ("number of tokens", ("vllm-moe", *self.MOE, "a.json")),
                ("needs --triton", ("sglang-moe", *self.MOE, "1=a.json")),
                ("--down is of sglang-moe", ("vllm-moe", *self.MOE, "--down", "1=a.json")),
                ("given twice", ("vllm-moe", *self.MOE, "1=a.json", "1=a.json")),
                ("needs --architecture", ("megatron", "K=a.json")),
                ("needs --source", ("helion-aot", "a.json")),
                ("the table has the sizes M, N", ("megatron", "{K}=table.json")),
                ("has the default, which is another program", ("megatron", "other.json")),
                ("needs its sizes", (*self.AOT[2:], "a.json", "a.json")),
                ("none of Helion's sizes", (*self.AOT[2:], "tokens=4=a.json")),
                ("told apart by key_0, and one by key_1", (*self.AOT[2:], "key_0=4=a.json",
                                                           "key_1=4=a.json")),
                ("is given twice", (*self.AOT[2:], "key_0=4=a.json", "key_0=4=a.json")),
                ("is no name of a function", (*self.AOT[2:], "--kernel", "a-b", "a.json")),
                ("is no JSON", ("helion", "bad.json")),
                ("can't be read", ("helion", "none.json"))]:
            with self.subTest(words):
                self.assertIn(words, self.module("export", "--format", *arguments, code=2).stderr)

    def test_names_of_devices(self):
        self.assertEqual(device_name("NVIDIA H200 NVL"), "NVIDIA_H200_NVL")
        self.assertEqual(device_name("NVIDIA H200 NVL", one_h200=True), "NVIDIA_H200")
        self.assertEqual(device_name("NVIDIA H100 80GB HBM3"), "NVIDIA_H100_80GB_HBM3")

    def test_the_nearest_row(self):
        self.assertEqual(nearest_row({"triton_version": "3", "1": {}, "64": {}}, 40), 64)

    def test_rows_come_back_as_baselines(self):
        file = self.write("t.json", json.dumps({"triton_version": "3", "1": {"a": 1},
                                                "64": {"a": 2}}))
        self.assertEqual(ns.configs_from(file), [{"a": 1}, {"a": 2}])
        self.assertEqual(ns.configs_from(file, tokens=50), [{"a": 2}])

    def test_configs_of_tritons_autotuner_come_best_first(self):
        def written(timings):
            return self.write("t.json", json.dumps({"key": [1], "configs_timings": timings}))
        slow, fast = ({"kwargs": {"B": b}, "num_warps": 4, "maxnreg": None} for b in (1, 2))
        self.assertEqual(ns.configs_from(written([[slow, [2.0, 1, 3]], [fast, [1.0, 1, 3]]])),
                         [{"B": 2, "num_warps": 4}, {"B": 1, "num_warps": 4}])
        for wrong in (3, [3], [[slow]], [[{}, [1]]], [[3, [1]]]):
            with self.assertRaisesRegex(UserError, "t.json: configs_timings are not as Triton"):
                ns.configs_from(written(wrong))
        with self.assertRaisesRegex(UserError, "it has no configuration"):
            ns.configs_from(self.write("e.json", "{}"))

    def test_shapes(self):
        aiter = self.write("a.csv", "M,N,K\n1,2,3\n4,5,6\n1,2,3\n")
        self.assertEqual(ns.shapes_from(aiter), [dict(M=1, N=2, K=3), dict(M=4, N=5, K=6)])
        cutlass = self.write("c.json", '[{"m": 1, "n": 2, "k": 3, "layout": "tn"}]')
        self.assertEqual(ns.shapes_from(cutlass), [dict(M=1, N=2, K=3, layout="tn")])
        tunable = self.write("t.csv", "GemmTunableOp_Half_TN,tn_32_64_128_ld_128_128_32\n")
        self.assertEqual(ns.shapes_from(tunable)[0]["K"], 128)
        tuned = self.write("u.csv", "cu_num,M,N,K,us\n80,1,2,3,9.5\n80,1,2,3,8.5\n80,1,2,4,7\n")
        self.assertEqual(ns.shapes_from(tuned, ("M", "N", "K")), [dict(M=1, N=2, K=3),
                                                                  dict(M=1, N=2, K=4)])
        self.assertEqual(self.module("shapes", "u.csv", "--names", "K").stdout,
                         '{"K": 3}\n{"K": 4}\n')
        with self.assertRaisesRegex(UserError, "a.csv: a shape has no B; it has M, N, K"):
            ns.shapes_from(aiter, ["B"])
        with self.assertRaisesRegex(UserError, "r.csv:3: the head has 2"):
            ns.shapes_from(self.write("r.csv", "M,N\n1,2\n1\n"))


class SameSpace(Case):
    def differing(self, values):
        file = self.write("differs.py", f"""
            import os
            import nightshift as ns
            ROLE = os.environ.get("NIGHTSHIFT_ROLE")

            @ns.problem(device="cpu", space={{"BLOCK": {values}, "other": [1]}})
            def p(case, config):
                pass
            """)
        argv = next(line for line in self.module("describe", file).stdout.splitlines()
                    if line.startswith("argv = "))
        return json.loads(argv.partition(" = ")[2])[3:]

    def test_processes_that_read_another_space_say_both(self):
        told = self.module(*self.differing("[16, 32] if ROLE else [16, 64]"), code=2,
                           NIGHTSHIFT_PROTOCOL="2", NIGHTSHIFT_ROLE="build").stderr
        self.assertIn("BLOCK is [16, 32] in the process that builds, and was [16, 64] in", told)
        self.assertNotIn("other is", told)
        told = self.module(*self.differing("range(4000 if ROLE else 4001)"), code=2,
                           NIGHTSHIFT_PROTOCOL="2", NIGHTSHIFT_ROLE="measure").stderr
        self.assertIn("BLOCK is another list", told)

    def test_processes_that_read_the_same_serve(self):
        for values in ("[16, 32]", "[None, 'a']", "range(4000)"):
            _, file, *more = self.differing(values)
            self.assertEqual(Served(self, file, *more).hello["hello"], 2)


class Files(Case):
    def test_what_would_make_a_reader_wait_is_refused(self):
        fifo, zero = self.folder / "captured.json", self.folder / "tuned.json"
        os.mkfifo(fifo)
        zero.symlink_to("/dev/zero")
        for path in (fifo, zero):
            with self.assertRaisesRegex(OSError, "it is no regular file"):
                whole_files.read_whole(path)
        with self.assertRaisesRegex(UserError, "tuned.json can't be read: it is no regular file"):
            tuned.read(str(zero))
        with self.assertRaisesRegex(UserError, "captured.json can't be read: it is no regular file"):
            captured_in(str(self.folder))
        (self.folder / "processes").mkdir()
        with self.assertRaisesRegex(OSError, "it is no regular file"):
            joining.join(str(self.folder))
        os.mkfifo(self.folder / "processes" / "1.json")
        fifo.unlink()
        self.assertEqual(joining.join(str(self.folder))["kernels"], [])
        self.assertEqual(captured_in(str(self.folder))["kernels"], [])


if __name__ == "__main__":
    harness.main()
