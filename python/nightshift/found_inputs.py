"""Inputs that a problem's function makes itself, of Python, numpy or torch: found in the closures
of what it returns, so that they can be made anew, as those of the factories are, where nobody is
trusted."""

import array
import ctypes
import functools
import sys
import types

from .errors import UserError

_ATOMS = frozenset((bool, int, float, complex, str, bytes, type(None)))
_BUFFERS = (array.array, bytearray, memoryview)
_OTHER = object()  # what is neither: it stays as the first run has it
_ANOTHER = 0xA110  # added to a seed, to see what depends on it


def another(seed):
    """A seed that tells what depends on one."""
    return seed + _ANOTHER


class FoundInputs:
    """What a run's functions reach through their closures and default values, before its first
    call: lists, dicts, arrays of numbers, and variables. It refills itself beside a workshop's arrays, as
    one of its groups.

    again(seed): (another run of the same function, the workshop of its factories), with the
    generators of Python, numpy and torch at the seed
    file: of the problem; functions of other files are left alone
    constant: whether there are numbers that no seed changes; made: whether there are such as one
    does; unlike: names of such as are others each time, whatever the seed
    Raises UserError where sizes depend on the seed."""

    def __init__(self, run, workshop, again, seed, file):
        self._again, self._seed, self._file = again, seed, file
        self._outer, self._nodes = {}, Nodes(run, workshop, file)
        self._made, self._still, self.unlike = [], [], []  # positions of nodes; names
        self._last, self._now = None, []
        if self._nodes.found:  # the function may take long
            self._tell_apart(run, workshop)
        self.made, self.constant = bool(self._made), bool(self._still)

    def _tell_apart(self, run, workshop):
        again = self._again(self._seed)
        seen = Nodes(*again, self._file).seen
        # What both reach stands outside of the function: it is nothing that the function makes.
        self._outer = {key: value for key, value in self._nodes.seen.items() if key in seen}
        self._nodes = Nodes(run, workshop, self._file, self._outer)
        self._first = self._nodes.contents()
        same, other = self._like(again), self._another(another(self._seed))
        for position, node in enumerate(self._nodes.found if same else []):
            contents = self._first[position]
            if not contents.equals(same.contents_of(position)):
                self.unlike += [node.name] if node.has_numbers() else []
                continue  # of a clock, or of an address
            if other is None or not contents.equals(other.contents_of(position)):
                self._made.append(position)
            elif node.has_numbers():
                self._still.append(position)
        if self._made and (other is None or not self._fits(other)):
            raise UserError("the problem's function makes inputs whose sizes depend on the seed of "
                            "random numbers: they have to be the same for each")
        self._now = [self._first[position].kept for position in self._made]

    def _another(self, seed):
        """The nodes of another run; None where they are others than those of the first."""
        return self._like(self._again(seed))

    def _like(self, again):
        """The same of a run and its workshop."""
        nodes = Nodes(*again, self._file, self._outer)
        return nodes if nodes.is_like(self._nodes) else None

    def _fits(self, nodes):
        return all(self._first[position].fits(nodes.contents_of(position))
                   for position in self._made)

    def refill(self, seed, *_):
        """The contents that a seed makes; the first run's own objects for its seed."""
        if not self._made:
            return
        nodes = self._another(seed)
        if nodes is None or not self._fits(nodes):
            raise UserError("the problem's function makes other inputs for another seed of random "
                            "numbers: their sizes have to be the same for each")
        mine = [node.value for node in self._nodes.found]
        self._now = []
        for position in self._made:
            kept = self._first[position].kept
            self._now.append(nodes.found[position].translated(nodes.positions, mine, kept))
            self._nodes.found[position].put(self._now[-1])
        if seed == self._seed:
            # After the same work as for another seed, whose calls would find other caches.
            self.put_back([self._first[position].kept for position in self._made])
        self._last = nodes  # is freed by the next, and not while a call is timed

    def kept(self):
        """What it has put last."""
        return self._now

    def put_back(self, kept):
        self._now = kept
        for position, contents in zip(self._made, kept):
            self._nodes.found[position].put(contents)

    def watch(self, outputs):
        """A function of a call's answer and outputs that says what the call wrote and was not to;
        "" where nothing."""
        named, found = [id(one) for one in outputs or []], self._nodes.found
        seen = [(position, self._nodes.contents_of(position))
                for position in (*self._made, *self._still)
                if not found[position].is_variable and id(found[position].value) not in named]

        def written(answer, answers):
            returned = [id(answer), *map(id, answers)]
            for position, contents in seen:
                made, node = position in self._made, found[position]
                if not made and id(node.value) in returned:
                    continue  # a buffer that is returned
                if not contents.equals(self._nodes.contents_of(position)):
                    return f"{node.name} is an input and was written" + (
                        "" if made else "; what a call may write is made by ns.zeros or ns.output")
            return ""

        return written


