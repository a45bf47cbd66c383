"""Tensors that the factories allocate, on a GPU, on a CPU, or ("meta") without memory.

torch is what the user's file has imported; this module never imports it first."""

import math
import random
import sys

from .errors import Failure, UserError
from .guards import GUARD_BYTES, PATTERN, gate_type, gates_of
from .made_inputs import Group, kinds_of, on, seeded
from .plain_answers import wrong

_INTEGERS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}


def torch():
    """The torch of the user's file. Raises UserError where it imported none."""
    if "torch" not in sys.modules:
        raise UserError('device = "gpu" measures torch tensors, and the file imports no torch')
    return sys.modules["torch"]


def type_of(dtype):
    """torch's type of a name or a type. Raises UserError."""
    if isinstance(dtype, str):
        found = getattr(torch(), dtype, None)
        if not isinstance(found, torch().dtype):
            raise UserError(f"torch has no type {dtype!r}")
        return found
    return dtype


def name_of(dtype):
    return str(dtype).rsplit(".", 1)[-1]


class TorchArray:
    """One allocation with guards; on "meta" there is no memory and every operation is empty."""

    def __init__(self, kind, shape, dtype, options, device):
        self.kind, self.dtype, self.options, self.device = kind, dtype, options, device
        self.memory = None
        if device == "meta":
            self.view = torch().empty(shape, dtype=dtype, device="meta")
            return
        item = torch().empty((), dtype=dtype).element_size()
        self.size = math.prod(shape) * item
        # What lies behind begins right at the end; the array itself stays aligned to 512 bytes.
        self.memory = torch().empty(2 * GUARD_BYTES + self.size + (-self.size) % 512,
                                    dtype=torch().uint8, device=device)
        self.memory.fill_(PATTERN)
        self.bytes = self.memory[GUARD_BYTES:GUARD_BYTES + self.size]
        self.view = self.bytes.view(dtype).reshape(shape)

    @classmethod
    def like(cls, tensor, kind, device):
        """One with the contents, and where it has no holes the strides, of a tensor."""
        tensor = tensor.detach()
        made = cls(kind, tuple(tensor.shape), tensor.dtype, {}, device)
        if device == "meta":
            made.view = torch().empty_like(tensor, device="meta")
            return made
        strides = torch().empty_like(tensor, device="meta").stride()  # as they are kept, if they can be
        made.view = made.view.as_strided(tensor.shape, strides)
        made.view.copy_(tensor)
        return made

    def put(self, tensor):
        """Contents of a tensor of the same shape and type. Raises ValueError."""
        if tensor.shape != self.view.shape or tensor.dtype != self.dtype:
            raise ValueError(f"{tuple(tensor.shape)} of {name_of(tensor.dtype)} instead of "
                             f"{tuple(self.view.shape)} of {name_of(self.dtype)}")
        if self.memory is not None:
            self.view.copy_(tensor)

    def fill(self, seed):
        if self.memory is None:
            return
        view, options = self.view, self.options
        dice = torch().Generator(device=self.device)
        dice.manual_seed(seed)
        if self.kind in ("normal", "uniform"):
            # Narrow types have no random numbers of their own.
            target = view if name_of(self.dtype) in ("float32", "float64", "float16", "bfloat16") \
                else torch().empty(view.shape, dtype=torch().float32, device=self.device)
            if self.kind == "normal":
                target.normal_(options["mean"], options["std"], generator=dice)
            else:
                target.uniform_(options["low"], options["high"], generator=dice)
            if target is not view:
                view.copy_(target)
        elif self.kind == "integers":
            view.random_(options["low"], options["high"], generator=dice)
        elif self.kind == "bits":
            self.bytes.random_(0, 256, generator=dice)
        elif self.kind == "full":
            view.fill_(options["value"])
        elif self.kind == "zeros":
            view.zero_()
        elif self.kind == "load":
            view.copy_(options["content"])
        elif self.kind == "output":
            self.poison()

    def poison(self):
        if self.memory is None:
            return
        if self.dtype.is_floating_point:
            self.view.fill_(math.nan)
        else:
            self.bytes.fill_(PATTERN)

    def torn_guard(self):
        for where, part in (("before", self.memory[:GUARD_BYTES]),
                            ("behind", self.memory[GUARD_BYTES + self.size:])):
            if not bool((part == PATTERN).all()):
                return where
        return ""

    def snapshot(self):
        return self.bytes.clone()

    def differs_from(self, snapshot):
        return not torch().equal(self.bytes, snapshot)


