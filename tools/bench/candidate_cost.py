#!/usr/bin/env python3
"""What it costs to judge a Python candidate in processes that it can't deceive: an evaluation whose answers another
process compares, in a confined process of its own, beside the same evaluation in one process that does it all.

    taskset -c 1 python3 tools/bench/candidate_cost.py [--evaluations 25] [--only lists,window,numpy,torch]

Both distrust the kernel (measure.trust = "none"). They take turns. Prints seconds from the request to the answer, the
median of each, and the median of the ratios of neighbours. What needs a library that is not here is left out."""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORDER = {"do": "measure", "trust": "none", "samples": [20, 60], "precision": 0.01, "max_seconds": 10,
         "warm_up": {"runs": 3, "seconds": 0.01}, "min_sample_seconds": 5e-5, "cold_cache": False}
HEAD = "import nightshift as ns\nsolution = ns.candidate('solution.py')\n"
PROBLEM = '''
@ns.problem(space={{"source": [0]}}, device="cpu", dtype="{dtype}")
def problem(case, config):
    x = {inputs}
    return ns.Run(lambda: solution.answer(x), reference=lambda: {right})
'''
# By name: (library, type, inputs, what is right, the candidate).
PROBLEMS = {
    "lists": ("", "float64", "ns.uniform(400)", "[2 * one for one in x]", "[2 * one for one in x]"),
    "window": ("", "float64", "ns.uniform(5000)",
               "[sum(x[max(0, i - 8):i + 9]) for i in range(5000)]",
               "[sum(x[max(0, i - 8):i + 9]) for i in range(len(x))]"),
    "numpy": ("numpy", "float32", "numpy.random.rand(300, 300).astype('float32')",
              "x.astype('float64') @ x.astype('float64')", "x @ x"),
    "torch": ("torch", "float32", "ns.normal(512, 512)", "x.double() @ x.double()", "x @ x"),
}


class Server:
    """A process that serves a problem's file, of candidates or not."""

    def __init__(self, folder, name, is_of_candidates):
        library, dtype, inputs, right, candidate = PROBLEMS[name]
        for place in (folder, folder / "candidates" / "1"):
            place.mkdir(parents=True, exist_ok=True)
            (place / "solution.py").write_text(f"def answer(x):\n    return {candidate}\n")
        (folder / "problem.py").write_text((f"import {library}\n" if library else "") + HEAD +
                                           PROBLEM.format(dtype=dtype, inputs=inputs, right=right))
        changes = {"NIGHTSHIFT_CANDIDATES": str(folder / "candidates")} if is_of_candidates else {}
        self.configuration = {"source": 0, **({"NIGHTSHIFT_CANDIDATE": 1} if is_of_candidates else {})}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nightshift", "serve", str(folder / "problem.py")], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "NIGHTSHIFT_PROTOCOL": "2",
                 "NIGHTSHIFT_ROLE": "measure", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **changes})
        self.process.stdout.readline()

    def seconds(self, number):
        """Of an evaluation."""
        began = time.perf_counter()
        request = {**ORDER, "id": number, "seed": number, "configuration": self.configuration}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        while "phase" in (said := json.loads(self.process.stdout.readline())):
            pass
        if "time" not in said:
            sys.exit(f"it was not measured: {said}")
        return time.perf_counter() - began

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=25)
    parser.add_argument("--only", default=",".join(PROBLEMS))
    options = parser.parse_args()
    for name in options.only.split(","):
        if PROBLEMS[name][0] and importlib.util.find_spec(PROBLEMS[name][0]) is None:
            print(f"{name}: {PROBLEMS[name][0]} is not here")
            continue
        with tempfile.TemporaryDirectory(prefix="candidate-cost-") as made:
            servers = [Server(pathlib.Path(made) / str(number), name, bool(number)) for number in (0, 1)]
            took = ([], [])
            for number in range(1, options.evaluations + 1):
                for which in ((0, 1) if number % 2 else (1, 0)):
                    took[which].append(servers[which].seconds(number))
            for server in servers:
                server.end()
        ratio = statistics.median(b / a for a, b in zip(*took))
        print(f"{name}: one process {statistics.median(took[0]):.4f} s, a candidate {statistics.median(took[1]):.4f} s, "
              f"{100 * (ratio - 1):+.1f} %")


if __name__ == "__main__":
    main()
