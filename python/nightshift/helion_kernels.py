"""Kernels of Helion, and callables that something else compiles (CuTe DSL, cuTile).

helion is what the user's file has imported; this module never imports it first."""

import contextlib
import sys

from .errors import NotAhead, UserError, sentence_of
from .helion_space import searched, without_context
from .space import Space, listed

# Trials near Helion's default config, in which most settings are well chosen already: of some thirty
# that its tuner draws, most cost time where they are changed at random.
_NEAR_DEFAULT = 6


def from_helion(configs, where=(), baseline=None, each=None, arguments=None, **lists):
    """The space of a kernel of Helion: the kernel itself, for what Helion's own tuner searches, with
    its default config as the baseline; or configs (helion.Config, or dicts such as the JSON of
    helion.Config.save) whose values are taken apart, the first one being the baseline.

    arguments: of a kernel: as for compiled_by()
    lists: NAME=[values] that replace what the configs say. Values that are lists, such as block
    sizes, are one parameter.
    each: {NAME: (count, values)} for settings with a value for each load, or each access: a list of
    `count` members, each a parameter of its own, NAME_0, NAME_1 and so on. The baseline has the
    members of the first config, or the first value everywhere.
    To be used with `compile=ns.compiled_by(kernel, arguments)`."""
    if hasattr(configs, "bind"):
        return _own_space(configs, where, baseline, each, arguments, lists)
    if arguments is not None:
        raise UserError("from_helion has `arguments` where it gets the kernel itself, not configs")
    every = [dict(getattr(config, "config", config)) for config in configs]
    if not every:
        raise UserError("from_helion needs one config at least, whose values are the baseline")
    values = {}
    for name in dict.fromkeys(name for config in every for name in config):
        values[name] = []
        for config in every:
            if name in config and config[name] not in values[name]:
                values[name].append(config[name])
    for name, given in lists.items():
        values[name] = listed(name, given)
    first = dict(every[0])
    for name, (count, members) in (each or {}).items():
        values.pop(name, None)
        whole = first.pop(name, None) or [members[0]] * count
        if not isinstance(whole, (list, tuple)) or len(whole) != count:
            raise UserError(f"each: the first config has {name}={whole!r}, which is no list of {count}")
        for position, value in enumerate(whole):
            values[f"{name}_{position}"] = list(members)
            first[f"{name}_{position}"] = value
    first = {name: value for name, value in first.items() if value in values[name]}
    return Space(values, where, dict(first, **(baseline or {})))


def _own_space(kernel, where, baseline, each, arguments, lists):
    if arguments is None or each:
        raise UserError(f"from_helion({kernel.name}) wants arguments=..., the function that compiled_by "
                        "gets, by which Helion knows what there is to search" if not each else
                        "each is for configs: of a kernel Helion says what is a list")
    values, first, conditions = searched(kernel, arguments, lists)
    for name, given in lists.items():
        values[name] = listed(name, given)
    conditions += [where] if isinstance(where, str) or callable(where) else list(where)
    return Space(values, conditions, dict(first, **(baseline or {})), near_baseline=_NEAR_DEFAULT)


def config_of(configuration):
    """The keyword arguments of helion.Config: members of `each` are a list again."""
    keys, lists = {}, {}
    for name, value in dict(configuration).items():
        base, _, position = name.rpartition("_")
        if base and position.isdigit():
            lists.setdefault(base, {})[int(position)] = value
        else:
            keys[name] = value
    return keys | {name: [members[i] for i in sorted(members)] for name, members in lists.items()}


def compiled_by(kernel, arguments):
    """For `ns.problem(compile=...)`: a function of a configuration that returns Helion's compiled
    callable. arguments: a function without arguments that returns tensors of the launch's shapes
    and types, by which Helion specialises.

    The callable's kernel is Triton's, which a builder compiles ahead (triton_build.py)."""
    return _Compiler(kernel, arguments)


class _Compiler:
    """See compiled_by()."""

    builds_ahead = True

    def __init__(self, kernel, arguments):
        self.kernel, self.arguments, self.bound, self.ahead = kernel, arguments, None, False

    def __call__(self, configuration):
        from helion import Config
        if self.bound is not None and not self.ahead:
            return self.bound.compile_config(Config(**config_of(configuration)))
        # In a builder each time: what is recorded of equal configurations is to be equal.
        given = tuple(self.arguments())
        self.ahead = any(map(_is_without_memory, _leaves(given)))
        if self.ahead and not self.kernel.settings.static_shapes:
            # Sizes of tensors without memory are no symbols to Helion: it would write other code.
            raise NotAhead("Helion's kernel has static_shapes=False")
        with _as_on_a_gpu(given) if self.ahead else contextlib.nullcontext(given) as seen:
            self.bound = self._bind(seen)
            return self.bound.compile_config(Config(**config_of(configuration)))

    def _bind(self, arguments):
        try:
            return self.kernel.bind(arguments)  # kept by Helion, by shapes and types
        except Exception as error:
            if not self.ahead:
                raise
            # No mistake of a configuration: with a GPU it may well be bound.
            raise NotAhead(f"Helion could not bind the kernel: {sentence_of(error)}") from error


def _is_without_memory(one):
    from .pretended_gpu import unrecorded
    with unrecorded():  # to the run it is on a GPU
        return getattr(one, "is_meta", False)


@contextlib.contextmanager
def _as_on_a_gpu(arguments):
    """Yields a builder's arguments, which have no memory, as Helion takes them for a GPU's: it reads
    shapes, types and the device. What it does with them is not recorded."""
    import torch
    from torch._subclasses import fake_tensor

    from .pretended_gpu import unrecorded

    def faked(one):
        if isinstance(one, (list, tuple)):
            return type(one)(map(faked, one))
        return torch.empty_strided(one.size(), one.stride(), dtype=one.dtype, device="cuda:0") \
            if getattr(one, "is_meta", False) else one

    with without_context(fake_tensor), unrecorded():
        with fake_tensor.FakeTensorMode():
            made = tuple(map(faked, arguments))
        yield made


def _leaves(arguments):
    for one in arguments:
        if isinstance(one, (list, tuple)):
            yield from _leaves(one)
        else:
            yield one


@contextlib.contextmanager
def answering(multiprocessors):
    """A context in which the callables of Helion get this number of multiprocessors, whatever device
    their tensors are on."""
    runtime = sys.modules.get("helion.runtime")
    if runtime is None:
        yield
        return
    before = runtime.get_num_sm
    runtime.get_num_sm = lambda device, *, reserved_sms=0: max(multiprocessors - reserved_sms, 1)
    try:
        yield
    finally:
        runtime.get_num_sm = before
