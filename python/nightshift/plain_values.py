"""Numbers and lists that other libraries make, as Python's own."""

import datetime
import decimal
import enum
import itertools
import math
import numbers
import operator

from .errors import UserError

_OWN = (bool, int, float, str)
_MOST_VALUES = 65536  # of a parameter, in every reader


def plain(value):
    """The bool, int, float or str that a value is: of numpy, torch, Fraction, Decimal, an Enum of
    numbers, whatever has __index__ or __float__. Anything else, arrays among it, comes back as it
    is."""
    if type(value) in _OWN:
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, str):
        return str.__str__(value)  # a subclass has its own words for itself
    if getattr(value, "ndim", 0) or (isinstance(value, numbers.Complex)
                                     and not isinstance(value, numbers.Real)):
        return value
    if isinstance(value, enum.Enum):
        inner = plain(value.value)
        return inner if isinstance(inner, (int, float)) else value
    inner = _item(value)
    if type(inner) in _OWN:
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


def told(value):
    """plain(value) as people write it: of a number of a narrower type than a double the shortest
    decimal that the type itself reads back, 0.1 of numpy.float32(0.1)."""
    result = plain(value)
    if type(result) is not float or isinstance(value, float) or not math.isfinite(result):
        return result
    read = _reader(value)
    if read is None:
        return result
    for digits in range(1, 17):
        near = float(f"{result:.{digits}g}")
        try:
            if read(near) == result:
                return near
        except Exception:  # as above
            return result
    return result


def _reader(value):
    """What makes a double of one as the type of `value` holds it; None where that can't be told."""
    new_tensor, dtype = getattr(value, "new_tensor", None), getattr(value, "dtype", None)
    if new_tensor is not None:
        return lambda number: float(new_tensor(number))
    if isinstance(getattr(dtype, "type", None), type):
        return lambda number: float(dtype.type(number))
    return None


def is_number(value):
    """Whether plain(value) is an int or a float, and no bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_list(value):
    """Whether plain(value) has elements in an order: a list, a range, an array of any library."""
    return bool(getattr(value, "ndim", 0)) or (
        hasattr(type(value), "__iter__") and not isinstance(value, (str, bytes, bytearray, dict)))


def listed(name, values):
    """The values of a parameter as a list. Raises UserError where they are none, or without end."""
    if not is_list(plain(values)):
        raise UserError(f"the values of {name} must be a list, not {values!r}")
    found = list(itertools.islice(values, _MOST_VALUES + 1))
    if len(found) > _MOST_VALUES:
        raise UserError(f"{name} has more than {_MOST_VALUES} values")
    return found


def fits(value):
    """Whether a number is one of the tuner's: 64 bits, or a finite double."""
    return -2**63 <= value < 2**63 if isinstance(value, int) else math.isfinite(value)


def known(value, what):
    """told(value), which the tuner is to know exactly. Raises UserError for numbers that it can't
    know. what: "block has the value"."""
    result = told(value)
    if not isinstance(result, (int, float)):
        return result
    if isinstance(result, int):
        if not fits(result):
            raise UserError(f"{what} {result}, which does not fit 64 bits")
    elif not fits(result):
        raise UserError(f"{what} {result}, which is no number that can be compared; a text or None "
                        "can stand for it")
    elif isinstance(value, (numbers.Number, decimal.Decimal)) and not _is_exactly(value, result):
        raise UserError(f"{what} {value!r}, which is no double exactly; float(...) says that the "
                        f"nearest, {result!r}, is meant")
    return result


def _is_exactly(value, double):
    # A Decimal is the double that is written as it is, and so is a number of another width.
    if isinstance(value, decimal.Decimal):
        return decimal.Decimal(repr(double)) == value
    if value == double or plain(value) != double:
        return bool(value == double) or told(value) == double
    try:
        return decimal.Decimal(repr(double)) == decimal.Decimal(str(value))
    except (decimal.InvalidOperation, ValueError):
        return False


def seconds_of(value, what):
    """The seconds of a duration, as datetime, numpy and pandas have them; None of anything else.
    numpy's own numbers of one are in whatever unit it was made with. Raises UserError for one of
    numpy that has no unit or is in months."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if getattr(getattr(value, "dtype", None), "kind", None) != "m" or value.ndim:
        return None
    duration = value[()]  # of an array without dimensions
    word = str(value.dtype).partition("[")[2].rstrip("]")  # "25us" of timedelta64[25us]
    if not word or word.endswith(("Y", "M")):
        raise UserError(f"{what} is a duration in a unit of time, not {value!r}")
    return float(duration / type(duration)(1, "ns")) * 1e-9


def figure(value, what, a_second=None):
    """A finite float of whatever is a number or a truth. Of a duration it is in a unit of which
    a second has `a_second`; without that it is none. Raises UserError."""
    seconds = seconds_of(value, what)
    if seconds is not None and a_second is None:
        raise UserError(f"{what} is a number without a duration's unit, not {value!r}; of an objective "
                        'in "s", "ms", "us" or "ns" it is converted')
    if seconds is not None:
        value = seconds * a_second
    try:
        result = float(plain(value)) if isinstance(plain(value), (int, float)) else math.nan
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise UserError(f"{what} is a finite number, not {value!r}")
    return result
