#!/usr/bin/env python3
"""How fast a GPU is tuned: configurations a minute, the share of the time in which the device works,
and what deaths cost, for Nightshift and for a loop that compiles and measures one at a time.

    tools/bench/gpu_tuning.py [--nightshift PROGRAM] [--problem FILE] [--seconds N] [--devices IDS]

Figures are of the whole study, from the first baseline on; "busy" is time in which the device was
given to a trial, checks included, over wall time; "measuring" leaves the checks out. Each study
starts with an empty build cache.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tune(options, folder, name, *more, problem=None, seconds=None):
    study = pathlib.Path(folder) / name
    command = [options.nightshift, "tune", str(problem or options.problem), "--study", str(study),
               "--budget", f"{seconds or options.seconds}s", "--json", "--searcher", "random",
               "--devices", options.devices, *more]
    environment = dict(os.environ, NIGHTSHIFT_BUILD_CACHE=str(study) + ".cache")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return study, json.loads(done.stdout)


def rows_of(study):
    with sqlite3.connect(f"file:{next(study.glob('*.sqlite*'))}?mode=ro", uri=True) as database:
        return database.execute(
            "SELECT job, status, device, started, finished, check_seconds, measure_seconds, reason "
            "FROM trials WHERE finished IS NOT NULL ORDER BY finished").fetchall()


def figures(study, result):
    rows = rows_of(study)
    begin = min(r[4] for r in rows if r[0] == "baseline")
    end = max(r[4] for r in rows)
    devices = {r[2] for r in rows}
    later = [r for r in rows if r[4] > begin]
    explored = sum(r[0] == "explore" for r in later)
    exploring = [r for r in later if r[0] == "explore"]
    last = max(r[4] for r in exploring)
    span = (end - begin) * len(devices)
    return {"per_minute": 60 * explored / (last - begin) if last > begin else 0,
            "busy": sum(r[4] - r[3] for r in later if r[3]) / span,
            "measuring": sum((r[6] or 0) for r in later) / span,
            "ratio": (result.get("improvement") or {}).get("ratio"),
            "trials": explored}


def show(name, f):
    print(f"{name:44} {f['per_minute']:8.0f} {f['busy']:7.1%} {f['measuring']:9.1%} "
          f"{f['trials']:7}  {f['ratio']}")


def recovery(study):
    """Seconds from the end of a trial that died to the start of the next on the same device."""
    gaps = {}
    previous = {}
    for job, status, device, started, finished, _, _, reason in sorted(rows_of(study),
                                                                      key=lambda r: r[3] or 0):
        if started is None:
            continue
        before = previous.get(device)
        if before and before[0] in ("crashed", "timed_out"):
            gaps.setdefault(before[0], []).append(started - before[1])
        previous[device] = (status, finished)
    return gaps


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    parser.add_argument("--problem", default=str(ROOT / "kernels/cuda/rmsnorm/problem.toml"))
    parser.add_argument("--puzzles", default=str(ROOT / "tests/puzzles/gpu/problem.toml"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--devices", default="all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'':44} {'conf/min':>8} {'busy':>7} {'measuring':>9} {'trials':>7}  improvement")
        show("nightshift", figures(*tune(options, folder, "all")))
        show("one at a time (1 builder, 1 outstanding)", figures(*tune(
            options, folder, "one", "--outstanding", "1", "--set", "schedule.builders=1")))
        study, result = tune(options, folder, "puzzles", problem=options.puzzles)
        print(f"\nspace of deaths: {result['status']}, best {result['best']['configuration']}, "
              f"failed {result['trials']['failed']}")
        for status, gaps in recovery(study).items():
            print(f"  {status}: to the start of the next trial, median "
                  f"{statistics.median(gaps) * 1e3:.0f} ms, most {max(gaps) * 1e3:.0f} ms "
                  f"of {len(gaps)}")


if __name__ == "__main__":
    main()
