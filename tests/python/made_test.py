"""Inputs that others' functions make, and answers that a function of the file judges."""

import array
import importlib.util
import random
import unittest

import harness
from harness import ORDER, Case

import nightshift as ns
from nightshift.benches import PlainBench, TorchBench
from nightshift.errors import Failure, UserError
from nightshift.evaluation import Evaluator

HAS_TORCH = importlib.util.find_spec("torch") is not None


def measure(problem, **changes):
    bench = (TorchBench if changes.pop("torch", False) else PlainBench)(problem)
    return Evaluator(problem, problem.cases, bench).measure(
        dict(ORDER, configuration={}, **changes), lambda phase: None)


class Made(Case):
    def problem(self, make, does, check=None, reference=None):
        @ns.problem(space={"a": [1]}, device="cpu")
        def others(case, config):
            inputs = ns.made(make)
            right = reference or (lambda values: [sum(values["x"])])
            return ns.Run(lambda: does(inputs), check=check,
                          reference=lambda: right(inputs))
        return others

    @staticmethod
    def numbers(seed):
        return {"x": array.array("d", [random.random() for _ in range(9)]), "n": 9}

    def test_inputs_are_made_again_from_each_seed(self):
        seen = set()

        def does(inputs):
            seen.add(tuple(inputs["x"]))
            self.assertEqual(inputs["n"], 9)
            return [sum(inputs["x"])]
        conditions = measure(self.problem(self.numbers, does), trust="none")["conditions"]
        self.assertGreaterEqual(conditions["unseen_pairs"], 9)
        self.assertGreater(len(seen), 10)

    def test_an_input_that_is_written_is_refused(self):
        def does(inputs):
            answer = [sum(inputs["x"])]
            inputs["x"][0] = 0.0
            return answer
        with self.assertRaises(Failure) as caught:
            measure(self.problem(self.numbers, does))
        self.assertIn("is an input and was written", str(caught.exception))

    def test_shapes_that_depend_on_the_seed_are_refused(self):
        def make(seed):
            return [array.array("d", [1.0] * (1 + seed % 7))]
        with self.assertRaises(UserError) as caught:
            measure(self.problem(make, lambda inputs: [1.0], reference=lambda _: [1.0]))
        self.assertIn("of the same shapes", str(caught.exception))

    def test_a_function_of_the_file_judges(self):
        """Which element is the largest: either of two equal ones is right."""
        def make(seed):
            return [array.array("q", [3, 7, 7, 1])]

        def check(outputs, expected):
            [values] = expected
            return "" if values[outputs[0]] == max(values) else f"{outputs[0]} is not the largest"
        for answer, right in ((1, True), (2, True), (0, False)):
            one = self.problem(make, lambda inputs: answer, check, lambda inputs: [list(inputs[0])])
            if right:
                self.assertEqual(measure(one)["conditions"]["reference"], "own")
                continue
            with self.assertRaises(Failure) as caught:
                measure(one)
            self.assertEqual((caught.exception.kind, str(caught.exception)),
                             ("wrong_result", "0 is not the largest"))

    def test_a_check_needs_to_know_what_is_expected(self):
        with self.assertRaises(UserError) as caught:
            ns.Run(lambda: 1, check=lambda outputs, expected: "")
        self.assertIn("a reference that says what is expected", str(caught.exception))


@unittest.skipUnless(HAS_TORCH, "no torch")
class MadeByTorch(Case):
    def test_what_torch_leaves_empty_is_an_output(self):
        import torch
        kinds = []

        def make(seed):
            counted = torch.zeros(4)
            filled = torch.empty(5)
            filled.normal_()
            return torch.randn(6, 2).t(), (torch.empty(7).contiguous(), counted), filled, "text"

        @ns.problem(space={"a": [1]}, device="cpu")
        def others(case, config):
            x, (y, counts), other, text = ns.made(make, buffers=True)
            from nightshift import factories
            kinds.append([one.kind for one in factories._workshops[-1].arrays])

            def call():
                y.copy_(x.flatten()[:7])
                counts.add_(1)
                return y
            self.assertEqual((x.stride(), text), ((1, 2), "text"))
            return ns.Run(call, reference=lambda: x.flatten()[:7].double())
        measure(others, torch=True, trust="none")
        self.assertEqual(kinds[0], ["made", "output", "zeros", "made"])

    def test_seeds_change_what_torch_draws(self):
        import torch
        seen = set()

        @ns.problem(space={"a": [1]}, device="cpu")
        def others(case, config):
            x = ns.made(lambda seed: torch.rand(3))

            def call():
                seen.add(tuple(x.tolist()))
                return x * 2
            return ns.Run(call, reference=lambda: x.double() * 2)
        measure(others, torch=True)
        self.assertEqual(len(seen), 2)


if __name__ == "__main__":
    harness.main()
