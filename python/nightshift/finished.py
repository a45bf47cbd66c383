"""What a call's answer may be: data that is there already, and that is read without running
anybody's code. Whatever computes while it is read would have its work done by the checker, outside
of what is timed."""

import array
import collections
import decimal
import fractions
import sys

from .errors import Failure
from .plain_values import plain

_ATOMS = frozenset((bool, int, float, complex, str, bytes, bytearray, type(None), array.array,
                    memoryview, decimal.Decimal))
_DICTS = (dict, collections.OrderedDict, collections.defaultdict)
_HEAP_TYPE = 1 << 9  # of type.__flags__: a class of Python, unlike those of a library in C
_DEEPEST = 32


def finished(value, name=None):
    """An answer, or an output of a run, as what it holds: lists, tuples and dicts, numbers, texts,
    bytes, array.array, memory views, arrays of numpy, tensors of torch. What subclasses of tuples
    and numbers hold is taken by the base class. Raises Failure("wrong_result") for anything else,
    before any of its code runs. name: "output 2"; else the members of a list are called by their number"""
    return _finished(value, name, 0)


def _finished(value, name, depth):
    kind = type(value)
    if kind in _ATOMS or _is_of_numpy_or_torch(kind):
        return _unwrapped(value, kind, name, depth)
    if depth > _DEEPEST:
        name = name or "output 0"
        raise Failure("wrong_result", f"{name} is nested in more than {_DEEPEST} levels", output=name)
    if kind is list or issubclass(kind, tuple):
        members = value if kind in (list, tuple) else tuple(tuple.__iter__(value))
        if _ATOMS.issuperset(map(type, members)):
            return members
        made = [_finished(one, name or f"output {number}", depth + 1)
                for number, one in enumerate(members)]
        return made if kind is list else tuple(made)
    if kind in _DICTS:
        return {_finished(key, name, depth + 1): _finished(one, name, depth + 1)
                for key, one in dict.items(value)}
    if kind is fractions.Fraction and type(value._numerator) is type(value._denominator) is int:
        return value
    for base, raw in ((int, int.__int__), (float, float.__float__), (str, str.__str__)):
        if issubclass(kind, base):
            return raw(value)
    raise _refusal(kind, name or "output 0")


def _is_of_numpy_or_torch(kind):
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and (kind is getattr(numpy, "ndarray", None) or (
            not kind.__flags__ & _HEAP_TYPE and issubclass(kind, getattr(numpy, "generic", ())))):
        return True
    return torch is not None and kind in (
        torch.Tensor, getattr(getattr(torch, "nn", None), "Parameter", None))


def _unwrapped(value, kind, name, depth):
    if kind in _ATOMS:
        return value
    if kind.__name__ == "ndarray":  # the one of numpy, as _is_of_numpy_or_torch has seen
        return _finished(value.tolist(), name, depth + 1) if value.dtype.hasobject else value
    if getattr(value, "__dict__", None):
        return kind.detach(value)  # without methods that the tensor has for itself
    return value


def _refusal(kind, name):
    more = ""
    if issubclass(kind, (list, dict, set, frozenset)):
        more = f", such as {'dict' if issubclass(kind, dict) else 'list'}(...)"
    elif hasattr(kind, "__next__"):
        more = ", such as list(...), as part of its work"
    return Failure("wrong_result", f"{name} is of type {kind.__name__}, which may compute when it "
                                   "is read: return what is finished, numbers, lists, tuples, bytes, "
                                   "array.array, memory views, arrays of numpy or tensors of torch "
                                   f"themselves{more}", output=name)


def answers_of(value, alike=False):
    """What was returned as a list of answers: the members of a list or tuple; but a flat list of
    numbers is one answer, and so is what is no list. alike: only where all numbers are integers, or
    all are none"""
    if not isinstance(value, (list, tuple)):
        return [value]
    return [value] if _is_flat(value, alike) else list(value)


def _is_flat(values, alike):
    kinds = {int if kind is bool else kind for kind in map(type, values)}
    if not kinds <= {int, float}:
        if any(type(one).__name__ in ("Tensor", "Parameter") for one in values):
            return False
        kinds = {int if isinstance(one, int) else type(one) for one in map(plain, values)}
    return kinds <= {int, float} and not (alike and len(kinds) > 1)
