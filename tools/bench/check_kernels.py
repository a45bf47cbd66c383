#!/usr/bin/env python3
"""Runs catalogue kernels once for each of some random configurations and checks their answers.

    tools/bench/check_kernels.py [--kernels rmsnorm,softmax] [--shapes M=..,N=.. ...] [--count 20]
                                 [--only NAME=VALUE,VALUE ...] [--seed N]
    compute-sanitizer --tool memcheck --error-exitcode 1 python3 tools/bench/check_kernels.py ...

Small work for NVIDIA's compute-sanitizer (memcheck, racecheck, synccheck, initcheck), which makes
kernels hundreds of times slower. Configurations are drawn from those that are valid; with --only a
parameter takes these values. Shapes are those given (or all, odd, large) that a kernel has the sizes
of, or the smallest that its problem file publishes. Needs torch for its tensors. Exit code 1 if any answer is wrong or a configuration could not be run.
"""

import argparse
import random
import sys

from kernel_peers.configurations import drawn
from kernel_peers.problem import Cell, Problem
from kernel_peers.shapes import named_values, shapes_of


def check(cell, configuration):
    """None, or what is wrong."""
    import torch
    from kernel_peers import data, driver, measuring
    properties = torch.cuda.get_device_properties(0)
    built = driver.build_cell(cell, configuration, properties.major * 10 + properties.minor)
    kernel, reference = driver.Module(built["kernel"]), driver.Module(built["reference"])
    arguments = data.Arguments(cell, configuration, sets=1)
    arguments.prepare(reference, configuration)
    expected = arguments.expected(reference, configuration)
    try:
        measuring.checked(cell, measuring.ours(cell, arguments, kernel, configuration), arguments,
                          expected)
    except measuring.Wrong as e:
        return str(e)
    finally:
        if measuring.device_works():
            kernel.close()
            reference.close()
    return None


def shapes_for(problem, given):
    chosen = [s for s in shapes_of(problem, given) if set(s) <= set(problem.cuda["sizes"])]
    return chosen or [min(problem.published, key=lambda s: Cell(problem, s, problem.dtype)
                          .figure("bytes") or 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kernels", default="rmsnorm,layernorm,softmax")
    parser.add_argument("--shapes", nargs="+", default=[], metavar="NAME=SIZE,...")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME=VALUES")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    only = named_values(options.only)
    rng = random.Random(options.seed)
    import torch
    if not torch.cuda.is_available():
        raise SystemExit("torch sees no CUDA device")
    torch.zeros(1, device="cuda")  # makes the context
    bad = 0
    for name in options.kernels.split(","):
        problem = Problem(name)
        for sizes in shapes_for(problem, options.shapes):
            cell = Cell(problem, sizes, problem.dtype)
            configurations = drawn(cell, options.count, only, rng)
            right = 0
            for configuration in configurations:
                try:
                    wrong = check(cell, configuration)
                except Exception as e:
                    wrong = f"{type(e).__name__}: {str(e)[:300]}"
                if wrong:
                    print(f"{cell}: {wrong}: {configuration}", flush=True)
                right += not wrong
            bad += len(configurations) - right + (not configurations)
            print(f"{cell}: {right} of {len(configurations)} configurations right", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
