#!/usr/bin/env python3
"""Whole studies on recorded spaces with noise, accepted by the real acceptance.

    tools/bench/noisy_studies.py --bin build/release/bin --searchers auto,lfbo-tree,random \\
        --noise 0.03 --budget 100 --seeds 5 SPACE.json.gz...

Every study is `nightshift tune SPACE` with `recorded.noise`: each evaluation is multiplied by a lognormal
factor of its own, besides drawing from the recorded repetitions. What is claimed is compared with
the truth, the medians of the recorded repetitions of baseline and chosen configuration:

    fraction    best recorded median over the chosen configuration's; 1 = the optimum was chosen
    claimed     share of studies that claim an improvement, and of those without a true gain
    bias        claimed minus true gain, in per cent of the time, mean and standard error

SPACE is a Kernel Tuner cache, plain or gzip.
"""

import argparse
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile


class Space:
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
        try:
            recording = json.loads(text)
        except json.JSONDecodeError:  # a cache that was not closed
            recording = json.loads(text.rstrip().rstrip(",") + "}}")
        self.name = pathlib.Path(path).name.split(".")[0]
        self.keys = recording["tune_params_keys"]
        self.times = {}
        for entry in recording["cache"].values():
            if isinstance(entry.get("time"), (int, float)):
                self.times[self.key(entry)] = statistics.median(entry.get("times") or [entry["time"]])
        self.best = min(self.times.values())

    def key(self, configuration):
        return tuple(configuration[k] for k in self.keys)

    def time(self, configuration):
        return self.times[self.key(configuration)]


def study(options, path, searcher, seed):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [str(options.bin / "nightshift"), "tune", path, "--study", folder + "/study", "--json",
             "--searcher", searcher, "--seed", str(seed), "--budget", f"{options.budget}t",
             "--set", f"recorded.noise={options.noise}"],
            capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{path}, {searcher}, seed {seed}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def judged(space, result):
    baseline = space.time(result["baseline"]["configuration"])
    improvement = result["improvement"]
    chosen = space.time(result["best"]["configuration"]) if improvement["accepted"] else baseline
    return {"fraction": space.best / chosen,
            "claims": improvement["accepted"],
            "false": improvement["accepted"] and chosen >= baseline,
            "bias": 100 * (chosen / baseline - improvement["ratio"])}


def mean_and_error(values):
    if not values:
        return math.nan, math.nan
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), error


def report(searcher, results):
    fraction = mean_and_error([r["fraction"] for r in results])
    bias = mean_and_error([r["bias"] for r in results if r["claims"]])
    claims = sum(r["claims"] for r in results) / len(results)
    false = sum(r["false"] for r in results) / len(results)
    print(f"{searcher:24} {len(results):4} studies  fraction {fraction[0]:.3f} +- {fraction[1]:.3f}"
          f"  claimed {100 * claims:5.1f} %, without a gain {100 * false:4.1f} %"
          f"  claimed minus true {bias[0]:+.2f} +- {bias[1]:.2f} points", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--searchers", default="auto,lfbo-tree,random")
    parser.add_argument("--noise", type=float, default=0.03, help="0.03 = 3 %% an evaluation")
    parser.add_argument("--budget", type=int, default=100, help="configurations a study")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("spaces", nargs="+")
    options = parser.parse_args()
    if not (options.bin / "nightshift").exists():
        sys.exit(f"{options.bin / 'nightshift'} is not there: build first, or give --bin")
    spaces = {path: Space(path) for path in options.spaces}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for searcher in options.searchers.split(","):
            runs = [(path, seed) for path in spaces for seed in range(1, options.seeds + 1)]
            results = pool.map(lambda run: (run[0], study(options, run[0], searcher, run[1])), runs)
            report(searcher, [judged(spaces[path], result) for path, result in results])


if __name__ == "__main__":
    main()
