"""Whether small elements of an answer are lost (nightshift/small_elements.py), by numbers alone."""

import array
import math
import random
import struct
import unittest

import harness  # which finds the module

from nightshift import guards, plain_answers
from nightshift.errors import Failure


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def shortened(number, bits):
    """As a type of so many bits has it."""
    if number == 0 or not math.isfinite(number):
        return number
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


class SmallElements(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(3)

    def is_right(self, got, expected, **gates):
        try:
            plain_answers.check("y", array.array("f", got), array.array("f", expected), **gates)
        except Failure as failure:
            self.assertEqual(failure.kind, "wrong_result")
            return failure.words
        return True

    def numbers(self, count, size):
        return [single(size * (0.5 + self.dice.random())) for _ in range(count)]

    def test_what_is_small_beside_one_is_no_zero(self):
        for size in 1e-7, 1e-6:
            expected = self.numbers(100, 1) + self.numbers(16, size)
            self.assertIs(self.is_right(expected, expected), True)
            said = self.is_right(expected[:100] + [0.0] * 16, expected)
            self.assertIn("the smallest have lost half of themselves", said)
            self.assertIn("element_tolerance", said)
            self.assertIs(self.is_right(expected[:101] + [0.0] * 15, expected), True, "too few to say")

    def test_nor_where_there_is_all_between(self):
        expected = [single(self.dice.choice((-1, 1)) * math.exp(-20 * self.dice.random())) for _ in range(4000)]
        for least in 1e-7, 1e-6:
            cut = [one if abs(one) > least else 0.0 for one in expected]
            self.assertIn("lost half", self.is_right(cut, expected))
            halved = [one if abs(one) > least else 0.4 * one for one in expected]
            self.assertIn("lost half", self.is_right(halved, expected))

    def test_who_says_what_elements_may_be_off_by_is_not_asked(self):
        expected = self.numbers(100, 1) + self.numbers(16, 1e-7)
        self.assertIs(self.is_right(expected[:100] + [0.0] * 16, expected, element_tolerance=2e-5), True)
        for dtype, is_asked in (("float32", False), ("float16", True)):
            said = self.is_right(expected[:100] + [0.0] * 16, expected, element_tolerance={dtype: 2e-5})
            self.assertEqual(said is not True, is_asked, f"what is said of {dtype} alone")

    def test_eight_bits_leave_no_element_room_to_be_zero(self):
        for dtype in ("float8_e4m3fn", "float8_e5m2"):
            self.assertEqual(guards.gates_of(dtype, None, None), (0.1, 0.25))
            self.assertEqual(guards.gates_of(dtype, 0.2, None), (0.2, 0.5))
            self.assertEqual(guards.gates_of(dtype, None, 1.0), (0.1, 1.0))
        self.assertEqual(guards.gates_of("float16", 0.25, None), (0.25, 2.5))

    def test_rounding_that_loses_what_is_small_is_honest(self):
        ways = {
            "1 + x - 1": (lambda x: single(single(1 + x) - 1), lambda x: x),
            "log(1 + exp(x))": (lambda x: single(math.log(single(1 + single(math.exp(x))))),
                                lambda x: math.log1p(math.exp(x))),
            "gelu": (lambda x: single(single(0.5 * x) * single(1 + single(math.erf(x / math.sqrt(2))))),
                     lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2))),
        }
        for name, (mine, right) in ways.items():
            for spread in 3, 8:
                inputs = [single(spread * self.dice.gauss(0, 1)) for _ in range(20000)]
                if name == "1 + x - 1":
                    inputs = [single(10 ** (-spread * self.dice.random())) for _ in inputs]
                expected = [single(right(x)) for x in inputs]
                self.assertIs(self.is_right([mine(x) for x in inputs], expected), True, name)

    def test_products_of_few_digits_are_honest(self):
        for bits, tolerance in (11, 2e-3), (8, 2e-2), (24, None):
            for length in 4, 64:
                got, expected = [], []
                for _ in range(4000):
                    a, b = ([self.dice.gauss(0, 1) for _ in range(length)] for _ in range(2))
                    expected.append(sum(x * y for x, y in zip(a, b)))
                    got.append(sum(shortened(x, bits) * shortened(y, bits) for x, y in zip(a, b)))
                self.assertIs(self.is_right(got, expected, tolerance=tolerance), True, f"{bits}, {length}")

    def test_what_rounding_left_beside_one_is_nothing_to_lose(self):
        """As of a matrix times its inverse: the baseline's zeros are what its sums left."""
        left = [single(math.ldexp(self.dice.choice((-3, -2, -1, 1, 2, 3)), -26)) for _ in range(200)]
        self.assertIs(self.is_right([1.0] * 20 + [0.0] * 200, [1.0] * 20 + left), True)

    def test_zeros_for_denormals_are_honest(self):
        expected = self.numbers(100, 1) + self.numbers(100, 1e-39)
        self.assertIs(self.is_right(expected[:100] + [0.0] * 100, expected), True)


if __name__ == "__main__":
    unittest.main()