class Nodes:
    """The nodes that a run reaches, in an order that is the same for each run of a function.

    outer: {id: object} of what is left alone; seen: the same of all that was reached"""

    def __init__(self, run, workshop, file, outer=None):
        self.found, self.positions, self.seen, self._file = [], {}, dict(outer or {}), file
        self._ours = _memory_of(workshop)
        for value in (run.call, run.reference, run.check):
            self._walk(value, "")

    def is_like(self, other):
        """Whether both have nodes of the same kinds, one for one."""
        return len(self.found) == len(other.found) and all(
            type(a) is type(b) and type(a.value) is type(b.value)
            for a, b in zip(self.found, other.found))

    def contents(self):
        return [self.contents_of(position) for position in range(len(self.found))]

    def contents_of(self, position):
        return self.found[position].contents(self.positions)

    def _add(self, node):
        self.positions[id(node.value)] = len(self.found)
        self.found.append(node)

    def _walk(self, value, name):
        kind = type(value)
        if kind in _ATOMS or id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if kind is types.FunctionType:
            self._walk_function(value)
        elif kind is functools.partial:
            for one in (value.func, *value.args, *value.keywords.values()):
                self._walk(one, name)
        elif kind is types.CellType:
            self._add(_Variable(value, name))
            if not _is_empty(value):
                self._walk(value.cell_contents, name)
        elif kind in (list, tuple):
            if kind is list:
                self._add(_List(value, name))
            if not _ATOMS.issuperset(map(type, value)):
                for one in value:
                    self._walk(one, name)
        elif kind is dict:
            self._add(_Dict(value, name))
            for one in value.values():
                self._walk(one, name)
        else:
            address = _address(value, kind)
            if address is not None and not any(low <= address < high for low, high in self._ours):
                self._add(_Array(value, name))

    def _walk_function(self, function):
        inner = getattr(function, "__wrapped__", None)
        if function.__code__.co_filename == self._file:
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                self._walk(cell, name)
            for one in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
                self._walk(one, "a default value")
        elif function.__module__ == "nightshift.problem" and inner is not None:
            self._walk(inner, "")


class _Contents:
    """What a node had: `kept` is what put() takes; `told` tells it from others."""

    def __init__(self, kept, told, size):
        self.kept, self.told, self.size = kept, told, size

    def equals(self, other):
        # NaN is equal to itself here.
        return self.size == other.size and (self.told == other.told
                                            or repr(self.told) == repr(other.told))

    def fits(self, other):
        return self.size == other.size


class _Node:
    is_variable = False

    def __init__(self, value, name):
        self.value, self.name = value, name or "a list"

    def is_empty(self):
        return False


class _Variable(_Node):
    """A variable of the problem's function."""

    is_variable = True

    def is_empty(self):
        return _is_empty(self.value)

    def contents(self, positions):
        if self.is_empty():
            return _Contents(_OTHER, "", None)
        inside = self.value.cell_contents
        return _Contents(inside, _told(inside, positions), None)

    def has_numbers(self):
        return False

    def put(self, inside):
        if inside is not _OTHER:
            self.value.cell_contents = inside

    def translated(self, positions, mine, kept):
        return _OTHER if self.is_empty() else _translated(
            self.value.cell_contents, positions, mine, kept)


class _List(_Node):
    def contents(self, positions):
        return _Contents(list(self.value), self.told(positions), len(self.value))

    def told(self, positions):
        return [_told(one, positions) for one in self.value]

    def has_numbers(self):
        return any(type(one) in (int, float, complex) for one in self.value)

    def put(self, values):
        self.value[:] = values

    def translated(self, positions, mine, kept):
        return [_translated(one, positions, mine, old) for one, old in zip(self.value, kept)]


