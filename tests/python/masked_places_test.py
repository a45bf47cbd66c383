"""Whether places that are masked hide the others of an answer (nightshift/masked_places.py), by numbers alone."""

import array
import math
import random
import struct
import unittest

import harness  # noqa: F401 (finds the module)

from nightshift import plain_answers
from nightshift.errors import Failure

ROWS = 48


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


class MaskedPlaces(unittest.TestCase):
    def setUp(self):
        dice = random.Random(5)
        self.scores = [single(dice.gauss(0, 0.125)) for _ in range(ROWS * ROWS)]

    def under(self, mask, scores, is_added=False, is_double=False):
        """Above the diagonal `mask`, or that beside each score."""
        rounded = float if is_double else single
        made = []
        for place, score in enumerate(scores):
            is_masked = place % ROWS > place // ROWS
            made.append(rounded(score + mask if is_added else mask) if is_masked else rounded(score))
        return array.array("d" if is_double else "f", made)

    def said(self, got, expected, **gates):
        try:
            plain_answers.check("y", got, expected, **gates)
        except Failure as failure:
            self.assertEqual(failure.kind, "wrong_result")
            return failure.words
        return ""

    def wrong_scores(self):
        return {"negated": [-one for one in self.scores], "zero": [0.0] * len(self.scores),
                "of another row": self.scores[ROWS:] + self.scores[:ROWS]}

    def test_others_are_measured_by_their_own_size(self):
        rounded = [single(one * (1 + 1e-7)) for one in self.scores]
        for mask in -1e4, -1e9, 1e30, -3.4028234663852886e38:
            for is_double in False, True:
                for is_added in False, True:
                    with self.subTest(mask=mask, is_double=is_double, is_added=is_added):
                        expected = self.under(mask, self.scores, is_added, is_double)
                        self.assertEqual(self.said(self.under(mask, rounded, is_added), expected), "")
                        for name, scores in self.wrong_scores().items():
                            self.assertTrue(self.said(self.under(mask, scores, is_added), expected), name)

    def test_the_words_name_a_place_of_the_answer(self):
        expected = self.under(-1e9, self.scores)
        got = array.array("f", expected)
        got[5 * ROWS + 3] = 2
        said = self.said(got, expected)
        self.assertIn(f"y[{5 * ROWS + 3}] is 2 instead of", said)
        self.assertIn("over the norm of what is not masked", said)

    def test_there_may_be_several_masks(self):
        def both(scores):
            return array.array("f", [single(one * 2) if one == -1e9 and place % 3 else one
                                     for place, one in enumerate(self.under(-1e9, scores))])
        self.assertEqual(self.said(both(self.scores), both(self.scores)), "")
        for name, scores in self.wrong_scores().items():
            self.assertTrue(self.said(both(scores), both(self.scores)), name)

    def test_squares_beyond_all_numbers_hide_nothing(self):
        mask = -1.7976931348623157e308
        expected = self.under(mask, self.scores, is_double=True)
        rounded = self.under(mask, [one * (1 + 2.0 ** -52) for one in self.scores], is_double=True)
        self.assertEqual(self.said(rounded, expected), "")
        for name, scores in self.wrong_scores().items():
            self.assertTrue(self.said(self.under(mask, scores, is_double=True), expected), name)

    def test_fewer_than_sixteen_are_no_mask(self):
        for count, is_mask in (15, False), (16, True):
            expected = array.array("f", [-1e9] * count + self.scores)
            said = self.said(array.array("f", [-1e9] * count + self.wrong_scores()["negated"]), expected)
            self.assertEqual(bool(said), is_mask, count)

    def test_what_rounds_beside_large_numbers_is_right(self):
        """A matrix times its inverse, of float32, beside which nothing is known of what is left."""
        dice = random.Random(7)
        left = [single(math.ldexp(dice.choice((-3, -2, -1, 1, 2, 3)), -26)) for _ in range(200)]
        others = [single(math.ldexp(dice.choice((-2, -1, 1)), -25)) for _ in left]
        self.assertEqual(self.said(array.array("f", [1.0] * 20 + others), array.array("f", [1.0] * 20 + left)), "")
        exact = array.array("d", [1 + dice.gauss(0, 1e-8) for _ in range(20)] + [dice.gauss(0, 1e-8) for _ in left])
        near = array.array("f", [1.0] * 19 + [1 + 2.0 ** -22] + others)
        self.assertEqual(self.said(near, exact), "")

    def test_who_says_what_elements_may_be_off_by_is_not_asked(self):
        expected = self.under(-1e9, self.scores)
        got = self.under(-1e9, self.wrong_scores()["negated"])
        self.assertEqual(self.said(got, expected, element_tolerance=2e-5), "")
        self.assertTrue(self.said(got, expected, tolerance=1e-3))


if __name__ == "__main__":
    unittest.main()
