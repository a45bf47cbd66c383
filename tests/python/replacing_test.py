"""Settings that a file has for itself as parameters: constants, variables, what functions return."""

import sys
import types
import unittest

import harness
import nightshift as ns
from nightshift.errors import UserError

LIMIT = 8


def functions():
    """New ones: what is replaced in a function stays in it."""
    def settings(size):
        warps = 4
        if size >= LIMIT:
            warps = 16
        block: int = size * 2
        return block, warps

    def pair(size):
        return size, size + 1

    def one(size):
        return size

    def around(added):
        def inner(size, step=3):
            first, second = pair(size)
            return [first, second, step, added, (lambda first: first)(9)]
        return inner

    return settings, pair, one, around


class Variables(unittest.TestCase):
    def test_a_variable_takes_the_present_value_wherever_it_is_assigned(self):
        settings, *_ = functions()
        space = ns.replacing(settings, warps=[4, 8], baseline=dict(warps=8))
        self.assertEqual(space.baseline(), {"warps": 8})
        held = settings  # who holds the function has the new one
        for warps in (4, 8):
            space.prepare({"warps": warps})
            self.assertEqual([held(1), held(99)], [(2, warps), (198, warps)])

    def test_what_the_baseline_leaves_out_is_left_to_the_function(self):
        settings, *_ = functions()
        space = ns.replacing(settings, block=[7], warps=[4])
        self.assertEqual(space.parameters["block"].values, [None, 7])
        space.prepare(space.baseline())
        self.assertEqual(settings(9), (18, 16))
        space.prepare({"block": 7, "warps": None})
        self.assertEqual(settings(9), (7, 16))
        space.prepare(space.baseline())

    def test_parameters_of_a_function_around_variables_and_lists_of_targets(self):
        *_, around = functions()
        function = around(50)
        space = ns.replacing(function, step=[1, 5], second=[0], baseline=dict(step=1))
        space.prepare({"step": 5, "second": 0})
        self.assertEqual(function(2), [2, 0, 5, 50, 9])
        space.prepare({"step": 1, "second": None})
        self.assertEqual(function(2, step=77), [2, 3, 1, 50, 9])

    def test_a_function_may_be_asked_twice(self):
        settings, *_ = functions()
        both = ns.replacing(settings, block=[7]) + ns.replacing(settings, warps=[2])
        both.prepare({"block": 7, "warps": 2})
        self.assertEqual(settings(9), (7, 2))
        both.prepare(both.baseline())
        self.assertEqual(settings(9), (18, 16))

    def test_what_is_returned(self):
        _, pair, one, _ = functions()
        space = ns.replacing(pair, gives=("low", "high"), high=[10]) + ns.replacing(
            one, gives="only", only=[5])
        space.prepare({"high": 10, "only": 5})
        self.assertEqual((pair(1), one(1)), ((1, 10), 5))
        space.prepare(space.baseline())
        self.assertEqual((pair(1), one(1)), ((1, 2), 1))

    def test_lines_of_an_exception_stay(self):
        def fails(size):
            wide = size
            raise ValueError(wide)

        first = fails.__code__.co_firstlineno
        ns.replacing(fails, wide=[2])
        try:
            fails(1)
            self.fail("it did not raise")
        except ValueError as error:
            self.assertEqual(error.__traceback__.tb_next.tb_lineno, first + 2)

    def test_mistakes_say_what_there_is(self):
        settings, pair, *_ = functions()
        for wrong, words in ((lambda: ns.replacing(settings, wraps=[1]), "no variable 'wraps'.*warps"),
                             (lambda: ns.replacing(settings), "has no values"),
                             (lambda: ns.replacing(len, n=[1]), "takes a function"),
                             (lambda: ns.replacing(settings, [1, 2]), "have their names"),
                             (lambda: ns.replacing(pair, gives=("a",), a=[1]).prepare({"a": 1})
                              or pair(1), "no list of a")):
            with self.assertRaisesRegex(UserError, words):
                wrong()


class Constants(unittest.TestCase):
    def setUp(self):
        self.module = sys.modules["settings_of_a_file"] = types.ModuleType("settings_of_a_file")
        self.module.BLOCK = 128

    def test_its_present_value_is_the_baseline(self):
        space = ns.replacing("settings_of_a_file.BLOCK", [64, 128, 256])
        self.assertEqual(space.parameters["BLOCK"].values, [128, 64, 256])
        space.prepare({"BLOCK": 256})
        self.assertEqual(self.module.BLOCK, 256)
        space.prepare(space.baseline())
        self.assertEqual(self.module.BLOCK, 128)

    def test_kernels_that_have_seen_it_are_read_again(self):
        jit = types.ModuleType("triton.runtime.jit")

        class KernelInterface:
            pass

        class JITFunction(KernelInterface):
            pass

        class Loader:
            def __getattr__(self, name):
                raise OSError("it does much when it is asked")

        self.module.loader = Loader()
        jit.JITFunction, jit.KernelInterface = JITFunction, KernelInterface
        kernel, other = JITFunction(), JITFunction()
        for made, name in ((kernel, "BLOCK"), (other, "ELSE")):
            made.hash, made.device_caches = "known", {0: "compiled"}
            made.used_global_vals = {(name, id(vars(self.module))): (128, vars(self.module))}
        self.module.kernel, self.module.other = KernelInterface(), other
        self.module.kernel.fn = kernel
        before = sys.modules.get("triton.runtime.jit")
        sys.modules["triton.runtime.jit"] = jit
        try:
            ns.replacing("settings_of_a_file.BLOCK", [64]).prepare({"BLOCK": 64})
        finally:
            if before is None:
                del sys.modules["triton.runtime.jit"]
            else:
                sys.modules["triton.runtime.jit"] = before
        self.assertEqual((kernel.hash, kernel.device_caches), (None, {}))
        self.assertEqual(other.hash, "known")

    def test_mistakes_say_what_there_is(self):
        for wrong, words in ((lambda: ns.replacing("settings_of_a_file.BLOCKS", [1]), "no constant"),
                             (lambda: ns.replacing("BLOCK", [1]), "no constant"),
                             (lambda: ns.replacing("no_such_module.BLOCK", [1]), "can't be imported"),
                             (lambda: ns.replacing("settings_of_a_file.BLOCK"), "has no values"),
                             (lambda: ns.replacing("settings_of_a_file.BLOCK", a=[1]), "a constant")):
            with self.assertRaisesRegex(UserError, words):
                wrong()


class Joined(unittest.TestCase):
    def test_two_spaces_are_one(self):
        noted = []
        one = ns.Space({"a": [1, 2]}, "a > 0", prepare=lambda c: noted.append(c["a"]))
        other = ns.Space({"b": [3, 4]}, lambda c: c["b"] < 4, dict(b=4))
        both = one + other
        self.assertEqual(both.baseline(), {"a": 1, "b": 4})
        self.assertEqual((both.expressions, len(both.functions)), (["a > 0"], 1))
        both.prepare({"a": 2, "b": 3})
        self.assertEqual(noted, [2])
        with self.assertRaisesRegex(UserError, "both spaces have a parameter 'a'"):
            one + one


if __name__ == "__main__":
    harness.main()
