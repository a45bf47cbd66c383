#!/usr/bin/env python3
"""Says how the catalogue's measured.json files stand beside a copy and the best peers, without a GPU.

    tools/bench/measured_summary.py [--kernels rmsnorm,softmax] [--shapes WORD ...] [--device NAME]
                                    [--below] [--behind]

A row for each kernel that computes nothing to speak of (its problem has no flops), and one for all: shapes
with a copy of as many bytes in the same run; of these at the goal, 97 % of the copy, or 92 % below 32 MB or
1024 columns; shapes with peers in the same run, the geometric mean of the best peer's time over ours, and
the least. --below lists the shapes below the goal as well, --behind those whose best peer is ahead, the
farthest first. --shapes are those of kernel_peers.py.
"""

import argparse
import statistics

from kernel_peers.problem import KERNELS, Cell, Problem
from kernel_peers.shapes import shapes_of
from kernel_peers.table import COPIES

LARGE_BYTES, LARGE_COLUMNS = 32e6, 1024
GOAL, GOAL_OF_SMALL = 0.97, 0.92
HEAD = ["kernel", "beside a copy", "at the goal", "beside peers", "best peer / ours", "least"]


class Standing:
    """Of an entry of measured.json; shares are None where there was nothing to compare with."""

    def __init__(self, problem, entry):
        cell = Cell(problem, entry["shape"], entry.get("dtype"))
        peers = dict(entry["peers_microseconds"])
        copies = [peers.pop(name) for name in COPIES if name in peers]
        ours = entry["microseconds"]
        is_large = cell.figure("bytes") >= LARGE_BYTES and cell.sizes.get("N", 0) >= LARGE_COLUMNS
        self.cell, self.goal = cell, GOAL if is_large else GOAL_OF_SMALL
        self.of_copy = min(copies) / ours if copies else None
        self.of_peer = min(peers.values()) / ours if peers else None

    def is_below(self):
        return self.of_copy is not None and self.of_copy < self.goal

    def is_behind(self):
        return self.of_peer is not None and self.of_peer < 1


def standings(problem, device, words=None):
    """`words` name shapes as those of kernel_peers.py do; all without."""
    shapes = shapes_of(problem, words) if words else None
    found = [Standing(problem, entry) for entry in problem.found if entry["device"] == device]
    return [s for s in found if shapes is None or s.cell.sizes in shapes]


def line(name, found):
    copied = [s for s in found if s.of_copy is not None]
    ratios = [s.of_peer for s in found if s.of_peer is not None]
    cells = [name, len(copied), len(copied) - sum(s.is_below() for s in copied), len(ratios)]
    cells += [f"{statistics.geometric_mean(ratios):.3f}", f"{min(ratios):.3f}"] if ratios else ["", ""]
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", help="all without flops")
    parser.add_argument("--shapes", nargs="+", metavar="WORD", help="all that were measured")
    parser.add_argument("--device", default="NVIDIA H200", metavar="NAME")
    parser.add_argument("--below", action="store_true")
    parser.add_argument("--behind", action="store_true")
    options = parser.parse_args()
    names = options.kernels.split(",") if options.kernels else \
        sorted(file.parent.name for file in KERNELS.glob("*/measured.json"))
    problems = [problem for problem in map(Problem, names)
                if options.kernels or "flops" not in problem.cuda]
    found = {problem.name: standings(problem, options.device, options.shapes)
             for problem in problems}
    everything = [s for one in found.values() for s in one]
    if not everything:
        raise SystemExit(f"nothing of these kernels and shapes was measured on {options.device}")
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for name, one in found.items():
        if one:
            print(line(f"`{name}`", one))
    print(line("all", everything))
    if options.below:
        for s in sorted(filter(Standing.is_below, everything), key=lambda s: s.of_copy / s.goal):
            print(f"{s.cell}: {100 * s.of_copy:.1f} % of a copy")
    if options.behind:
        for s in sorted(filter(Standing.is_behind, everything), key=lambda s: s.of_peer):
            print(f"{s.cell}: best peer / ours {s.of_peer:.3f}")


if __name__ == "__main__":
    main()
