"""Complex answers of lists, numpy and torch: both parts count, and their precision is the gate."""

import cmath
import math
import unittest

import harness  # noqa: F401 (finds the module)

from nightshift import carried, plain_answers, torch_arrays
from nightshift.errors import Failure

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

# Of sizes near 1, and no part is 0.
NUMBERS = [cmath.rect(1 + n / 64, 0.1 + n) for n in range(64)]
ROUNDING = {"complex64": 1e-7, "complex128": 2e-16, "complex32": 3e-4}


class Case:
    """How an answer of numbers is made, and two are compared, in one library."""

    def __init__(self, library, dtype):
        self.name, self.library, self.dtype = f"{library}, {dtype}", library, dtype
        self.rounding = ROUNDING[dtype]
        self.check = torch_arrays.check if library == "torch" else plain_answers.check

    def made(self, numbers):
        if self.library == "numpy":
            return numpy.array(numbers, self.dtype)
        if self.library == "torch":
            return torch.tensor(numbers, dtype=torch.complex128).to(getattr(torch, self.dtype))
        return [complex(one) for one in numbers]


CASES = [Case("lists", "complex128")]
if numpy is not None:
    CASES += [Case("numpy", dtype) for dtype in ("complex64", "complex128")]
if torch is not None:
    CASES += [Case("torch", dtype) for dtype in ROUNDING]


def of_each_case(test):
    def of_each(self):
        for case in CASES:
            with self.subTest(case.name):
                test(self, case.made, case.check, case.rounding)
    return of_each


class Complex(unittest.TestCase):
    def wrong(self, check, got, expected, **gates):
        with self.assertRaises(Failure) as caught:
            check("y", got, expected, **gates)
        self.assertEqual(caught.exception.kind, "wrong_result")
        return caught.exception

    @of_each_case
    def test_what_rounds_passes_and_each_wrong_part_is_named(self, made, check, rounding):
        expected = made(NUMBERS)
        self.assertEqual(check("y", expected, expected), 0)
        self.assertLess(check("y", made([z * (1 + rounding) for z in NUMBERS]), expected), 4 * rounding)
        for part, off in ((".real", 0.5), (".imag", 0.5j)):
            failure = self.wrong(check, made([*NUMBERS[:7], NUMBERS[7] + off, *NUMBERS[8:]]), expected)
            self.assertIn(f"y[7]{part} is ", failure.words)
            self.assertEqual(failure.members["element"], 7)
            self.assertIs(type(failure.members["got"]), float)

    @of_each_case
    def test_the_gate_is_that_of_its_precision(self, made, check, rounding):
        expected, near = made(NUMBERS), made([z * (1 + 100 * rounding) for z in NUMBERS])
        if rounding < 1e-12:
            near = made([z * (1 + 1e-9) for z in NUMBERS])
        self.wrong(check, near, expected)
        check("y", near, expected, tolerance=0.1)
        self.wrong(check, made([z * 1.5 for z in NUMBERS]), expected, tolerance=0.1)

    @of_each_case
    def test_a_missing_imaginary_part_and_a_conjugate_are_wrong(self, made, check, rounding):
        expected = made(NUMBERS)
        self.assertIn(".imag is 0 instead", self.wrong(check, made([z.real for z in NUMBERS]), expected).words)
        self.wrong(check, made([z.conjugate() for z in NUMBERS]), expected)
        self.wrong(check, [z.real for z in NUMBERS], expected)
        self.wrong(check, expected, [z.real for z in NUMBERS])

    @of_each_case
    def test_real_and_whole_answers_are_those_without_an_imaginary_part(self, made, check, rounding):
        real, whole = made([0.5, 2]), made([1, 2])
        self.assertEqual(check("y", real, [0.5, 2]), 0)
        self.assertEqual(check("y", [0.5, 2.0], real), 0)
        self.assertEqual(check("y", whole, [1, 2]), 0)
        for got, expected in (([1, 2], made([1, 2 + 1e-3j])), (made([1, 2 + 1e-3j]), [1, 2])):
            self.assertIn("y[1].imag is ", self.wrong(check, got, expected).words)

    @of_each_case
    def test_nan_and_infinity_are_equal_part_by_part(self, made, check, rounding):
        nan, inf = math.nan, math.inf
        rest = [complex(inf, 2), complex(3, -inf), 1]
        expected = made([complex(nan, 1), *rest])
        self.assertEqual(check("y", expected, expected), 0)
        check("y", made([complex(nan, 1 + rounding), *rest]), expected)
        for other in (complex(nan, 1.5), complex(1, nan), complex(nan, nan)):
            self.wrong(check, made([other, *rest]), expected)
        self.wrong(check, made([complex(nan, 1), complex(-inf, 2), *rest[1:]]), expected)

    @of_each_case
    def test_a_part_may_be_off_by_what_goes_by_the_size_of_both(self, made, check, rounding):
        expected = made([1000, *[0.001j] * 1000])
        check("y", made([1000 + 1000j * rounding, *[0.001j] * 1000]), expected)

    @of_each_case
    def test_small_elements_that_are_lost_are_wrong(self, made, check, rounding):
        size = 50 * rounding
        if rounding > 1e-4:
            return  # of so few digits they are no normal numbers
        small, rest = [size + size * 1j] * 32, [1 + 1j] * 1000
        self.assertIn("abs(y[", self.wrong(check, made([0] * 32 + rest), made(small + rest)).words)


@unittest.skipIf(torch is None, "there is no torch")
class Tensors(unittest.TestCase):
    def test_a_conjugate_is_its_numbers(self):
        numbers = torch.tensor(NUMBERS)
        for one in (numbers.conj(), numbers.conj().imag):
            self.assertTrue(torch_arrays.same_bits(one, one.clone()))
            self.assertFalse(torch_arrays.same_bits(one, numbers.imag if not one.is_complex() else numbers))
            data = bytearray(b"".join(map(bytes, carried.pack(one.detach()))))
            self.assertTrue(torch.equal(carried.unpack(data), one.resolve_conj().resolve_neg()))
        self.assertEqual(torch_arrays.check("y", numbers.conj(), numbers.conj().resolve_conj()), 0)

    def test_both_parts_of_inputs_are_drawn(self):
        for dtype in ROUNDING:
            with self.subTest(dtype):
                shop = torch_arrays.TorchWorkshop(1, "cpu")
                for kind, options in (("normal", {"mean": 0, "std": 1}), ("uniform", {"low": 0, "high": 1}),
                                      ("integers", {"low": 0, "high": 9})):
                    made = torch.view_as_real(shop.make(kind, (500,), dtype, options)).double()
                    self.assertGreater(float(made[:, 1].std()), 0.2)
                    self.assertFalse(torch.equal(made[:, 0], made[:, 1]))
                poisoned = shop.make("output", (5,), dtype, {})
                self.assertTrue(bool(torch.view_as_real(poisoned).isnan().all()))


if __name__ == "__main__":
    unittest.main()