class TorchWorkshop:
    """Makes tensors on `device` and remembers them in order.

    device: "cuda", "cpu" or "meta"; moved: other addresses, by a pad of random size before them"""

    def __init__(self, seed, device, dtype=None, moved=False):
        self.seed, self.device, self.arrays, self.groups = seed, device, [], []
        self.default_dtype = type_of(dtype or ("float32" if device == "cpu" else "bfloat16"))
        self.pad = None
        if moved and device != "meta":
            pages = random.Random(seed).randrange(1, 256)
            self.pad = torch().empty(pages << 16, dtype=torch().uint8, device=device)

    def make(self, kind, shape, dtype, options):
        dtype = type_of(dtype) if dtype is not None else self.default_dtype
        if kind == "load":
            content = _content(options["file"], dtype)
            shape, dtype, options = tuple(content.shape), content.dtype, {"content": content}
        made = TorchArray(kind, shape, dtype, options, self.device)
        self.arrays.append(made)
        made.fill(self._seed_of(len(self.arrays)))
        return made.view

    def make_by(self, make, buffers):
        kinds = [lambda leaf: "made"]

        def called(make, seed):
            with on(self.device):
                if not buffers:
                    return seeded(make, seed)
                values, kinds[0] = seeded(lambda seed: kinds_of(make, seed), seed)
                return values

        def take(leaf):
            if not is_tensor(leaf):
                return None
            self.arrays.append(TorchArray.like(leaf, kinds[0](leaf), self.device))
            return self.arrays[-1]

        self.groups.append(Group(make, len(self.groups) + 1, self.seed, called, take))
        return self.groups[-1].values

    def _seed_of(self, number):
        return (self.seed * 1000003 + number) % (1 << 62)

    def refill(self, seed):
        self.seed = seed
        for number, one in enumerate(self.arrays, start=1):
            one.fill(self._seed_of(number))
        for group in self.groups:
            group.refill(seed, is_tensor, lambda made, leaf: made.put(leaf))

    def of(self, tensor):
        """The allocation that a tensor is, or is a view of; None where it is none of ours."""
        for one in self.arrays:
            if tensor is one.view:
                return one
        for one in self.arrays:
            if one.memory is None:
                continue
            start = one.memory.data_ptr()
            if start <= tensor.data_ptr() < start + one.memory.numel():
                return one
        return None


def _content(file, dtype):
    if file.endswith(".pt"):
        return torch().load(file, map_location="cpu", weights_only=True)
    with open(file, "rb") as opened:
        content = opened.read()
    if file.endswith(".npy"):
        import io

        import numpy
        return torch().from_numpy(numpy.load(io.BytesIO(content), allow_pickle=False))
    return torch().frombuffer(bytearray(content), dtype=dtype)


def is_tensor(value):
    return "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor)


def check(name, got, expected, tolerance=None, element_tolerance=None, least=None):
    """As plain_answers.check, of tensors of one shape, in float64, on their device."""
    lib = torch()
    got = got if is_tensor(got) else lib.as_tensor(got)
    expected = expected if is_tensor(expected) else lib.as_tensor(expected)
    expected = expected.to(got.device)
    if tuple(got.shape) != tuple(expected.shape):
        raise Failure("wrong_result", f"{name} has the shape {tuple(got.shape)} instead of "
                                      f"{tuple(expected.shape)}", output=name)
    norm_gate, element_gate = gates_of(gate_type(name_of(got.dtype), name_of(expected.dtype), least, tolerance),
                                       tolerance, element_tolerance)
    if got.numel() == 0:
        return 0.0
    is_whole = _is_whole(got) or (_is_whole(expected) and not got.dtype.is_complex)
    if is_whole and norm_gate == 0:
        same = _equal_integers(got, expected).flatten()
        if bool(same.all()):
            return 0.0
        index = int((~same).int().argmax())
        raise wrong(name, index, _number(got, index), _number(expected, index), math.inf, 0.0)
    g, e = got.detach().flatten().double(), expected.detach().flatten().double()
    same = (g == e) | (g.isnan() & e.isnan())
    finite = lib.where(e.isfinite(), e, lib.zeros_like(e))
    count = max(1, int(e.isfinite().sum()))
    scale = float(finite.norm())
    error = lib.where(same, lib.zeros_like(g), (g - e).abs())
    error = lib.where(error.isnan(), lib.full_like(error, math.inf), error)
    allowed = element_gate * (finite.abs() + scale / math.sqrt(count))
    excess = lib.where(same, lib.zeros_like(error), error / allowed)
    total = float(error.norm())
    share = total / scale if scale > 0 else (math.inf if total > 0 else 0.0)
    # A NaN here would pass every comparison that asks whether it is too large.
    if not (float(excess.max()) <= 1 and share <= norm_gate):
        index = int(lib.where(excess.isnan(), lib.full_like(excess, math.inf), excess).argmax())
        raise wrong(name, index, _number(got, index), _number(expected, index), share, norm_gate,
                    tolerance is None)
    return share


def _number(tensor, index):
    """An int with all its digits, or a float."""
    one = tensor.detach().flatten()[index]
    is_real = tensor.dtype.is_floating_point or tensor.dtype.is_complex
    return float(one.double()) if is_real else int(one)


def _is_whole(tensor):
    return not tensor.dtype.is_floating_point and not tensor.dtype.is_complex


def _equal_integers(got, expected):
    """Element by element, without the rounding of 64 bits to a double."""
    if _is_whole(got) and _is_whole(expected):
        return got == expected
    if _is_whole(expected):
        numbers = got.double()
        fits = numbers.isfinite() & (numbers == numbers.trunc()) & (numbers.abs() < 2.0**63)
        as_whole = numbers.where(fits, torch().zeros_like(numbers)).to(torch().int64)
        return fits & (as_whole == expected.to(torch().int64))
    same = got.double() == expected.double()
    return same & (got == expected.double().where(same, 0).to(got.dtype))


def same_bits(a, b):
    """Whether two tensors are equal byte by byte."""
    lib = torch()
    a, b = (one if is_tensor(one) else lib.as_tensor(one) for one in (a, b))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    raw = getattr(lib, _INTEGERS[a.element_size()]) if a.element_size() in _INTEGERS else lib.uint8
    return bool(lib.equal(a.contiguous().view(raw), b.contiguous().view(raw)))
