#!/usr/bin/env python3
"""Tunes options of gcc for c-ray and bzip2, and compares what comes out with the line everybody would try.

    python3 tools/bench/compiler_options.py --c-ray FOLDER --bzip2 FOLDER
            [--budget 10m] [--seeds 5] [--pairs 48] [--work FOLDER] [--nightshift PROGRAM]

FOLDER of c-ray has c-ray-f.c and scene (jtsiomb/c-ray, c-ray-f), that of bzip2 its sources. Two cores for
each study, one to measure on and one to build; as many studies at once as there are pairs of cores.
Prints for each seed how many configurations were explored, what was accepted against -O2, and best
over `-O3 -march=native -ffast-math`, measured in pairs (below 1: the best is faster)."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["-ffast-math", "-funroll-loops", "-fomit-frame-pointer", "-fno-plt", "-fipa-pta",
           "-ftree-vectorize", "-fgcse-las", "-fsched-pressure", "-frename-registers",
           "-fprefetch-loop-arrays", "-fno-math-errno", "-floop-interchange", "-fsplit-loops"]
PLAIN = "OPT=-O3,MARCH=-march=native,F0=-ffast-math"
PROGRAMS = {
    "c-ray": (["c-ray-f.c"], ["-lm"], ["-s", "320x240", "-r", "2", "-i", "scene", "-o", "/dev/null"]),
    "bzip2": (["blocksort.c", "bzip2.c", "bzlib.c", "compress.c", "crctable.c", "decompress.c",
               "huffman.c", "randtable.c"], [], ["-k", "-c", "data"]),
}


def problem(name):
    """16 parameters; -w, which changes no code, stands for an option that is not given."""
    sources, libraries, arguments = PROGRAMS[name]
    options = ["{OPT}", "{MARCH}", "{LTO}", *(f"{{F{i}}}" for i in range(len(OPTIONS)))]
    tail = [*sources, "-o", "{artifact}/program", *libraries]
    lines = [f'name = "{name}"', "[command]", 'mode = "per-trial"',
             f"build = {json.dumps(['gcc', '-w', *options, *tail])}",
             f"baseline_build = {json.dumps(['gcc', '-w', '-O2', *tail])}",
             f"inputs = {json.dumps(sources)}",
             f"argv = {json.dumps(['{artifact}/program', *arguments])}",
             "runs = 3", "cores = 1", "[[command.figure]]", 'objective = "time"',
             'source = "wall-time"', "[parameters]", 'OPT = ["-O2", "-O1", "-O3", "-Os"]',
             'MARCH = ["-w", "-march=native"]', 'LTO = ["-w", "-flto"]']
    lines += [f'F{i} = ["-w", "{option}"]' for i, option in enumerate(OPTIONS)]
    lines += ["[[objective]]", 'name = "time"', 'unit = "ms"', 'direction = "minimise"']
    return "\n".join(lines) + "\n"


def study(options, work, name, seed, cores):
    def nightshift(*arguments):
        return subprocess.run(["taskset", "-c", cores, options.nightshift, *map(str, arguments)],
                              capture_output=True, text=True).stdout
    folder, file = work / f"{name}-{seed}", work / name / "problem.toml"
    told = nightshift("tune", file, "--budget", options.budget, "--seed", seed, "--study", folder)
    claim = re.search(r"Improvement accepted: time ([0-9.]+ %) lower", told)
    explored = nightshift("export", folder, "--format", "csv").count(",explore,")
    best = json.loads(nightshift("export", folder, "--format", "json"))["configuration"]
    text = ",".join(f"{key}={value}" for key, value in best.items())
    pairs = json.loads(nightshift("compare", file, PLAIN, text, "--pairs", options.pairs, "--json"))
    low, high = pairs["interval"]
    return (f"| {name} | {seed} | {explored} | {claim.group(1) if claim else 'nothing'} | "
            f"{pairs['ratio']:.3f} [{low:.3f}, {high:.3f}] | "
            f"{' '.join(value for value in best.values() if value != '-w')} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--c-ray")
    parser.add_argument("--bzip2")
    parser.add_argument("--budget", default="10m")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pairs", default="48")
    parser.add_argument("--work")
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    options = parser.parse_args()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="compiler-options-"))
    wanted = []
    for name, folder in (("c-ray", options.c_ray), ("bzip2", options.bzip2)):
        if not folder:
            continue
        shutil.copytree(folder, work / name)
        if name == "bzip2":  # something to compress that every machine has
            (work / name / "data").write_bytes(pathlib.Path(options.nightshift).read_bytes()[:2000000])
        (work / name / "problem.toml").write_text(problem(name))
        wanted += [(name, seed) for seed in range(1, options.seeds + 1)]
    usable = sorted(os.sched_getaffinity(0))
    free = Queue()
    for i in range(0, len(usable) - 1, 2):
        free.put(f"{usable[i]},{usable[i + 1]}")

    def on_free_cores(task):
        cores = free.get()
        try:
            return study(options, work, *task, cores)
        finally:
            free.put(cores)

    print("| program | seed | explored | accepted against -O2 | best over the plain line | options |")
    print("|---|---|---|---|---|---|")
    with ThreadPoolExecutor(max(free.qsize(), 1)) as pool:
        for line in pool.map(on_free_cores, wanted):
            print(line, flush=True)


if __name__ == "__main__":
    main()
