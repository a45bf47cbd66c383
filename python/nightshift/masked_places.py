"""Whether places of an answer hold a number that stands for none: -1e9 above the diagonal of attention
scores. It is so large that gates which go by the size of the whole answer would let all others be anything.
So the others are measured by their own size. Places are masked where

- 16 or more have the largest size, all the same to the bit; or next to it another such size, four at most;
- no other one is larger than the gate's share of it, or 1/256;
- half of the others or more have digits that a sum with it would not have left them: what rounding leaves
  beside 1, as of a matrix times its inverse, is a multiple of its last digits.

Where a mask was added to numbers, the largest are the same but for rounding. Then the answer has to have each
of them right to the bit: who rounds beside them cannot be told from who does not.

No library is used. Callers look at sizes: below(bound, grid) is a Sizes. evaluator/answers/masked_places.h is
the same of C++ and CUDA."""

import math
from bisect import bisect_left
from typing import NamedTuple

FEWEST = 16
MOST_SIZES = 4
MOST_SHARE = 1 / 256  # of the mask, that the others are
FINER = 7  # bits below the last digit of the mask


class Sizes(NamedTuple):
    """Of the finite elements that are no zeros and smaller than a bound."""
    norm: float  # where there is a grid; else 0
    count: int
    largest: float
    fine: int  # that are no multiples of the grid


class Masked(NamedTuple):
    start: float  # sizes from here on are masked
    count: int
    rest: Sizes
    is_certain: bool  # the same to the bit


def masked(below, digits, gate):
    """The Masked of an answer whose type has so many `digits` (bits); None: it has none."""
    whole = below(math.inf, 0.0)
    for slack in 0.0, 2.0 ** (1 - digits):
        found = _found(below, whole, slack, digits, min(gate, MOST_SHARE))
        if found is not None:
            return found
    return None


def _found(below, whole, slack, digits, share):
    rest = whole
    for _ in range(MOST_SIZES):
        if rest.count < FEWEST:
            return None
        size = rest.largest
        smaller = below(size * (1 - slack), 0.0)
        if rest.count - smaller.count < FEWEST:
            return None
        rest = smaller
        if rest.largest <= share * size:
            if not rest.count:
                return None
            # Between the two, where no rounding takes either.
            start = math.sqrt(rest.largest) * math.sqrt(size)
            grid = math.ldexp(1.0, max(math.frexp(size)[1] - digits - FINER, -1074))
            rest = below(start, grid)
            is_fine = 2 * rest.fine >= rest.count
            return Masked(start, whole.count - rest.count, rest, slack == 0) if is_fine else None
    return None


def of_numbers(numbers):
    """below() of plain numbers."""
    sizes = sorted(abs(number) for number in numbers if number and math.isfinite(number))

    def below(bound, grid):
        count = bisect_left(sizes, bound)
        largest = sizes[count - 1] if count else 0.0
        if not grid:
            return Sizes(0.0, count, largest, 0)
        some = sizes[:count]
        return Sizes(math.hypot(*some), count, largest, sum(math.fmod(one, grid) != 0 for one in some))
    return below
