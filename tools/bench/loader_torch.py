#!/usr/bin/env python3
"""Kernels of kernels/cuda, tuned and exported, called from torch through `nightshift.load_kernels()`: are their
answers right and the same under a captured graph, and do they take the time that the evaluator measured?

    python3 tools/bench/loader_torch.py --nightshift DIR/bin/nightshift --json out.json [--budget 40s] [KERNEL ...]

Needs one CUDA GPU, its driver and NVRTC, and python3 with torch. KERNEL: rmsnorm, softmax, transpose,
bf16_gemm_wgmma (of compute capability 9.0 alone); all of them where none is named. For each

  1. `tune` for the budget, `export --format cubin`
  2. the loader's answer against torch's in float32 (transpose: equal to the bit; else the norm of the error over
     that of the answer is at most 0.004, the gate of bfloat16), twice: equal to the bit
  3. the same under a captured graph and on a stream of its own: equal to the bit
  4. the time of a call as the evaluator takes it (a graph that goes through sets of arguments whose largest vectors
     fill L2 three times), beside that of `nightshift compare STUDY` before and after it: both medians, their ratio
  5. that wrong sizes, types and overlaps are refused

Prints a row a kernel; exit code 1 where an answer is wrong or a ratio is further from 1 than --within (0.01).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


def normal(torch, *shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def rmsnorm(torch, x, weight):
    wide = x.float()
    return wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5) * weight.float()


_PAUSE = 0.02  # seconds between two samples

# Sizes of the problem files; inputs, the shape of the output, and torch's answer.
KERNELS = {
    "rmsnorm": ({"M": 32768, "N": 4096, "AFFINE": 1},
                lambda t, s: [normal(t, s["M"], s["N"]), normal(t, s["N"])], ("M", "N"), rmsnorm),
    "softmax": ({"M": 32768, "N": 4096}, lambda t, s: [normal(t, s["M"], s["N"])], ("M", "N"),
                lambda t, x: t.softmax(x.float(), -1)),
    "transpose": ({"M": 8192, "N": 8192}, lambda t, s: [normal(t, s["M"], s["N"])], ("N", "M"),
                  lambda t, x: x.t().contiguous()),
    "bf16_gemm_wgmma": ({"M": 4096, "N": 4096, "K": 4096},
                        lambda t, s: [normal(t, s["M"], s["K"]), normal(t, s["N"], s["K"])], ("M", "N"),
                        lambda t, a, b: a.float() @ b.float().t()),
}


class Bench:
    def __init__(self, options, folder):
        import torch
        import nightshift
        self.torch, self.load, self.error = torch, nightshift.load_kernels, nightshift.KernelError
        self.options, self.folder = options, folder
        self.l2 = torch.cuda.get_device_properties(0).L2_cache_size

    def run(self, *words, codes=(0, 3)):
        print("nightshift", *words, file=sys.stderr, flush=True)
        environment = dict(os.environ, NIGHTSHIFT_HISTORY="off")
        done = subprocess.run([self.options.nightshift, *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def evaluated(self, name):
        """Microseconds of the winner as the evaluator measures it now: the median of its evaluations. Without
        --wait, which would wait for this process to leave the GPU."""
        told = json.loads(self.run("compare", name, "--json", "--pairs", 16, codes=(0, 10, 11)))
        return statistics.median(told["devices"][0]["visits"]["second"])

    def timed(self, call, sets):
        """Microseconds of a call: of graphs of a round through the sets, the median of 30. With pauses, as the
        evaluator has them: a product without any lowers the GPU's clocks."""
        torch = self.torch
        rounds = max(1, 5 // len(sets))
        for one in sets:
            call(*one)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for one in sets:  # the first calls of this stream make its work vectors
                call(*one)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(rounds):
                for one in sets:
                    call(*one)
        times = []
        for number in range(40):
            time.sleep(_PAUSE)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            if number >= 10:
                times.append(begin.elapsed_time(end) * 1000 / (rounds * len(sets)))
        return statistics.median(times)

    def captured(self, call, vectors, output):
        torch = self.torch
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            call(*vectors)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            call(*vectors)
        output.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        return output.clone()

    def refused(self, call, vectors):
        """How many of four mistakes are refused."""
        torch = self.torch
        mistakes = [[*vectors[:-1], vectors[-1].float()], [*vectors[:-1], vectors[0].flatten()[:-8]],
                    [vectors[0].cpu(), *vectors[1:]], [*vectors[:-1], vectors[0]]]
        count = 0
        for wrong in mistakes:
            try:
                call(*wrong)
            except self.error:
                count += 1
        torch.cuda.synchronize()
        return count

    def row(self, name):
        torch = self.torch
        sizes, inputs, shape, answer = KERNELS[name]
        tuned = json.loads(self.run("tune", ROOT / f"kernels/cuda/{name}/problem.toml", "--study", name, "--json",
                                    "--budget", self.options.budget))
        self.run("export", name, "--format", "cubin", "--output", f"{name}.kernels")
        kernels = self.load(self.folder / f"{name}.kernels")

        def call(*vectors):
            kernels(*vectors, **sizes)

        def fresh():
            return [*inputs(torch, sizes), torch.empty([sizes[s] for s in shape], device="cuda", dtype=torch.bfloat16)]

        vectors = fresh()
        output = vectors[-1]
        call(*vectors)
        torch.cuda.synchronize()
        first = output.clone()
        expected = answer(torch, *vectors[:-1])
        error = ((first.float() - expected.float()).norm() / expected.float().norm()).item()
        del expected
        output.fill_(float("nan"))
        call(*vectors)
        torch.cuda.synchronize()
        again = torch.equal(output, first)
        in_graph = torch.equal(self.captured(call, vectors, output), first)
        refused = self.refused(call, vectors)
        largest = max(v.numel() * v.element_size() for v in vectors)
        sets = [vectors] + [fresh() for _ in range(max(0, -(-3 * self.l2 // largest) - 1))]
        before = self.evaluated(name)
        loader = self.timed(call, sets)
        after = self.evaluated(name)
        evaluator = statistics.median([before, after])
        return {"kernel": name, "status": tuned["status"], "configuration": kernels.choose(**sizes)["configuration"],
                "error": error, "equal_again": again, "equal_in_graph": in_graph, "refused": refused,
                "loader_us": loader, "evaluator_us": [before, after], "ratio": loader / evaluator,
                "right": again and in_graph and refused == 4 and error <= (0 if name == "transpose" else 0.004),
                "sets": len(sets)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", nargs="*", metavar="KERNEL", help="of " + ", ".join(KERNELS))
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    parser.add_argument("--budget", default="40s")
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    options.nightshift = str(pathlib.Path(options.nightshift).resolve())
    names = options.kernel or list(KERNELS)
    if unknown := [name for name in names if name not in KERNELS]:
        parser.error(f"{', '.join(unknown)}: expected some of {', '.join(KERNELS)}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, pathlib.Path(folder))
        print("| kernel | error | equal again, in a graph | refused | loader us | evaluator us | ratio |\n"
              "|---|---|---|---|---|---|---|")
        for name in names:
            row = bench.row(name)
            rows.append(row)
            print(f"| {name} | {row['error']:.2g} | {row['equal_again']}, {row['equal_in_graph']} | {row['refused']} of 4 "
                  f"| {row['loader_us']:.2f} | {row['evaluator_us'][0]:.2f}, {row['evaluator_us'][1]:.2f} "
                  f"| {row['ratio']:.4f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if all(row["right"] and abs(row["ratio"] - 1) <= options.within for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
