#!/usr/bin/env python3
"""How often a study on a real GPU accepts a kernel that is no better, and one that is 2 % faster.

    tools/bench/gpu_acceptance.py [--nightshift PROGRAM] [--same N] [--faster N] [--devices IDS]

Each study is whole: baseline, exploration of two configurations, duels, hold-out. "Same" is the
baseline with other machine code that does the same; "faster" does 2 % less of the same work.
"""

import argparse
import pathlib
import tempfile

import gpu_study

KERNEL = """
__device__ int name = TAG;  // the same code under another name
extern "C" __global__ void busy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[i];
#pragma unroll 1
  for (int k = 0; k < WORK; ++k) sum = sum * 0.999f + 0.001f;
  y[i] = name > 100 ? 0.0f : sum;
}
"""
PROBLEM = """
name = "busy"
[parameters]
TAG = {tags}
WORK = {works}
[baseline]
TAG = 1
WORK = 10000
[cuda]
source = "busy.cu"
sizes = {{ N = 1048576 }}
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
gate = 1e-3
[[cuda.launch]]
kernel = "busy"
grid = "N // 256"
block = 256
arguments = ["x", "y"]
[search]
searcher = "exhaustive"
[acceptance]
self_test_pairs = 0
"""


def studies(options, folder, name, count, tags, works):
    problem = folder / f"{name}.toml"
    problem.write_text(PROBLEM.format(tags=tags, works=works))
    accepted = 0
    ratios = []
    for i in range(count):
        result = gpu_study.tune(options.nightshift, folder / f"{name}{i}", problem, "--seed",
                                str(i + 1), "--devices", options.devices, cache=folder / "cache")
        improvement = result["improvement"]
        accepted += improvement["accepted"]
        if improvement["accepted"]:
            ratios.append(improvement["ratio"])
    print(f"{name}: accepted in {accepted} of {count} studies"
          + (f", ratio {min(ratios):.4f} to {max(ratios):.4f}" if ratios else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--same", type=int, default=100)
    parser.add_argument("--faster", type=int, default=25)
    parser.add_argument("--devices", default="all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "busy.cu").write_text(KERNEL)
        studies(options, folder, "same", options.same, [1, 2, 3], [10000])
        studies(options, folder, "faster", options.faster, [1], [10000, 9800])


if __name__ == "__main__":
    main()
