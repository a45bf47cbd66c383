"""A kernel as its repository has it, as a study's baseline and as its best, timed in turns.

Each is called on several sets of inputs that together do not fit the cache, in one graph where it can be
captured, else its launches of Triton's kernels are: what a launch costs the host is in no figure.
triton.testing.do_bench times the graph, in bursts with rests between them, as a study does: without
rests the clocks of a product fall by up to a seventh. Inputs are drawn, and lie, elsewhere in each of PLACES."""

import dataclasses
import itertools
import math
import statistics
import time

import torch
from nightshift import factories, launches
from nightshift.benches import bench_for
from nightshift.problem import Run
from nightshift.triton_import import use_real_driver
from triton.testing import do_bench

PLACES = 3  # each in both orders
REST, WARM_UP, MILLISECONDS = 0.1, 2, 20  # seconds before each do_bench, and what it is given
GRAPH_SECONDS, MOST_CALLS = 2e-3, 400  # of a graph: what begins and ends it is little beside it


@dataclasses.dataclass
class Timed:
    again: object  # makes all calls again
    kind: str  # "graph", "kernels" or "calls"
    calls: int
    kept: object = None  # what the graph reads


def compared(problem, baseline, best):
    """baseline, best: labels of configurations. Microseconds of each, and how much less ours takes in the
    median round, as a share."""
    use_real_driver()
    bench, case = bench_for(problem), problem.pick(None)[0]
    row, timed = {}, {}
    # Before any configuration is prepared, the kernel is as its repository has it.
    begin = time.time()
    try:
        if problem.compile is None:
            timed["own"] = placed(bench, lambda: problem.function(case, problem.space.baseline()))
            row["own_first_calls"] = time.time() - begin
            row["own_choice"] = [str(getattr(one.kernel, "best_config", ""))
                                 for one in problem.space.launchers]
    except Exception as error:
        row["own_error"] = f"{type(error).__name__}: {error}"[:200]
    for name, labels in (("baseline", baseline), ("ours", best)):
        configuration = problem.space.decode(labels)
        timed[name] = placed(bench, lambda: problem.run(case, configuration))
    row["timed"] = sorted({one.kind for places in timed.values() for one in places})
    # What launches anew is launched as whatever was prepared last.
    before = {"own": lambda: _leave_alone(problem)} if "calls" in row["timed"] else {}
    times = times_of(timed, before)
    for name, values in times.items():
        row[name] = statistics.median(values)
        if name != "ours":
            row[f"less_than_{name}"] = 1 - statistics.median(map(float.__truediv__, times["ours"], values))
    return row


def placed(bench, make):
    """One Timed for each place."""
    seeds = itertools.count(1)
    return [_captured(*_sets(bench, make, seeds)) for _ in range(PLACES)]


def _sets(bench, make, seeds):
    """(calls on sets of inputs, each called once; what made these)"""
    calls, workshops, wanted = [], [], 1
    while len(calls) < wanted:
        with factories.use(bench.workshop(next(seeds), moved=not calls)) as workshop:
            run = make()
            calls.append((run if isinstance(run, Run) else Run(run)).call)
        workshops.append(workshop)
        calls[-1]()
        if len(calls) == 1:
            sizes = [one.size for one in workshop.arrays]
            wanted = bench.sets_for(sum(sizes), max(sizes, default=0))[0]
    torch.cuda.synchronize()
    return calls, workshops


def _captured(calls, workshops):
    def all_of_them():
        for call in calls:
            call()

    if found := _graph(all_of_them, len(calls)):
        return Timed(found[0], "graph", found[1], (calls, workshops))
    with launches.noted() as (again, kept):
        all_of_them()
        torch.cuda.synchronize()
    if again and (found := _graph(lambda: [launch() for launch in again], len(calls))):
        return Timed(found[0], "kernels", found[1], (calls, workshops, kept))
    return Timed(all_of_them, "calls", len(calls), workshops)


def _graph(all_of_them, calls):
    """(what makes all calls again and again, how many these are); None where no graph can."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        all_of_them()
    torch.cuda.synchronize()
    try:
        once = _capture(all_of_them, stream, 1)
        took = min(_seconds(once.replay) for _ in range(3))
        times = min(math.ceil(GRAPH_SECONDS / took), max(1, MOST_CALLS // calls))
        return _capture(all_of_them, stream, times).replay, times * calls
    except Exception:
        torch.cuda.synchronize()
        return None


def _capture(all_of_them, stream, times):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(times):
            all_of_them()
    return graph


def _seconds(call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return 1e-3 * begin.elapsed_time(end)


def _leave_alone(problem):
    """Has kernels launched as their repository launches them, until a configuration is prepared."""
    if problem.space.prepare:
        problem.space.prepare(problem.space.baseline())
    for one in problem.space.launchers:
        vars(one.kernel).pop("run", None)
        vars(one.jit).pop("run", None)
        if one.beneath is not None:
            one.jit.run = one.beneath


def times_of(timed, before=None):
    """Microseconds of a call of each, of each place in both orders."""
    times = {name: [] for name in timed}
    for place in range(PLACES):
        for order in (list(timed), list(timed)[::-1]):  # each finds the clocks that one before it left
            for name in order:
                one = timed[name][place]
                (before or {}).get(name, lambda: None)()
                time.sleep(REST)
                took = do_bench(one.again, warmup=WARM_UP, rep=MILLISECONDS, return_mode="median")
                times[name].append(1e3 * took / one.calls)
    return times
