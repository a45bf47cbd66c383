"""Kernels that torch.compile writes: they are launched by an object of torch's own (CachingAutotuner), which has chosen
their blocks, and not by Triton."""

from . import arguments, spaces
from .sources import Unrecordable

_WRITTEN = ("out_ptr", "in_out_ptr", "ws_ptr", "sem_ptr")  # how torch names what a kernel of its own writes
_ASKED = ("FixedGrid", "PrecomputedGrid")  # grids that torch was given


class NotYet(Exception):
    """What a description needs is known at a later launch."""


def with_source(tuner):
    """The kernel of a tuner as torch loads it where it needs its text. Raises Unrecordable."""
    if tuner.fn.fn is not None:
        return tuner.fn
    reload = getattr(tuner, "_reload_kernel", None)
    if reload is None:
        raise Unrecordable("torch.compile has kept its machine code alone")
    return reload().fn


def launched_names(tuner):
    """Of the arguments that a launch is given, in order."""
    constants = set(tuner.fn.constexprs)
    names = [name for at, name in enumerate(tuner.triton_meta["signature"]) if at not in constants]
    return [*names, *tuner.inductor_meta.get("extra_launcher_args", ())]


def described(module, tuner, args, kwargs):
    """What one launch is, as collecting.py describes others. module: torch's own. Raises Unrecordable and NotYet."""
    if len(tuner.launchers) != 1:
        raise NotYet("it was launched once, before torch.compile had chosen its blocks")
    meta, config = tuner.inductor_meta, tuner.launchers[0].config
    if "Cooperative" in meta.get("grid_type", "") or meta.get("launch_cooperative_grid"):
        raise Unrecordable("its blocks wait for each other (a cooperative reduction)")
    everything, constants = _arguments(tuner, args, kwargs, config)
    table, present = _table(module, tuner, args, everything, config)
    members, storages = arguments.described({name: everything[name] for name in tuner.fn.arg_names}, set())
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    tried = {name: values for name, values in spaces.option_values(options, {}).items()
             if name in options}  # its launcher takes no others
    written = [name for name in tuner.fn.arg_names if name.startswith(_WRITTEN)]
    return {"arguments": members, "storages": storages, "grid": present, "space": table,
            "options": options, "option_values": tried, "device": arguments.device_of(everything),
            "constants": sorted([*constants, *config.kwargs]), "tuned_by": "torch.compile",
            # Of a kernel of the program's own nothing is known by its names.
            "written": sorted({*written, *tuner.mutated_arg_names}) if written else None}


def _arguments(tuner, args, kwargs, config):
    """({name: value} of all arguments, {name: value} of those that are fixed)"""
    named = dict(zip(launched_names(tuner), args))
    for name in tuner.inductor_meta.get("extra_launcher_args", ()):
        named.pop(name)
    named.update(kwargs)
    constants = {name: value for name, value in tuner.triton_meta.get("constants", {}).items()
                 if isinstance(name, str)}
    everything = {**named, **constants, **config.kwargs}
    missing = [name for name in tuner.fn.arg_names if name not in everything]
    if missing:
        raise Unrecordable(f"torch.compile gives its argument {missing[0]} in a way that is not known")
    return everything, constants


def _table(module, tuner, args, everything, config):
    """What spaces.space_of() says of the blocks, by torch's own expression of the grid."""
    meta = tuner.inductor_meta
    given = dict(zip(launched_names(tuner), args))

    def grid(asked):
        chosen = {name: asked[name] for name in config.kwargs}
        chosen.update(num_warps=config.num_warps, num_stages=config.num_stages)
        return module.GridExpr.from_meta(meta, chosen, mode="python").eval_slow(given)

    if meta.get("grid_type") in _ASKED:
        return spaces.space_of(grid(everything), everything, {}, {})
    configs = [*(getattr(tuner, "configs", None) or []), config]
    blocks = {name: spaces.widened(value, [one.kwargs[name] for one in configs if name in one.kwargs], 2)
              for name, value in config.kwargs.items() if name.endswith("BLOCK")}
    return spaces.space_of(grid, everything, blocks, {})
