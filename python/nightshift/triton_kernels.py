"""Kernels of Triton: their spaces, and how a configuration reaches a kernel that nobody edits.

triton is what the user's file has imported; this module never imports it first."""

import difflib
import sys

from . import restoring
from .errors import Infeasible, UserError, sentence_of
from .lines import tell
from .problem import Problem, Run
from .plain_values import listed
from .space import Space

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # as triton.Config has


def from_triton(kernel, *more, where=(), baseline=None, combine=True, **lists):
    """The space of a kernel, or of several that one call launches.

    kernel: an @triton.autotune object, whose configs give the values of each parameter, the baseline
        and what is tried first (own_configs.py), or an @triton.jit function, with lists. With `more`, each
        kernel's parameters have its name before theirs, KERNEL_PARAMETER; a dict of kernels gives
        the names: {"scores": kernel} has scores_BLOCK_M
    lists: NAME=[values] of constexpr arguments and of num_warps, num_stages, num_ctas, maxnreg;
        they replace what the configs say
    combine: False: of the values that configs give, only their own combinations
    where, baseline: as in ns.problem

    The kernel itself takes the present configuration from then on wherever it is launched, in the
    user's own wrapper as well; `**config` need not be passed, but may be. restore_value and
    reset_to_zero are done outside of what is timed. early_config_prune is asked about each
    configuration; what it drops is infeasible. Raises UserError."""
    named = _named(kernel, more)
    for name in lists:
        if not name.startswith(tuple(named)):
            raise UserError(f"{name!r} begins with no kernel's name: {', '.join(named)}")
    spaces = [_space_of(one, prefix, {name: lists.pop(name) for name in list(lists)
                                      if _is_of(name, prefix, named)}, combine)
              for prefix, one in named.items()]
    space = spaces[0]
    for other in spaces[1:]:
        space = space + other
    return Space({name: one.values for name, one in space.parameters.items()},
                 [*space.expressions, *_several(where)], {**space.baseline(), **(baseline or {})},
                 space.prepare, space.launchers, bool(baseline))


def _several(where):
    return [where] if isinstance(where, str) or callable(where) else list(where)


def _named(kernel, more):
    """{what stands before the names of a kernel's parameters: kernel}"""
    if hasattr(kernel, "items"):
        if more or not kernel:
            raise UserError("from_triton takes kernels, or one dict of them by name")
        return {f"{name}_": one for name, one in kernel.items()}
    if not more:
        return {"": kernel}
    named = {f"{_name(_innermost(one))}_": one for one in (kernel, *more)}
    if len(named) <= len(more):
        raise UserError("two of the kernels have one name: a dict gives them others, "
                        'from_triton({"first": kernel, "second": other})')
    return named


def _is_of(name, prefix, named):
    """Whether a list is of the kernel with this prefix, and of none with a longer one."""
    return name.startswith(prefix) and not any(
        name.startswith(other) and len(other) > len(prefix) for other in named)


def _space_of(kernel, prefix, lists, combine):
    layers, jit = _layers(kernel), _innermost(kernel)
    kernel = _tuner_of(kernel)
    configs = list(getattr(kernel, "configs", ()))
    values, every = _values(configs, jit)
    given = {name[len(prefix):]: list_ for name, list_ in lists.items()}
    for name, list_ in given.items():
        if name not in OPTIONS and name not in jit.arg_names:
            raise UserError(_no_argument(jit, name))
        _refuse_computed(jit, layers, name)
        values[name] = listed(name, list_)
    if not values:
        raise UserError(f"{_name(jit)} is not decorated by triton.autotune: give lists of values, "
                        f"such as ns.from_triton({_name(jit)}, {prefix}num_warps=[4, 8])")
    first = every[0] if every else {}
    chosen = {prefix + name: first[name] for name in values
              if name in first and first[name] in values[name]}
    names = {name: prefix + name for name in values}
    where = [] if combine else _own_alone(every, [n for n in values if n not in given], values, names)
    own = [{names[name]: one[name] for name in values if one[name] in values[name]} for one in every]
    launcher = Launcher(kernel, jit, configs, names, own)
    return Space({names[name]: list_ for name, list_ in values.items()}, where, chosen,
                 launcher.prepare, [launcher])


