"""Tensors that the factories allocate, on a GPU, on a CPU, or ("meta") without memory.

torch is what the user's file has imported; this module never imports it first."""

import math
import random
import sys

from . import masked_places, small_elements
from .draw_ends import last_number
from .errors import Failure, UserError
from .guards import GUARD_BYTES, PART_OF, PATTERN, gate_type, gates_of, given_for
from .made_inputs import Group, kinds_of, on, seeded
from .plain_answers import Gates, lost, place_of, unit_of, wrong
from .workshop import Workshop

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
        if self.dtype.is_complex and self.kind in ("normal", "uniform", "integers"):
            view = torch().view_as_real(view)  # both parts are drawn
        if self.kind in ("normal", "uniform"):
            # Narrow types have no random numbers of their own.
            target = view if name_of(view.dtype) in ("float32", "float64", "float16", "bfloat16") \
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

    def put_last(self, number):
        if self.memory is not None:
            view = torch().view_as_real(self.view) if self.dtype.is_complex else self.view
            view[(-1,) * view.dim()].fill_(number)

    def poison(self):
        if self.memory is None:
            return
        if self.dtype.is_complex:
            torch().view_as_real(self.view).fill_(math.nan)
        elif self.dtype.is_floating_point:
            self.view.fill_(math.nan)
        else:
            self.number()

    def number(self):
        """To what is a number of every type."""
        if self.memory is not None:
            self.bytes.fill_(PATTERN)

    def nans(self, view):
        """The places in a view of it that are NaN; of complex numbers those of their parts."""
        is_floating = view.is_floating_point() or view.is_complex()
        return _flat(view).isnan().nonzero().flatten() if self.memory is not None and is_floating else ()

    def first_left(self, view, places):
        """Of these places the first that is as number() leaves it, or None."""
        one = self.bytes.new_full((16,), PATTERN).view(view.dtype)[:1]  # 16 bytes hold a number of any type
        left = places[_flat(view)[places] == _flat(one)[0]]
        return int(left[0]) // (2 if view.is_complex() else 1) if len(left) else None

    def torn_guard(self):
        for where, part in (("before", self.memory[:GUARD_BYTES]),
                            ("behind", self.memory[GUARD_BYTES + self.size:])):
            if not bool((part == PATTERN).all()):
                return where
        return ""

    def snapshot(self):
        return self.bytes.clone()

    def put_back(self, snapshot):
        self.bytes.copy_(snapshot)

    def differs_from(self, snapshot):
        return not torch().equal(self.bytes, snapshot)


class TorchWorkshop(Workshop):
    """Makes tensors on `device` and remembers them in order.

    device: "cuda", "cpu" or "meta"; moved: other addresses, by a pad of random size before them"""

    def __init__(self, seed, device, dtype=None, moved=False):
        super().__init__(seed)
        self.device = device
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
        self._fill(len(self.arrays), made)
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

    def _fill(self, number, one):
        one.fill((self.seed * 1000003 + number) % (1 << 62))
        last = last_number(self.seed, one.kind, one.options, one.view.numel())
        if last is not None:
            one.put_last(last)

    def _refill_group(self, group):
        group.refill(self.seed, is_tensor, lambda made, leaf: made.put(leaf))

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
    gated = gate_type(name_of(got.dtype), name_of(expected.dtype), least, tolerance)
    norm_gate, element_gate = gates_of(gated, tolerance, element_tolerance)
    if got.numel() == 0:
        return 0.0
    is_complex = got.dtype.is_complex or expected.dtype.is_complex
    is_whole = not is_complex and (_is_whole(got) or _is_whole(expected))
    if is_whole and norm_gate == 0:
        return _check_whole(name, got, expected)
    dtypes = [PART_OF.get(name_of(one.dtype), name_of(one.dtype)) for one in (got, expected)]
    is_asked = given_for(gated, element_tolerance) is None and not is_whole and \
        all(one in small_elements.DIGITS for one in dtypes)
    if is_complex:
        got, expected = _parts(got), _parts(expected)
    gates = Gates(norm_gate, element_gate, is_complex, tolerance is None,
                  small_elements.least_digits(*dtypes) if is_asked else None)
    got, expected = got.detach().flatten(), expected.detach().flatten()
    share = _held(name, got, expected, gates)
    if not is_asked:
        return share
    g, e = got.double(), expected.double()
    keep = _beside_mask(g, e, gates)
    if keep is None:
        return share
    return max(share, _held(name, g[keep], e[keep], gates, keep.nonzero().flatten()))


def _held(name, got, expected, gates, places=None):
    """As check(), of flat tensors, of both parts where they are complex. `places`: of the answer where these
    are some of it."""
    lib, is_complex = torch(), gates.is_complex
    g, e = got.double(), expected.double()
    share, root, excess = _errors(g, e, gates.element, is_complex)

    def at(index):
        return index if places is None else int(places[index])

    # A NaN here would pass every comparison that asks whether it is too large.
    if not (float(excess.max()) <= 1 and share <= gates.norm):
        index = int(lib.where(excess.isnan(), lib.full_like(excess, math.inf), excess).argmax())
        raise wrong(name, place_of(at(index), is_complex), _number(got, index), _number(expected, index), share,
                    gates.norm, gates.is_usual, places is not None)
    if gates.dtype is not None:
        if is_complex:
            g, e = got, expected = _sizes(g), _sizes(e)
        index = _lost(g, e, root, gates.dtype)
        if index is not None:
            place = at(2 * index) // 2 if is_complex else at(index)
            raise lost(name, place, _number(got, index), _number(expected, index), is_complex)
    return share


