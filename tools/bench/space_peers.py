#!/usr/bin/env python3
"""Construction of search spaces by bench-space and by its peers, on this machine, side by side.

    tools/bench/space_peers.py --bench build/release/bin/bench-space --venv FOLDER [--install]
                               [--limit SECONDS] [--only NAME]... [--json FILE]

The peers are Kernel Tuner's default solver (python-constraint 2), pyATF's chain of trees, and
plain brute force in Python. They run under FOLDER/bin/python; --install makes that environment and
installs kernel_tuner and pyatf there. Each space and peer is a process of its own. Time is that of
the construction alone, without imports. Constraints are read from text within the time where the
peer does so too (Kernel Tuner), and before it beside pyATF and brute force, whose constraints are
compiled functions. Memory is the growth of the peak resident size meanwhile. Of several runs within a second the median
counts, and of three processes of ours the fastest: ours takes microseconds, in which any other load shows. A peer that
needs longer than the limit (300 s) is ended, and one that needs more than 4 GB fails; brute force beyond 10 s is
extrapolated from a sample. The last table sets the fastest peer that finished beside ours.

Returns 1 where a peer counts another number of configurations.
"""

import argparse
import json
import math
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import time
import venv

PEERS = ["kernel_tuner", "pyatf", "brute_force"]
BRUTE_FORCE_SECONDS = 10
OUR_RUNS = 3
MEMORY_LIMIT = 4 << 30  # a peer that lists 1e8 configurations would take the machine with it


# --- In the peers' environment ---

def names_in(constraint, parameters):
    code = compile(constraint, "constraint", "eval")
    return [name for name in parameters if name in code.co_names]


def build_kernel_tuner(space):
    from kernel_tuner.searchspace import Searchspace

    def build():
        # No parameter is called block_size_*, so no constraint is added for 1024 threads.
        return len(Searchspace(dict(space["parameters"]), list(space["constraints"]), 1024).list)
    return build


def build_pyatf(space):
    from pyatf import TP, Set
    from pyatf.search_space import SearchSpace

    # A constraint belongs to the last of its parameters: it may only look back.
    parameters = list(space["parameters"])
    due = {name: [] for name in parameters}
    for constraint in space["constraints"]:
        due[names_in(constraint, parameters)[-1]].append(constraint)
    tuned = []
    for name, values in space["parameters"].items():
        predicate = None
        if due[name]:
            text = " and ".join(f"({c})" for c in due[name])
            used = names_in(text, parameters)
            predicate = eval(f"lambda {', '.join(used)}: {text}")
        tuned.append(TP(name, Set(*values), predicate))
    return lambda: SearchSpace(*tuned, verbosity=0).constrained_size


def build_brute_force(space):
    import itertools

    names = list(space["parameters"])
    text = " and ".join(f"({c})" for c in space["constraints"]) or "True"
    valid = eval(f"lambda {', '.join(names)}: {text}")
    return lambda: sum(1 for row in itertools.product(*space["parameters"].values()) if valid(*row))


def extrapolated_brute_force(space):
    names = list(space["parameters"])
    text = " and ".join(f"({c})" for c in space["constraints"]) or "True"
    valid = eval(f"lambda {', '.join(names)}: {text}")
    rows = [[random.choice(v) for v in space["parameters"].values()] for _ in range(100_000)]
    begin = time.perf_counter()
    for row in rows:
        valid(*row)
    each = (time.perf_counter() - begin) / len(rows)
    return each * math.prod(len(v) for v in space["parameters"].values())


def work(peer):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    space = json.load(sys.stdin)
    if peer == "brute_force":
        estimate = extrapolated_brute_force(space)
        if estimate > BRUTE_FORCE_SECONDS:
            print(json.dumps({"seconds": estimate, "extrapolated": True}))
            return
    build = {"kernel_tuner": build_kernel_tuner, "pyatf": build_pyatf,
             "brute_force": build_brute_force}[peer](space)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    while not times or (sum(times) < 1 and len(times) < 20):
        begin = time.perf_counter()
        valid = build()
        times.append(time.perf_counter() - begin)
        if len(times) == 1:
            kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"seconds": statistics.median(times), "valid": str(valid),
                      "kilobytes": kilobytes}))


# --- The comparison ---

def python_of(folder):
    return folder / "bin" / "python"


def install(folder):
    venv.create(folder, with_pip=True)
    subprocess.run([python_of(folder), "-m", "pip", "install", "-q", "kernel_tuner", "pyatf"],
                   check=True)


