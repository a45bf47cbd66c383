"""Compares plain numbers with what they should be, without any library."""

import math
from typing import NamedTuple

from . import masked_places, small_elements
from .errors import Failure
from .guards import PART_OF, gate_type, gates_of, given_for
from .plain_arrays import form_of, numbers_of
from .plain_values import fits
from .small_elements import DIGITS, least_digits

# Of a share; more is no rounding of float32 and wider types.
_MOST_OF_ROUNDING = 1e-4


def check(name, got, expected, tolerance=None, element_tolerance=None, least=None):
    """The norm of the error over the norm of the answer. Raises Failure("wrong_result") that names
    the worst element, or where two arrays have different shapes (form_of), but for single numbers. NaN equals
    NaN and infinities themselves, and nothing else does. `least`: a type whose gate holds where that
    of the answer's own type is looser. Complex numbers are compared by both parts, each of which may be
    off by what goes by the size of both."""
    mine, right = form_of(got), form_of(expected)
    got, dtype = numbers_of(got)
    expected, wanted = numbers_of(expected)
    _expect_one_shape(name, (mine, got), (right, expected))
    gated = gate_type(dtype, wanted, least, tolerance)
    norm_gate, element_gate = gates_of(gated, tolerance, element_tolerance)
    is_complex = dtype in PART_OF or wanted in PART_OF
    if norm_gate == element_gate == 0:
        _check_equal(name, *(map(_parts, (got, expected)) if is_complex else (got, expected)), is_complex)
        return 0.0
    dtypes = [PART_OF.get(one, one) for one in (dtype, wanted)]
    is_asked = given_for(gated, element_tolerance) is None and all(one in DIGITS for one in dtypes)
    gates = Gates(norm_gate, element_gate, is_complex, tolerance is None,
                  least_digits(*dtypes) if is_asked else None)
    share = _held(name, got, expected, gates)
    places = _beside_mask(got, expected, gates) if is_asked else None
    if places is None:
        return share
    return max(share, _held(name, [got[i] for i in places], [expected[i] for i in places], gates, places))


class Gates(NamedTuple):
    norm: float
    element: float
    is_complex: bool
    is_usual: bool  # the problem has no tolerance of its own
    dtype: str  # None: the problem says what elements may be off by, so small ones are not looked at apart


def _held(name, got, expected, gates, places=None):
    """As check(), of numbers that gates are for. `places`: of the answer where these are some of it."""
    is_complex = gates.is_complex
    mine, right = (_parts(got), _parts(expected)) if is_complex else (got, expected)
    share, root, worst, worst_excess = _errors(mine, right, gates.element, is_complex)
    if worst is not None and (worst_excess > 1 or share > gates.norm):
        element, part = place_of(worst, is_complex)
        raise wrong(name, (places[element] if places else element, part), mine[worst], right[worst], share,
                    gates.norm, gates.is_usual, places is not None)
    if gates.dtype is not None:
        if is_complex:
            got, expected = ([math.hypot(z.real, z.imag) for z in one] for one in (got, expected))
        found = small_elements.lost(got, expected, root, gates.dtype)
        if found is not None:
            raise lost(name, places[found] if places else found, got[found], expected[found], is_complex)
    return share


def _beside_mask(got, expected, gates):
    """The places beside those that are masked (masked_places.py); None: there is no mask, or an answer that
    rounds there."""
    mine, right = (_parts(got), _parts(expected)) if gates.is_complex else (got, expected)
    found = masked_places.masked(masked_places.of_numbers(right), DIGITS[gates.dtype], gates.norm)
    if found is None:
        return None
    rounding = small_elements.rounding_of(gates.dtype)
    if not found.is_certain and any(abs(g - e) > rounding * abs(e) for g, e in zip(mine, right)
                                    if found.start <= abs(e) < math.inf):
        return None
    return [place for place, one in enumerate(expected)
            if not any(found.start <= abs(part) < math.inf for part in (one.real, one.imag))]


