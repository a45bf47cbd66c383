"""The last number of an input that a seed draws, which some seeds make the largest or the least that there can
be. A kernel that forgets the end of a vector is right about its maximum unless that stands there, which of a
million drawn numbers it does once in a million times. evaluator/answers/draw_ends.h does the same."""

LARGEST, LEAST = 1, 2  # what stands last
KINDS = ("normal", "uniform", "integers")  # of arrays that have it
_PLACE = 60  # of the two bits of a seed that say so; 0 and 3: it is drawn as all are
_FEWEST = 3  # numbers of an array; of fewer all are drawn
_FARTHEST = 5.5  # standard deviations, beyond what ten million normal numbers have
_BELOW_ONE = 1 - 2.0 ** -24  # float32's largest


def with_last(seed, which):
    """The seed below 1 << 60 of other inputs, whose last numbers are such."""
    return seed | which << _PLACE


def last_number(seed, kind, options, count):
    """What stands last in an array of a workshop that has `count` numbers; None where it is drawn as all are,
    or nothing is."""
    which = seed >> _PLACE & 3
    if which not in (LARGEST, LEAST) or count < _FEWEST:
        return None
    if kind == "normal":
        return options["mean"] + (_FARTHEST if which == LARGEST else -_FARTHEST) * options["std"]
    if kind == "uniform":
        low = options["low"]
        return low + (options["high"] - low) * _BELOW_ONE if which == LARGEST else low
    if kind == "integers":
        return options["high"] - 1 if which == LARGEST else options["low"]
    return None
