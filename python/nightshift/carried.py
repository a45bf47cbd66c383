"""Answers as bytes, for a process that trusts nothing in them: reading runs nobody's code.

Four bytes of a length, so many of JSON, which is a tree of lists that begin with a kind, and then the
numbers themselves. What finished.py lets pass is carried, and comes out as the type that it was."""

import array
import ctypes
import decimal
import fractions
import json
import math
import struct
import sys

from .torch_arrays import stored

_HEAD = struct.Struct("<I")
_DEEPEST = 40
_TYPECODES = "bBhHiIlLqQfd"
_FORMATS = _TYPECODES + "?"
_NUMPY_KINDS = "biufcSUmM"
_PLAIN = {"none": type(None), "bool": bool, "str": str}


class Unreadable(Exception):
    """Bytes that pack() has not written."""


def pack(value):
    """A list of bytes-like parts, to be written one behind the other. Raises Unreadable for what
    can't be carried."""
    parts = _Parts()
    try:
        tree = json.dumps(parts.tree(value, 0)).encode()
    except (ValueError, RecursionError, OverflowError) as error:
        raise Unreadable(str(error)) from None
    return [_HEAD.pack(len(tree)), tree, *parts.found]


class _Parts:
    def __init__(self):
        self.found, self.length = [], 0

    def add(self, data):
        """(offset, bytes) of a part."""
        data = memoryview(data).cast("B")
        self.found.append(data)
        begin, self.length = self.length, self.length + data.nbytes
        return begin, data.nbytes

    def tree(self, value, depth):
        kind = type(value)
        if depth > _DEEPEST:
            raise Unreadable("it is nested too deeply")
        if kind in (list, tuple):
            return self._several(value, kind.__name__, depth)
        if issubclass(kind, dict):
            return ["dict", [[self.tree(key, depth + 1), self.tree(one, depth + 1)]
                             for key, one in value.items()]]
        if kind in _PLAIN.values():
            return [next(name for name, one in _PLAIN.items() if one is kind), value]
        if kind is float:
            return ["float", value.hex()]
        if kind is complex:
            return ["complex", value.real.hex(), value.imag.hex()]
        if kind in (int, decimal.Decimal, fractions.Fraction):
            return [kind.__name__, str(value)]
        if kind in (bytes, bytearray):
            return [kind.__name__, *self.add(value)]
        if kind is array.array:
            return ["array", value.typecode, *self.add(value)]
        if kind is memoryview:
            return ["view", value.format, list(value.shape), *self.add(value.tobytes())]
        return self._of_library(value, kind)

    def _several(self, values, name, depth):
        kinds = set(map(type, values))
        if kinds == {float}:
            return ["floats", name, *self.add(array.array("d", values))]
        if kinds == {int} and -1 << 63 <= min(values) and max(values) < 1 << 63:
            return ["ints", name, *self.add(array.array("q", values))]
        return [name, [self.tree(one, depth + 1) for one in values]]

    def _of_library(self, value, kind):
        torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._tensor(value, torch)
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) \
                and value.dtype.kind in _NUMPY_KINDS:
            name = "numpy" if isinstance(value, numpy.ndarray) else "scalar"
            return [name, value.dtype.str, list(value.shape), *self.add(value.tobytes())]
        raise Unreadable(f"it is of type {kind.__name__}")

    def _tensor(self, value, torch):
        there = "host" if value.device.type == "cpu" else "device"
        plain = stored(value.detach().to("cpu")).contiguous()
        size = plain.numel() * plain.element_size()
        data = (ctypes.c_char * size).from_address(plain.data_ptr()) if size else b""
        found = ["tensor", str(plain.dtype).rsplit(".", 1)[-1], list(plain.shape), there, *self.add(data)]
        self.found.append(_Kept(plain))
        return found


class _Kept(bytes):
    """No bytes of its own: keeps alive what lends the part before it."""

    def __new__(cls, owner):
        made = super().__new__(cls)
        made.owner = owner
        return made


