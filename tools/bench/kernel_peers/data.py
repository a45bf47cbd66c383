"""The arguments of a cell on the device, in rotating sets, and what is right for the first of them."""

import ctypes
import math

import torch

from . import driver
from .problem import BYTES

TYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32,
         "float64": torch.float64, "int8": torch.int8, "uint8": torch.uint8, "int32": torch.int32,
         "uint32": torch.int32, "int64": torch.int64, "float8_e4m3": torch.float8_e4m3fn}
SCALARS = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int32,
           "uint32": ctypes.c_uint32, "int64": ctypes.c_int64}
STEP = 1 << 26         # elements handled at once, so that temporaries stay small
COLD = 3.2             # times the L2 cache, between two uses of the same set
MOST_SETS = 256
TWO_SETS_UP_TO = 4e9   # bytes of a set


def pieces(tensor):
    flat = tensor.view(-1)
    for first in range(0, flat.numel(), STEP):
        yield flat[first:first + STEP]


def fill(tensor, argument, generator):
    """As the problem says; `computed` is left for cuda.prepare."""
    kind = argument.get("fill")
    low, high = argument.get("low", 0), argument.get("high", 1)
    for piece in pieces(tensor):
        if tensor.dtype == torch.float8_e4m3fn and kind in ("normal", "uniform"):
            wide = torch.empty_like(piece, dtype=torch.float32)
            fill(wide, argument, generator)
            piece.copy_(wide)
        elif kind == "normal":
            piece.normal_(low, high, generator=generator)
        elif kind == "uniform" and tensor.is_floating_point():
            piece.uniform_(low, high, generator=generator)
        elif kind == "uniform":
            piece.random_(int(low), int(high) + 1, generator=generator)
        elif kind == "bits":
            piece.view(torch.uint8).random_(0, 256, generator=generator)
        elif kind == "constant":
            piece.fill_(low)
        elif kind != "computed":
            raise ValueError(f"argument {argument['name']}: fill '{kind}' is not supported here")


class Arguments:
    """Sets of arguments by name; tensors have the shape that the factors of their size give.

    Work space is the same in every set, as a program would have it. There are as many sets as make
    their largest vectors COLD times the L2 cache, so that no input and no output is in the cache when
    its turn comes, even where a kernel's hints keep one vector there at the cost of the others.
    """

    def __init__(self, cell, configuration, seed=1, sets=None):
        self.cell = cell
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.multiprocessors = device.multi_processor_count
        self.vectors = [a for a in cell.problem.arguments if "size" in a]
        self.plan(configuration)
        rotating = [math.prod(self.shapes[a["name"]]) * BYTES[cell.type_of(a)]
                    for a in self.vectors if a["access"] != "work"]
        if sets is None:
            least = 2 if sum(rotating) <= TWO_SETS_UP_TO else 1
            sets = math.ceil(COLD * device.L2_cache_size / max(rotating))
            sets = min(MOST_SETS, max(least, sets))
        generator = torch.Generator("cuda").manual_seed(seed)
        work = self.work_space(generator)
        self.sets = []
        for _ in range(sets):
            one = dict(work)
            for a in self.vectors:
                if a["access"] == "work":
                    continue
                one[a["name"]] = self.empty(a)
                if a["access"] != "out":
                    fill(one[a["name"]], a, generator)
            self.sets.append(one)

    def plan(self, configuration):
        """What a configuration chooses: scalars, tensor maps, and how large work space is."""
        names = self.cell.names(configuration, self.multiprocessors)
        self.scalars = {a["name"]: SCALARS[a["type"]](self.scalar(a, names))
                        for a in self.cell.problem.arguments if "value" in a}
        self.maps = self.cell.tensor_maps(configuration, self.multiprocessors)
        self.shapes = {a["name"]: self.cell.shape_of(a, names) for a in self.vectors}

    def work_space(self, generator):
        work = {a["name"]: self.empty(a) for a in self.vectors if a["access"] == "work"}
        for a in self.vectors:
            if a["access"] == "work" and "fill" in a:
                fill(work[a["name"]], a, generator)
        return work

    def changed_work(self):
        """The name of work space that launches are to leave as it was, and did not; or None."""
        for a in self.vectors:
            if a["access"] == "work" and a.get("fill") == "constant":
                left = self.sets[0][a["name"]]
                if not torch.equal(left, torch.full_like(left, a.get("low", 0))):
                    return a["name"]
        return None

    @staticmethod
    def scalar(argument, names):
        from .problem import evaluate
        return evaluate(argument["value"], names)

    def empty(self, argument, double=False):
        kind = TYPES[self.cell.type_of(argument)]
        if double and kind.is_floating_point:
            kind = torch.float64
        return torch.empty(self.shapes[argument["name"]], dtype=kind, device="cuda")

    def bind(self, module, launches, values):
        """A callable that runs `launches` on the tensors of `values`."""
        stream = torch.cuda.current_stream().cuda_stream

        def value(name):
            if name in self.scalars:
                return self.scalars[name]
            if name in self.maps:
                return driver.encode(self.maps[name], values[self.maps[name].of].data_ptr())
            return ctypes.c_void_p(values[name].data_ptr())
        bound = [module.bind(launch, [value(n) for n in launch.arguments], stream)
                 for launch in launches]

        def run(kept=values):  # whose memory the launches have by address alone
            for one in bound:
                one()
        return run

    def prepare(self, reference, configuration):
        """Computes the inputs that follow from others, in each set."""
        launches = self.cell.launches(configuration, self.multiprocessors, "prepare")
        for one in self.sets:
            self.bind(reference, launches, one)()
        torch.cuda.synchronize()

    def expected(self, reference, configuration):
        """What is right for the first set, floating outputs in double."""
        outputs = {a["name"]: self.empty(a, double=True)
                   for a in self.vectors if a["access"] == "out"}
        launches = self.cell.launches(configuration, self.multiprocessors, "reference")
        self.bind(reference, launches, {**self.sets[0], **outputs})()
        torch.cuda.synchronize()
        return outputs

    def poison(self):
        """Fills the outputs of the first set with NaN, so that a result not written is no result."""
        for a in self.vectors:
            if a["access"] == "out":
                self.sets[0][a["name"]].view(-1).view(torch.uint8).fill_(255)


def error_of(got, expected):
    """norm(got - expected) over norm(expected), infinite where something is not a number."""
    if got.numel() != expected.numel():
        return math.inf
    squares = torch.zeros(2, dtype=torch.float64, device=expected.device)
    for g, e in zip(pieces(got.contiguous()), pieces(expected)):
        e = e.double()
        squares[0] += (g.double() - e).square().sum()
        squares[1] += e.square().sum()
    error, norm = squares.tolist()
    if math.isnan(error) or math.isnan(norm):
        return math.inf
    return math.sqrt(error / norm) if norm else (math.inf if error else 0.0)


def judge(cell, outputs, expected, dtypes=True):
    """What is wrong with `outputs`, or None; and the error of each."""
    errors, wrong = {}, None
    for a in cell.problem.arguments:
        if a.get("access") != "out":
            continue
        name, got = a["name"], outputs[a["name"]]
        errors[name] = error_of(got, expected[name])
        if not errors[name] <= cell.gate(name):
            wrong = wrong or f"{name}: error {errors[name]:.2g}, allowed {cell.gate(name):.2g}"
        if dtypes and got.dtype != TYPES[cell.type_of(a)]:
            wrong = wrong or f"{name} is of type {got.dtype}"
    return wrong, errors
