"""A callable on the CPU, without any library: sums of products in blocks.

    nightshift tune python/examples/cpu_blocks.py
"""

import math

import nightshift as ns


@ns.problem(device="cpu", space={"block": [1, 4, 16, 64, 256], "way": ["loop", "map", "fsum"]},
            where=["block <= N"], cases={"small": dict(N=256), "large": dict(N=2048)},
            tolerance=1e-5)
def dot(case, config):
    x, y = ns.normal(case.N, dtype="float64"), ns.uniform(case.N, dtype="float64")
    out = ns.output(1, dtype="float64")

    def loop(a, b):
        total = 0.0
        for left, right in zip(a, b):
            total += left * right
        return total

    def mapped(a, b):
        return sum(map(float.__mul__, a.tolist(), b.tolist()))

    def fsum(a, b):
        return math.fsum(map(float.__mul__, a.tolist(), b.tolist()))

    way = {"loop": loop, "map": mapped, "fsum": fsum}[config.way]

    def run():
        step = config.block
        out[0] = sum(way(x[i:i + step], y[i:i + step]) for i in range(0, case.N, step))

    return ns.Run(run, outputs=[out],
                  reference=lambda: [math.fsum(a * b for a, b in zip(x, y))])
