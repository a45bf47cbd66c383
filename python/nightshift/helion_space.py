"""What Helion itself would search for a kernel, as a space: read from the kernel, bound to tensors of
the launch's shapes and types that have no memory."""

import contextlib
import itertools

from .errors import UserError, sentence_of
from .gpu_facts import Facts, target

# Elements that a warp has at most: of all block sizes, which Helion's own search keeps to, and of two
# of them, as a tensor has, times how often loops are unrolled. A thread has 255 registers; Triton
# compiles for a minute what needs four times as many.
_OF_ALL, _OF_TWO = 32 * 8192, 32 * 512
_PERMUTED = 4  # loops at most whose orders are all listed


def searched(kernel, arguments, left_out=()):
    """({name: values}, {name: value} of Helion's default, conditions) of what Helion's tuner tries.
    Members of lists are parameters of their own, NAME_0, NAME_1 and so on. left_out: settings, or
    members of them, that are none.

    Raises UserError where Helion can't take the kernel without a GPU."""
    with _without_gpu(kernel):
        return _read(_bound(kernel, arguments).config_spec, left_out)


def _read(spec, left_out):
    choices, members = {}, {}
    for name, field in spec._flat_fields().items():
        members[name] = items = list(_items(name, field))
        found = {key: _Choices(spec, item) for key, item in items
                 if not {name, key} & set(left_out)}
        # A list is whole or not there: Helion's own default is in its place.
        if any(len(one.values) > 1 for one in found.values()):
            choices.update(found)
    return ({key: one.values for key, one in choices.items()},
            {key: one.default for key, one in choices.items()},
            _conditions(spec, choices, members))


@contextlib.contextmanager
def _without_gpu(kernel):
    """A context in which Helion takes tensors without memory for those of the GPU that is built for. It
    keeps what it binds; of this nothing is kept."""
    from torch._subclasses import fake_tensor

    from .pretended_gpu import answering, unrecorded

    kept = getattr(kernel, "_bound_kernels", {})
    before = dict(kept)
    try:
        with answering(Facts(target())), without_context(fake_tensor), unrecorded():
            yield
    finally:
        kept.clear()
        kept.update(before)


def _bound(kernel, arguments):
    from torch._subclasses.fake_tensor import FakeTensorMode
    try:
        with FakeTensorMode():
            made = tuple(arguments())
        return kernel.bind(made)
    except Exception as error:
        raise UserError(f"Helion could not say what it searches for {kernel.name}: "
                        f"{sentence_of(error)}") from error


@contextlib.contextmanager
def without_context(fake_tensor):
    """A context in which a tensor without memory that is said to be on a GPU does not start CUDA."""
    begin, fake_tensor.init_gpu_context = fake_tensor.init_gpu_context, lambda device: None
    try:
        yield
    finally:
        fake_tensor.init_gpu_context = begin


def _items(name, field):
    """Each parameter that a setting is, and what Helion draws its values from."""
    if hasattr(field, "inner"):
        yield from ((f"{name}_{i}", field.inner) for i in range(field.length))
    elif hasattr(field, "__iter__"):
        yield from ((f"{name}_{i}", one) for i, one in enumerate(field))
    else:
        yield name, field


class _Choices:
    """values: all of one setting as a config has them; drawn: what Helion draws for each; default."""

    def __init__(self, spec, item):
        asked = []
        self.default = item._flat_config(
            spec, lambda fragment: asked.append(fragment) or fragment.default())
        self.values, self.drawn = [], []
        for value in _values_of(asked[0]) if len(asked) == 1 else []:
            one = item._flat_config(spec, lambda _, value=value: value)
            if not any(one == other and type(one) is type(other) for other in self.values):
                self.values.append(one)
                self.drawn.append(value)
        if not self.values:
            self.values = self.drawn = [self.default]


def _values_of(fragment):
    names = {one.__name__ for one in type(fragment).__mro__}
    if hasattr(fragment, "choices"):
        return list(fragment.choices)
    if "BooleanFragment" in names:
        return [False, True]
    if "PermutationFragment" in names:
        orders = map(list, itertools.permutations(range(fragment.length)))
        return list(orders) if fragment.length <= _PERMUTED else [fragment.default()]
    if "PowerOfTwoFragment" in names:
        powers = range(fragment.low.bit_length() - 1, fragment.high.bit_length())
        return [1 << power for power in powers]
    if "BaseIntegerFragment" in names:
        return list(range(fragment.low, fragment.high + 1))
    return [fragment.default()]


def _conditions(spec, choices, members):
    """What Helion refuses, or reads as something else: settings of persistent kernels for others, of
    the loops over the grid too, more registers than there are, loops that are unrolled by Python. And
    blocks of too many elements for a thread, which compile for minutes."""
    made, warps = [], "num_warps" in choices

    def unless(name, other):
        if name in choices:
            made.append(f"{name} == {choices[name].default!r} or {other}")

    def ranges(blocks):
        return [name for key, items in members.items() if key.startswith("range_")
                for name, item in items if set(item.block_ids) & set(blocks)]

    if "pid_type" in choices and "persistent_blocked" in choices["pid_type"].values:
        for name in ("num_sm_multiplier", "maxnreg", *ranges(spec.grid_block_ids)):
            unless(name, "pid_type not in ['flat', 'xyz']")
    for static, item in members.get("static_ranges", []):
        if static in choices:
            for name in ranges(item.block_ids):
                unless(name, f"not {static}")
    if "maxnreg" in choices and warps:
        made += [f"maxnreg != {most} or {32 * most} * num_warps <= {_registers()}"
                 for most in choices["maxnreg"].values if most]
    blocks = [name for name, _ in members.get("block_sizes", []) if name in choices]
    if blocks and warps:
        copies = "".join(f" * max(1, {name})" for name, _ in members.get("range_unroll_factors", [])
                         if name in choices)
        pairs = itertools.combinations(blocks, min(2, len(blocks)))
        made += [f"{' * '.join(pair)}{copies} <= {_OF_TWO} * num_warps" for pair in pairs]
        if len(blocks) > 2:
            made.append(f"{' * '.join(blocks)} <= {_OF_ALL} * num_warps")
        # Numbers and None, so that nothing is computed with it.
        made += [f"{name} != {value!r} or {block} * {drawn}{copies} <= {_OF_TWO} * num_warps"
                 for name, _ in members.get("reduction_loops", []) if name in choices
                 for value, drawn in zip(choices[name].values, choices[name].drawn)
                 for block in blocks]
    return made


def _registers():
    from helion import _compat
    return getattr(_compat, "_regs_per_block", lambda: 65536)()
