#!/usr/bin/env python3
"""Says what keeps configurations of catalogue kernels busy, by Nsight Compute: a row for each launch.

    tools/bench/profile_kernels.py FILE.json [...] [--ncu PROGRAM] [--processes N] [--json FILE]

FILE.json is a list of {problem, sizes, dtype, configuration}. Processes compile all of them first; then
one process under ncu makes each launch once for the profiler, after another that warms it. Clocks stay
as they are and caches are emptied before. Columns, in per cent: issue slots that are used while a
multiprocessor has work; of the pipes for special functions, integers and fused multiplications, likewise;
of what DRAM and L2 can move in the launch's time; warps in flight of those that fit; of the time that the
mean multiprocessor has work. Then what warps wait for most, in per cent of their time. Microseconds are
those under the profiler and not a study's. `nightshift profile` shows a study's trials. Exit code 1 if
something does not build or launch.
"""

import argparse
import concurrent.futures
import csv
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

from kernel_peers import driver
from kernel_peers.problem import Cell, Problem
from kernel_peers.shapes import given_configurations

COLUMNS = {  # heading: metric
    "µs": "gpu__time_duration.sum",
    "issue": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "special": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "integer": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "fma": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "at work": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
}
STALLS = ["long_scoreboard", "short_scoreboard", "barrier", "membar", "mio_throttle", "lg_throttle",
          "math_pipe_throttle", "wait", "not_selected", "no_instruction", "drain", "sleeping",
          "branch_resolve", "dispatch_stall", "imc_miss", "misc", "tex_throttle", "gmma", "selected"]
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
NAMED_STALLS = 3


def build(entry, architecture):
    """What driver.build_cell() gives, or a text that says why there is nothing."""
    cell = Cell(Problem(entry["problem"]), entry["sizes"], entry.get("dtype"))
    try:
        configuration = cell.complete(entry["configuration"])
        return configuration, driver.build_cell(cell, configuration, architecture)
    except Exception as e:
        return None, f"{cell}: {str(e)[:500]}"


# --- Under the profiler ---

def launch_all(entries, builds):
    import torch

    from kernel_peers import contestants, data, measuring
    contestants.set_up()
    torch.cuda.set_stream(torch.cuda.Stream())
    torch.ones(1, device="cuda")  # makes the context
    for entry, (configuration, built) in zip(entries, builds):
        cell = Cell(Problem(entry["problem"]), entry["sizes"], entry.get("dtype"))
        arguments = data.Arguments(cell, configuration, sets=1)
        kernel, reference = driver.Module(built["kernel"]), driver.Module(built["reference"])
        arguments.prepare(reference, configuration)
        run = measuring.ours(cell, arguments, kernel, configuration)
        run(0)
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        run(0)
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
        launches = len(cell.launches(configuration, arguments.multiprocessors))
        print(f"launched {launches}", file=sys.stderr, flush=True)
        del arguments, run
        kernel.close()
        reference.close()


# --- Around it ---

def program_of(options):
    places = [options.ncu, shutil.which("ncu"),
              os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/ncu")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    raise SystemExit("ncu was not found: install Nsight Compute, or name it by --ncu")


def rows_of(text):
    """Rows of ncu's table, {metric: text}. Lines of others are passed over, as is that of the units."""
    return list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))[1:]


def profiled(options, entries, builds):
    """Rows of ncu's table, and how many of them each entry has."""
    metrics = [*COLUMNS.values(), *map(STALL.format, STALLS)]
    with tempfile.NamedTemporaryFile(suffix=".builds") as file:
        pickle.dump((entries, builds), file)
        file.flush()
        command = [program_of(options), "--csv", "--page=raw", "--profile-from-start=off",
                   "--clock-control=none", "--cache-control=all", "--print-units=base",
                   "--metrics=" + ",".join(metrics), sys.executable, __file__, "--launch", file.name]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    launches = [int(line.split()[1]) for line in done.stderr.splitlines()
                if line.startswith("launched ")]
    rows = rows_of(done.stdout)
    if done.returncode or len(rows) != sum(launches) or len(launches) != len(entries):
        raise SystemExit(f"ncu told of {len(rows)} launches of {len(entries)} configurations:\n"
                         f"{done.stderr[-1500:]}\n{done.stdout[-1500:]}")
    return rows, launches


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def figures_of(row):
    found = {name: number(row.get(metric)) for name, metric in COLUMNS.items()}
    if found["µs"] is not None:
        found["µs"] /= 1000  # of nanoseconds
    waits = {name: number(row.get(STALL.format(name))) or 0 for name in STALLS}
    total = sum(waits.values())
    found["waits"] = {name: 100 * w / total for name, w in waits.items() if w} if total else {}
    return found


def line_of(cell, kernel, found):
    cells = [f"`{kernel}`", f"{cell}"]
    cells += ["" if found[name] is None else f"{found[name]:.1f}" for name in COLUMNS]
    most = sorted((w for w in found["waits"].items() if w[0] != "selected"), key=lambda w: -w[1])
    cells.append(", ".join(f"{name} {share:.0f}" for name, share in most[:NAMED_STALLS]))
    return "| " + " | ".join(cells) + " |"


def build_all(entries, processes):
    import torch
    if not torch.cuda.is_available():
        raise SystemExit("torch sees no CUDA device")
    major, minor = torch.cuda.get_device_capability(0)
    with concurrent.futures.ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(build, entries, [major * 10 + minor] * len(entries)))


def tell(entries, builds, rows, launches):
    """Prints the table; returns what --json gets."""
    print("| launch | shape | " + " | ".join(COLUMNS) + " | waits |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    told, at = [], iter(rows)
    for entry, (configuration, _), count in zip(entries, builds, launches):
        cell = Cell(Problem(entry["problem"]), entry["sizes"], entry.get("dtype"))
        for row in itertools.islice(at, count):
            found = figures_of(row)
            told.append({**entry, "configuration": configuration, "launch": row["Kernel Name"],
                         **found})
            print(line_of(cell, row["Kernel Name"], found))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json")
    parser.add_argument("--ncu", metavar="PROGRAM")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--launch", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        with open(options.launch, "rb") as file:
            launch_all(*pickle.load(file))
        return 0
    entries = [e for file in options.files for e in given_configurations(file)]
    if not entries:
        raise SystemExit("nothing to profile: name files of configurations")
    program_of(options)  # before minutes of compiling
    builds = build_all(entries, options.processes)
    for _, complaint in builds:
        if isinstance(complaint, str):
            print(complaint, file=sys.stderr)
    there = [pair for pair in zip(entries, builds) if pair[1][0]]
    if there:
        told = tell(*zip(*there), *profiled(options, *zip(*there)))
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(told, indent=1) + "\n")
    return 0 if len(there) == len(entries) else 1


if __name__ == "__main__":
    sys.exit(main())
