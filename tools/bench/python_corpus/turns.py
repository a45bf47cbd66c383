"""A kernel as its repository has it, as a study's baseline and as its best, timed in turns.

Each is called on several sets of inputs that together do not fit the cache, in one graph where it can be
captured, so that what a launch costs the host is in no figure; triton.testing.do_bench times the graph."""

import statistics
import time

import torch
from nightshift import factories
from nightshift.benches import bench_for
from nightshift.problem import Run
from nightshift.triton_import import use_real_driver
from triton.testing import do_bench

ROUNDS, MILLISECONDS = 7, 40  # of do_bench, each
MOST_SETS = 16


def compared(problem, baseline, best):
    """baseline, best: labels of configurations. Microseconds of each, and how much less ours takes in the
    median round, as a share."""
    use_real_driver()
    bench, case = bench_for(problem), problem.pick(None)[0]
    row, calls = {}, {}
    # Before any configuration is prepared, the kernel is as its repository has it.
    begin = time.time()
    try:
        if problem.compile is None:
            calls["own"] = _sets(bench, lambda: problem.function(case, problem.space.baseline()))
            torch.cuda.synchronize()
            row["own_first_call"] = time.time() - begin
            row["own_choice"] = [str(getattr(one.kernel, "best_config", ""))
                                 for one in problem.space.launchers]
    except Exception as error:
        row["own_error"] = f"{type(error).__name__}: {error}"[:200]
    graphs = {name: _captured(made) for name, made in calls.items()}
    for name, labels in (("baseline", baseline), ("ours", best)):
        configuration = problem.space.decode(labels)
        graphs[name] = _captured(_sets(bench, lambda: problem.run(case, configuration)))
    row["graph"] = all(graph for _, graph, _ in graphs.values())
    # What is no graph launches anew, and whatever was prepared last would be launched for it.
    before = {"own": lambda: _leave_alone(problem)} if not row["graph"] else {}
    times = _timed({name: call for name, (call, _, _) in graphs.items()}, before)
    for name, values in times.items():
        row[name] = statistics.median(values) / graphs[name][2]
        if name != "ours":
            row[f"less_than_{name}"] = 1 - statistics.median(
                ours / graphs["ours"][2] * graphs[name][2] / other
                for ours, other in zip(times["ours"], values))
    return row


def _sets(bench, make):
    """Calls on sets of inputs, each called once."""
    calls, wanted = [], 1
    while len(calls) < wanted:
        with factories.use(bench.workshop(len(calls) + 1)) as workshop:
            run = make()
            calls.append((run if isinstance(run, Run) else Run(run)).call)
        calls[-1]()
        if len(calls) == 1:
            sizes = [one.size for one in workshop.arrays]
            wanted = min(MOST_SETS, bench.sets_for(sum(sizes), max(sizes, default=0))[0])
    return calls


def _captured(calls):
    """(what makes all calls again, whether that is a graph, how many there are)"""
    def all_of_them():
        for call in calls:
            call()

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        all_of_them()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            all_of_them()
        return graph.replay, True, len(calls)
    except Exception:
        torch.cuda.synchronize()
        return all_of_them, False, len(calls)


def _leave_alone(problem):
    """Has kernels launched as their repository launches them, until a configuration is prepared."""
    if problem.space.prepare:
        problem.space.prepare(problem.space.baseline())
    for one in problem.space.launchers:
        vars(one.kernel).pop("run", None)
        vars(one.jit).pop("run", None)
        if one.beneath is not None:
            one.jit.run = one.beneath


def _timed(calls, before):
    times = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            before.get(name, lambda: None)()
            times[name].append(1e3 * do_bench(call, warmup=10, rep=MILLISECONDS, return_mode="median"))
    return times
