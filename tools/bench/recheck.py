#!/usr/bin/env python3
"""What `nightshift recheck` says of 50 winners of real host kernels: 30 whose sources have changed and
whose machine code has not, 15 with other machine code of the same speed, 3 that are 3 % slower, 2 that
do not build. Counts wrong verdicts over repetitions, and the time that they take.

    tools/bench/recheck.py [--repetitions 50] [--minutes 60] [--folder DIR]

Wrong is what names a change that is none, or none where there is one. Undecided is counted apart. With
--folder the studies are kept and used again."""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NIGHTSHIFT_BUILD_DIR", SOURCE / "build" / "release"))
NIGHTSHIFT = BUILD / "bin" / "nightshift"

PROBLEM = """
name = "scale"
[host]
kernel = { file = "scale.cc", function = "scale", flags = ["-std=c++20"] }
sizes = { N = 4096 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "inout"
[parameters]
WORK = [4, 1, 2]
[measure]
samples = 5
[acceptance]
self_test_pairs = 0
"""
SCALE = """
#include "change.h"
void scale(float* x) {
  NEW_CODE
  volatile float sink;
  float sum = 0;
  for (int r = 0; r < WORK * REPEATS; ++r)
    for (int i = 0; i < N; ++i) sum += x[i] * r;
  sink = sum;
  for (int i = 0; i < N; ++i) x[i] *= 2;
}
"""
SAME = "#define REPEATS 100\n"
BEFORE = "#define NEW_CODE\n" + SAME
AFTER = {
    "equal code": "#define NEW_CODE  // a comment\n" + SAME,
    "same speed": '#define NEW_CODE asm volatile("nop");\n' + SAME,
    "3 % slower": "#define NEW_CODE\n#define REPEATS 103\n",
    "no build": "#error it does not build\n",
}
KINDS = ["equal code"] * 30 + ["same speed"] * 15 + ["3 % slower"] * 3 + ["no build"] * 2
RIGHT = {"equal code": "unchanged", "same speed": "same speed", "3 % slower": "regressed",
         "no build": "broken"}


def run(*words, codes):
    done = subprocess.run([str(NIGHTSHIFT), *map(str, words)], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def make_studies(folder):
    for i, kind in enumerate(KINDS):
        kernel = folder / "kernels" / f"{i:02}"
        study = folder / "studies" / f"{i:02}"
        if not study.exists():
            kernel.mkdir(parents=True, exist_ok=True)
            (kernel / "problem.toml").write_text(PROBLEM)
            (kernel / "scale.cc").write_text(SCALE)
            (kernel / "change.h").write_text(BEFORE)
            run("tune", kernel / "problem.toml", "--study", study, "--budget", "3t", "--devices",
                "cpu:1", codes=(0,))
        (kernel / "change.h").write_text(AFTER[kind])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60, help="no repetition is begun after them")
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nightshift-bench-") as temporary:
        folder = (options.folder or pathlib.Path(temporary)).resolve()
        make_studies(folder)
        counts = collections.defaultdict(collections.Counter)
        seconds, build_seconds = [], []
        deadline = time.monotonic() + 60 * options.minutes
        while len(seconds) < options.repetitions and time.monotonic() < deadline:
            result = json.loads(run("recheck", folder / "studies", "--devices", "cpu:1", "--json",
                                    codes=(0, 4, 10, 11, 75)))
            for kind, winner in zip(KINDS, result["winners"], strict=True):
                counts[kind][winner["verdict"]] += 1
            seconds.append(result["seconds"])
            build_seconds.append(result["build_seconds"])
            print(f"{len(seconds)}: {result['seconds']:.0f} s, {result['verdicts']}", flush=True)
    if not seconds:
        sys.exit("no repetition was made; give more --minutes")
    print(f"{len(seconds)} repetitions, {sum(seconds) / len(seconds):.0f} s each, "
          f"{sum(build_seconds) / len(seconds):.0f} s of it to build")
    wrong = 0
    for kind, found in counts.items():
        wrong += sum(n for verdict, n in found.items() if verdict not in (RIGHT[kind], "undecided"))
        print(f"{kind:12}", ", ".join(f"{n} {verdict}" for verdict, n in found.most_common()))
    total = len(seconds) * len(KINDS)
    print(f"wrong verdicts: {wrong} of {total} ({100 * wrong / total:.2f} %)")


if __name__ == "__main__":
    main()
