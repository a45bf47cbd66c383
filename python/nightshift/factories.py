"""What inputs and outputs are made by. What these allocate can be refilled from another seed,
poisoned, guarded and rotated; what the user allocates otherwise is left alone.

    shape: integers; dtype: "float32", "bfloat16", "float16", "float64", "float8_e4m3fn",
    "float8_e5m2", "int8" to "int64", "uint8", "bool", or torch's own; the problem's where absent

All raise UserError outside of a problem's function."""

import os

from .errors import UserError
from .plain_values import is_list, plain

_workshops = []


def use(workshop):
    """A context in which the factories allocate by `workshop` (arrays.py)."""
    return _Use(workshop)


class _Use:
    def __init__(self, workshop):
        self.workshop = workshop

    def __enter__(self):
        _workshops.append(self.workshop)
        return self.workshop

    def __exit__(self, *_):
        _workshops.pop()


def device():
    """Where the factories allocate: "cuda", "cpu", "meta" without memory, or "" without torch."""
    return getattr(_workshops[-1], "device", "") if _workshops else ""


def _make(kind, shape, dtype, **options):
    if not _workshops:
        raise UserError(f"ns.{kind}() may be called inside of a problem's function only")
    if len(shape) == 1 and is_list(plain(shape[0])):
        shape = tuple(shape[0])
    shape = tuple(plain(size) for size in shape)
    for size in shape:
        if not isinstance(size, int) or size < 0:
            raise UserError(f"ns.{kind}() wants sizes, not {size!r}")
    options = {name: plain(value) for name, value in options.items()}
    return _workshops[-1].make(kind, shape, dtype, options)


def normal(*shape, dtype=None, mean=0.0, std=1.0):
    """An input of normally distributed numbers."""
    return _make("normal", shape, dtype, mean=mean, std=std)


def uniform(*shape, dtype=None, low=0.0, high=1.0):
    """An input of numbers from `low` to `high`."""
    return _make("uniform", shape, dtype, low=low, high=high)


def integers(*shape, low=0, high=2, dtype="int32"):
    """An input of integers from `low` to `high`, without `high` itself."""
    return _make("integers", shape, dtype, low=low, high=high)


def bits(*shape, dtype="int32"):
    """An input of random bits, as packed numbers have them."""
    return _make("bits", shape, dtype)


def full(*shape, value=0, dtype=None):
    """An input of one number."""
    return _make("full", shape, dtype, value=value)


def zeros(*shape, dtype=None):
    """A buffer of zeros that a run may write, such as a workspace or a counter. It is zeroed again
    before each check, and not before each timed call."""
    return _make("zeros", shape, dtype)


def output(*shape, dtype=None):
    """An output. It is poisoned before each check and between samples: NaN, or 0xA5 in integers."""
    return _make("output", shape, dtype)


def made(make, buffers=False):
    """Inputs that a function of somebody else's makes: what make(seed) returns, which may be lists,
    tuples and dicts with tensors (without torch: arrays of numpy or `array`) in them. What else is in
    them stays as it was made first. The generators of Python, numpy and torch are at the seed, and
    torch's device is the problem's.

    make: makes tensors of the same shapes and types of any seed; `lambda seed: get_inputs()`
    buffers: whether what torch.empty has made and nobody has written is an output(), and zeros() what
        torch.zeros has. Else all of them are inputs, which a run may not write.
    Raises UserError where shapes depend on the seed."""
    if not _workshops:
        raise UserError("ns.made() may be called inside of a problem's function only")
    return _workshops[-1].make_by(make, buffers)


def load(file, dtype=None):
    """An input from a file: .npy of numpy, .pt of torch, or raw bytes of `dtype`, one dimension.
    Relative to the user's file. Raises UserError where it can't be read."""
    file = os.fspath(file)
    if not os.path.exists(file):
        raise UserError(f"there is no file {file}")
    return _make("load", (), dtype, file=os.path.abspath(file))
