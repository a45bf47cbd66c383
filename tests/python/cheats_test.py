"""Kernels that try to look fast, on a device whose times are scripted: each meets its typed outcome."""

import sys

import fake_torch
import harness
from evaluation_test import FakeGpuBench
from harness import ORDER, Case

import nightshift as ns
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

    def measure(self, cheat, returns=False):
        def kernel(x, y):
            self.calls += 1
            cheat(x, y)

        @ns.problem(space={"a": [1]}, dtype="float32")
        def double(case, config):
            x, y = ns.normal(COUNT), ns.output(COUNT)
            if returns:
                def call():
                    answer = [0.0] * COUNT
                    self.device.work(1e-3, lambda: kernel(x, answer))
                    return (answer,)
                return ns.Run(call, reference=lambda: [2 * value for value in x])
            return ns.Run(lambda: self.device.work(1e-3, lambda: kernel(x, y)), outputs=[y],
                          reference=lambda: [2 * value for value in x])

        evaluator = Evaluator(double, double.cases, FakeGpuBench(double), self._clock)
        return evaluator.measure(dict(ORDER, configuration={}), lambda phase: None)

    def assertCaught(self, cheat, kind="wrong_result", words="", returns=False):
        with self.assertRaises(Failure) as caught:
            self.measure(cheat, returns)
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

    def test_not_caught_answers_remembered_by_contents(self):
        # Timed calls have equal inputs. The manual lists it; it is to fail once inputs change.
        worked = []

        def cheat(x, y):
            key = tuple(x)
            if key not in self.seen:
                worked.append(self.calls)
                self.seen[key] = [2 * value for value in x]
            for i, value in enumerate(self.seen[key]):
                y[i] = value
        self.measure(cheat)
        self.assertEqual(len(worked), 2)  # the inputs, and those of the other seed


if __name__ == "__main__":
    harness.main()
