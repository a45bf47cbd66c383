"""Inputs that a function of somebody else's makes, such as get_inputs() or generate_input(seed): a
tensor, or lists, tuples and dicts that have some."""

import contextlib
import copy
import random
import sys

from .errors import UserError

# Operations of torch that make a tensor without contents of its own, and such as leave one alone.
_EMPTY, _ZEROS = ("empty", "empty_like", "empty_strided", "new_empty"), ("zeros", "zeros_like",
                                                                         "new_zeros")
_LOOKS = {"contiguous", "size", "numel", "dim", "stride", "data_ptr", "is_contiguous", "detach",
          "element_size", "storage_offset", "__get__", "is_floating_point", "ndimension", "to",
          "cuda", "cpu"}
_NUMBERS = frozenset("fdbBhHiIlLqQ?")


def mapped(value, function):
    """`value` with function(leaf) in place of each leaf: of lists, tuples (named ones too) and
    dicts, in order."""
    if isinstance(value, (list, tuple)):
        parts = [mapped(one, function) for one in value]
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {key: mapped(one, function) for key, one in value.items()}
    return function(value)


def leaves(value):
    """All leaves of mapped(), in order."""
    found = []
    mapped(value, found.append)
    return found


def is_array(value):
    """Whether it is a tensor of torch, or lends numbers: an array of numpy, `array`, a memory view."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return True
    if isinstance(value, (bytes, bytearray)):
        return False
    try:
        with memoryview(value) as view:
            return view.format in _NUMBERS
    except TypeError:
        return False


def copied(value):
    """A copy that is read alike: of what is_array() knows a tensor or a memory view."""
    if hasattr(value, "clone"):
        return value.clone()
    if not is_array(value):
        return copy.deepcopy(value)
    with memoryview(value) as view:
        return memoryview(bytearray(view.tobytes())).cast(view.format, view.shape)


def seeded(make, seed):
    """What make(seed) returns, with the generators of Python, numpy and torch at `seed`, as far as
    they are imported."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % (1 << 32))
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
    return make(seed)


class Group:
    """What one function made: `values` as it returned them, with arrays of a workshop as leaves.

    take(leaf): its array, of which `view` is what the run gets, or None where the leaf is left as
    it is; called: make(seed) in the workshop's way"""

    def __init__(self, make, number, seed, called, take):
        self._make, self._number, self._called, self.arrays = make, number, called, []

        def leaf(value):
            made = take(value)
            if made is None:
                return value
            self.arrays.append(made)
            return made.view

        self._is_taken = take
        self.values = mapped(self._made(seed), leaf)

    def _made(self, seed):
        return self._called(self._make, (seed * 1000003 + 7919 * self._number) % (1 << 31))

    def kept(self):
        """The arrays are the workshop's, which keeps them."""

    def put_back(self, kept):
        """So has it put them back."""

    def refill(self, seed, is_ours, put):
        """Makes them again from another seed. is_ours(leaf); put(array, leaf): raises ValueError
        where shapes or types differ."""
        if all(one.kind != "made" for one in self.arrays):
            return
        fresh = [one for one in leaves(self._made(seed)) if is_ours(one)]
        if len(fresh) != len(self.arrays):
            raise UserError("ns.made() wants a function that makes as many tensors of any seed")
        for array, leaf in zip(self.arrays, fresh):
            if array.kind == "made":
                try:
                    put(array, leaf)
                except (RuntimeError, ValueError, TypeError) as error:
                    raise UserError("ns.made() wants a function that makes tensors of the same "
                                    f"shapes of any seed: {error}") from None


def kinds_of(make, seed):
    """(what make(seed) returns, a function of a tensor in it: "output" where torch has allocated it
    and nothing has been written, "zeros" where nothing but zeros, else "made")."""
    import torch
    from torch.overrides import TorchFunctionMode
    fresh = []  # [tensor, kind]; the tensors are kept, so that none takes another's place

    class Watching(TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            named = named or {}
            name = getattr(function, "__name__", "")
            answer = function(*arguments, **named)
            if name in _EMPTY + _ZEROS and isinstance(answer, torch.Tensor):
                fresh.append([answer, "output" if name in _EMPTY else "zeros"])
            elif name not in _LOOKS:
                seen = [one for one in leaves([list(arguments), named])
                        if isinstance(one, torch.Tensor)]
                fresh[:] = [pair for pair in fresh if not any(pair[0] is one for one in seen)]
            return answer

    with Watching():
        values = make(seed)
    return values, lambda leaf: next((kind for one, kind in fresh if one is leaf), "made")


@contextlib.contextmanager
def on(device):
    """A context in which torch makes tensors on `device` where nothing else is said, and records no
    gradients."""
    torch = sys.modules["torch"]
    with torch.device(device), torch.no_grad():
        yield
