"""The inputs of a run as other objects with the same contents: who answers by addresses does not know them."""

import copy

from .made_inputs import is_array, mapped

_CONTAINERS = (list, tuple, dict)
_NUMBERS = (int, float, complex)
_CONSTANT = ("full", "load")  # kinds of arrays of factories
_MOST_NUMBERS = 1 << 22  # of which several copies are kept


class CopiedInputs:
    """Of variables that a run's functions reach: lists, tuples, dicts and arrays that hold numbers, and that
    no call has written: what was written is a buffer, or is what a call remembers. An output stays. All
    that was made is kept: of what is gone the next would have the address.

    nodes: found_inputs.Nodes of the run; written: ids of those that a call has written
    workshop: of the run's factories; outputs: that the run names"""

    def __init__(self, nodes, written, workshop, outputs):
        self._nodes, self._workshop = nodes, workshop
        self._left = {*written, *map(id, outputs or [])}
        self._cells = []
        for node in nodes.found:
            if node.is_variable and not node.is_empty() and self._is_input(node.value.cell_contents):
                self._cells.append((node.value, node.value.cell_contents))
        self._kept = []

    def __bool__(self):
        return bool(self._cells) and sum(_count(contents) for _, contents in self._cells) <= _MOST_NUMBERS

    def make(self):
        """Other objects, which the run does not get yet."""
        self._kept.append([mapped(contents, _copied) for _, contents in self._cells])

    def put(self):
        """The run gets those that were made last."""
        for (cell, _), made in zip(self._cells, self._kept[-1]):
            cell.cell_contents = made

    def put_back(self):
        for cell, contents in self._cells:
            cell.cell_contents = contents

    def _is_input(self, value):
        return type(value) not in _NUMBERS and self._may_be_copied(value) and _count(value) > 0

    def _may_be_copied(self, value):
        if id(value) in self._left:
            return False
        if type(value) in _CONTAINERS:
            return all(map(self._may_be_copied, value.values() if type(value) is dict else value))
        if not is_array(value):
            return True
        made = self._workshop.of(value)
        return id(value) in self._nodes.positions or (made is not None and made.kind in _CONSTANT)



def _count(value):
    """Of numbers."""
    if type(value) in _CONTAINERS:
        return sum(map(_count, value.values() if type(value) is dict else value))
    if is_array(value):
        return value.numel() if hasattr(value, "numel") else memoryview(value).nbytes // memoryview(value).itemsize
    return type(value) in _NUMBERS


def _copied(leaf):
    if not is_array(leaf):
        return leaf
    if hasattr(leaf, "clone"):
        return leaf.clone()
    if isinstance(leaf, memoryview):
        return memoryview(bytearray(leaf.tobytes())).cast(leaf.format, leaf.shape)
    return copy.copy(leaf)
