#!/usr/bin/env python3
"""Wall times of short programs by nightshift and by hyperfine -N, in turns in one run: how much of ours is in them.

    tools/bench/wall_times.py [--bin FOLDER] [--hyperfine PROGRAM] [--rounds N]

A round has 64 evaluations of nightshift (`noise`, ten runs each), then 300 runs of hyperfine, each program on the
same core. The table has medians of the rounds' medians, in milliseconds."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = {"/bin/true": ["/bin/true"], "sh -c :": ["/bin/sh", "-c", ":"],
            "python3 -S -c pass": [sys.executable, "-S", "-c", "pass"]}
PROBLEM = """
name = "wall-time"
[command]
environment = {{ NOTHING = "{{NOTHING}}" }}
argv = {argv}
runs = 10
[parameters]
NOTHING = [1, 2]
[[objective]]
name = "time"
unit = "ms"
[[command.figure]]
source = "wall-time"
"""


def by_nightshift(nightshift, argv, core, folder):
    problem = pathlib.Path(folder) / "problem.toml"
    problem.write_text(PROBLEM.format(argv=json.dumps(argv)))
    done = subprocess.run([nightshift, "noise", problem, "--visits", "64", "--devices", f"cpu:{core}", "--json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["devices"][0]["visits"]["median"]


def by_hyperfine(hyperfine, argv, core, folder):
    told = pathlib.Path(folder) / "hyperfine.json"
    subprocess.run(["taskset", "-c", str(core), hyperfine, "-N", "--style", "none", "--warmup", "20", "--runs", "300",
                    "--export-json", told, " ".join(f"'{word}'" for word in argv)], check=True, capture_output=True)
    return 1e3 * json.loads(told.read_text())["results"][0]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="where nightshift is")
    parser.add_argument("--hyperfine", default="hyperfine")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    nightshift = str(pathlib.Path(given.bin).resolve() / "nightshift")
    core = max(os.sched_getaffinity(0))
    print("| program | nightshift | hyperfine -N | difference |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, argv in PROGRAMS.items():
            ours, theirs = [], []
            for _ in range(given.rounds):
                ours.append(by_nightshift(nightshift, argv, core, folder))
                theirs.append(by_hyperfine(given.hyperfine, argv, core, folder))
            ours, theirs = statistics.median(ours), statistics.median(theirs)
            print(f"| `{name}` | {ours:.3f} ms | {theirs:.3f} ms | {ours - theirs:+.3f} ms |", flush=True)


if __name__ == "__main__":
    main()
