"""Compares plain numbers with what they should be, without any library."""

import math

from .errors import Failure
from .guards import gate_type, gates_of
from .plain_arrays import form_of, numbers_of
from .plain_values import fits

# Of a share; more is no rounding of float32 and wider types.
_MOST_OF_ROUNDING = 1e-4


def check(name, got, expected, tolerance=None, element_tolerance=None, least=None):
    """The norm of the error over the norm of the answer. Raises Failure("wrong_result") that names
    the worst element, or where two arrays have different shapes (form_of), but for single numbers. NaN equals
    NaN and infinities themselves, and nothing else does. `least`: a type whose gate holds where that
    of the answer's own type is looser."""
    mine, right = form_of(got), form_of(expected)
    got, dtype = numbers_of(got)
    expected, wanted = numbers_of(expected)
    if mine and right and not len(got) == len(expected) == 1 and not mine.is_like(right):
        raise Failure("wrong_result", f"{name} has the shape {mine.sizes} instead of {right.sizes}",
                      output=name)
    if len(got) != len(expected):
        raise Failure("wrong_result", f"{name} has {len(got)} elements instead of {len(expected)}",
                      output=name)
    norm_gate, element_gate = gates_of(gate_type(dtype, wanted, least, tolerance), tolerance,
                                       element_tolerance)
    if norm_gate == element_gate == 0:
        _check_equal(name, got, expected)
        return 0.0
    finite = [e for e in expected if math.isfinite(e)]
    scale = math.hypot(*finite) if finite else 0.0
    root = scale / math.sqrt(len(finite)) if finite else 0.0
    worst, worst_excess, errors = None, 0.0, []
    for index, (g, e) in enumerate(zip(got, expected)):
        if g == e or (g != g and e != e):
            continue
        error = abs(g - e)
        error = error if math.isfinite(error) else math.inf
        allowed = element_gate * (abs(e) + root)
        excess = error / allowed if allowed > 0 and math.isfinite(allowed) else math.inf
        errors.append(error)
        if worst is None or excess > worst_excess:
            worst, worst_excess = index, excess
    total = math.hypot(*errors) if errors else 0.0
    share = total / scale if scale > 0 else (math.inf if total > 0 else 0.0)
    if worst is not None and (worst_excess > 1 or share > norm_gate):
        raise wrong(name, worst, got[worst], expected[worst], share, norm_gate,
                    tolerance is None)
    return share


def _check_equal(name, got, expected):
    # Python compares integers of any width with each other and with doubles exactly.
    for index, (g, e) in enumerate(zip(got, expected)):
        if g != e and (g == g or e == e):
            raise wrong(name, index, g, e, math.inf, 0.0)


def wrong(name, element, got, expected, share, gate, is_usual=False):
    """`is_usual`: the problem has no gate of its own. Where rounding may explain the error the
    words then name the argument that gives another one."""
    # JSON has no NaN and no infinity, and no integer beyond 64 bits; the words have them.
    numbers = {key: +value for key, value in (("got", got), ("expected", expected)) if fits(value)}
    words = "which is to be equal" if gate == 0 else (
        f"norm of the error over the norm of the answer {share:.3g}, allowed {gate:.3g}")
    if is_usual and 0 < gate and 0 < share < _MOST_OF_ROUNDING:
        enough = 10.0 ** math.ceil(math.log10(2 * share))
        words += (" where the problem has no tolerance; an answer that is right and only rounds "
                  f"needs tolerance={enough:.0e} in @ns.problem")
    return Failure("wrong_result",
                   f"{name}[{element}] is {_shown(got, expected)} instead of "
                   f"{_shown(expected, got)}; {words}",
                   output=name, element=element, **numbers)


def _shown(number, other):
    """With as many digits as tell it from the other one."""
    if isinstance(number, int):
        return str(+number)
    if isinstance(other, int) and math.isfinite(number) and number == int(number):
        return str(int(number))
    short = f"{number:.9g}"
    is_alike = isinstance(other, float) and number != other and short == f"{other:.9g}"
    return repr(float(number)) if is_alike else short