def _beside_mask(g, e, gates):
    """Which elements are beside those that are masked, as plain_answers._beside_mask; None: there is no mask,
    or an answer that rounds there."""
    sizes = torch().where(e.isfinite(), e.abs(), torch().zeros_like(e))

    def below(bound, grid):
        some = sizes[(sizes > 0) & (sizes < bound)]
        largest = float(some.max()) if len(some) else 0.0
        if not grid:
            return masked_places.Sizes(0.0, len(some), largest, 0)
        return masked_places.Sizes(float(some.norm()), len(some), largest, int((some.fmod(grid) != 0).sum()))

    found = masked_places.masked(below, small_elements.DIGITS[gates.dtype], gates.norm)
    if found is None:
        return None
    masked = sizes >= found.start
    rounding = small_elements.rounding_of(gates.dtype)
    if not found.is_certain and bool(((g - e).abs() > rounding * sizes)[masked].any()):
        return None
    if gates.is_complex:
        masked = masked.reshape(-1, 2).any(1).repeat_interleave(2)
    return ~masked


def _flat(view):
    """Its numbers in a type that torch compares; the parts of complex ones."""
    view = torch().view_as_real(view.detach().resolve_conj()) if view.is_complex() else view.detach()
    return (view.float() if view.element_size() == 1 else view).flatten()


def has_numbers(tensor):
    """Whether it has elements, and not all of them are NaN."""
    if not tensor.numel() or not (tensor.is_floating_point() or tensor.is_complex()):
        return tensor.numel() > 0
    wide = tensor.float() if tensor.element_size() == 1 else tensor  # torch asks no float8 for NaN
    return not bool(wide.isnan().all())


def _check_whole(name, got, expected):
    same = _equal_integers(got, expected).flatten()
    if bool(same.all()):
        return 0.0
    index = int((~same).int().argmax())
    raise wrong(name, (index, ""), _number(got, index), _number(expected, index), math.inf, 0.0)


def _errors(g, e, element_gate, is_complex):
    """The norm of the error over that of the answer, the answer's root mean square, and the error of each
    element over what the gate allows. Both are flat and in float64."""
    lib = torch()
    same = (g == e) | (g.isnan() & e.isnan())
    finite = lib.where(e.isfinite(), e, lib.zeros_like(e))
    count = max(1, int(e.isfinite().sum())) / (2 if is_complex else 1)
    scale, unit = float(finite.norm()), 1.0
    if math.isinf(scale):
        unit = unit_of(float(finite.abs().max()))
        scale = float((finite / unit).norm())
    root = unit * (scale / math.sqrt(count))
    error = lib.where(same, lib.zeros_like(g), (g - e).abs())
    error = lib.where(error.isnan(), lib.full_like(error, math.inf), error)
    sizes = _sizes(finite).repeat_interleave(2) if is_complex else finite.abs()
    excess = lib.where(same, lib.zeros_like(error), error / (element_gate * sizes + element_gate * root))
    total = float((error / unit).norm())
    share = total / scale if scale > 0 else (math.inf if total > 0 else 0.0)
    return share, root, excess


def _parts(tensor):
    """Both of each number one after the other, in float64. Of a real number the second is 0."""
    lib = torch()
    return lib.view_as_real(tensor.detach().flatten().to(lib.complex128).resolve_conj()).flatten()


def _sizes(parts):
    """Of the numbers whose parts these are."""
    pairs = parts.reshape(-1, 2)
    return torch().hypot(pairs[:, 0], pairs[:, 1])


def _lost(g, e, root, dtype):
    """As small_elements.lost, of flat tensors in float64."""
    lib = torch()
    size, error = e.abs(), (g - e).abs()
    small = (size >= small_elements.floor_of(dtype)) & (size <= small_elements.MID * root)
    found = small & ((g - e) * e < 0) & (error >= small_elements.LEAST_LOST * size) & \
        (error <= small_elements.MOST_LOST * size)
    if int(found.sum()) < small_elements.FEWEST:
        return None
    octaves = lib.frexp(size)[1]

    def counts(which):
        octave, count = octaves[which].unique(return_counts=True)
        return dict(zip(octave.tolist(), count.tolist()))

    of_small = counts(small)
    highest = small_elements.lost_up_to(of_small, counts(found))
    if highest is None:
        return None
    found = found & (octaves <= highest)
    index = int(lib.where(found, size, lib.zeros_like(size)).argmax())
    last = small_elements.next_larger(of_small, highest)
    if last is not None:
        own = small_elements.OWN_DIGITS * small_elements.rounding_of(dtype)
        levels = (error - own * size)[small & (octaves > highest) & (octaves <= last)].sort().values
        level = float(levels[3 * len(levels) // 4])
        return None if small_elements.is_rounding(level, float(size[index])) else index
    sizes = size[found].topk(min(int(found.sum()), 1000)).values.tolist()
    return index if small_elements.stand_alone(sizes, root, dtype) else None


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
    return bool(lib.equal(*(stored(one).contiguous().view(raw) for one in (a, b))))


def stored(tensor):
    """One whose memory has its numbers: torch makes a conjugate and another sign by a note beside the
    memory, which is shared and stays as it is."""
    return tensor.resolve_conj().resolve_neg() if tensor.is_conj() or tensor.is_neg() else tensor
