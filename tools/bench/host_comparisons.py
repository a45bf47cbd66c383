#!/usr/bin/env python3
"""How often `nightshift compare` is right on this machine, on real kernels.

    tools/bench/host_comparisons.py --repeats 100 --minutes 25

For each host kernel of the catalogue, at a small size and one fixed configuration, comparisons of

    same      the configuration with itself under two names (a macro that nothing reads)
    slowed    the configuration and the same with about --slowdown more work after each call

The kinds and kernels take turns, so that whatever the machine does meanwhile hits all alike, and so
that what --minutes cuts off is cut off everywhere. Work is a chain of dependent multiplications,
its length set by comparisons with a long one at the start. Printed are the comparisons that showed a
difference, with exact (Clopper-Pearson) 95 % intervals: of `same` each is a false alarm, of
`slowed` those that name the right side are found. What was measured of the slowdown is the median
over all comparisons.
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_DIFFERENCE, SECOND_BETTER, SECOND_WORSE = 0, 10, 11
LONG = 20000  # multiplications, for the calibration
CALIBRATIONS = 5

# Sizes, and one good configuration as macros and options.
KERNELS = {
    "rmsnorm": ({"ROWS": 32, "COLUMNS": 4096},
                "LANES=8 UNROLL=4 ACCUMULATORS=2 ROW_BLOCK=1 PREFETCH=0 STREAM=0"),
    "sgemm": ({"M": 192, "N": 192, "K": 192},
              "MB=96 NB=96 KB=96 MR=6 NR=16 LANES=8 UNROLL=1 PREFETCH=0 PACK_A=1 PACK_B=1 THREADS=1 "
              "ORDER_JKI=1"),
    "conv2d": ({"HEIGHT": 128, "WIDTH": 128, "FILTER": 7},
               "TILE_Y=32 TILE_X=64 COLUMNS_FIRST=0 LANES=8 BLOCK_Y=4 BLOCK_X=2 REUSE=1 UNROLL_Y=1 "
               "UNROLL_X=1 PREFETCH=0"),
}

SOURCE = """\
#include "{source}"

namespace {{
volatile unsigned long long sink;
// As long as WORK multiplications that wait for one another.
inline void work() {{
  unsigned long long x = sink;
  for (long i = 0; i < WORK; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
  sink = x;
}}
}}  // namespace

extern "C" void slowed({parameters}) {{
  {function}({names});
  work();
}}
"""


def toml(value):
    """As TOML: what JSON writes, but for tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def c_type(argument):
    name = {"float32": "float"}[argument["type"]]
    if "value" in argument:
        return name
    return ("const " if argument["access"] == "in" else "") + name + "*"


class Kernel:
    def __init__(self, name, folder, options):
        self.name, self.options = name, options
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.work = LONG
        self.origin = ROOT / "kernels" / "host" / name
        with open(self.origin / "problem.toml", "rb") as file:
            self.problem = tomllib.load(file)["host"]
        self.write()

    def write(self):
        sizes, macros = KERNELS[self.name]
        host = self.problem
        arguments = host["argument"]
        (self.folder / "slowed.cc").write_text(SOURCE.format(
            source=self.origin / host["kernel"]["file"], function=host["kernel"]["function"],
            parameters=", ".join(f"{c_type(a)} {a['name']}" for a in arguments),
            names=", ".join(a["name"] for a in arguments)))
        flags = ["-std=c++20", "-Wno-psabi", "-O3", "-march=native"]
        flags += ["-D" + macro for macro in macros.split()]
        function = {"file": "slowed.cc", "function": "slowed"}
        reference = dict(host["reference"], file=str(self.origin / host["reference"]["file"]))
        lines = [f"name = {toml('compared-' + self.name)}", "[host]",
                 f"kernel = {toml(dict(function, flags=flags))}",
                 f"baseline = {toml(dict(function, flags=flags + ['-DWORK=0', '-DNAME=0']))}",
                 f"reference = {toml(reference)}", f"sizes = {toml(sizes)}",
                 f"tolerance = {toml(host['tolerance'])}"]
        for argument in arguments:
            lines += ["[[host.argument]]"] + [f"{k} = {toml(v)}" for k, v in argument.items()]
        lines += ["[parameters]", f"WORK = {toml([0, self.work])}", "NAME = [0, 1]"]
        (self.folder / "problem.toml").write_text("\n".join(lines) + "\n")

