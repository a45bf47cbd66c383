"""The last number of an input that a seed draws: of two seeds of three the largest or the least that there can
be. A kernel that forgets the end of a vector is right about its maximum unless that stands there, which of a
million drawn numbers it does once in a million times. evaluator/answers/draw_ends.h does the same."""

_FEWEST = 3  # numbers of an array; of fewer all are drawn
_FARTHEST = 5.5  # standard deviations, beyond what ten million normal numbers have
_BELOW_ONE = 1 - 2.0 ** -24  # float32's largest


def last_number(seed, kind, options, count):
    """What stands last in an array of a workshop that has `count` numbers; None where it is drawn as all are, or nothing is.

    Three seeds in a row have all three: the largest, the least, and what is drawn."""
    which = seed % 3
    if which == 0 or count < _FEWEST:
        return None
    if kind == "normal":
        return options["mean"] + (_FARTHEST if which == 1 else -_FARTHEST) * options["std"]
    if kind == "uniform":
        low = options["low"]
        return low + (options["high"] - low) * _BELOW_ONE if which == 1 else low
    if kind == "integers":
        return options["high"] - 1 if which == 1 else options["low"]
    return None
