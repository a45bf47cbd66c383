"""Numbers that other libraries make, as Python's own."""

import numbers
import operator


def plain(value):
    """The bool, int, float or str that a value is: of numpy, torch, Fraction, Decimal, an Enum of numbers,
    whatever has __index__ or __float__. Anything else, arrays among it, comes back as it is."""
    for kind in (int, float, str):
        if isinstance(value, kind):
            # A subclass has its own words for itself.
            return value if type(value) in (bool, kind) else kind.__new__(kind, kind.__str__(value)
                                                                         if kind is str else value)
    if getattr(value, "ndim", 0) or (isinstance(value, numbers.Complex)
                                     and not isinstance(value, numbers.Real)):
        return value
    inner = _item(value)
    if type(inner) in (bool, int, float, str):
        return inner
    for method, convert in (("__index__", operator.index), ("__float__", float)):
        try:
            if hasattr(type(value), method):
                return convert(value)
        except Exception:  # whatever an object of anybody's raises: it is no number
            continue
    return value


def _item(value):
    """What a scalar of numpy, or a tensor without dimensions, holds; None for anything else."""
    try:
        return value.item()
    except Exception:  # as above
        return None


def is_number(value):
    """Whether plain(value) is an int or a float, and no bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
