"""Answers as bytes: what comes out is what went in, and any other bytes are refused."""

import array
import decimal
import fractions
import math
import random
import unittest

import harness

from nightshift.carried import Unreadable, pack, unpack


def carried(value):
    return unpack(bytearray(b"".join(map(bytes, pack(value)))))


VALUES = [
    None, True, 0, -3, 1 << 200, 2.5, math.inf, "text", b"bytes", bytearray(b"more"), 1 + 2j,
    [], (), [[]], [1.0, 2.0], (1.0, -0.0), [1, 2, 3], (1, True), [1, 1 << 70], [1, 2.0], {"a": [1.0], 2: (3,)},
    array.array("d", [1, 2]), array.array("B", [7]), decimal.Decimal("1.10"), fractions.Fraction(1, 3),
    ([1.0] * 1000, {"deep": [[(b"x", "y", None)]]}),
]


class Carried(unittest.TestCase):
    def test_what_comes_out_is_what_went_in(self):
        for value in VALUES:
            with self.subTest(repr(value)[:60]):
                found = carried(value)
                self.assertIs(type(found), type(value))
                self.assertEqual(found, value)
                self.assertEqual(repr(found), repr(value))

    def test_no_number_stays_none(self):
        self.assertTrue(math.isnan(carried(math.nan)))
        self.assertTrue(math.isnan(carried([1.0, math.nan])[1]))

    def test_views_keep_their_form(self):
        data = bytearray(range(48))
        for view in (memoryview(data), memoryview(data).cast("f"), memoryview(data).cast("f", (3, 4)),
                     memoryview(data)[::2], memoryview(bytearray()).cast("d")):
            found = carried(view)
            self.assertEqual((found.format, found.shape, found.tobytes()),
                             (view.format, view.shape, view.tobytes()))

    def test_what_is_none_of_these_is_refused(self):
        for value in (object(), {1, 2}, [range(3)], lambda: 1):
            with self.assertRaises(Unreadable):
                pack(value)
        deep = []
        for _ in range(100):
            deep = [deep]
        with self.assertRaises(Unreadable):
            pack(deep)

    def test_arrays_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not here")
        for one in (numpy.arange(6.0).reshape(2, 3), numpy.array(["a", "bc"]), numpy.zeros((0, 3), "i2"),
                    numpy.arange(6)[::2], numpy.array(5, dtype=">f4"), numpy.float32(0.1), numpy.bool_(True)):
            found = carried(one)
            self.assertEqual((type(found), found.dtype, found.shape), (type(one), one.dtype, one.shape))
            self.assertTrue((found == one).all())
        for one in (numpy.array([object()]), numpy.zeros(2, dtype=[("a", "f4")])):
            with self.assertRaises(Unreadable):
                pack(one)

    def test_tensors_of_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not here")
        for one in (torch.arange(6.0).reshape(2, 3), torch.ones(3, dtype=torch.bfloat16), torch.tensor(True),
                    torch.zeros(0, 2), torch.arange(8)[::2], torch.ones(2, requires_grad=True) * 2,
                    torch.ones(2, dtype=torch.complex64), torch.randn(3).to(torch.float8_e4m3fn)):
            found = carried(one)
            self.assertEqual((found.dtype, found.shape), (one.dtype, one.shape))
            self.assertTrue(torch.equal(found.view(torch.uint8) if found.numel() and found.dim() else found,
                                        one.detach().contiguous().view(torch.uint8)
                                        if one.numel() and one.dim() else one))

    def test_any_bytes_are_read_or_refused(self):
        dice = random.Random(1)
        whole = [b"".join(map(bytes, pack(value))) for value in VALUES]
        for turn in range(4000):
            data = bytearray(dice.choice(whole))
            for _ in range(dice.randrange(1, 4)):
                how = dice.randrange(4)
                if how == 0 and data:
                    data[dice.randrange(len(data))] = dice.randrange(256)
                elif how == 1:
                    del data[dice.randrange(len(data) + 1):]
                elif how == 2:
                    data += dice.choice(whole)[:dice.randrange(20)]
                elif data:
                    at = dice.randrange(len(data))
                    data[at:at + 1] = dice.choice([b"[", b"]", b"9999999", b"-1", b'"', b"e9", b","])
            try:
                unpack(data)
            except Unreadable:
                continue

    def test_trees_that_nobody_wrote_are_refused(self):
        import json
        import struct
        for tree in ("x", [], ["what"], ["list"], ["list", 5], ["tensor"], ["numpy", "O", [1], 0, 8],
                     ["numpy", "V8", [1], 0, 8], ["array", "d", 0, 1 << 60], ["array", "d", -8, 8],
                     ["array", "u", 0, 8], ["bytes", 0.0, 8], ["view", "d", [4], 0, 8], ["floats", "set", 0, 8],
                     ["view", "P", [1], 0, 8], ["bool", 1], ["none", 0], ["str", ["a"]], ["float", "x"],
                     ["int", "9" * 5000], ["int", []], ["Decimal", {}], ["Fraction", "1/0"],
                     ["dict", [[["list", []], ["int", "1"]]]], ["tensor", "dtype", [1], "host", 0, 8]):
            text = json.dumps(tree).encode()
            with self.subTest(text[:60]), self.assertRaises(Unreadable):
                unpack(bytearray(struct.pack("<I", len(text)) + text + bytes(8)))


if __name__ == "__main__":
    harness.main()
