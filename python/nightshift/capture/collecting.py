"""Notes each launch of Triton's kernels: of triton.jit, of triton.autotune, and of what Inductor writes.

Launches are made by the functions that Triton and torch have; these stand before them, note what they are given,
and call them with just that."""

import os
import threading
import time

from . import arguments, spaces
from ..import_hooks import after
from .guarded import at_end, guarded, stand_before, unseen
from .inductor import described, launched_names, with_source
from .recorder import Recorder, SHARE
from .sources import Unrecordable, is_kernel

_here = threading.local()  # layers of the launch that is being made; whether configs are being timed


def begin(folder, values, share=SHARE):
    """Has what this process launches noted from now on, in `folder`."""
    recorder = Recorder(folder, values, share)
    after("triton.runtime.jit", guarded("standing before Triton")(lambda module: _jit(module, recorder)))
    after("triton.runtime.autotuner", guarded("standing before triton.autotune")(_autotuner))
    after("torch._inductor.runtime.triton_heuristics",
          guarded("standing before Inductor")(lambda module: _inductor(module, recorder)))
    after("torch.cuda.graphs", guarded("standing before CUDA graphs")(
        lambda module: _graphs(module, recorder)))
    os.register_at_fork(after_in_child=lambda: _forked(recorder))
    at_end(recorder, lambda: _end(recorder))


@guarded("beginning after a fork")
def _forked(recorder):
    recorder.forget()
    _here.__dict__.clear()


@guarded("ending")
def _end(recorder):
    recorder.end()
    recorder.flush()
    from .joining import join
    if recorder.kernels:
        join(recorder.folder)


def _layers():
    found = getattr(_here, "layers", None)
    if found is None:
        found = _here.layers = []
    return found


def _interface():
    """Triton's device, as torch calls it; None where it has no events."""
    try:
        from triton.runtime.driver import driver
        found = driver.active.get_device_interface()
        return found if hasattr(found, "Event") else None
    except Exception:  # older versions, other devices
        return None


def _jit(module, recorder):
    cls, interface = module.JITFunction, []
    original = cls.run

    @unseen
    @guarded("noting a launch")
    def before(jit, args, kwargs, grid):
        if getattr(_here, "timing", 0):
            return None
        if not interface:
            interface.append(_interface())
        kernel = recorder.kernels.get(id(jit)) or recorder.kernel(
            jit, jit.arg_names, [jit.arg_names[at] for at in jit.constexprs], "triton")
        if kernel is None:
            return None
        outer = next((one for one in _layers() if hasattr(one[0], "configs")), None)
        token = recorder.before(kernel, *(outer[1:] if outer else (args, kwargs)),
                                lambda: _described(jit, args, kwargs, grid, outer), interface[0])
        return token and (token, kernel)

    @unseen
    def afterwards(noted, made):
        recorder.after(*noted, made, interface[0])

    def run(self, *args, grid, warmup, **kwargs):
        start = time.perf_counter_ns()
        if warmup or not recorder.awake(start, id(self)):
            return original(self, *args, grid=grid, warmup=warmup, **kwargs)
        noted = before(self, args, kwargs, grid)
        recorder.spend(start)
        made = original(self, *args, grid=grid, warmup=warmup, **kwargs)
        if noted is not None:
            start = time.perf_counter_ns()
            afterwards(noted, made)
            recorder.spend(start)
        return made

    stand_before(cls, "run", run)


def _autotuner(module):
    for cls in (module.Autotuner, module.Heuristics):
        _note_layer(cls)
    bench = module.Autotuner._bench

    def _bench(self, *args, **kwargs):
        _here.timing = getattr(_here, "timing", 0) + 1
        try:
            return bench(self, *args, **kwargs)
        finally:
            _here.timing -= 1

    stand_before(module.Autotuner, "_bench", _bench)


def _note_layer(cls):
    original = cls.run

    def run(self, *args, **kwargs):
        layers = _layers()
        layers.append((self, args, {name: value for name, value in kwargs.items()
                                    if name not in ("grid", "warmup")}))
        try:
            return original(self, *args, **kwargs)
        finally:
            layers.pop()

    stand_before(cls, "run", run)


