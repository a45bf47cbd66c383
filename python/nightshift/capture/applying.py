"""Answers launches of kernels with what was tuned for them.

A launch is answered where the kernel's text, the launch's key and the machine are those of the study; in any
doubt it is made as the program asked for it, which is told once. What the answer changes are options and
parameters of the launch alone: the arguments and the order of launches stay the program's."""

import json
import os
import sys
import threading
import time

from ..import_hooks import after
from ..whole_files import read_whole
from .arguments import value_of
from .guarded import LOCK, at_end, fault, faults, guarded, stand_before, tell_once, unseen
from .inductor import launched_names, with_source
from .keys import Shape
from .recorder import machine
from .sources import Unrecordable, sources_of

_MOST_KEYS = 4096  # quick keys of a kernel that are remembered
_here = threading.local()
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Row:
    """What was tuned for one launch of a kernel."""

    def __init__(self, told):
        self.study, self.tuned_by, self.baseline = told["study"], told["tuned_by"], told["baseline"]
        self.config = {name: value for name, value in told["config"].items() if value is not None}
        self.computed = told.get("computed", {})
        self.count, self.broken, self.chosen, self.changed = 0, "", None, None

    def given(self, names, args, kwargs):
        """(args, kwargs) of a launch, with what was tuned in the place of the program's."""
        changed = self.changed
        if changed is None:
            changed = self.changed = {**self.config, **{
                name: value_of(value) for name, value in self.computed.items()}}
        if any(name in changed for name in names[:len(args)]):
            return (), {**dict(zip(names, args)), **kwargs, **changed}
        return args, {**kwargs, **changed}

    def as_config(self, module):
        """As triton.autotune has it."""
        if self.chosen is None:
            options = {name: value for name, value in self.config.items() if name in _OPTIONS}
            self.chosen = module.Config({name: value for name, value in self.config.items()
                                         if name not in _OPTIONS}, **options)
        return self.chosen


class Known:
    """One kernel of this process and the rows that it has."""

    def __init__(self, shape, rows):
        self.shape, self.rows, self.quick, self.others = shape, rows, {}, 0

    def row(self, args, kwargs):
        """The row of a launch; None where there is none."""
        key = self.shape.quick(args, kwargs)
        if key not in self.quick:
            if len(self.quick) >= _MOST_KEYS:
                self.quick.clear()
            self.quick[key] = self.rows.get(self.shape.text(args, kwargs))
        row = self.quick[key]
        if row is None or row.broken:
            self.others += 1
            return None
        return row


class Answers:
    """What a file of tuned launches says, for this process."""

    def __init__(self, path, report):
        self.path, self.report, self.known, self.spent, self.refusal = path, report, {}, 0, None
        told = json.loads(read_whole(path))
        if told.get("version") != 1:
            raise ValueError(f"{path} is not what this version of `nightshift apply` writes")
        self.machine = told["machine"]
        only = os.environ.get("NIGHTSHIFT_APPLY_ONLY")
        self.only = None if only is None else set(only.split(","))
        self.kernels = {}
        for kernel in told["kernels"]:
            rows = {row["key"]: Row(row) for row in kernel["rows"] if self._wants(row)}
            if rows:
                self.kernels[kernel["hash"]] = (kernel, rows)
        self.names = {kernel["function"] for kernel, _ in self.kernels.values()}

    def _wants(self, row):
        return row["study"] in self.only if self.only is not None else not row.get("taken_back")

    def of(self, jit, names, constants, source=None):
        """The Known of a kernel; None for others. Asked at each launch. source: returns the same kernel with its
        text, where that is not at hand."""
        found = self.known.get(id(jit), self)
        if found is self:
            with LOCK:
                found = self.known[id(jit)] = self._found(
                    jit, names, constants, source)
            if found is not None:
                found.jit = jit  # so that its id stays its own
        return found

    def _found(self, jit, names, constants, source):
        if jit.__name__ not in self.names or self._refuses():
            return None
        try:
            told = self.kernels.get(sources_of(source() if source else jit).hash)
        except Unrecordable:
            told = None
        if told is None:
            tell_once(f"{jit.__name__} is not the kernel that was tuned: it runs as it is")
            return None
        return Known(Shape(names, constants, told[0]["varying"]), told[1])

    def _refuses(self):
        """Whether this machine is another one than figures are of, which is told once."""
        if self.refusal is None:
            here = machine()
            other = [f"{name} {here.get(name, 'none')} instead of {value}" for name, value in
                     self.machine.items() if name != "python" and here.get(name) != value]
            self.refusal = ", ".join(other)
            if other:
                tell_once(f"nothing is applied: {self.refusal}")
        return bool(self.refusal)

    def failed(self, row, error):
        """What a row's own launch raised: the launch is made as the program asked for it, from now on."""
        row.broken = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        tell_once(f"{row.study} is not applied: {row.broken}")

    def forget(self):
        """In a child that was forked: the parent tells what the parent was answered."""
        self.spent = 0
        for _, rows in self.kernels.values():
            for row in rows.values():
                row.count = 0
        for known in self.known.values():
            if known is not None:
                known.others = 0

    @guarded("reporting what was applied")
    def end(self):
        rows = {row.study: row for _, rows in self.kernels.values() for row in rows.values()}
        told = {"process": os.getpid(), "applied": {name: row.count for name, row in rows.items()},
                "broken": {name: row.broken for name, row in rows.items() if row.broken},
                "as_they_were": sum(known.others for known in self.known.values() if known),
                "seconds": self.spent / 1e9, "refusal": self.refusal or "", "faults": faults}
        if self.report and (self.refusal or any(self.known.values())):
            try:
                with open(self.report, "a") as out:
                    out.write(json.dumps(told) + "\n")
            except OSError as error:
                tell_once(f"what was applied here is not counted: {self.report}: {error.strerror}")


