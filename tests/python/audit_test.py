"""What a trusted author's kernel is asked before a claim, on a host whose clock and whose other processes are
scripted."""

import functools
import random
import unittest

import unseen_test

import nightshift as ns
from nightshift.audit import CUT_SHORT, HELD, SAME_INPUTS, audit_of
from nightshift.distrust import HonestyRule, judged
from nightshift.errors import Failure

COUNT = 8


def doubled(x):
    return [2 * value for value in x]


class Audited(unseen_test.Host):
    ASKED = {"audit": 5.0}

    def setUp(self):
        super().setUp()
        self.known, self.dice, self.runs = {}, random.Random(5), 0
        self.makes = {"from a seed": lambda: [random.random() for _ in range(COUNT)],
                      "always the same": lambda: [random.Random(5).random() for _ in range(COUNT)]}

    def works(self, x):
        self.now += 8e-3
        return doubled(x)

    def kept(self, key):
        """A kernel that works once for each key."""
        def kernel(x):
            if key(x) not in self.known:
                self.known[key(x)] = self.works(x)
            return self.known[key(x)]
        return kernel

    def audit(self, kernel, make, prepare=lambda x: x, **changes):
        """Of a kernel whose problem makes its inputs in its own way."""
        self.known.clear()

        @ns.problem(space={"a": [1]}, device="cpu")
        def sums(case, config):
            self.runs += 1
            x = make()
            prepared = prepare(x)

            def call():
                self.now += 1e-3
                return kernel(prepared)
            return ns.Run(call, reference=lambda: doubled(x))
        return self.measured(sums, **changes)["audit"]

    def assertRefused(self, words, *arguments):
        with self.assertRaises(Failure) as caught:
            self.audit(*arguments)
        self.assertIn(words, str(caught.exception))

    # --- Inputs of factories ---

    def test_who_works_has_held_after_three_pairs(self):
        self.assertEqual(self.measure(self.works)["audit"], HELD)
        # One more is for the check behind the samples.
        self.assertEqual(len(self.doubts()), 1 + 3)

    def test_an_extreme_that_forgets_its_tail_is_wrong(self):
        """Of 200 drawn numbers the largest is the last one once in 200 times; it is asked with both there."""
        def audit(kernel, make):
            @ns.problem(space={"a": [1]}, device="cpu")
            def extremes(case, config):
                x = make()

                def call():
                    self.now += 1e-3
                    return kernel(x)
                return ns.Run(call, reference=lambda: [max(flat(x)), min(flat(x))])
            return self.measured(extremes)["audit"]

        def flat(x):
            return [value for row in x.tolist() for value in (row if isinstance(row, list) else [row])]

        makes = {"normal": lambda: ns.normal(200), "uniform": lambda: ns.uniform(10, 20, low=-3),
                 "integers": lambda: ns.integers(200, high=10 ** 6)}
        for name, make in makes.items():
            with self.subTest(name):
                self.assertEqual(audit(lambda x: [max(flat(x)), min(flat(x))], make), HELD)
                for wrong in (lambda x: [max(flat(x)[:-1]), min(flat(x))],
                              lambda x: [max(flat(x)), min(flat(x)[:-1])]):
                    with self.assertRaises(Failure) as caught:
                        audit(wrong, make)
                    self.assertEqual(caught.exception.kind, "wrong_result")

    def test_pairs_during_which_others_had_the_core_do_not_count(self):
        calls = []

        def preempted(x):
            calls.append(1)
            if len(calls) % 7 == 0:
                self.switches += 1
                self.now += 1.0
            return kernel(x)
        for kernel in self.works, self.kept(bytes):
            self.known.clear()
            if kernel == self.works:
                self.assertEqual(self.measure(preempted, audit=1000.0)["audit"], HELD)
                continue
            with self.assertRaisesRegex(Failure, "it never had it takes 9 times as long"):
                self.measure(preempted, audit=1000.0)

    def test_who_is_not_asked_says_nothing(self):
        self.assertNotIn("audit", self.measure(self.works, audit=None))

    def test_who_remembers_contents_is_refused(self):
        once = functools.lru_cache(1)(lambda contents: self.works(list(contents)))
        for kernel in self.kept(bytes), self.kept(lambda x: x[0]), lambda x: once(tuple(x)):
            with self.subTest(kernel), self.assertRaisesRegex(Failure, "it never had it takes 9 times as long"):
                self.measure(kernel)

    def test_work_that_depends_on_inputs_is_honest(self):
        sampled = []

        def kernel(x):
            sampled[:] = sampled or [bytes(x)]
            self.now += 1e-3 if bytes(x) == sampled[0] else 8e-3
            return doubled(x)
        self.assertEqual(self.measure(kernel)["audit"], HELD)

    def test_without_time_for_pairs_nothing_is_known_but_what_is_plain(self):
        def knows_a_little(x):
            self.now += 8e-3 if bytes(x) in self.known else 12e-3
            return self.known.setdefault(bytes(x), doubled(x))
        self.assertEqual(self.measure(knows_a_little, audit=0.05)["audit"], CUT_SHORT)
        self.known.clear()
        with self.assertRaisesRegex(Failure, "it never had it takes 9 times as long"):
            self.measure(self.kept(bytes), audit=0.05)

    # --- Inputs that a problem makes in its own way ---

    def test_who_works_has_held_where_a_seed_makes_inputs(self):
        self.assertEqual(self.audit(self.works, self.makes["from a seed"]), HELD)

    def test_where_no_seed_makes_inputs_that_is_said(self):
        for make in self.makes["always the same"], lambda: [self.dice.random() for _ in range(COUNT)]:
            self.assertEqual(self.audit(self.works, make), SAME_INPUTS)

    def test_who_remembers_contents_of_such_inputs_is_refused(self):
        once = functools.lru_cache(1)(lambda contents: self.works(contents))
        for kernel in self.kept(tuple), lambda x: once(tuple(x)):
            self.assertRefused("it never had it takes 9 times as long", kernel, self.makes["from a seed"])

    def test_who_remembers_addresses_is_refused(self):
        for name, make in self.makes.items():
            for kept_as in list, tuple:
                with self.subTest(name, kept_as=kept_as):
                    self.assertRefused("at other addresses it takes 9 times as long", self.kept(id), make, kept_as)

    def test_the_answer_of_a_shape_or_of_the_first_call_is_wrong(self):
        for key in len, lambda x: 0:
            self.assertRefused("instead of", self.kept(key), self.makes["from a seed"])
            # Where all inputs are the same nothing tells it from work.
            self.assertEqual(self.audit(self.kept(key), self.makes["always the same"]), SAME_INPUTS)

    def test_what_is_made_once_a_run_is_honest(self):
        class Prepared:
            def __init__(self, x):
                self.x, self.plan = x, None

        def kernel(prepared):
            if prepared.plan is None:
                self.now += 1.0
                prepared.plan = 2
            self.now += 8e-3
            return [prepared.plan * value for value in prepared.x]
        self.assertEqual(self.audit(kernel, self.makes["from a seed"], Prepared), HELD)
        self.assertEqual(self.audit(kernel, self.makes["always the same"], Prepared), SAME_INPUTS)

    def test_work_that_depends_on_such_inputs_is_honest(self):
        sampled = []

        def kernel(x):
            sampled[:] = sampled or [list(x)]
            self.now += 1e-3 if x == sampled[0] else 8e-3
            return doubled(x)
        self.assertEqual(self.audit(kernel, self.makes["from a seed"]), HELD)

    def test_buffers_stay_where_they_are(self):
        @ns.problem(space={"a": [1]}, device="cpu")
        def sums(case, config):
            x, out, seen = [random.random() for _ in range(COUNT)], [0.0] * COUNT, []
            places = self.known.setdefault("places", [])

            def call():
                self.now += 8e-3
                places.append((self.runs, id(out)))
                seen.append(1)
                out[:] = doubled(x)
            return ns.Run(call, outputs=[out], reference=lambda: doubled(x))
        self.assertEqual(self.measured(sums)["audit"], HELD)

    def test_a_function_that_cannot_be_called_again_is_left_alone(self):
        def make():
            if self.runs > 1:
                raise RuntimeError("once")
            return [1.0, 2.0]

        @ns.problem(space={"a": [1]}, device="cpu")
        def sums(case, config):
            self.runs += 1
            x = make()
            return ns.Run(lambda: self.works(x), reference=lambda: doubled(x))
        self.assertEqual(self.measured(sums)["audit"], SAME_INPUTS)

    def test_without_a_reference_the_baseline_says_what_is_right(self):
        @ns.problem(space={"a": [1, 2]}, device="cpu")
        def sums(case, config):
            x = [random.random() for _ in range(COUNT)]
            return ns.Run(lambda: self.works(x))
        for asked in {}, self.ASKED:
            conditions = self.measured(sums, configuration={"a": 2}, audit=asked.get("audit"))
            self.assertEqual(conditions.get("audit"), HELD if asked else None)

    # --- Outputs ---

    def test_an_answer_that_stands_there_is_no_work(self):
        def problem(leaves):
            @ns.problem(space={"a": [1]}, device="cpu", dtype="float64")
            def sums(case, config):
                x, y = ns.uniform(COUNT), ns.output(COUNT)

                def call():
                    self.now += 1e-3
                    if not leaves or y[0] != 2 * x[0]:
                        self.now += 8e-3
                        for i in range(COUNT):
                            y[i] = 2 * x[i]
                return ns.Run(call, outputs=[y], reference=lambda: doubled(x))
            return sums
        self.assertEqual(self.measured(problem(False))["audit"], HELD)
        with self.assertRaisesRegex(Failure, "do not hold the answer yet it takes 9 times as long"):
            self.measured(problem(True))


