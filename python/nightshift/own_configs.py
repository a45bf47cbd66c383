"""What the configs of triton.autotune say about a study: its baseline, and what is tried first.

The baseline is what a user would get: the first config that runs. Configs are tried in their order, as
builders would build them, until one is compiled; Triton's cache keeps it. The others that a launch
would try are the study's starts, in the order of `perf_model`, and as many as `top_k`, where the kernel has
them. What can't be followed without a GPU leaves the first config as it is."""

import itertools
import json
import os
import select
import signal
import time

from . import processes
from .describing import builds
from .errors import Infeasible, NotAhead, one_line, sentence_of
from .failures import failure_of
from .gpu_facts import target
from .lines import flush, tell
from .starting import why_not_fork

_SECONDS = 60  # for all configs that are tried
_CANNOT_RUN = ("build_failed", "out_of_resources", "infeasible")


def first_of(problem, cases):
    """(the baseline's values where they are not the space's own, else {}, [values of each start])."""
    space = problem.space
    tuned = [one for one in space.launchers if len(one.own) > 1]
    baseline, orders = space.baseline(), {}
    asks = not space.names_baseline or any(getattr(one.kernel, "perf_model", None) for one in tuned)
    why = why_not_fork()
    if tuned and asks and builds(problem):
        if why:
            tell(f"nightshift: {why}: whether the first config runs is known when it is measured\n")
        else:
            baseline, orders = _tried(problem, cases)
    lists = [_ordered(one.own, orders.get(str(number)))
             for number, one in enumerate(space.launchers) if one in tuned]
    return {} if space.is_baseline(baseline) else baseline, _together(lists, baseline)


def _ordered(own, order):
    return own if order is None else [own[number] for number in order]


def _together(lists, baseline):
    """Each config of each kernel once: those of several kernels side by side, since each costs its own part
    of the call's time, and all combinations would be too many."""
    starts = []
    for row in itertools.zip_longest(*lists, fillvalue={}):
        starts.append(dict(baseline))
        for values in row:
            starts[-1].update(values)
    return starts


def _tried(problem, cases):
    """(the first configuration that is compiled, {number of a launcher: its configs in order})."""
    space, end = problem.space, time.monotonic() + _SECONDS
    configuration, next_of, refused = space.baseline(), {}, {}
    while True:
        told = _in_a_child(lambda: _built(problem, cases, configuration), end - time.monotonic())
        launcher = told.get("launcher")
        if told.get("runs") or launcher is None or space.names_baseline:
            break
        refused.setdefault(launcher, told["why"])
        next_of[launcher] = next_of.get(launcher, 0) + 1
        if next_of[launcher] == len(space.launchers[launcher].own):
            break
        dict.update(configuration, space.launchers[launcher].own[next_of[launcher]])
    if not told.get("runs") and next_of:
        return space.baseline(), told.get("orders", {})  # whose failure is then told
    for launcher, number in next_of.items():
        own = space.launchers[launcher]
        tell(f"nightshift: the first config of {own.jit.__name__} cannot run ({refused[launcher]}): "
             f"the baseline is number {number + 1}, {_shown(own.own[number])}\n")
    return configuration, told.get("orders", {})


def _shown(values):
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _built(problem, cases, configuration):
    """In a process of its own: whether the configuration is compiled, and which launcher's fault it
    is where it is not."""
    from .triton_build import Builder
    for one in problem.space.launchers:
        one.observe()
    told = {}
    try:
        refusal = problem.space.refusal(configuration)
        if refusal:
            raise Infeasible(refusal)
        builder = Builder(problem, cases)
        for case in cases:
            builder.launches(case, configuration, target())
        told["runs"] = True
    except Exception as error:
        failure = failure_of(error, problem.file)
        blamed = [number for number, one in enumerate(problem.space.launchers)
                  if one.raised in _chain(error)]
        if not isinstance(error, NotAhead) and failure.kind in _CANNOT_RUN and blamed:
            told = {"launcher": blamed[0], "why": one_line(failure.words, 200)}
    told["orders"] = {number: one.order for number, one in enumerate(problem.space.launchers)
                      if one.order is not None}
    return told


def _chain(error):
    """An exception, and those that it was raised for."""
    found = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _in_a_child(work, seconds):
    """What work() returns, an object of JSON, in a fork of this process; {} where it ends otherwise or
    takes longer."""
    reads, writes = os.pipe()
    flush()
    parent, process = os.getpid(), os.fork()
    if process == 0:
        try:
            os.setsid()
            processes.die_with(parent)
            os.close(reads)
            with open(writes, "w") as out:
                out.write(json.dumps(work()))
            flush()
        except BaseException as error:
            tell(f"nightshift: the configs were not tried: {sentence_of(error)}\n")
        finally:
            os._exit(0)
    os.close(writes)
    try:
        text = _read(reads, time.monotonic() + seconds)
    finally:
        os.close(reads)
        try:
            os.killpg(process, signal.SIGKILL)  # with the assemblers that it has started
        except ProcessLookupError:
            pass
        os.waitpid(process, 0)
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _read(descriptor, end):
    """Until nobody writes any more, or so long."""
    text = b""
    while select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
        data = os.read(descriptor, 1 << 16)
        if not data:
            return text
        text += data
    return b""