    def compare(self, first, second, seed):
        began = time.monotonic()
        done = subprocess.run(
            [str(self.options.bin / "nightshift"), "compare", str(self.folder / "problem.toml"),
             first, second, "--json", "--seed", str(seed)],
            capture_output=True, text=True, check=False)
        if done.returncode not in (NO_DIFFERENCE, SECOND_BETTER, SECOND_WORSE):
            raise RuntimeError(f"{self.name}, seed {seed}: {done.stderr.strip()}")
        return {"code": done.returncode, "ratio": json.loads(done.stdout)["ratio"],
                "seconds": time.monotonic() - began}

    def calibrate(self, seeds):
        longer = statistics.median(
            self.compare("WORK=0", f"WORK={self.work}", seeds.getrandbits(32))["ratio"]
            for _ in range(CALIBRATIONS)) - 1
        if longer <= 2 * self.options.slowdown:
            raise RuntimeError(f"{self.name}: {self.work} multiplications hardly show; the machine "
                               "is too busy to calibrate")
        self.work = max(1, round(self.work * self.options.slowdown / longer))
        self.write()


def binomial_tail(k, n, p):
    """P(X >= k)."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p)**(n - i) for i in range(k, n + 1))


def exact_interval(k, n, confidence=0.95):
    """Clopper and Pearson (1934), by bisection."""
    alpha = (1 - confidence) / 2

    def root(rises_above):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if rises_above(middle) else (middle, high)
        return (low + high) / 2

    return (0.0 if k == 0 else root(lambda p: binomial_tail(k, n, p) > alpha),
            1.0 if k == n else root(lambda p: 1 - binomial_tail(k + 1, n, p) < alpha))


def report(kind, name, results, counted):
    count = sum(r["code"] in counted for r in results)
    low, high = exact_interval(count, len(results))
    print(f"{kind:7} {name:8} {count:3} of {len(results):3} ({100 * low:.1f} to {100 * high:.1f} %)"
          f"  measured {100 * (statistics.median(r['ratio'] for r in results) - 1):+.2f} %"
          f"  {statistics.fmean(r['seconds'] for r in results):.1f} s each", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--repeats", type=int, default=100, help="of each kind for each kernel")
    parser.add_argument("--slowdown", type=float, default=0.03, help="0.03 = 3 %%")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not (options.bin / "nightshift").exists():
        sys.exit(f"{options.bin / 'nightshift'} is not there: build first, or give --bin")
    end = time.monotonic() + 60 * options.minutes
    kinds = {"same": ("NAME=0", "NAME=1", (SECOND_BETTER, SECOND_WORSE)),
             "slowed": ("WORK=0", "WORK={}", (SECOND_WORSE,))}
    seeds = random.Random(options.seed)
    load = [os.getloadavg()[1]]
    with tempfile.TemporaryDirectory() as folder:
        kernels = [Kernel(name, folder, options) for name in options.kernels.split(",")]
        for kernel in kernels:
            kernel.calibrate(seeds)
        results = {(kind, k.name): [] for kind in kinds for k in kernels}
        for _ in range(options.repeats):
            if time.monotonic() >= end:
                break
            for kind, (first, second, _) in kinds.items():
                for kernel in kernels:
                    results[kind, kernel.name].append(kernel.compare(
                        first, second.format(kernel.work), seeds.getrandbits(32)))
            load.append(os.getloadavg()[1])
    for (kind, name), of_kernel in results.items():
        if of_kernel:
            report(kind, name, of_kernel, kinds[kind][2])
    for kind, (_, _, counted) in kinds.items():
        together = [r for (k, _), of_kernel in results.items() if k == kind for r in of_kernel]
        if together:
            report(kind, "all", together, counted)
    print(f"load {min(load):.1f} to {max(load):.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