class _Dict(_Node):
    def contents(self, positions):
        return _Contents(dict(self.value), self.told(positions), len(self.value))

    def told(self, positions):
        return [(_told(key, positions), _told(one, positions)) for key, one in self.value.items()]

    def has_numbers(self):
        return any(type(one) in (int, float, complex) for one in self.value.values())

    def put(self, values):
        self.value.clear()
        self.value.update(values)

    def translated(self, positions, mine, kept):
        return {key: _translated(one, positions, mine, kept.get(key, one))
                for key, one in self.value.items()}


class _Array(_Node):
    """array.array, bytearray, a memory view, an array of numpy, a tensor of torch on the host."""

    def contents(self, positions):
        value = self.value
        if _is_tensor(type(value)):
            return _Contents(value.detach().clone(), self.told(positions),
                             (tuple(value.shape), str(value.dtype)))
        if _is_numpys(type(value)):
            return _Contents(value.copy(), self.told(positions), (value.shape, str(value.dtype)))
        with memoryview(value) as view:
            return _Contents(view.tobytes(), view.tobytes(), (view.shape, view.format))

    def told(self, _):
        value = self.value
        if _is_tensor(type(value)):
            plain = value.detach().contiguous()
            return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size())
        if _is_numpys(type(value)):
            return value.tobytes()
        with memoryview(value) as view:
            return view.tobytes()

    def has_numbers(self):
        return True

    def put(self, kept):
        if _is_tensor(type(self.value)):
            with sys.modules["torch"].no_grad():
                self.value.copy_(kept)
        elif _is_numpys(type(self.value)):
            self.value[...] = kept
        else:
            with memoryview(self.value) as view:
                view.cast("B")[:] = kept

    def translated(self, positions, mine, kept):
        return self.contents(positions).kept


def _is_empty(cell):
    try:
        cell.cell_contents
    except ValueError:  # of a variable that has no value yet
        return True
    return False


def _told(value, positions):
    """What tells a value from another seed's: a node is known by its position."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if id(value) in positions:
        return ("node", positions[id(value)])
    if kind is tuple:
        return tuple(_told(one, positions) for one in value)
    return ("other", kind.__name__)


def _translated(value, positions, mine, old):
    """Another run's value for this run: its nodes are this run's, and what is no data stays."""
    if type(value) in _ATOMS:
        return value
    if id(value) in positions:
        return mine[positions[id(value)]]
    if type(value) is tuple and type(old) is tuple and len(value) == len(old):
        parts = tuple(_translated(*pair) for pair in
                      ((one, positions, mine, before) for one, before in zip(value, old)))
        return old if all(a is b for a, b in zip(parts, old)) else parts
    return old


def _is_tensor(kind):
    torch = sys.modules.get("torch")
    return torch is not None and kind is getattr(torch, "Tensor", None)


def _is_numpys(kind):
    numpy = sys.modules.get("numpy")
    return numpy is not None and kind is getattr(numpy, "ndarray", None)


def _address(value, kind):
    """Where an array lies that can be written; None of all else."""
    if _is_tensor(kind):
        strided = value.device.type == "cpu" and value.layout is sys.modules["torch"].strided
        return value.data_ptr() if strided else None
    if _is_numpys(kind):
        if value.dtype.hasobject or not value.flags.writeable:
            return None
        return value.__array_interface__["data"][0]
    if kind not in _BUFFERS:
        return None
    with memoryview(value) as view:
        if view.readonly or not view.c_contiguous or not view.nbytes:
            return None
        return ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B")))


def _memory_of(workshop):
    """(begin, end) of each allocation of a workshop."""
    found = []
    for one in workshop.arrays:
        if isinstance(one.memory, bytearray):
            begin = ctypes.addressof(ctypes.c_char.from_buffer(one.memory))
            found.append((begin, begin + len(one.memory)))
        elif one.memory is not None:
            found.append((one.memory.data_ptr(), one.memory.data_ptr() + one.memory.numel()))
    return found