def begin(path, report=""):
    """Has what this process launches answered from a file of tuned launches."""
    try:
        answers = Answers(path, report and os.path.abspath(report))
    except Exception as error:  # whatever somebody's file holds
        tell_once(f"nothing is applied: {path}: {error}")
        return
    after("triton.runtime.jit", guarded("standing before Triton")(lambda module: _jit(module, answers)))
    after("triton.runtime.autotuner", guarded("standing before triton.autotune")(
        lambda module: _autotuner(module, answers)))
    after("torch._inductor.runtime.triton_heuristics",
          guarded("standing before Inductor")(lambda module: _inductor(module, answers)))
    os.register_at_fork(after_in_child=answers.forget)
    at_end(answers, answers.end)


def _looking_up(answers, row_of):
    """row_of with its time counted, seen by nobody, and None where it raises."""
    @unseen
    def look(*given):
        start = time.perf_counter_ns()
        try:
            return row_of(*given)
        except Exception as error:
            fault("looking a launch up", error)
            return None
        finally:
            answers.spent += time.perf_counter_ns() - start

    return look


def _row_of(answers, jit, args, kwargs, tuned_by):
    known = answers.of(jit, jit.arg_names, [jit.arg_names[at] for at in jit.constexprs])
    row = known.row(args, kwargs) if known is not None else None
    return row if row is not None and row.tuned_by == tuned_by else None


def _jit(module, answers):
    cls = module.JITFunction
    original = cls.run
    row_of = _looking_up(answers, lambda jit, args, kwargs: None if getattr(
        _here, "tuning", 0) else _row_of(answers, jit, args, kwargs, ""))

    def run(self, *args, grid, warmup, **kwargs):
        # What is known to be none of ours costs one look.
        row = None if warmup or answers.known.get(id(self), answers) is None else row_of(self, args, kwargs)
        if row is not None:
            try:
                given, named = row.given(self.arg_names, args, kwargs)
                made = original(self, *given, grid=grid, warmup=warmup, **named)
                row.count += 1
                return made
            except Exception as error:
                answers.failed(row, error)
        return original(self, *args, grid=grid, warmup=warmup, **kwargs)

    stand_before(cls, "run", run)


def _autotuner(module, answers):
    cls = module.Autotuner
    original = cls.run

    def found(tuner, args, kwargs):
        if kwargs.get("warmup"):
            return None
        jit = tuner.fn
        while not hasattr(jit, "constexprs"):
            jit = jit.fn
        return _row_of(answers, jit, args, {name: value for name, value in kwargs.items() if name not in (
            "grid", "warmup")}, "triton.autotune")

    row_of = _looking_up(answers, found)

    def run(self, *args, **kwargs):
        row = row_of(self, args, kwargs)
        # Below triton.autotune a kernel's launches are those of a configuration.
        _here.tuning = getattr(_here, "tuning", 0) + 1
        try:
            if row is not None:
                try:
                    self.best_config = row.as_config(module)
                    made = self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())
                    row.count += 1
                    return made
                except Exception as error:
                    answers.failed(row, error)
            return original(self, *args, **kwargs)
        finally:
            _here.tuning -= 1

    stand_before(cls, "run", run)


def _inductor(module, answers):
    cls = module.CachingAutotuner
    original = cls.run
    launchers = {}  # {(a tuner, a row's study): [launcher]}

    def found(tuner, args, kwargs):
        known = answers.of(tuner.fn, launched_names(tuner), (), lambda: with_source(tuner))
        row = known.row(args, kwargs) if known is not None else None
        if row is None or row.tuned_by != "torch.compile":
            return None
        key = (id(tuner), row.study)
        if key not in launchers:
            launchers[key] = _launcher(module, tuner, row, answers, known)
        if not launchers[key]:
            return None
        row.count += 1
        return launchers[key]

    launcher_of = _looking_up(answers, found)

    def run(self, *args, stream, benchmark_run=False, **kwargs):
        chosen = None if benchmark_run else launcher_of(self, args, kwargs)
        if chosen is None:
            return original(self, *args, stream=stream, benchmark_run=benchmark_run, **kwargs)
        before, self.launchers = self.launchers, chosen
        try:
            return original(self, *args, stream=stream, benchmark_run=benchmark_run, **kwargs)
        finally:
            self.launchers = before

    stand_before(cls, "run", run)


def _launcher(module, tuner, row, answers, known):
    """[the launcher of a row's configuration]; [] where it cannot be made."""
    options = {name: value for name, value in row.config.items() if name in ("num_warps", "num_stages")}
    blocks = {name: value for name, value in row.config.items() if name not in _OPTIONS}
    try:
        from torch._dynamo.device_interface import DeviceGuard
        tuner.fn = with_source(tuner)  # as torch does before it compiles again
        answers.known[id(tuner.fn)] = answers.known.get(id(tuner.fn)) or known
        # Blocks that no list has, such as RSPLIT, are those that torch has chosen.
        present = tuner.launchers[0].config.kwargs if len(tuner.launchers) == 1 else {}
        config = module.Config({**present, **blocks}, **options)
        config.found_by_coordesc = True  # no search of torch's own goes on from it
        with DeviceGuard(tuner.get_device_interface(), tuner.triton_meta["device"]):
            return [tuner._precompile_config(config).make_launcher()]
    except Exception as error:
        answers.failed(row, error)
        return []