class Rules(unittest.TestCase):
    def judge(self, pairs, most, seconds=1.0):
        """(what is said, pairs that were made), where each takes so many seconds."""
        made = []

        def pair():
            made.append(pairs[min(len(made), len(pairs) - 1)])
            return made[-1]
        said = judged(HonestyRule(0, fewest=1), pair, most, lambda: seconds * len(made))
        return said, len(made)

    def test_one_pair_is_enough_where_it_looks_right(self):
        self.assertEqual(self.judge([(1, 1.04)], 100), (("honest", False), 1))

    def test_all_pairs_are_made_where_there_is_time(self):
        self.assertEqual(self.judge([(1, 1.1)], 100), (("remembers", False), 25))

    def test_at_the_end_only_what_is_plain_counts(self):
        self.assertEqual(self.judge([(1, 2.1)], 5), (("remembers", False), 6))
        self.assertEqual(self.judge([(1, 1.9)], 5), (("honest", True), 6))
        self.assertEqual(self.judge([(1, 1.9), (1, 2.1)], 5), (("honest", True), 6))

    def test_too_few_pairs_have_three_times_as_long(self):
        self.assertEqual(self.judge([(1, 2.1)], 0.9), (("remembers", False), 3))
        self.assertEqual(self.judge([(1, 2.1)], 0.2), (("honest", True), 1))

    def test_cases_hold_together(self):
        for conditions, said in (([HELD, HELD], HELD), ([HELD, SAME_INPUTS], SAME_INPUTS),
                                 ([SAME_INPUTS, HELD, CUT_SHORT], CUT_SHORT)):
            self.assertEqual(audit_of([{"audit": one} for one in conditions]), {"audit": said})
        self.assertEqual(audit_of([{}, {}]), {})


if __name__ == "__main__":
    unittest.main()
