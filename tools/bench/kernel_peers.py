#!/usr/bin/env python3
"""Our CUDA kernels beside their peers, interleaved in one run on one GPU.

    tools/bench/kernel_peers.py [--kernels rmsnorm,softmax]
                                [--shapes all|odd|large|models|@FILE.json|drawn:SEED
                                          |M=..,N=.. ...]
                                [--dtypes bfloat16,float32] [--configurations FILE.json]
                                [--peers NAME,NAME] [--rounds 7] [--seconds BUDGET] [--json FILE]
                                [--dry-run]

Of each kernel the shapes that its problem file publishes; `odd`: those whose last size is no power of
two, `large`: those that move 1 GB and more; `models`: those of public models that
kernel_peers/model_shapes.json lists for the kernel, `@FILE.json`: those of a file like it, and
`models:11-20` the eleventh to the twentieth of them, for runs that end in time; `drawn:SEED:COUNT`
so many that nobody chose, the same for a seed (kernel_peers/drawing.py). There may be several
words. The configuration is that of measured.json, or of the file given: a list of {problem, sizes,
dtype, configuration}.

Needs torch and triton. Peers are torch eager, torch.compile in its strongest mode, Triton kernels
tuned for each shape, the vendor's libraries behind torch, cuBLASLt by every algorithm that its
heuristics propose for the shape, Quack, Liger, DeepGEMM and FlashAttention 3 (the wheel fa3_fwd)
where they are installed, and Marlin where NIGHTSHIFT_MARLIN names its library
(kernel_peers/marlin.py says which); with --peers those alone whose names begin so. All do the same
work: the same outputs, stored in the same types. Each first computes what the problem's
reference.cu computes in double; one whose error is beyond the problem's gate is printed as wrong
and not timed. What does less than that, or is of another type, is timed beside them, marked, and is
nobody's best peer. Then all are captured as graphs of launches that go round sets of arguments of
more than three times the L2 cache, outputs included, so that nothing is read from the cache; what
cannot be captured is timed by events around its calls, and marked. In round r contestant r is
first; a copy of as many bytes runs in each round, by the driver and by a kernel, and the faster
counts. Intervals are 95 % and more, of the median over rounds; ratios are of the same round.

To take little time on the device, everything is compiled first, for all cells at once and in
processes beside each other; torch.compile's own choice among what it compiled is then made anew in
this process, on a quiet device. Cells that do not fit into --seconds are left out, which is said.

--dry-run compiles ours and the references and plans their launches, without a GPU or torch.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import time

from kernel_peers import driver, table, warming
from kernel_peers.problem import name_of_device, told_by_nvidia_smi
from kernel_peers.shapes import cells_of, given_configurations

# Those that have a peer that does the same work.
KERNELS = ["rmsnorm", "layernorm", "softmax", "masked_softmax", "rmsnorm_backward",
           "layernorm_backward", "layernorm_training", "add_rmsnorm", "rmsnorm_fp8",
           "cross_entropy", "cross_entropy_gradient", "row_sum", "full_sum", "add_layernorm",
           "swiglu_fp8", "swiglu_int8", "gated_rmsnorm_fp8", "gated_rmsnorm_int8", "rope", "copy",
           "vector_add", "transpose", "stencil2d", "conv2d", "int4_gemv", "bf16_gemm",
           "bf16_gemm_wgmma", "int8_gemm", "int8_gemm_wgmma", "int8_linear_wgmma", "fp8_gemm",
           "attention_forward"]
SHARE_FOR_COMPILING = 0.5  # of --seconds
DRY_MULTIPROCESSORS, DRY_ARCHITECTURE = 132, 90


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- What is asked for ---

def cells_asked_for(options):
    for name in options.kernels.split(","):
        if name not in KERNELS:
            raise SystemExit(f"--kernels: no peers are known of {name}; there are "
                             f"{', '.join(KERNELS)}")
    return cells_of(options.kernels, options.shapes, options.dtypes, options.peers)


# --- Without a device ---

def try_building(cell, configuration):
    try:
        built = driver.build_cell(cell, configuration, DRY_ARCHITECTURE)
        launches = cell.launches(configuration, DRY_MULTIPROCESSORS)
    except Exception as e:
        return None, str(e)
    return sum(len(code) for code, _ in built.values()), launches


def dry_run(jobs):
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(try_building, [j[0] for j in jobs], [j[1] for j in jobs])
        for (cell, configuration, origin), (size, found) in zip(jobs, done):
            invalid = "" if cell.is_valid(configuration) else ", breaks a constraint"
            if size is None or invalid:
                failed += 1
            print(f"{cell}: {origin}{invalid}, " + (f"does not build: {found}" if size is None else
                  f"{size} bytes of code, " + "; ".join(
                      f"{l.kernel} {l.grid}x{l.block} cluster {l.cluster} shared {l.shared_bytes}"
                      for l in found)))
    print(f"{len(jobs) - failed} of {len(jobs)} build")
    return 1 if failed else 0


# --- With one ---

def conditions():
    """Clocks, temperature and power as nvidia-smi tells them, or None."""
    return told_by_nvidia_smi(
        "clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active")


class Budget:
    """Whether another cell fits: one like it is taken to need what the slowest of late needed."""

    def __init__(self, begin, seconds):
        self.begin, self.seconds, self.costs = begin, seconds, []

    def left(self):
        return self.seconds - (time.monotonic() - self.begin)

    def fits(self):
        return self.left() > (max(self.costs[-5:]) if self.costs else 0)


def write_json(file, environment, rows, left_out):
    if file:
        content = {"environment": environment, "left_out": left_out,
                   "cells": [{**r, "summary": table.summary(r)} for r in rows]}
        pathlib.Path(file).write_text(json.dumps(content, indent=1) + "\n")


def measure_all(jobs, built, architecture, options, budget, environment):
    from kernel_peers import measuring
    rows, left_out = [], []
    for index, (cell, configuration, origin) in enumerate(jobs):
        if not budget.fits():
            left_out.append(str(cell))
            say(f"{cell}: left out, {budget.left():.0f} s are left")
            continue
        begin = time.monotonic()
        try:
            code = built.get(index) or driver.build_cell(cell, configuration, architecture)
            row = measuring.measure(cell, configuration, code, options.rounds, say)
        except Exception as e:
            left_out.append(f"{cell}: {e}")
            say(f"{cell}: {type(e).__name__}: {str(e)[:300]}")
            if not measuring.device_works():
                say("the device is lost to this process: the rest is left out")
                break
            continue
        row.update({"from": origin, "seconds": time.monotonic() - begin,
                    "conditions": conditions()})
        budget.costs.append(row["seconds"])
        rows.append(row)
        write_json(options.json, environment, rows, left_out)
        found = table.summary(row)
        say(f"{cell}: " + ", ".join(f"{n} {m:.2f}" for n, m in found["medians"].items())
            + f" us; {row['seconds']:.1f} s")
    return rows, left_out


def run(jobs, options, cache, begin):
    warming.set_environment(cache)
    import torch
    import triton
    if not torch.cuda.is_available():
        raise SystemExit("torch sees no CUDA device; --dry-run needs none")
    device = torch.cuda.get_device_properties(0)
    architecture = device.major * 10 + device.minor
    free, _ = torch.cuda.mem_get_info()
    environment = {"device": device.name, "multiprocessors": device.multi_processor_count,
                   "l2_bytes": device.L2_cache_size, "torch": torch.__version__,
                   "triton": triton.__version__, "nvrtc": driver.nvrtc_version(),
                   "cuda": torch.version.cuda, "conditions": conditions(), "rounds": options.rounds}
    say(", ".join(f"{k} {v}" for k, v in environment.items()))
    budget = Budget(begin, options.seconds)
    ahead = [(cell, configuration, architecture) for cell, configuration, _ in jobs]
    built = warming.warm_up(ahead, free, SHARE_FOR_COMPILING * options.seconds, say=say)
    from kernel_peers import contestants
    contestants.set_up()
    torch.cuda.set_stream(torch.cuda.Stream())
    rows, left_out = measure_all(jobs, built, architecture, options, budget, environment)
    write_json(options.json, environment, rows, left_out)
    print(f"{environment['device']}, CUDA {environment['nvrtc']}, torch {environment['torch']}, "
          f"triton {environment['triton']}; {options.rounds} rounds, "
          f"{time.monotonic() - begin:.0f} s")
    print(table.tables(rows))
    for cell in left_out:
        print(f"\nleft out: {cell}")
    return 0 if rows and not left_out else 1


def main():
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--shapes", nargs="+", default=["all"])
    parser.add_argument("--dtypes", default="", help="of the problem file where not given")
    parser.add_argument("--configurations", metavar="FILE.json")
    parser.add_argument("--peers", default=(), type=lambda text: text.split(","))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is at least 1")
    given = given_configurations(options.configurations)
    device = name_of_device()
    jobs = [(cell, *cell.choose(given, device)) for cell in cells_asked_for(options)]
    if options.dry_run:
        return dry_run(jobs)
    with tempfile.TemporaryDirectory() as cache:
        return run(jobs, options, cache, begin)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # A pool whose processes were ended while they compiled may be waited for without end.
    os._exit(status)
