"""Guards around what the factories allocate, and the gates of answers."""

GUARD_BYTES = 64 << 10  # before and behind each array
PATTERN = 0xA5

# Largest norm of the error over the norm of the answer, by the type of the output; an element may
# be off by usual_element_gate(). Of kernels/cuda/README.md; integers are to be equal to the bit.
GATES = {"bfloat16": 4e-3, "float16": 6e-4, "float32": 2e-6, "float64": 1e-12,
         "float8_e4m3fn": 0.1, "float8_e5m2": 0.1, "float8_e4m3fnuz": 0.1, "float8_e5m2fnuz": 0.1}
# Complex numbers are two of these, and held to their gates.
PART_OF = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
GATES.update((dtype, GATES[part]) for dtype, part in PART_OF.items())
ELEMENT_FACTOR = 10
# A step of 8 bits is a quarter of a number at most: ten times the norm would let any element be zero.
_MOST_SMALL, _SMALL_FACTOR = 0.25, 2.5


def stricter(dtype, least):
    """Of two types of floating point that with the stricter gate; `dtype` where `least` is none."""
    if dtype not in GATES or least not in GATES:
        return dtype
    return min(dtype, least, key=GATES.get)


def gate_type(dtype, expected, least=None, tolerance=None):
    """The type whose gate holds for an answer of type `dtype` where `expected` is the reference's:
    whole numbers are exact in whatever type they are answered, but by a tolerance for that type. least:
    see stricter()."""
    is_whole = expected.startswith(("int", "uint", "bool"))
    has_own = isinstance(tolerance, dict) and dtype in tolerance
    return expected if is_whole and not has_own else stricter(dtype, least)


def strictest(dtypes):
    """Of the types of floating point among these the one with the strictest gate; None: there is
    none."""
    return min((one for one in dtypes if one in GATES), key=GATES.get, default=None)


def least_precise(dtypes):
    """Of the types of floating point among these the one with the loosest gate; None: there is
    none."""
    return max((one for one in dtypes if one in GATES), key=GATES.get, default=None)


def given_for(dtype, tolerance):
    """What a tolerance says of a type; None: nothing."""
    return tolerance.get(dtype) if isinstance(tolerance, dict) else tolerance


def usual_element_gate(dtype, norm):
    """What an element may be off by where no element_tolerance says it (search/figures/usual_gate.h)."""
    usual = ELEMENT_FACTOR * norm
    return min(usual, max(_MOST_SMALL, _SMALL_FACTOR * norm)) if dtype.startswith("float8_") else usual


def gates_of(dtype, tolerance, element_tolerance):
    """(norm, element) gates; (0, 0) is equality to the bit. A tolerance is a number, or a dict by
    type whose missing types keep their defaults."""
    norm, element = given_for(dtype, tolerance), given_for(dtype, element_tolerance)
    if norm is None:
        # Integers with a tolerance of elements alone are not exact either.
        norm = GATES.get(dtype, element or 0.0)
    return norm, usual_element_gate(dtype, norm) if element is None else element
