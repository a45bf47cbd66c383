#!/usr/bin/env python3
"""Twelve studies of the CUDA catalogue as one batch on all GPUs, and one after the other on the first.

    python3 tools/bench/gpu_batch.py [--seconds 20] [--work FOLDER] [--nightshift PROGRAM]

Prints for both how long it took, how many configurations were explored, how many improvements were
accepted, what the duels cost, and what share of its time each device measured. Builds are never
taken from a cache."""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

from duel_cost import duels_of, told

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = [(kernel, columns) for kernel in ("rmsnorm", "softmax", "layernorm")
           for columns in (2048, 8192)] + [(kernel, None) for kernel in (
               "add_rmsnorm", "rmsnorm_backward", "cross_entropy", "transpose", "int4_gemv",
               "bf16_gemm_wgmma")]
EXPLORED = "SELECT count(*) FROM trials WHERE job = 'explore' AND status != 'in flight'"
MEASURED = "SELECT total(finished - started) FROM trials WHERE finished IS NOT NULL AND device != ''"


def ask(journal, query):
    with sqlite3.connect(journal) as database:
        return database.execute(query).fetchone()[0]


def name_of(kernel, columns):
    return kernel if columns is None else f"{kernel}-{columns}"


def problem_of(kernel):
    return ROOT / "kernels/cuda" / kernel / "problem.toml"


class Run:
    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="gpu-batch-"))
        self.work.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, NIGHTSHIFT_BUILD_CACHE="off")

    def nightshift(self, log, *arguments):
        began = time.monotonic()
        with open(self.work / log, "w") as output:
            done = subprocess.run([self.options.nightshift, *map(str, arguments)], stdout=output,
                                  stderr=subprocess.STDOUT, env=self.environment)
        if done.returncode not in (0, 3):
            sys.exit(f"{arguments} ended with {done.returncode}: see {self.work / log}")
        return time.monotonic() - began

    def batch(self):
        lines = ["[defaults]", f'budget = "{self.options.seconds}s"', "warm_start = false"]
        for kernel, columns in STUDIES:
            lines += ["[[study]]", f'problem = "{problem_of(kernel)}"',
                      f'name = "{name_of(kernel, columns)}"']
            if columns:
                lines.append(f"set = {{ cuda.sizes.N = {columns} }}")
        file = self.work / "night.toml"
        file.write_text("\n".join(lines) + "\n")
        seconds = self.nightshift("batch.log", "batch", "run", file, "--batch", self.work / "batch")
        with sqlite3.connect(self.work / "batch/batch.sqlite") as database:
            busy = [row[0] for row in database.execute("SELECT busy_seconds FROM devices")]
        return seconds, [self.work / "batch" / name_of(*s) for s in STUDIES], busy

    def one_by_one(self):
        seconds, folders, busy = 0, [], 0
        for kernel, columns in STUDIES:
            folder = self.work / f"alone-{name_of(kernel, columns)}"
            sizes = ("--set", f"cuda.sizes.N={columns}") if columns else ()
            seconds += self.nightshift(f"{folder.name}.log", "tune", problem_of(kernel), "--budget",
                                       f"{self.options.seconds}s", "--devices", "gpu:0", "--study",
                                       folder, *sizes)
            busy += ask(folder / "journal.sqlite", MEASURED)
            folders.append(folder)
        return seconds, folders, [busy]


def accepted(options, folder):
    done = subprocess.run([options.nightshift, "export", str(folder), "--format", "json"],
                          capture_output=True, text=True)
    return '"accepted": true' in done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--work")
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    run = Run(parser.parse_args())
    for title, measure in (("one batch on all GPUs", run.batch),
                           ("one after the other on the first", run.one_by_one)):
        seconds, folders, busy = measure()
        explored = sum(ask(folder / "journal.sqlite", EXPLORED) for folder in folders)
        claims = sum(accepted(run.options, folder) for folder in folders)
        duels = told(*duels_of(folder / "journal.sqlite" for folder in folders))
        shares = ", ".join(f"{100 * b / seconds:.1f} %" for b in busy)
        print(f"{title}: {seconds:.1f} s, {explored} configurations explored, {claims} of "
              f"{len(folders)} accepted, {duels}, devices measure {shares} of the time", flush=True)


if __name__ == "__main__":
    main()