def _expect_one_shape(name, got, expected):
    """Each is its form, or None, with its numbers."""
    (mine, numbers), (right, wanted) = got, expected
    if mine and right and not len(numbers) == len(wanted) == 1 and not mine.is_like(right):
        raise Failure("wrong_result", f"{name} has the shape {mine.sizes} instead of {right.sizes}",
                      output=name)
    if len(numbers) != len(wanted):
        raise Failure("wrong_result", f"{name} has {len(numbers)} elements instead of {len(wanted)}",
                      output=name)


def _errors(got, expected, element_gate, is_complex):
    """The norm of the error over that of the answer, the answer's root mean square, and the worst element,
    None where all are equal, with its error over what the gate allows."""
    finite = [e for e in expected if math.isfinite(e)]
    scale, unit = math.hypot(*finite) if finite else 0.0, 1.0
    if math.isinf(scale):
        unit = unit_of(max(map(abs, finite)))
        scale = math.hypot(*(e / unit for e in finite))
    root = unit * (scale / math.sqrt(len(finite) / (2 if is_complex else 1))) if finite else 0.0
    worst, worst_excess, errors = None, 0.0, []
    for index, (g, e) in enumerate(zip(got, expected)):
        if g == e or (g != g and e != e):
            continue
        error = abs(g - e)
        error = error if math.isfinite(error) else math.inf
        other = expected[index ^ 1] if is_complex else 0.0
        size = math.hypot(e, other) if math.isfinite(other) and is_complex else abs(e)
        allowed = element_gate * size + element_gate * root
        excess = error / allowed if allowed > 0 and math.isfinite(allowed) else math.inf
        errors.append(error / unit)
        if worst is None or excess > worst_excess:
            worst, worst_excess = index, excess
    total = math.hypot(*errors) if errors else 0.0
    share = total / scale if scale > 0 else (math.inf if total > 0 else 0.0)
    return share, root, worst, worst_excess


def unit_of(largest):
    """A unit in which the norm of numbers is one, where the squares of these are beyond all numbers."""
    return math.ldexp(1.0, math.frexp(largest)[1] - 1)


def _parts(numbers):
    return [part for number in numbers for part in (number.real, number.imag)]


def place_of(index, is_complex):
    """(element, part) of a number that is one, or of two that are one."""
    return (index // 2, ".imag" if index % 2 else ".real") if is_complex else (index, "")


def lost(name, element, got, expected, is_complex=False):
    """Of small_elements. Of complex numbers these are their sizes."""
    shown = f"abs({name}[{element}])" if is_complex else f"{name}[{element}]"
    return Failure("wrong_result", f"{shown} is {_shown(got, expected)} instead of "
                                   f"{_shown(expected, got)}; {small_elements.WORDS}",
                   output=name, element=element, got=+got, expected=+expected)


def _check_equal(name, got, expected, is_complex):
    # Python compares integers of any width with each other and with doubles exactly.
    for index, (g, e) in enumerate(zip(got, expected)):
        if g != e and (g == g or e == e):
            raise wrong(name, place_of(index, is_complex), g, e, math.inf, 0.0)


def wrong(name, place, got, expected, share, gate, is_usual=False, is_beside_mask=False):
    """`place`: place_of(). `is_usual`: the problem has no gate of its own. Where rounding may explain
    the error the words then name the argument that gives another one."""
    # JSON has no NaN and no infinity, and no integer beyond 64 bits; the words have them.
    numbers = {key: +value for key, value in (("got", got), ("expected", expected)) if fits(value)}
    words = "which is to be equal" if gate == 0 else (
        f"norm of the error over the norm of {'what is not masked' if is_beside_mask else 'the answer'} {share:.3g}, "
        f"allowed {gate:.3g}")
    if is_usual and 0 < gate and 0 < share < _MOST_OF_ROUNDING:
        enough = 10.0 ** math.ceil(math.log10(2 * share))
        words += (" where the problem has no tolerance; an answer that is right and only rounds "
                  f"needs tolerance={enough:.0e} in @ns.problem")
    if expected != expected and got == got:
        words = ("what it is compared with has no number there: the reference, or without one the baseline, "
                 "does not write this element, or computes NaN")
    element, part = place
    return Failure("wrong_result",
                   f"{name}[{element}]{part} is {_shown(got, expected)} instead of "
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
