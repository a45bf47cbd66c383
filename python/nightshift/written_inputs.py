"""Inputs of a trusted author's problem that a call writes: the next calls would have what it left, as a
list that is sorted already. Where nobody is trusted found_inputs.py makes them anew instead."""

import hashlib

from .copied_inputs import CopiedInputs
from .found_inputs import Nodes, another


class WrittenInputs:
    """What a run's functions reach through their closures and default values, looked at around one call on a
    host. What a call writes may be a buffer or what it remembers: it is an input where a seed determines
    what it had, which is asked only of what was written, by two more calls of the problem's function.

    again, seed, file: as FoundInputs has them"""

    def __init__(self, run, workshop, again, seed, file):
        self._again, self._seed, self._file = again, seed, file
        self._named = {id(one) for one in run.outputs or []}
        self._nodes = Nodes(run, workshop, file)
        self._before = _marks(self._nodes)

    def words(self):
        """What the call since then wrote and was not to; "" where nothing."""
        changed = [(position, node) for position, node in self._changed()
                   if id(node.value) not in self._named]
        if not changed:
            return ""
        try:
            same, other = self._like(self._seed), self._like(another(self._seed))
        except Exception:  # the user's code, called in a way that it may not foresee: nothing is known then
            return ""
        for position, node in changed:
            # What both runs reach stands outside of the function: it is nothing that the function makes.
            if same and other and id(node.value) not in same.seen \
                    and _mark(same.found[position], same) == self._before[position] \
                    and _mark(other.found[position], other) != self._before[position]:
                return (f"{node.name} is an input and was written, so that the next call finds what this one "
                        "left; copy it in the call, or name it in ns.Run(outputs=...) where it is one")
        return ""

    def _changed(self):
        return [(position, node) for position, node in enumerate(self._nodes.found)
                if position in self._before and _mark(node, self._nodes) != self._before[position]]

    def copies(self, workshop, outputs):
        """Those that no call has written so far, as copied_inputs.py has them."""
        return CopiedInputs(self._nodes, [id(node.value) for _, node in self._changed()], workshop, outputs)

    def _like(self, seed):
        """The nodes of another run; None where they are others than those of the first."""
        nodes = Nodes(*self._again(seed), self._file)
        return nodes if nodes.is_like(self._nodes) else None


def _marks(nodes):
    """{position: what tells the contents of a node from others}, of all but variables."""
    return {position: _mark(node, nodes) for position, node in enumerate(nodes.found)
            if not node.is_variable}


def _mark(node, nodes):
    contents = node.told(nodes.positions)
    if isinstance(contents, bytes):
        return hashlib.blake2b(contents, digest_size=16).digest()
    return repr(contents)  # NaN is equal to itself here
