"""Rounds on inputs that a kernel never had, on a host whose clock and whose other processes are scripted."""

import array
import random
import unittest
from unittest import mock

from harness import ORDER, Case

import nightshift as ns
from nightshift import unseen
from nightshift.benches import PlainBench
from nightshift.cpu_clock import CpuClock
from nightshift.errors import Failure
from nightshift.evaluation import Evaluator
from nightshift.plain_arrays import PlainWorkshop

PAIRS = 9  # of who is honest


class Host(Case):
    """Calls take what they are told to, and others have the core when they are told to."""

    ASKED = {"trust": "none"}

    def setUp(self):
        super().setUp()
        self.now, self.switches, self.phases, self.made = 0.0, 0, [], []
        patch = mock.patch.object(unseen, "_switches", lambda: self.switches)
        patch.start()
        self.addCleanup(patch.stop)

    def make(self, seed):
        self.made.append((self.phases.count("verify"), seed))
        return array.array("d", [random.random() for _ in range(8)])

    def measure(self, kernel, **changes):
        def call(x):
            self.now += 1e-3
            return kernel(x)

        @ns.problem(space={"a": [1]}, device="cpu")
        def sums(case, config):
            x = ns.made(self.make)
            return ns.Run(lambda: call(x), reference=lambda: [2 * value for value in x])
        return self.measured(sums, **changes)

    def measured(self, problem, **changes):
        bench = PlainBench(problem)
        bench.clock = lambda calls, is_doubted=False: CpuClock(calls, lambda: self.now)
        return Evaluator(problem, problem.cases, bench, lambda: self.now).measure(
            {**ORDER, "configuration": {}, **self.ASKED, **changes}, self.phases.append)["conditions"]

    def doubts(self):
        """Seeds of inputs that were made once samples had been taken, in order."""
        return [seed for verified, seed in self.made if verified > 1]

    @staticmethod
    def work(x):
        return [2 * value for value in x]

    def remembering(self, key):
        known = {}

        def kernel(x):
            if key(x) not in known:
                self.now += 8e-3
                known[key(x)] = self.work(x)
            return known[key(x)]
        return kernel


class Rounds(Host):
    def test_inputs_of_a_pair_are_made_once(self):
        self.assertEqual(self.measure(self.work)["unseen_pairs"], PAIRS)
        # And once for the check behind the samples.
        self.assertEqual(len(self.doubts()), 1 + PAIRS)
        self.assertEqual(len(set(self.doubts())), 1 + PAIRS)

    def test_each_pair_says_that_it_begins(self):
        self.measure(self.work)
        self.assertEqual(self.phases[self.phases.index("measure"):], ["measure"] + ["verify"] * (1 + PAIRS))

    def test_who_has_the_core_while_inputs_are_made_disturbs_nothing(self):
        make = self.make

        def preempted(seed):
            self.switches += 1
            return make(seed)
        self.make = preempted
        self.measure(self.work)
        self.assertEqual(len(self.doubts()), 1 + PAIRS)

    def test_a_disturbed_round_is_made_again_on_inputs_that_nobody_had(self):
        def preempted(x):
            self.switches += 1
            return self.work(x)
        self.measure(preempted)
        self.assertEqual(len(self.doubts()), 1 + PAIRS * unseen._TRIES)
        self.assertEqual(len(set(self.doubts())), 1 + PAIRS * unseen._TRIES)

    def test_a_kernel_that_remembers_is_refused(self):
        for name, key in {"contents": lambda x: bytes(x), "the first number": lambda x: x[0]}.items():
            with self.subTest(name), self.assertRaises(Failure) as caught:
                self.measure(self.remembering(key))
            self.assertEqual(caught.exception.kind, "launch_failed")
            self.assertIn("it takes 9 times as long", str(caught.exception))

    def test_a_kernel_that_remembers_the_call_before_is_refused(self):
        last = []

        def kernel(x):
            if last[:1] != [bytes(x)]:
                self.now += 8e-3
                last[:] = bytes(x), self.work(x)
            return last[1]
        with self.assertRaisesRegex(Failure, "it takes 9 times as long"):
            self.measure(kernel)

    def test_one_that_answers_by_an_address_is_wrong(self):
        known = {}
        with self.assertRaises(Failure) as caught:
            self.measure(lambda x: known.setdefault(id(x), self.work(x)))
        self.assertEqual(caught.exception.kind, "wrong_result")

    def test_answers_that_are_wrong_on_other_inputs_are_found(self):
        seen = []

        def kernel(x):
            seen.append(bytes(x)) if bytes(x) not in seen else None
            return self.work(x) if seen.index(bytes(x)) < 2 else self.work(x)[:-1] + [0.0]
        with self.assertRaises(Failure) as caught:
            self.measure(kernel)
        self.assertEqual(caught.exception.kind, "wrong_result")


class Kept(unittest.TestCase):
    def setUp(self):
        self.calls = 0
        self.shop = PlainWorkshop(5)
        self.x = self.shop.make("uniform", (4,), "float64", {"low": 0.0, "high": 1.0})
        self.y = self.shop.make_by(self.made, False)
        self.zeros = self.shop.make("zeros", (2,), "int32", {})
        self.first = self.contents()

    def made(self, seed):
        self.calls += 1
        return array.array("q", [random.randrange(1 << 40) for _ in range(3)])

    def contents(self):
        return list(self.x), list(self.y), list(self.zeros)

    def spoil(self):
        self.x[0], self.y[0], self.zeros[0] = 7.0, 7, 7

    def test_what_is_kept_is_copied_and_is_what_the_seed_makes(self):
        self.shop.keep()
        self.spoil()
        self.shop.refill(6)
        other = self.contents()
        self.shop.keep()
        self.assertNotEqual(other, self.first)
        for seed, right in (5, self.first), (6, other), (5, self.first):
            self.spoil()
            self.shop.refill(seed)
            self.assertEqual(self.contents(), right)
        self.assertEqual(self.calls, 2)

    def test_what_is_forgotten_is_made_anew(self):
        self.shop.keep()
        self.shop.forget(5)
        self.spoil()
        self.shop.refill(5)
        self.assertEqual((self.contents(), self.calls), (self.first, 2))


if __name__ == "__main__":
    unittest.main()