def _refuse_computed(jit, layers, name):
    if any(name in (getattr(layer, "values", None) or {}) for layer in layers):
        raise UserError(f"triton.heuristics computes {name} of {_name(jit)} at each launch, "
                        "whatever a list says")


def _own_alone(every, free, values, names):
    """The condition that a configuration is one of the configs."""
    free = [name for name in free if len(values[name]) > 1]
    if not free:
        return []
    rows = [" and ".join(f"{names[name]} == {one[name]!r}" for name in free) for one in every]
    return [" or ".join(f"({row})" for row in dict.fromkeys(rows))]


def _name(jit):
    return getattr(jit, "__name__", "the kernel")


def _no_argument(jit, name):
    near = difflib.get_close_matches(name, [*jit.arg_names, *OPTIONS], 1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(jit.arg_names)}"
    return f"{_name(jit)} has no argument {name!r}; {hint}"


def _layers(kernel):
    """The objects of a decorated kernel, from the outermost to what triton.jit has made: of
    triton.autotune and triton.heuristics, in either order. Raises UserError."""
    layers = [kernel]
    while hasattr(getattr(layers[-1], "fn", None), "arg_names"):
        layers.append(layers[-1].fn)
    if not hasattr(layers[-1], "arg_names"):
        raise UserError(f"{getattr(kernel, '__name__', kernel)} is no kernel of Triton: what "
                        "stands below triton.jit is one, and not who launches it")
    return layers


def _innermost(kernel):
    return _layers(kernel)[-1]


def _tuner_of(kernel):
    """The object of triton.autotune among the layers; the outermost where there is none."""
    return next((layer for layer in _layers(kernel) if hasattr(layer, "configs")), kernel)


def _values(configs, jit):
    """({name: values in order}, [{name: value} of each]) of triton.Config objects. What some leave
    out is the argument's default."""
    defaults = {p.name: p.default for p in jit.params if p.has_default} if configs else {}
    values, every = {}, [dict(config.kwargs, **{
        name: getattr(config, name, None) for name in OPTIONS}) for config in configs]
    names = [name for config in configs for name in config.kwargs]
    for name in [*dict.fromkeys(names), *OPTIONS]:
        seen = []
        for config in every:
            if name not in config and name not in defaults:
                raise UserError(f"the config {config} has no {name}, which others have")
            config.setdefault(name, defaults.get(name))
            if config[name] not in seen:
                seen.append(config[name])
        # What is the same everywhere is a parameter only where it is one of the kernel's own.
        if seen and (name not in OPTIONS or len(seen) > 1 or name in ("num_warps", "num_stages")):
            values[name] = seen
    return values, every


def _what_it_does(hook):
    """Equal for functions that were made by one definition with equal values around it."""
    code = getattr(hook, "__code__", None)
    if code is None:
        return id(hook)
    try:
        around = [cell.cell_contents for cell in hook.__closure__ or ()]
    except ValueError:  # one that is empty still
        return id(hook)
    return code, tuple(map(_hashable, [*around, *(hook.__defaults__ or ())]))


def _hashable(value):
    try:
        hash(value)
        return value
    except TypeError:
        return id(value)


