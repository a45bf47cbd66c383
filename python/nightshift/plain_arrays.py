"""Arrays without any library: memory views over guarded bytes, for problems on a CPU whose file
imports no torch. numpy reads and writes them without a copy: numpy.asarray(ns.normal(100))."""

import array
import math
import numbers
import random
import typing

from .draw_ends import last_number
from .errors import UserError
from .guards import GUARD_BYTES, PATTERN
from .made_inputs import Group, is_array, seeded
from .plain_values import is_list, plain
from .workshop import Workshop

_FORMATS = {"float32": "f", "float64": "d", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
            "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "bool": "?"}
_TYPES = {form: name for name, form in _FORMATS.items()}
_TYPES.update((form, f"{sign}int{8 * array.array(form).itemsize}")  # of a width that is the machine's
              for sign, forms in (("", "il"), ("u", "IL")) for form in forms)
_GUARD = bytes([PATTERN]) * GUARD_BYTES


class PlainArray:
    """One allocation: `memory` with guards, `view` as the user has it."""

    def __init__(self, kind, shape, dtype, options):
        if dtype not in _FORMATS:
            raise UserError(f"without torch a type is one of {', '.join(_FORMATS)}, not {dtype!r}")
        self.kind, self.shape, self.dtype, self.options = kind, tuple(shape), dtype, options
        self.count = math.prod(shape)
        self.size = self.count * array.array(_FORMATS[dtype].replace("?", "B")).itemsize
        self.memory = bytearray(_GUARD + bytes(self.size) + _GUARD)
        self.bytes = memoryview(self.memory)[GUARD_BYTES:GUARD_BYTES + self.size]
        self.flat = self.bytes.cast(_FORMATS[dtype])
        self.view = self.flat if len(shape) <= 1 or not self.count else self.bytes.cast(
            _FORMATS[dtype], shape)

    def fill(self, dice):
        flat, options = self.flat, self.options
        if self.kind in ("normal", "uniform"):
            if self.kind == "normal":
                numbers = (dice.gauss(options["mean"], options["std"]) for _ in range(self.count))
            else:
                low, width = options["low"], options["high"] - options["low"]
                numbers = (low + width * dice.random() for _ in range(self.count))
            self._set(array.array(_FORMATS[self.dtype], numbers))
        elif self.kind == "integers":
            self._set(array.array(_FORMATS[self.dtype], (
                dice.randrange(options["low"], options["high"]) for _ in range(self.count))))
        elif self.kind == "bits":
            self.bytes[:] = dice.randbytes(self.size)
        elif self.kind == "full":
            for i in range(self.count):
                flat[i] = options["value"]
        elif self.kind == "zeros":
            self.bytes[:] = bytes(self.size)
        elif self.kind == "output":
            self.poison()

    def _set(self, values):
        self.bytes[:] = memoryview(values).cast("B")

    def poison(self):
        if self.dtype.startswith("float"):
            self._set(array.array(_FORMATS[self.dtype], [math.nan]) * self.count)
        else:
            self.number()

    def number(self):
        """To what is a number of every type."""
        self.bytes[:] = bytes([PATTERN]) * self.size

    def nans(self, _):
        """The places in a view of it that are NaN."""
        return [place for place, one in enumerate(self.flat) if one != one]

    def first_left(self, _, places):
        """Of these places the first that is as number() leaves it, or None."""
        left = memoryview(bytes([PATTERN]) * self.bytes.nbytes).cast(_FORMATS[self.dtype])[0]
        return next((place for place in places if self.flat[place] == left), None)

    def torn_guard(self):
        if self.memory[:GUARD_BYTES] != _GUARD:
            return "before"
        return "behind" if self.memory[GUARD_BYTES + self.size:] != _GUARD else ""

    def snapshot(self):
        return bytes(self.bytes)

    def put_back(self, snapshot):
        self.bytes[:] = snapshot

    def differs_from(self, snapshot):
        return self.bytes != snapshot


def put(made, given):
    """The numbers of an array into one of ours. Raises ValueError where it is none of that kind."""
    with memoryview(given) as view:
        if view.shape != made.shape or _TYPES.get(view.format) != made.dtype:
            raise ValueError(f"{view.shape} of {view.format!r} instead of {made.shape} of {made.dtype}")
        made.bytes[:] = view.tobytes()


class PlainWorkshop(Workshop):
    """Makes arrays and remembers them in order."""

    default_dtype = "float32"

    def __init__(self, seed, dtype=None):
        super().__init__(seed)
        self.default_dtype = dtype or self.default_dtype

    def make(self, kind, shape, dtype, options):
        if kind == "load":
            return self._load(dtype, options["file"])
        made = PlainArray(kind, shape, str(dtype or self.default_dtype), options)
        self.arrays.append(made)
        self._fill(len(self.arrays), made)
        return made.view

    def _fill(self, number, one):
        one.fill(random.Random(f"{self.seed} {number}"))
        last = last_number(self.seed, one.kind, one.options, one.count)
        if last is not None:
            one.flat[one.count - 1] = last

    def _load(self, dtype, file):
        if file.endswith((".npy", ".pt")):
            raise UserError(f"{file}: without torch only raw bytes are read")
        with open(file, "rb") as opened:
            content = opened.read()
        item = array.array(_FORMATS[str(dtype or self.default_dtype)]).itemsize
        if len(content) % item:
            raise UserError(f"{file} has {len(content)} bytes, no multiple of {item}")
        made = PlainArray("load", (len(content) // item,), str(dtype or self.default_dtype), {})
        made.bytes[:] = content
        self.arrays.append(made)
        return made.view

    def make_by(self, make, buffers):
        def take(leaf):
            if not is_array(leaf):
                return None
            with memoryview(leaf) as given:
                found = PlainArray("made", given.shape, _TYPES[given.format], {})
            put(found, leaf)
            self.arrays.append(found)
            return found

        self.groups.append(Group(make, len(self.groups) + 1, self.seed, seeded, take))
        return self.groups[-1].values

    def _refill_group(self, group):
        group.refill(self.seed, is_array, put)

    def of(self, view):
        """The allocation behind a view of ours, or None."""
        return next((a for a in self.arrays if a.view is view or a.flat is view), None)


class Numbers:
    """A copy of an answer: its numbers, which keep the type and the shape that they had."""

    def __init__(self, values):
        self._numbers, self.dtype = numbers_of(values)
        self.form = form_of(values)

    def tolist(self):
        return self._numbers


class Form(typing.NamedTuple):
    """The shape of an array. Of a memory view, whose memory the problem has made, dimensions of one
    do not count, and one dimension stands for any."""
    sizes: tuple
    is_view: bool

    def is_like(self, other):
        if not (self.is_view or other.is_view):
            return self.sizes == other.sizes
        mine, theirs = (tuple(size for size in one.sizes if size != 1) for one in (self, other))
        return mine == theirs or any(one.is_view and len(one.sizes) <= 1 for one in (self, other))


def form_of(values):
    """None of what has no shape of its own, as lists and numbers have none."""
    if isinstance(values, Numbers):
        return values.form
    shape = getattr(values, "shape", None)
    if not isinstance(shape, tuple) or isinstance(values, type):
        return None
    return Form(tuple(shape), isinstance(values, memoryview))


def numbers_of(values):
    """(numbers, type) of an output or a reference: ours, an array, a list, or one number. Nested
    lists are flattened. Raises UserError for anything else."""
    flat = []
    dtype = _gather(values, flat)
    if dtype is None:
        kinds = set(map(type, flat))
        dtype = "complex128" if complex in kinds else "float64" if float in kinds else "int64"
    return flat, dtype


def _gather(values, flat):
    """Appends the numbers of `values`. The type of their array; None: of no array."""
    if type(values) in (int, float, bool, complex):
        flat.append(values)
        return None
    if isinstance(values, (bytes, bytearray)):
        flat.extend(values)
        return "uint8"
    dtype = None
    if hasattr(values, "tolist"):
        form = getattr(values, "format", None) or getattr(values, "typecode", None)
        dtype = _TYPES.get(form) or str(getattr(values, "dtype", "float64")).rsplit(".", 1)[-1]
        values = values.tolist()
    values = plain(values)
    if isinstance(values, (int, float)):
        flat.append(values)
    elif isinstance(values, numbers.Complex) and not isinstance(values, numbers.Real):
        flat.append(complex(values))
        dtype = dtype or "complex128"
    elif is_list(values):
        for value in values:
            inner = _gather(value, flat)
            dtype = dtype or inner
    else:
        raise UserError(f"an answer must be numbers, not {type(values).__name__}")
    return dtype
