"""Inputs that others' functions make, and answers that a function of the file judges."""

import array
import functools
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
        {**ORDER, "configuration": {}, **changes}, lambda phase: None)


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


def shares(v):
    total = sum(v)
    return [x / total for x in v]


class Found(Case):
    """Inputs that a problem makes by itself, where nobody is trusted."""

    def measure(self, make, kernel, right=shares, trust="none", **run):
        """make(): inputs, as the problem's function makes them. `calls` has what each call got."""
        self.calls = []

        @ns.problem(space={"a": [1]}, device="cpu")
        def norm(case, config):
            v = make()

            def call():
                self.calls.append((id(v), str(v.tolist() if hasattr(v, "tolist") else v)))
                return kernel(v)
            return ns.Run(call, reference=lambda: right(v), **run)
        return measure(norm, trust=trust)["conditions"]

    def assertRefused(self, kernel, words, make=None, kind=Failure, **options):
        with self.assertRaises(kind) as caught:
            self.measure(make or self.numbers, kernel, **options)
        self.assertIn(words, str(caught.exception))

    @staticmethod
    def numbers(count=50):
        return [random.random() for _ in range(count)]

    def test_they_are_made_anew_where_they_were(self):
        conditions = self.measure(self.numbers, shares)
        self.assertGreaterEqual(conditions["unseen_pairs"], 9)
        self.assertEqual(len({place for place, _ in self.calls}), 1)
        self.assertGreater(len({text for _, text in self.calls}), 10)

    def test_authors_who_are_trusted_keep_theirs(self):
        self.measure(lambda: [float(i) for i in range(9)], shares, trust="all")
        self.assertEqual(len({text for _, text in self.calls}), 1)

    def test_the_answer_of_a_place_is_wrong(self):
        answers = {}

        def kernel(v):
            return answers.setdefault(id(v), shares(v))
        self.assertRefused(kernel, "instead of")

    def test_the_answer_of_an_object_that_can_not_be_written_is_told(self):
        """The samples' own tuple is there again in the rounds that other inputs are compared with."""
        for key in (id, lambda v: id(v[0])):
            answers = {}

            @ns.problem(space={"a": [1]}, device="cpu")
            def norm(case, config):
                v = tuple(self.numbers(3000))

                def call():
                    if key(v) not in answers:
                        answers[key(v)] = shares(v)
                    return answers[key(v)]
                return ns.Run(call, reference=lambda: shares(v))
            with self.assertRaisesRegex(Failure, "on inputs that it never had it takes|instead of"):
                measure(norm, trust="none")

    def test_inputs_that_are_written_are_refused(self):
        def kernel(v):
            v[:] = shares(v)
            return v

        def once(v):
            if sum(v) > 1.5:
                v[:] = shares(v)
            return list(v)
        for cheat in (kernel, once):
            self.assertRefused(cheat, "v is an input and was written")

    def test_inputs_that_no_seed_changes_are_refused_at_the_start(self):
        for make in (lambda: [random.Random(5).random() for _ in range(9)], lambda: (1.0, 2.0),
                     lambda: 7.0):
            self.assertRefused(lambda v: 1 / 0, "make them in its function by ns.uniform", make,
                               UserError)
            self.assertEqual(self.calls, [])

    def test_inputs_that_are_others_each_time_are_refused_at_the_start(self):
        dice = random.Random(5)
        self.assertRefused(shares, "no input of this problem is made from a seed",
                           lambda: [dice.random() for _ in range(9)], UserError)

    def test_sizes_that_depend_on_the_seed_are_refused(self):
        self.assertRefused(shares, "whose sizes depend on the seed",
                           lambda: self.numbers(random.randrange(1000)), UserError)

    def test_all_that_holds_numbers_is_found(self):
        def flat(v):
            if isinstance(v, dict):
                return flat(list(v.values()))
            if isinstance(v, (list, tuple)):
                return [x for one in v for x in flat(one)]
            return [float(v)] if isinstance(v, (int, float)) else [float(x) for x in v]

        def floats():
            return array.array("d", self.numbers())
        makes = [lambda: tuple(self.numbers()), lambda: {"a": self.numbers(), "n": 50}, floats,
                 lambda: [self.numbers(), (self.numbers(3), 5)], lambda: memoryview(floats()),
                 random.random,
                 lambda: bytearray(random.randbytes(40)), lambda: random.randbytes(40),
                 lambda: ([1, 2, 3], random.random()), lambda: list(ns.uniform(40))]
        if importlib.util.find_spec("numpy"):
            import numpy
            makes += [lambda: numpy.random.rand(40), lambda: numpy.asfortranarray(
                numpy.random.rand(3, 4)).ravel("K")]
        for make in makes:
            with self.subTest(make):
                right = self.measure(make, flat, flat)
                self.assertGreaterEqual(right["unseen_pairs"], 9)
                self.assertGreater(len({text for _, text in self.calls}), 10)
                answers = {}
                self.assertRefused(lambda v: answers.setdefault(0, flat(v)), "instead of", make,
                                   right=flat)

    def test_a_function_that_has_no_inputs_of_its_own_is_called_once(self):
        called = []

        @ns.problem(space={"a": [1]}, device="cpu")
        def copies(case, config):
            called.append(1)
            x = ns.uniform(4)
            return ns.Run(functools.partial(list, x), reference=functools.partial(list, x))
        self.assertIn("unseen_ratio", measure(copies, trust="none")["conditions"])
        self.assertEqual(called, [1])

    def test_what_a_reference_has_computed_before_is_made_anew_too(self):
        @ns.problem(space={"a": [1]}, device="cpu")
        def norm(case, config):
            v = self.numbers()
            right = shares(v)
            return ns.Run(lambda: shares(v), reference=lambda: right)
        self.assertIn("unseen_ratio", measure(norm, trust="none")["conditions"])

    def test_a_baseline_is_the_reference_of_inputs_that_the_problem_makes(self):
        @ns.problem(space={"a": [1, 2]}, device="cpu")
        def norm(case, config):
            v = self.numbers()
            return ns.Run(lambda: shares(v))
        self.assertIn("time", measure(norm, trust="none", configuration={"a": 2}))

    def test_a_buffer_that_is_returned_or_named_is_no_input(self):
        for named in (False, True):
            @ns.problem(space={"a": [1]}, device="cpu")
            def norm(case, config):
                v, out = self.numbers(), [0.0] * 50

                def call():
                    out[:] = shares(v)
                    return out
                return ns.Run(call, outputs=[out] if named else None, reference=lambda: shares(v))
            self.assertIn("unseen_ratio", measure(norm, trust="none")["conditions"])

    def test_constants_are_not_to_be_written(self):
        @ns.problem(space={"a": [1]}, device="cpu")
        def norm(case, config):
            v, table = ns.uniform(50), [1.0] * 50

            def call():
                table[0] += 1
                return shares(v)
            return ns.Run(call, reference=lambda: shares(v))
        measure(norm)
        with self.assertRaises(Failure) as caught:
            measure(norm, trust="none")
        self.assertIn("table is an input and was written; what a call may write is made by ns.zeros",
                      str(caught.exception))

    def test_a_compiled_function_is_compiled_once(self):
        compiled = []

        def compile(config):
            compiled.append(config.a)
            return shares

        @ns.problem(space={"a": [1]}, device="cpu", compile=compile)
        def norm(case, config, function):
            v = self.numbers()
            return ns.Run(lambda: function(v), reference=lambda: shares(v))
        measure(norm, trust="none")
        self.assertEqual(compiled, [1])


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

    def test_tensors_that_a_problem_makes_itself(self):
        import torch
        seen, written = set(), []

        @ns.problem(space={"a": [1]}, device="cpu")
        def others(case, config):
            x, y, table = torch.randn(6, 2).t(), ns.output(2, 6), torch.ones(6)

            def call():
                seen.add((x.data_ptr(), tuple(x.flatten().tolist())))
                torch.mul(x, table, out=y)
                for one in written:
                    x[0, 0] = one
            return ns.Run(call, outputs=[y], reference=lambda: x.double() * table)
        self.assertIn("unseen_ratio", measure(others, torch=True, trust="none")["conditions"])
        self.assertEqual(len({place for place, _ in seen}), 1)
        self.assertGreater(len(seen), 10)
        written.append(0.5)
        with self.assertRaisesRegex(Failure, "x is an input and was written"):
            measure(others, torch=True, trust="none")

    def test_answers_of_torch(self):
        import torch

        class Own(torch.Tensor):
            pass

        def hiding(x):
            made = torch.zeros(9)
            made.detach = made.double = made.flatten = lambda: x * 2
            return made

        def problem(kernel, right):
            @ns.problem(space={"a": [1]}, device="cpu")
            def others(case, config):
                x = ns.normal(9, dtype="float32")
                return ns.Run(lambda: kernel(x), reference=lambda: right(x))
            return others

        def doubled(x):
            return x.double() * 2
        for kernel, right in ((lambda x: x * 2, doubled), (lambda x: (x * 2).tolist(), doubled),
                              (lambda x: torch.nn.Parameter(x * 2), doubled),
                              (lambda x: torch.sort(x), lambda x: tuple(torch.sort(x))),
                              (lambda x: (x[0], x[1]), lambda x: (float(x[0]), float(x[1]))),
                              (lambda x: [float(x[0]), float(x[1])], lambda x: (x[0], x[1])),
                              (lambda x: (float(x[0]), 3), lambda x: (x[0], 3))):
            self.assertIn("time", measure(problem(kernel, right), torch=True, trust="none"))
        for kernel, words in ((lambda x: (x * 2).as_subclass(Own), "is of type Own"),
                              (hiding, "instead of"),
                              (lambda x: iter(x * 2), "return what is finished")):
            with self.assertRaisesRegex(Failure, words):
                measure(problem(kernel, doubled), torch=True)

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
