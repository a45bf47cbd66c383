#!/usr/bin/env python3
"""Times many configurations of catalogue kernels in one process on one GPU.

    tools/bench/try_configurations.py [FILE.json ...] [--kernels rmsnorm,softmax]
                                      [--shapes WORD ...]
                                      [--dtypes float16,float32] [--near 200] [--drawn 50]
                                      [--generations 3] [--only NAME=VALUE,VALUE ...] [--seed N]
                                      [--finalists 8] [--rounds 5] [--seconds BUDGET]
                                      [--processes N] [--into FILE.json] [--json FILE] [--dry-run]

For who knows where to look: no searcher proposes anything here, and nothing is isolated or accepted.
A search is tune_shapes.py's. --shapes are those of kernel_peers.py. Tried are those of the files,
each a list of {problem, sizes, dtype, configuration}, of each kernel and shape that is named the best
known, or what a study starts from, and --drawn so many of all that are valid, and --near so many
valid ones that differ from one of these in one to three parameters; in further --generations as many
near the fastest so far. With --only a parameter takes these values where it is changed. Shapes share
--seconds by what there is to try. What does not fit is left out, which is said.

Processes compile ahead. Each configuration runs once on poisoned outputs, whose errors must be
within the problem's gates, and is timed by three replays of a graph that goes round cold sets of
arguments, as kernel_peers.py has them. The --finalists fastest of each shape are then timed in
rounds of rotated order beside a copy of as many bytes, and their medians are printed: the best of
hundreds of single timings is also the luckiest. --into writes the best of each shape for
`kernel_peers.py --configurations`, --json all trials. A kernel that takes the device's context with
it ends the run; what was timed before is kept. Exit code 1 if an answer was wrong, or something
could not be built, run or fitted in. --dry-run compiles everything, without a GPU or torch.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import random
import sys
import time

from kernel_peers import driver
from kernel_peers.configurations import drawn, near
from kernel_peers.problem import Cell, Problem, name_of_device
from kernel_peers.shapes import (cells_of, given_configurations, named_values,
                                 require_parameters)

FINALS_SECONDS = 1   # about what the rounds of the finalists take
DRY_ARCHITECTURE = 90


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- What is tried ---

class Shape:
    """A cell, the configurations that are to be tried for it, each of them once, and what was tried."""

    def __init__(self, cell):
        self.cell, self.waiting, self.invalid, self.known = cell, [], 0, set()
        self.first = None  # of the valid ones: that for which the reference is built
        self.trials, self.codes, self.left_out = [], {}, 0

    def add(self, configurations):
        for one in configurations:
            mark = json.dumps(one, sort_keys=True)
            if mark in self.known:
                continue
            self.known.add(mark)
            if self.cell.is_valid(one):
                self.waiting.append(one)
                self.first = self.first or one
            else:
                self.invalid += 1

    def fastest(self, count):
        return sorted(self.codes, key=lambda t: t.microseconds)[:count]

    def keep(self, count):
        """Of what was timed only the fastest are needed as machine code."""
        self.codes = {trial: self.codes[trial] for trial in self.fastest(count)}


def shapes_to_try(options, rng):
    shapes, device = {}, name_of_device()

    def shape_of(cell):
        return shapes.setdefault(str(cell), Shape(cell))
    for cell in cells_of(options.kernels, options.shapes, options.dtypes) if options.kernels else []:
        best, origin = cell.choose([], device)
        others = [] if origin == "measured.json" else cell.starts(device)
        say(f"{cell}: begins with what is {origin}")
        shape_of(cell).add([best, *others])
    for entry in [e for file in options.files for e in given_configurations(file)]:
        cell = Cell(Problem(entry["problem"]), entry["sizes"], entry.get("dtype"))
        try:
            shape_of(cell).add([cell.complete(entry["configuration"])])
        except ValueError as e:
            raise SystemExit(f"{cell}: {e}") from None
    require_parameters(options.only, [shape.cell for shape in shapes.values()])
    for shape in shapes.values() if options.drawn else []:
        shape.add(drawn(shape.cell, options.drawn, options.only, rng))
    for shape in shapes.values():
        if shape.waiting and options.near:
            shape.add(near(shape.cell, list(shape.waiting), options.near, options.only, rng))
        if shape.invalid:
            say(f"{shape.cell}: {shape.invalid} configurations break a constraint, and are left out")
    shapes = [shape for shape in shapes.values() if shape.waiting]
    if not shapes:
        raise SystemExit("nothing to try: name files, or --kernels with --near or --drawn")
    return shapes


# --- Compiling ahead ---

def build(cell, configuration, what, architecture):
    """Machine code, or a text that says why there is none."""
    try:
        file, functions = cell.sources()[what]
        return driver.build(file, functions, cell.options(configuration, architecture))
    except Exception as e:
        return str(e)[:500]


class Builders:
    """Compile what waits to be tried, in the order of asking."""

    def __init__(self, shapes, architecture, processes):
        self.pool = concurrent.futures.ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn"))
        self.architecture, self.kernels = architecture, {}
        self.reference = {shape: self.submit(shape, shape.first, "reference")
                          for shape in shapes}

    def submit(self, shape, configuration, what):
        return self.pool.submit(build, shape.cell, configuration, what, self.architecture)

    def begin(self, shape):
        self.kernels[shape] = {self.submit(shape, c, "kernel"): c for c in shape.waiting}
        shape.waiting = []

    def built(self, shape, seconds):
        """(configuration, machine code or complaint) as they are there, for so long."""
        try:
            for future in concurrent.futures.as_completed(self.kernels[shape], timeout=seconds):
                yield self.kernels[shape][future], future.result()
        except concurrent.futures.TimeoutError:
            pass

    def cancel(self, shape):
        for future in self.kernels[shape]:
            future.cancel()

    def close(self):
        """Ends what still compiles. At the end of a program Python fails at times beside a pool."""
        children = list((self.pool._processes or {}).values())
        manager = self.pool._executor_manager_thread
        self.pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()
        if manager is not None:
            manager.join(10)


def dry_run(shapes, builders):
    failed = 0
    for shape in shapes:
        builders.begin(shape)
    for shape in shapes:
        outcomes = [builders.reference[shape].result()]
        outcomes += [code for _, code in builders.built(shape, None)]
        complaints = [code for code in outcomes if isinstance(code, str)]
        failed += len(complaints)
        print(f"{shape.cell}: {len(outcomes) - len(complaints)} of {len(outcomes)} build")
        for complaint in complaints[:3]:
            print(complaint)
    return 1 if failed else 0


# --- Timing ---

def attempt(bench, shape, configuration, code):
    from kernel_peers import measuring, trying
    trial = trying.Trial(configuration)
    shape.trials.append(trial)
    if isinstance(code, str):
        trial.failure = f"not built: {code}"
    else:
        bench.attempt(trial, code)
    if not trial.failure:
        shape.codes[trial] = code
        return
    say(f"{shape.cell}: {trial.failure}: {trial}")
    if not measuring.device_works():
        raise SystemExit("the device is lost to this process: the rest is left out")


def try_waiting(bench, builders, shape, seconds):
    deadline, asked = time.monotonic() + seconds, len(builders.kernels[shape])
    before = len(shape.trials)
    for configuration, code in builders.built(shape, seconds):
        attempt(bench, shape, configuration, code)
        if time.monotonic() > deadline:
            break
    builders.cancel(shape)
    shape.left_out += asked - (len(shape.trials) - before)


def open_bench(builders, shape):
    from kernel_peers import trying
    reference = builders.reference[shape].result()
    if isinstance(reference, str):
        raise SystemExit(f"{shape.cell}: the reference does not build: {reference}")
    return trying.Bench(shape.cell, shape.first, reference)


def try_shape(builders, shape, generation, seconds, options, rng):
    """One generation of a shape; after the last the finalists' rounds."""
    begin, is_last = time.monotonic(), generation == options.generations - 1
    bench = open_bench(builders, shape)
    spent = time.monotonic() - begin + (FINALS_SECONDS if is_last else 0)
    try_waiting(bench, builders, shape, max(1, seconds - spent))
    shape.keep(options.finalists)
    fastest = shape.fastest(options.finalists)
    say(f"{shape.cell}: {len(shape.trials)} tried, the fastest in "
        + (f"{fastest[0].microseconds:.2f} us" if fastest else "no time, none was right")
        + f"; {time.monotonic() - begin:.1f} s")
    row = None
    if not is_last:
        if fastest:
            shape.add(near(shape.cell, [t.configuration for t in fastest], options.near,
                           options.only, rng))
        builders.begin(shape)
    else:
        row = finish(bench, shape, fastest, options)
    bench.close()
    return row


