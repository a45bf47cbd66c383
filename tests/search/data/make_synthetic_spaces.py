#!/usr/bin/env python3
"""Writes synthetic_spaces.txt: the 112 generated spaces of the published comparison of solvers
(arXiv 2509.26253), with their numbers of valid configurations counted by numpy. Needs numpy.

A line: the number of values of each parameter, '|', pairs i,j of restrictions, '|', valid count.
A parameter's values are equally spaced over [-500, 500]. The restriction i,j stands for
  p_i <= -250 where i == j,  p_i * p_j >= -250 where i < j,  p_i > p_j / 2.0 where i > j.
"""

import itertools
import math
import pathlib

import numpy

SEEDS = [7301, 1581, 2517, 5875, 9494, 6633, 4385, 2019, 7114, 1775, 8227, 9159, 8252, 9793, 9867,
         9616, 4698, 6927, 3986, 9535]
SIZES = [10**4, 2 * 10**4, 5 * 10**4, 10**5, 2 * 10**5, 5 * 10**5, 10**6]


def value_counts(dimensions, size):
    per_dimension = size ** (1 / dimensions)
    wrong_way = math.floor(per_dimension) + round(math.ceil(per_dimension) - per_dimension)
    return [round(per_dimension)] * (dimensions - 1) + [max(1, wrong_way)]


def holds(pair, axes):
    i, j = pair
    if i == j:
        return axes[i] <= -250.0
    return axes[i] * axes[j] >= -250.0 if i < j else axes[i] > axes[j] / 2.0


def count_valid(counts, pairs):
    values = [numpy.linspace(-500, 500, num=n) for n in counts]
    axes = numpy.meshgrid(*values, indexing="ij", sparse=True)
    valid = numpy.ones(counts, dtype=bool)
    for pair in pairs:
        valid &= holds(pair, axes)
    return int(valid.sum())


def main():
    seeds = itertools.cycle(SEEDS)
    lines = []
    for dimensions in range(2, 6):
        for size in SIZES:
            for restrictions in (1, 3, 4, 6):
                every = list(itertools.product(range(dimensions), repeat=2))
                state = numpy.random.RandomState(next(seeds))
                chosen = state.choice(len(every), size=min(restrictions, len(every)), replace=False)
                counts = value_counts(dimensions, size)
                pairs = [every[k] for k in chosen]
                lines.append(" ".join(map(str, counts)) + " | " +
                             " ".join(f"{i},{j}" for i, j in pairs) + " | " +
                             str(count_valid(counts, pairs)))
    here = pathlib.Path(__file__).resolve().parent
    (here / "synthetic_spaces.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