class Launcher:
    """Stands in for the kernel's run(): launches with the configuration that was prepared last.
    names: {an argument's: the parameter's}; own: [{parameter: value}] of each config"""

    def __init__(self, kernel, jit, configs, names, own=()):
        self.kernel, self.jit, self.configs, self.names = kernel, jit, configs, names
        self.own, self.order, self.raised = list(own), None, None
        self.inner = kernel.fn if hasattr(kernel, "configs") else kernel
        self.current, self.prepared, self.beneath = {}, None, None
        self.pruned, self.completed = {}, {}  # what early_config_prune made of each; of this launch
        self.hooks = {_what_it_does(c.pre_hook): c.pre_hook for c in configs
                      if getattr(c, "pre_hook", None)}
        # What most kernels lack costs their launches nothing.
        self.has_more = bool(self.hooks) or any(getattr(kernel, name, None) for name in (
            "early_config_prune", "reset_to_zero", "restore_value"))

    def observe(self):
        """For a process that only tries configs (own_configs.py): keeps what a launch raises, and in
        which order Triton itself would try them."""
        run, launch = self.run, self.launch

        def watched(beneath):
            def call(*args, **kwargs):
                self._rank(args, kwargs)
                try:
                    return beneath(*args, **kwargs)
                except Exception as error:
                    self.raised = error
                    raise
            return call

        self.run, self.launch = watched(run), watched(launch)

    def _rank(self, args, kwargs):
        if self.order is not None or not getattr(self.kernel, "perf_model", None):
            return
        given = dict(zip(self.jit.arg_names, args))
        self.kernel.nargs = {name: one for name, one in given.items() if name not in self.names}
        self.order = list(range(len(self.configs)))
        try:
            tried = self.kernel.prune_configs({name: one for name, one in kwargs.items()
                                               if name not in self.names})
            self.order = [number for one in tried for number, config in enumerate(self.configs)
                          if config is one]
        except Exception as error:
            tell(f"nightshift: perf_model of {_name(self.jit)} can't be asked without a GPU "
                 f"({sentence_of(error)}): its configs are tried in their order\n")
        finally:
            self.kernel.nargs = None

    def prepare(self, configuration):
        if configuration is self.prepared and self.jit.run == self.launch:
            return
        self.prepared = configuration
        # An object's own `run` comes before its class's, which launch() calls through the class, so
        # that what a builder has put there is called as well.
        if self.jit.run != self.launch:
            self.beneath, self.jit.run = vars(self.jit).get("run"), self.launch
        self.current = {name: configuration[public] for name, public in self.names.items()
                        if configuration[public] is not None}
        if self.kernel is not self.jit:
            self.kernel.run = self.run
        if hasattr(self.kernel, "configs"):
            self.kernel.best_config = self._config()  # read by those who launch `fn` themselves

    def run(self, *args, grid, warmup, **kwargs):
        kwargs, args = self._merged(args, kwargs)
        if self.has_more:
            arguments = {**dict(zip(self.jit.arg_names, args)), **kwargs}
            self.completed = self._prune(arguments, args, kwargs)
            if self.completed:
                kwargs, args = self._merged(args, kwargs)
                arguments = {**dict(zip(self.jit.arg_names, args)), **kwargs}
            self._restore(arguments)
            hook = self._hook()
            if hook:
                hook(arguments)
        try:
            if self.inner is self.kernel:
                return type(self.kernel).run(self.kernel, *args, grid=grid, warmup=warmup, **kwargs)
            return self.inner.run(*args, grid=grid, warmup=warmup, **kwargs)
        finally:
            self.completed = {}

    def launch(self, *args, grid, warmup, **kwargs):
        """In the place of the jit function's run(), however it is reached."""
        kwargs, args = self._merged(args, kwargs)
        if self.beneath is not None:
            return self.beneath(*args, grid=grid, warmup=warmup, **kwargs)
        return type(self.jit).run(self.jit, *args, grid=grid, warmup=warmup, **kwargs)

    def _merged(self, args, kwargs):
        """(kwargs, args) with the present configuration."""
        present = {**self.current, **self.completed}
        if any(name in present for name in self.jit.arg_names[:len(args)]):
            # A parameter that is passed by position would be there twice.
            kwargs, args = {**dict(zip(self.jit.arg_names, args)), **kwargs}, ()
        return {**kwargs, **present}, args

    def _config(self):
        triton = sys.modules["triton"]
        options = {name: value for name, value in self.current.items() if name in OPTIONS}
        return triton.Config({name: value for name, value in self.current.items()
                              if name not in OPTIONS}, **options)

    def _prune(self, arguments, args, kwargs):
        """What early_config_prune says of the present configuration otherwise than it has it: what it
        returns is what Triton launches, with other blocks or further arguments."""
        prune = getattr(self.kernel, "early_config_prune", None)
        if prune is None:
            return {}
        asked = (id(self.prepared), tuple(value for value in args if type(value) is int))
        if asked not in self.pruned:
            named = {name: arguments[name] for name in self.jit.arg_names
                     if name in arguments and name not in self.current}
            others = {name: value for name, value in kwargs.items() if name not in self.current}
            found = next(iter(prune([self._config()], named, **others)), None)
            if found is None:
                raise Infeasible("early_config_prune drops it")
            options = {name: getattr(found, name, None) for name in OPTIONS if name in self.current}
            self.pruned[asked] = {name: value for name, value in {**options, **found.kwargs}.items()
                                  if name not in self.current or self.current[name] != value}
        return self.pruned[asked]

    def _restore(self, arguments):
        for names, to_zero in ((getattr(self.kernel, "reset_to_zero", ()), True),
                               (getattr(self.kernel, "restore_value", ()), False)):
            for name in names or ():
                if hasattr(arguments.get(name), "zero_"):
                    restoring.record(arguments[name], to_zero)

    def _hook(self):
        """The pre_hook of the present configuration: that of all configs, or of its own."""
        if not self.hooks:
            return None
        if len(self.hooks) == 1 and all(getattr(c, "pre_hook", None) for c in self.configs):
            return next(iter(self.hooks.values()))
        for config in self.configs:
            own = dict(config.kwargs, **{name: getattr(config, name, None) for name in OPTIONS})
            if all(own.get(name) == value for name, value in self.current.items()):
                return config.pre_hook
        raise Infeasible("the configs have pre_hooks of their own, and none is this combination")