def finish(bench, shape, fastest, options):
    """What is to be written of the shape."""
    cell = shape.cell
    row = {"problem": cell.problem.name, "sizes": cell.sizes, "dtype": cell.dtype,
           "left_out": shape.left_out,
           "trials": [{"configuration": t.configuration, "microseconds": t.microseconds,
                       "failure": t.failure, "errors": t.errors} for t in shape.trials]}
    if not fastest:
        return row
    copy = row["copy_microseconds"] = bench.race([(t, shape.codes[t]) for t in fastest],
                                                 options.rounds)
    fastest = sorted(fastest, key=lambda t: t.microseconds)
    row["finalists"] = [{"configuration": t.configuration, "microseconds": t.microseconds}
                        for t in fastest]
    print(f"{cell}: copy {copy:.2f} us, {len(shape.trials)} tried, {shape.left_out} left out",
          flush=True)
    for trial in fastest:
        print(f"  {trial.microseconds:8.2f} us {100 * copy / trial.microseconds:6.1f} % of it  "
              f"{trial}", flush=True)
    return row


def write(options, environment, rows):
    if options.json:
        content = {"environment": environment, "shapes": rows}
        pathlib.Path(options.json).write_text(json.dumps(content) + "\n")
    if options.into:
        best = [{**{k: row[k] for k in ("problem", "sizes", "dtype")}, **row["finalists"][0]}
                for row in rows if row.get("finalists")]
        pathlib.Path(options.into).write_text(json.dumps(best, indent=1) + "\n")