def unpack(data, device="cpu"):
    """What pack() was given. data: a bytearray, whose memory arrays share; device: of torch, where
    tensors go that were on one. Raises Unreadable."""
    try:
        size, = _HEAD.unpack_from(data)
        tree = json.loads(bytes(data[_HEAD.size:_HEAD.size + size]))
        return _Reader(memoryview(data)[_HEAD.size + size:], device).value(tree, 0)
    except Unreadable:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, ArithmeticError, MemoryError,
            RecursionError, AttributeError, RuntimeError, ImportError, struct.error) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None


class _Reader:
    def __init__(self, data, device):
        self.data, self.device = data, device

    def value(self, tree, depth):
        if depth > _DEEPEST or not isinstance(tree, list):
            raise Unreadable("its tree is none")
        kind, rest = tree[0], tree[1:]
        if kind in ("list", "tuple"):
            [members] = rest
            made = [self.value(one, depth + 1) for one in members]
            return made if kind == "list" else tuple(made)
        if kind == "dict":
            [members] = rest
            return {self.value(key, depth + 1): self.value(one, depth + 1) for key, one in members}
        return self._leaf(kind, rest)

    def _leaf(self, kind, rest):
        if kind in _PLAIN:
            [value] = rest
            return _expected(value, type(value) is _PLAIN[kind])
        if kind in ("float", "complex"):
            numbers = list(map(float.fromhex, rest))
            return numbers[0] if kind == "float" else complex(*numbers)
        if kind in ("int", "Decimal", "Fraction"):
            [text] = rest
            return {"int": int, "Decimal": decimal.Decimal, "Fraction": fractions.Fraction}[kind](text)
        if kind in ("floats", "ints"):
            numbers = self._numbers("d" if kind == "floats" else "q", *rest[1:]).tolist()
            return numbers if _expected(rest[0], rest[0] in ("list", "tuple")) == "list" else tuple(numbers)
        if kind in ("bytes", "bytearray"):
            return {"bytes": bytes, "bytearray": bytearray}[kind](self._part(*rest))
        if kind == "array":
            return self._numbers(*rest)
        if kind == "view":
            form, shape, *where = rest
            part = self._part(*where).cast(_expected(form, form in tuple(_FORMATS)))
            return part if len(shape) == 1 and shape[0] == len(part) or not part.nbytes else \
                part.cast("B").cast(form, _expected(shape, all(type(one) is int for one in shape)))
        return {"numpy": self._numpy, "scalar": self._scalar, "tensor": self._tensor}[kind](*rest)

    def _part(self, begin, size):
        _expected(begin, type(begin) is type(size) is int and begin >= 0 and size >= 0
                  and begin + size <= len(self.data))
        return self.data[begin:begin + size]

    def _numbers(self, typecode, *where):
        made = array.array(_expected(typecode, typecode in tuple(_TYPECODES)))
        made.frombytes(self._part(*where))
        return made

    def _numpy(self, dtype, shape, *where):
        import numpy
        found = numpy.dtype(_expected(dtype, type(dtype) is str))
        _expected(found, found.kind in _NUMPY_KINDS and not found.names)
        part = self._part(*where)
        _expected(shape, part.nbytes == math.prod(shape) * found.itemsize)
        return numpy.frombuffer(bytearray(part), dtype=found).reshape(shape) if part.nbytes else \
            numpy.empty(shape, dtype=found)

    def _scalar(self, *rest):
        return self._numpy(*rest)[()]

    def _tensor(self, dtype, shape, there, *where):
        import torch
        found = getattr(torch, _expected(dtype, type(dtype) is str))
        _expected(found, isinstance(found, torch.dtype))
        part = self._part(*where)
        made = torch.empty(shape, dtype=found)
        _expected(made, made.numel() * made.element_size() == part.nbytes)
        if part.nbytes:
            ctypes.memmove(made.data_ptr(), (ctypes.c_char * part.nbytes).from_buffer(part), part.nbytes)
        return made.to(self.device) if there == "device" else made


def _expected(value, is_right):
    if not is_right:
        raise Unreadable("it is none of what is carried")
    return value