def tune_call(kernel, grid, arguments, outputs, reference=None, cases=None, where=(), baseline=None,
              lists=None, **options):
    """One launch as a problem, without a function: PROBLEM = ns.tune_call(kernel, grid, ...).

    kernel: as from_triton takes it; lists: its further values, {name: list}
    grid: as Triton takes it: a tuple, or a function of the arguments by name
    arguments: a function of the case that returns the launch's arguments in order, by the factories
    outputs: names of the arguments that are written
    reference: a function of those arguments that returns what the outputs should be
    options: as ns.problem has them. Raises UserError."""
    space = from_triton(kernel, where=where, baseline=baseline, **(lists or {}))
    jit = _innermost(kernel)
    outputs = [outputs] if isinstance(outputs, str) else list(outputs)
    for name in outputs:
        if name not in jit.arg_names:
            raise UserError(_no_argument(jit, name))

    def launch(case, config):
        values = list(arguments(case))
        named = dict(zip(jit.arg_names, values))
        return Run(lambda: kernel[grid](*values), outputs=[named[name] for name in outputs],
                   reference=(lambda: reference(*values)) if reference else None)

    keys = dict(objectives=None, device="gpu", timing="graph", tolerance=None,
                element_tolerance=None, dtype=None, together=False, compile=None,
                deterministic=False, settings=None, name=_name(jit))
    for name in options:
        if name not in keys:
            raise UserError(f"tune_call has no option {name!r}")
    made = Problem(launch, space, (), cases, None, **{**keys, **options})
    frame = sys._getframe(1)  # the user's file, not this one, is what is tuned
    made.file, made.place = frame.f_code.co_filename, f"{frame.f_code.co_filename}:{frame.f_lineno}"
    return made
