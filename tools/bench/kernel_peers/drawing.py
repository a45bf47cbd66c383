"""Shapes that nobody chose: what a kernel is judged by after it was tuned for those that somebody did."""

import math
import random

COLUMNS = (200, 60_000)    # of rows
ALIGNED = 0.4              # share of rows that are a multiple of ALIGNMENT columns
ALIGNMENT = 8
MOVED = (16e6, 400e6)      # bytes
PRODUCT_ROWS = (1, 8192)
PRODUCT_BLOCKS = (4, 128)  # of columns and of depth, each of PRODUCT_BLOCK
PRODUCT_BLOCK = 128
TRIES = 100                # for each shape, until a baseline is valid


def between(low, high, rng):
    """A whole number whose logarithm is equally likely everywhere."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def rows(bytes_of_row, rng):
    """M and N of a kernel that goes over rows; `bytes_of_row` takes N."""
    columns = between(*COLUMNS, rng)
    if rng.random() < ALIGNED:
        columns -= columns % ALIGNMENT
    return {"M": max(1, round(between(*MOVED, rng) / bytes_of_row(columns))), "N": columns}


def product(rng):
    """M, N and K of a product."""
    return {"M": between(*PRODUCT_ROWS, rng),
            **{name: PRODUCT_BLOCK * between(*PRODUCT_BLOCKS, rng) for name in "NK"}}


def shapes(name, sizes, bytes_of, is_usable, seed, count):
    """`count` different shapes of the problem `name`, always the same for a seed.

    `sizes`: names of its sizes. `bytes_of` and `is_usable` take a shape. ValueError where shapes of
    such a problem are not drawn, or none is usable.
    """
    rng, found = random.Random(f"{seed} {name}"), []
    if not {"M", "N"} <= set(sizes):
        raise ValueError(f"{name} is no kernel of M x N")
    for _ in range(TRIES * count):
        if "K" in sizes:
            shape = product(rng)
        else:
            shape = rows(lambda n: bytes_of({"M": 1 << 20, "N": n}) / (1 << 20), rng)
        if shape not in found and is_usable(shape):
            found.append(shape)
        if len(found) == count:
            return found
    raise ValueError(f"{name} has a valid baseline for {len(found)} of {TRIES * count} shapes")
