"""Whether the small elements of an answer are lost: set to zero, or off by about their own size, where
the gate of an element, which goes by the size of the whole answer, lets that pass.

Rounding loses small elements as well: 1 + x - 1 is 0 where x is below 6e-8. Such an error is as large in
elements of any size, and may have either sign. What was left out is an error of the small ones alone,
each time its whole element. So elements are lost where

- 16 or more have an error that is about all of them (lost_share()), and of all that are no larger nine in
  ten have;
- the next larger ones, up to an eighth of the answer's root mean square, have no such error: three
  quarters of them are off by less than 1/64 of the largest that is lost, beside the rounding of their own
  digits.

Where there are fewer than 16 of these, such as 1e-7 beside 1 and nothing in between, nothing tells of
the rounding. Then elements count from half of the rounding of 1 on, and those whose digits are more than
rounding leaves: what is left of numbers near 1 is a small multiple of the last digit of these.

No library is used. Callers count, in octaves of the elements' sizes."""

import math
from statistics import median

FEWEST = 16
LEAST_LOST, MOST_LOST = 0.5, 1.5  # error over element, of one that is lost
SHARE = 0.9  # of the elements up to a size
MID = 1 / 8  # of the root mean square: the largest that tell of the rounding
ENOUGH = 64  # of the next larger elements
LEVEL = 1 / 64  # of the largest that is lost
OWN_DIGITS = 2  # roundings of an element's own size that are no matter
FEWEST_BITS = 14  # of a number that is more than what rounding left

# By type: digits of its numbers (bits), and its smallest normal number. Below four of these zero is an
# answer, as hardware may flush.
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8, "float8_e4m3fn": 4, "float8_e5m2": 3,
          "float8_e4m3fnuz": 4, "float8_e5m2fnuz": 3}
_LEAST_EXPONENT = {"float64": -1022, "float32": -126, "float16": -14, "bfloat16": -126, "float8_e4m3fn": -6,
                   "float8_e5m2": -14, "float8_e4m3fnuz": -7, "float8_e5m2fnuz": -15}


def least_digits(*dtypes):
    return min(dtypes, key=DIGITS.get)


def rounding_of(dtype):
    return 2.0 ** -DIGITS[dtype]


def floor_of(dtype):
    """The least size of an element that may be lost."""
    return 4 * 2.0 ** _LEAST_EXPONENT[dtype]


def octave_of(size):
    return math.frexp(size)[1]


def lost_up_to(all_by_octave, lost_by_octave):
    """The highest octave up to which SHARE of the elements are lost and FEWEST or more; None: there is
    none. Of {octave: count}."""
    count = lost = 0
    found = None
    for octave in sorted(all_by_octave):
        count += all_by_octave[octave]
        lost += lost_by_octave.get(octave, 0)
        if lost >= FEWEST and lost >= SHARE * count:
            found = octave
    return found


def next_larger(all_by_octave, highest):
    """The octave up to which elements above `highest` tell of the rounding; None: they are too few."""
    count = 0
    for octave in sorted(all_by_octave):
        if octave > highest:
            count += all_by_octave[octave]
            if count >= ENOUGH:
                return octave
    return max(all_by_octave) if count >= FEWEST else None


def is_rounding(level, largest):
    """Whether the next larger elements are off by what may have taken the lost ones. level: what a quarter
    of them is off by or more, beside the rounding of their own digits."""
    return level >= LEVEL * largest


def significant_bits(number):
    mantissa = int(math.ldexp(math.frexp(abs(number))[0], 53))
    return 53 - ((mantissa & -mantissa).bit_length() - 1)


def stand_alone(lost, root, dtype):
    """Of lost elements (sizes), where no larger one tells of the rounding: whether FEWEST or more are
    more than rounding may leave."""
    if DIGITS[dtype] < 2 * FEWEST_BITS - 4:
        return False  # a number of so few bits has none to tell by
    told = [size for size in lost if size >= rounding_of(dtype) * root / 2]
    return len(told) >= FEWEST and median(significant_bits(size) for size in told) >= FEWEST_BITS


def lost(got, expected, root, dtype):
    """Index of the largest lost element of plain numbers; None: they are not lost. root: the root mean
    square of the answer, dtype: its type."""
    if dtype not in DIGITS:
        return None
    floor = floor_of(dtype)
    found = [index for index, (g, e) in enumerate(zip(got, expected))
             if floor <= abs(e) <= MID * root and -MOST_LOST <= (g - e) / e <= -LEAST_LOST]
    if len(found) < FEWEST:
        return None
    octaves, of_lost = {}, {}
    for e in expected:
        if floor <= abs(e) <= MID * root:
            octaves[octave_of(e)] = octaves.get(octave_of(e), 0) + 1
    for index in found:
        octave = octave_of(expected[index])
        of_lost[octave] = of_lost.get(octave, 0) + 1
    highest = lost_up_to(octaves, of_lost)
    if highest is None:
        return None
    found = [index for index in found if octave_of(expected[index]) <= highest]
    worst = max(found, key=lambda index: abs(expected[index]))
    own = OWN_DIGITS * rounding_of(dtype)
    last = next_larger(octaves, highest)
    if last is not None:
        levels = sorted(max(0.0, abs(g - e) - own * abs(e)) for g, e in zip(got, expected)
                        if floor <= abs(e) <= MID * root and highest < octave_of(e) <= last)
        return None if is_rounding(levels[3 * len(levels) // 4], abs(expected[worst])) else worst
    return worst if stand_alone([abs(expected[index]) for index in found], root, dtype) else None


WORDS = (f"it and {FEWEST - 1} others or more of the smallest have lost half of themselves, where larger ones have no "
         "such error; element_tolerance in @ns.problem says what an element may be off by")
