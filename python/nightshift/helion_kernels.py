"""Kernels of Helion, and callables that something else compiles (CuTe DSL, cuTile)."""

from .errors import UserError
from .space import Space


def from_helion(configs, where=(), baseline=None, **lists):
    """The space of a kernel of Helion, from configs (helion.Config, or dicts such as the JSON of
    helion.Config.save) whose values are taken apart; the first one is the baseline.

    lists: NAME=[values] that replace what the configs say. Values that are lists, such as block
    sizes, are one parameter. To be used with `compile=ns.compiled_by(kernel, arguments)`."""
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
        values[name] = list(given)
    first = {name: value for name, value in every[0].items() if value in values[name]}
    return Space(values, where, dict(first, **(baseline or {})))


def compiled_by(kernel, arguments):
    """For `ns.problem(compile=...)`: a function of a configuration that returns Helion's compiled
    callable. arguments: a function without arguments that returns tensors of the launch's shapes
    and types, by which Helion specialises."""
    bound = []

    def compile(configuration):
        import helion
        if not bound:
            bound.append(kernel.bind(tuple(arguments())))
        return bound[0].compile_config(helion.Config(**configuration))

    return compile