def run_peer(peer, space, arguments):
    try:
        done = subprocess.run([python_of(arguments.venv), __file__, "--work", peer],
                              input=json.dumps(space), capture_output=True, text=True,
                              timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        return {"seconds": arguments.limit, "ended": True}
    if done.returncode != 0 and "MemoryError" in done.stderr:
        return {"error": "memory"}
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else "failed"}
    return json.loads(done.stdout.splitlines()[-1])


def run_ours(bench, name):
    runs = [json.loads(subprocess.run(bench + ["--json", "--runs", "11", "--only", name],
                                      check=True, capture_output=True, text=True).stdout)[0]
            for _ in range(OUR_RUNS)]
    best = min(runs, key=lambda run: run["seconds"])
    best["parse_seconds"] = min(run["parse_seconds"] for run in runs)
    best["kilobytes"] = max(run["kilobytes"] for run in runs)
    return best


def own_seconds(ours, peer):
    return ours["seconds"] + (ours["parse_seconds"] if peer == "kernel_tuner" else 0)


def seconds_text(result):
    if "error" in result:
        return "> 4 GB" if result["error"] == "memory" else "fails"
    mark = "> " if result.get("ended") else "~" if result.get("extrapolated") else ""
    seconds = result["seconds"]
    if seconds < 0.1:
        return mark + f"{seconds * 1e3:.3g} ms"
    return mark + (f"{seconds:.3g} s" if seconds < 1e5 else f"{seconds / 31557600:.2g} years")


def fastest_peer(entry):
    """The one with the smallest ratio to ours, which parses as well where the peer does."""
    finished = [peer for peer in PEERS if "valid" in entry[peer]]
    return min(finished, default=None,
               key=lambda peer: entry[peer]["seconds"] / own_seconds(entry["nightshift"], peer))


def print_fastest(table):
    print("\n| space | configurations | Nightshift | fastest peer | ratio |\n|---|---|---|---|---|")
    for entry in table:
        ours = entry["nightshift"]
        peer = fastest_peer(entry)
        own = own_seconds(ours, peer)
        line = (f"| {entry['space']} | {int(ours['valid']):,} | "
                f"{seconds_text({'seconds': own})}, {memory_text(ours)} | ")
        if peer is None:
            print(line + "none finishes | - |")
            continue
        print(line + f"{peer}: {seconds_text(entry[peer])}, {memory_text(entry[peer])} | "
                     f"{entry[peer]['seconds'] / own:.3g} |")


def memory_text(result):
    return f"{result['kilobytes'] / 1024:.1f} MB" if "kilobytes" in result else "-"


def compare(arguments):
    bench = [str(arguments.bench)]
    spaces = json.loads(subprocess.run(bench + ["--definitions"], check=True, capture_output=True,
                                       text=True).stdout)
    wrong = False
    table = []
    print(f"load average before: {os.getloadavg()[0]:.2f}")
    print(f"{'space':<13} {'valid':>21} {'nightshift':>11} {'memory':>7} | " + " | ".join(
        f"{peer:>12} {'memory':>8} {'ratio':>9}" for peer in PEERS))
    for space in spaces:
        if arguments.only and space["name"] not in arguments.only:
            continue
        ours = run_ours(bench, space["name"])
        entry = {"space": space["name"], "nightshift": ours}
        columns = []
        for peer in PEERS:
            result = entry[peer] = run_peer(peer, space, arguments)
            differs = "valid" in result and result["valid"] != ours["valid"]
            wrong |= differs
            own = own_seconds(ours, peer)
            ratio = f"{result['seconds'] / own:.3g}x" if "seconds" in result else "-"
            columns.append(f"{seconds_text(result):>12} {memory_text(result):>8} "
                           f"{'WRONG' if differs else ratio:>9}")
        table.append(entry)
        print(f"{space['name']:<13} {ours['valid']:>21} {ours['seconds'] * 1e3:>8.3f} ms "
              f"{ours['kilobytes'] / 1024:>4.1f} MB | " + " | ".join(columns), flush=True)
    print(f"load average after: {os.getloadavg()[0]:.2f}")
    print_fastest(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1) + "\n")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path, default="build/release/bin/bench-space")
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--only", action="append")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--work", choices=PEERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        return work(arguments.work)
    if arguments.venv is None:
        parser.error("--venv FOLDER says where kernel_tuner and pyatf are installed; with "
                     "--install they are put there")
    if arguments.install:
        install(arguments.venv)
    if not python_of(arguments.venv).exists():
        parser.error(f"there is no {python_of(arguments.venv)}; --install makes it")
    return compare(arguments)


if __name__ == "__main__":
    sys.exit(main())
