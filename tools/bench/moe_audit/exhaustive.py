#!/usr/bin/env python3
"""What trying every configuration of a row takes, one after the other in one process: each is
compiled, captured as one CUDA graph of ten calls, and the graph replayed ten times after five for
warmth, which is how vLLM's own script tunes.

    tools/bench/moe_audit/exhaustive.py --wheel FOLDER --rows FILE [--only 1,7] [--seconds 60]
                                        [--seed 1]

FOLDER is an unpacked wheel, FILE the rows.json that audit.py has written. Configurations come in
drawn order for so many seconds a row. Prints how many there were, the best of them, the tuned one's
time by the same measure, and how long the whole space would take. Needs torch, triton and a GPU."""

import argparse
import itertools
import json
import os
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "python")]


def timed(torch, call, calls=10, replays=10, warm=5):
    """Microseconds of one call."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    for _ in range(warm):
        graph.replay()
    torch.cuda.synchronize()
    total = 0.0
    for _ in range(replays):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        total += begin.elapsed_time(end)
    return total / (calls * replays) * 1e3


def every(parameters):
    """All combinations of a space's values."""
    names = list(parameters)
    return [dict(zip(names, values)) for values in itertools.product(
        *(parameters[name].values for name in names))]


def tried(torch, call_of, configurations, seconds, clock=time.monotonic):
    """(how many were tried, how many failed, [(microseconds, configuration)]) in so many seconds."""
    began, done, failed, times = clock(), 0, 0, []
    for configuration in configurations:
        if clock() - began >= seconds:
            break
        done += 1
        try:
            times.append((timed(torch, call_of(configuration)), configuration))
        except Exception:  # what does not compile or fit; an error of the device fails all others
            failed += 1
    return done, failed, sorted(times, key=lambda pair: pair[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="of the rows of the file these, counted from 0")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["NIGHTSHIFT_VLLM"] = str(options.wheel.resolve())
    os.environ["NIGHTSHIFT_MOE_CASES"] = str(options.rows.resolve())
    import torch
    from moe import moe as problem
    from nightshift import factories
    from nightshift.space import Configuration
    from nightshift.torch_arrays import TorchWorkshop
    rows = json.loads(options.rows.read_text())
    places = map(int, options.only.split(",")) if options.only else range(len(rows))
    for row in (rows[place] for place in places):
        [case] = problem.pick(row["name"])

        def call_of(configuration):
            with factories.use(TorchWorkshop(1, "cuda", problem.dtype)):
                return problem.run(case, Configuration(configuration)).call

        configurations = every(problem.space.parameters)
        random.Random(options.seed).shuffle(configurations)
        began = time.monotonic()
        done, failed, times = tried(torch, call_of, configurations, options.seconds)
        seconds = time.monotonic() - began
        best = f"{times[0][0]:.2f} us" if times else "none"
        print(f"{row['model']}, M={row['M']}: {done} of {len(configurations)} in {seconds:.0f} s "
              f"({failed} failed), best {best}, tuned "
              f"{timed(torch, call_of(row['tuned'])):.2f} us; all would take "
              f"{seconds / done * len(configurations) / 60:.0f} min", flush=True)


if __name__ == "__main__":
    main()