def run(shapes, builders, options, rng, begin):
    import torch

    from kernel_peers import contestants
    contestants.set_up()
    torch.cuda.set_stream(torch.cuda.Stream())
    environment = {"device": torch.cuda.get_device_name(0), "nvrtc": driver.nvrtc_version(),
                   "torch": torch.__version__, "rounds": options.rounds}
    print(f"{environment['device']}, CUDA {environment['nvrtc']}", flush=True)
    rows, turns = [], [(g, s) for g in range(options.generations) for s in shapes]
    # Turns of so many configurations: each gets as much of what time is left.
    sizes = [len(s.waiting) if g == 0 else options.near + 1 for g, s in turns]
    for shape in shapes:
        builders.begin(shape)
    try:
        for index, (generation, shape) in enumerate(turns):
            left = options.seconds - (time.monotonic() - begin)
            share = left * sizes[index] / sum(sizes[index:])
            row = try_shape(builders, shape, generation, share, options, rng)
            if row:
                rows.append(row)
    finally:
        write(options, environment, rows)
    bad = [row for row in rows
           if row["left_out"] or any(t["failure"] for t in row["trials"])]
    return 1 if bad else 0


def device_architecture(options):
    if options.dry_run:
        return DRY_ARCHITECTURE
    import torch
    if not torch.cuda.is_available():
        raise SystemExit("torch sees no CUDA device; --dry-run needs none")
    major, minor = torch.cuda.get_device_capability(0)
    return major * 10 + minor


def main():
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json")
    parser.add_argument("--kernels", default="")
    parser.add_argument("--shapes", nargs="+", default=["all"])
    parser.add_argument("--dtypes", default="")
    parser.add_argument("--near", type=int, default=0)
    parser.add_argument("--drawn", type=int, default=0)
    parser.add_argument("--generations", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME=VALUES")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finalists", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--into", metavar="FILE.json")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    for name in ("finalists", "rounds", "generations", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is at least 1")
    options.only = named_values(options.only)
    rng = random.Random(options.seed)
    shapes = shapes_to_try(options, rng)
    builders = Builders(shapes, device_architecture(options), options.processes)
    try:
        return dry_run(shapes, builders) if options.dry_run \
            else run(shapes, builders, options, rng, begin)
    finally:
        builders.close()


if __name__ == "__main__":
    sys.exit(main())
