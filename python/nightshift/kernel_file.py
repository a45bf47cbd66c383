"""What a file of CUDA kernels has, without a GPU: the format is in docs/morning.md. The standard library alone."""

import math

__all__ = ["KernelError", "KernelFile", "TYPES", "load_kernels", "run_program", "whole"]


class KernelError(RuntimeError):
    """What is wrong with a file, with a call or with this machine: a sentence."""


def _whole_division(a, b):
    return a // b if b else math.nan


_TWO = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
        "/": lambda a, b: a / b if b else math.nan, "//": _whole_division,
        "%": lambda a, b: a % b if b else math.nan, "&": lambda a, b: int(a) & int(b),
        "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b),
        ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
        "min": lambda a, b: b if b < a else a, "max": lambda a, b: b if b > a else a,
        "and": lambda a, b: b if a else a, "or": lambda a, b: a or b}
_ONE = {"neg": lambda a: -a, "not": lambda a: int(not a), "abs": abs, "int": math.trunc,
        "ceil": math.ceil, "floor": math.floor}


def _number(word):
    try:
        return int(word)
    except ValueError:
        return float(word)


def _taken(word, stack, names):
    if word in _ONE:
        top = stack.pop()
        stack.append(top if top != top or math.isinf(top) else _ONE[word](top))
    elif word in _TWO:
        b = stack.pop()
        stack.append(_TWO[word](stack.pop(), b))
    elif word == "if":
        otherwise, then = stack.pop(), stack.pop()
        stack.append(then if stack.pop() else otherwise)
    elif word.startswith("$"):
        stack.append(names[word[1:]])
    else:
        stack.append(_number(word))


def run_program(program, names):
    """What a program of the file comes to, such as "$M,255,+,256,//", for these sizes. Raises KernelError
    where a size is missing or it is no program. A division by zero is not a number, and no error."""
    stack = []
    for word in program.split(","):
        try:
            _taken(word, stack, names)
        except KeyError:
            raise KernelError(f"the size {word[1:]} is not given") from None
        except (IndexError, ValueError, OverflowError, TypeError):
            raise KernelError(f"the file is wrong: {program[:80]!r} is no program") from None
    if len(stack) != 1:
        raise KernelError(f"the file is wrong: {program[:80]!r} leaves no single number")
    return stack[0]


def whole(value, least, most, what):
    """The number as an int. Raises KernelError, with `what`, where it is none within both bounds."""
    if least <= value <= most and value == math.floor(value):
        return int(value)
    raise KernelError(f"{what} is {value}, no whole number from {least} to {most}")


class _Launch:
    def __init__(self, symbol, when, shared, programmatic):
        self.symbol, self.when, self.shared, self.programmatic = symbol, when, shared, programmatic
        self.extents = {}
        self.takes = []


class _Variant:
    def __init__(self, code, role):
        self.code, self.role = int(code), role
        self.configuration, self.extents, self.maps, self.launches = {}, [], [], []


class _Argument:
    def __init__(self, kind, type_name, access, fill, name):
        self.is_scalar, self.type, self.access, self.name = kind == "scalar", type_name, access, name
        self.fill = b"" if fill == "-" else bytes.fromhex(fill)
        self.bytes = TYPES[type_name][0]


# Bytes of an element, and how struct has a scalar.
TYPES = {"int8": (1, "b"), "uint8": (1, "B"), "int16": (2, "h"), "uint16": (2, "H"), "int32": (4, "i"),
          "uint32": (4, "I"), "int64": (8, "q"), "uint64": (8, "Q"), "float32": (4, "f"), "float64": (8, "d"),
          "float16": (2, ""), "bfloat16": (2, ""), "float8_e4m3": (1, ""), "float8_e5m2": (1, "")}