def _described(jit, args, kwargs, grid, outer):
    """What one launch of a jit function is. Raises Unrecordable."""
    named = {p.name: p.default for p in jit.params if p.has_default}
    named.update(zip(jit.arg_names, args))
    named.update({name: value for name, value in kwargs.items() if name in jit.arg_names})
    options = {name: value for name, value in kwargs.items() if name not in jit.arg_names}
    if options.pop("launch_cooperative_grid", False):
        raise Unrecordable("its blocks wait for each other (a cooperative grid)")
    if any(is_kernel(value) for value in named.values()):
        raise Unrecordable("another kernel is an argument of it")
    tuner = outer[0] if outer else None
    computed = _computed(jit)
    constants = {jit.arg_names[at] for at in jit.constexprs}
    blocks, seen, rows = _blocks(jit, tuner, named, grid, constants, computed, outer)
    table, present = spaces.space_of(grid, named, blocks, computed, rows)
    # What nobody chose follows from the rest: it is no argument of the record.
    members, storages = arguments.described(named, constants)
    return {"arguments": members, "storages": storages, "grid": present, "space": table,
            "options": {name: arguments.plain(name, value) for name, value in options.items()},
            "option_values": spaces.option_values(options, seen),
            "constants": sorted(constants), "tuned_by": "triton.autotune" if tuner else "",
            "device": arguments.device_of(named)}


def _computed(jit):
    found = {}
    for layer, _, _ in _layers():
        values = getattr(layer, "values", None)
        if isinstance(values, dict) and all(map(callable, values.values())):
            found.update(values)
    return found


def _blocks(jit, tuner, named, grid, constants, computed, outer):
    """({parameter: values}, {option: values seen}, rows or None) that might be tried."""
    if tuner is None:
        if not callable(grid):
            return {}, {}, None
        _, read = spaces.grid_of(grid, named)
        names = [name for name in jit.arg_names if name in read & constants and name not in computed
                 and spaces.is_power(named[name])]
        return {name: spaces.widened(named[name], [], 2) for name in names}, {}, None
    configs = list(tuner.configs)
    if any(getattr(config, "pre_hook", None) for config in configs):
        raise Unrecordable("its configs have hooks of their own (pre_hook)")
    prune = getattr(tuner, "early_config_prune", None)
    if prune:
        configs = list(prune(configs, dict(zip(tuner.arg_names, outer[1])), **outer[2]))
    names = list(dict.fromkeys(name for config in configs for name in config.kwargs))
    seen = {option: [getattr(config, option, None) for config in configs] for option in spaces.OPTIONS}
    blocks = {name: list(dict.fromkeys(config.kwargs[name] for config in configs
                                       if name in config.kwargs)) for name in names}
    for name in names:
        if named.get(name) not in blocks[name]:
            blocks[name].insert(0, named.get(name))
    if prune or not callable(grid):
        rows = [dict(config.kwargs) for config in configs]
        return blocks, seen, [dict(row) for row in {tuple(sorted(
            one.items(), key=str)): one for one in rows}.values()]
    return {name: spaces.widened(named[name], values, 1) for name, values in blocks.items()}, seen, None


def _inductor(module, recorder):
    cls, interface = module.CachingAutotuner, []
    original = cls.run

    @unseen
    @guarded("noting a launch")
    def before(tuner, args, kwargs):
        if tuner.device_props.type != "cuda":
            return None
        if not interface:
            interface.append(tuner.get_device_interface())
        kernel = recorder.kernels.get(id(tuner.fn)) or recorder.kernel(
            tuner.fn, launched_names(tuner), [], "inductor", lambda: with_source(tuner))
        if kernel is None:
            return None
        token = recorder.before(kernel, args, kwargs, lambda: described(
            module, tuner, args, kwargs), interface[0])
        return token and (token, kernel)

    @unseen
    def afterwards(noted):
        recorder.after(*noted, None, interface[0])

    def run(self, *args, stream, benchmark_run=False, **kwargs):
        start = time.perf_counter_ns()
        if benchmark_run or not recorder.awake(start, id(self.fn)):
            return original(self, *args, stream=stream, benchmark_run=benchmark_run, **kwargs)
        noted = before(self, args, kwargs)
        recorder.spend(start)
        made = original(self, *args, stream=stream, benchmark_run=benchmark_run, **kwargs)
        if noted is not None:
            start = time.perf_counter_ns()
            afterwards(noted)
            recorder.spend(start)
        return made

    stand_before(cls, "run", run)


def _graphs(module, recorder):
    cls = module.CUDAGraph
    begin_, end_, replay_ = cls.capture_begin, cls.capture_end, cls.replay
    of = {}

    def capture_begin(self, *args, **kwargs):
        made = begin_(self, *args, **kwargs)
        recorder.graph = of[id(self)] = {"replays": 0}
        return made

    def capture_end(self):
        recorder.graph = None
        return end_(self)

    def replay(self):
        known = of.get(id(self))
        if known is not None:
            known["replays"] += 1
        return replay_(self)

    for one in (capture_begin, capture_end, replay):
        stand_before(cls, one.__name__, one)