class KernelFile:
    """What a file has, without a GPU. Raises KernelError where it is no such file or is not whole."""

    def __init__(self, path):
        self.path = str(path)
        try:
            with open(path, "rb") as file:
                self._bytes = file.read()
        except OSError as error:
            raise KernelError(f"{path} cannot be read: {error.strerror}") from None
        self.problem, self.notes, self.sizes = "", [], []
        self.arguments, self.codes, self.variants, self.rows = [], [], [], {}
        self.otherwise, self.architecture, self.is_exact = "-1", (0, 0), True
        first = self._bytes.split(b"\n", 1)[0][:200].split()
        if len(first) != 4 or first[0] != b"nightshift-kernels":
            raise KernelError(f"{path} is no file of kernels")
        if first[1] != b"1":
            raise KernelError(f"{path} is of a later version than this module")
        if not first[2].isdigit() or int(first[2]) > len(self._bytes) or first[3] != b"%012d" % len(self._bytes):
            raise KernelError(f"{path} is not whole")
        self._take(self._bytes[:int(first[2])])

    def _take(self, header):
        number = 1
        try:
            for number, line in enumerate(header.decode().splitlines()[1:], start=2):
                word, _, rest = line.partition(" ")
                getattr(self, "_take_" + word)(rest)
            self._check()
        except (AttributeError, ValueError, IndexError, KeyError, TypeError):
            raise KernelError(f"{self.path}: line {number} is wrong") from None

    def _take_problem(self, rest):
        self.problem = rest

    def _take_note(self, rest):
        self.notes.append(tuple(rest.split(" ", 1)))

    def _take_architecture(self, rest):
        major, minor, which = rest.split()
        self.architecture, self.is_exact = (int(major), int(minor)), which == "exact"

    def _take_sizes(self, rest):
        self.sizes = rest.split()

    def _take_argument(self, rest):
        self.arguments.append(_Argument(*rest.split()))

    def _take_code(self, rest):
        offset, count = map(int, rest.split())
        if offset < 0 or count <= 0 or offset + count > len(self._bytes):
            raise ValueError
        self.codes.append(self._bytes[offset:offset + count])

    def _take_variant(self, rest):
        self.variants.append(_Variant(*rest.split()))

    def _take_value(self, rest):
        name, _, value = rest.partition(" ")
        self.variants[-1].configuration[name] = value

    def _take_extent(self, rest):
        self.variants[-1].extents.append(rest)

    def _take_map(self, rest):
        argument, data_type, swizzle, promotion, rank, *lists = rest.split()
        rank = int(rank)
        if not 1 <= rank <= 5 or len(lists) != 3 * rank - 1:
            raise ValueError
        self.variants[-1].maps.append((int(argument), int(data_type), swizzle, promotion, lists[:rank],
                                       lists[rank:2 * rank - 1], lists[2 * rank - 1:]))

    def _take_launch(self, rest):
        self.variants[-1].launches.append(_Launch(*rest.split()))

    def _take_extents(self, word, rest):
        x, y, z = rest.split()
        self.variants[-1].launches[-1].extents[word] = (x, y, z)

    def _take_grid(self, rest):
        self._take_extents("grid", rest)

    def _take_block(self, rest):
        self._take_extents("block", rest)

    def _take_cluster(self, rest):
        self._take_extents("cluster", rest)

    def _take_takes(self, rest):
        words = rest.split()
        self.variants[-1].launches[-1].takes = [(w[0], int(w[1:], 16 if w[0] == "x" else 10)) for w in words]

    def _take_row(self, rest):
        variant, *sizes = map(int, rest.split())
        if len(sizes) != len(self.sizes):
            raise ValueError
        self.rows[tuple(sizes)] = variant

    def _take_otherwise(self, rest):
        self.otherwise = rest

    def _take_end(self, rest):
        pass

    def _check(self):
        """What points somewhere points at something."""
        rooms = {"a": len(self.arguments), "x": 1 << 64}
        whole = bool(self.variants and self.sizes) and all(0 <= v < len(self.variants) for v in self.rows.values())
        for variant in self.variants:
            rooms["m"] = len(variant.maps)
            whole &= 0 <= variant.code < len(self.codes) and len(variant.extents) == len(self.arguments)
            whole &= all(0 <= m[0] < len(self.arguments) for m in variant.maps)
            for launch in variant.launches:
                whole &= len(launch.extents) == 3 and all(0 <= n < rooms[kind] for kind, n in launch.takes)
        if not whole:
            raise ValueError

    def choose(self, sizes):
        """The position in `variants` for a call of these sizes, a dictionary. Raises KernelError where there
        is none."""
        key = tuple(run_program("$" + name, sizes) for name in self.sizes)
        chosen = self.rows.get(key)
        if chosen is None:
            chosen = run_program(self.otherwise, sizes)
        if 0 <= chosen < len(self.variants):
            return int(chosen)
        told = " ".join(f"{name}={size}" for name, size in zip(self.sizes, key))
        raise KernelError(f"{self.path} has no kernel for {told}: tune these sizes as well")


def load_kernels(path):
    """The kernels of a file, to be called (kernels.py). Raises KernelError where it is no such file, or this
    machine has no CUDA driver."""
    from .kernels import Kernels  # with ctypes, which problems do without
    return Kernels(path)
