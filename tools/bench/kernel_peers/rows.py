"""Row kernels in Triton as a careful author would write them, tuned over rows and warps for each shape.

A row is held in registers by one program where it fits; a long one is read twice, the second time
mostly from the L2 cache, with the statistics of its pieces merged on the way (softmax online).
"""

import torch
import triton
import triton.language as tl

from . import timing

RMSNORM, LAYERNORM, SOFTMAX = 0, 1, 2
OPERATIONS = {"rmsnorm": RMSNORM, "layernorm": LAYERNORM, "softmax": SOFTMAX,
              "masked_softmax": SOFTMAX}
EPSILON = 1e-5
SCALE = 0.125            # of masked_softmax
MOST_AT_ONCE = 32768     # elements of a row that one program holds
LOOPED_FROM = 16384


@triton.jit
def scores(x_pointer, mask_pointer, query, column, inside, N: tl.constexpr, MASK: tl.constexpr,
           QUERIES: tl.constexpr, SCALE: tl.constexpr, POLICY: tl.constexpr):
    """Of softmax x, of masked_softmax that scaled and masked; `query` is the row's of the mask."""
    if MASK == 1:
        inside &= column <= query + N - QUERIES
    x = tl.load(x_pointer, mask=inside, other=float("-inf"), eviction_policy=POLICY).to(tl.float32)
    if SCALE != 1:
        x *= SCALE
    if MASK == 2:
        x += tl.load(mask_pointer + query * N + column, mask=inside, other=0.0,
                     eviction_policy="evict_last").to(tl.float32)
    return x


@triton.jit
def whole_rows(x_pointer, weight_pointer, bias_pointer, mask_pointer, y_pointer, rows,
               N: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, OPERATION: tl.constexpr,
               EPS: tl.constexpr, MASK: tl.constexpr, QUERIES: tl.constexpr, SCALE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < N)
    at = row * N + column
    if OPERATION == 2:
        x = scores(x_pointer + at, mask_pointer, row % QUERIES, column, inside, N, MASK, QUERIES,
                   SCALE, "")
        largest = tl.max(x, 1)[:, None]
        largest = tl.where(row < rows, largest, 0.0)
        e = tl.exp2((x - largest) * 1.4426950408889634)
        y = e / tl.sum(e, 1)[:, None]
    else:
        x = tl.load(x_pointer + at, mask=inside, other=0.0).to(tl.float32)
        if OPERATION == 1:
            x = tl.where(column < N, x - tl.sum(x, 1)[:, None] / N, 0.0)
        scale = tl.rsqrt(tl.sum(x * x, 1)[:, None] / N + EPS)
        weight = tl.load(weight_pointer + column, mask=column < N, other=0.0,
                         eviction_policy="evict_last").to(tl.float32)
        y = x * scale * weight
        if OPERATION == 1:
            y += tl.load(bias_pointer + column, mask=column < N, other=0.0,
                         eviction_policy="evict_last").to(tl.float32)
    tl.store(y_pointer + at, y, mask=inside)


@triton.jit
def looped_rows(x_pointer, weight_pointer, bias_pointer, mask_pointer, y_pointer, rows,
                N: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, OPERATION: tl.constexpr,
                EPS: tl.constexpr, MASK: tl.constexpr, QUERIES: tl.constexpr, SCALE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    query = row % QUERIES
    x_pointer += row * N
    y_pointer += row * N
    lane = tl.arange(0, BLOCK)
    if OPERATION == 2:
        top = tl.full([BLOCK], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK], tl.float32)
        reach = N
        if MASK == 1:
            reach = (query + N - QUERIES + 1).to(tl.int32)
        for first in range(0, reach, BLOCK):
            column = first + lane
            x = scores(x_pointer + column, mask_pointer, query, column, column < N, N, MASK,
                       QUERIES, SCALE, "evict_last") * 1.4426950408889634
            larger = tl.maximum(top, x)
            safe = tl.where(larger == float("-inf"), 0.0, larger)
            total = total * tl.exp2(top - safe) + tl.exp2(x - safe)
            top = larger
        largest = tl.max(top, 0)
        scale = 1.0 / tl.sum(total * tl.exp2(top - largest), 0)
        middle = largest
    else:
        sums = tl.zeros([BLOCK], tl.float32)
        squares = tl.zeros([BLOCK], tl.float32)
        pivot = tl.load(x_pointer).to(tl.float32)  # the squares stay small with a large mean
        if OPERATION == 0:
            pivot = 0.0
        for first in range(0, N, BLOCK):
            column = first + lane
            x = tl.load(x_pointer + column, mask=column < N, other=0.0,
                        eviction_policy="evict_last").to(tl.float32)
            x = tl.where(column < N, x - pivot, 0.0)
            sums += x
            squares += x * x
        square = tl.sum(squares, 0) / N
        middle = 0.0
        if OPERATION == 1:
            offset = tl.sum(sums, 0) / N
            square -= offset * offset
            middle = pivot + offset
        scale = tl.rsqrt(square + EPS)
    for first in range(0, N, BLOCK):
        column = first + lane
        inside = column < N
        if OPERATION == 2:
            x = scores(x_pointer + column, mask_pointer, query, column, inside, N, MASK, QUERIES,
                       SCALE, "evict_first")
            y = tl.exp2(x * 1.4426950408889634 - middle) * scale
        else:
            x = tl.load(x_pointer + column, mask=inside, other=0.0,
                        eviction_policy="evict_first").to(tl.float32)
            weight = tl.load(weight_pointer + column, mask=inside, other=0.0,
                             eviction_policy="evict_last").to(tl.float32)
            y = (x - middle) * scale * weight
            if OPERATION == 1:
                y += tl.load(bias_pointer + column, mask=inside, other=0.0,
                             eviction_policy="evict_last").to(tl.float32)
        tl.store(y_pointer + column, y, mask=inside)


def candidates(columns):
    """(kernel, rows of a program, elements at once, warps): few, since each is compiled and timed."""
    block = triton.next_power_of_2(columns)
    if block <= 1024:
        chosen = [(1, 1), (4, 4), (8, 4), (16, 8)]
    elif block <= 4096:
        chosen = [(1, 4), (1, 8), (2, 8)]
    elif block <= LOOPED_FROM:
        chosen = [(1, 8), (1, 16)]
    else:
        chosen = [(1, 16), (1, 32)] if block <= MOST_AT_ONCE else []
    whole = [(whole_rows, rows, block, warps) for rows, warps in chosen]
    if block <= LOOPED_FROM:
        return whole
    return whole + [(looped_rows, 1, 4096, 8), (looped_rows, 1, 8192, 16)]


def call(cell, one, candidate, warm=False):
    kernel, rows, block, warps = candidate
    count, columns = one["x"].shape
    others = (one.get(name, one["x"]) for name in ("weight", "bias", "mask"))
    arguments = (one["x"], *others, one["y"], count)
    is_masked = "MASK" in cell.sizes
    constants = dict(N=columns, ROWS=rows, BLOCK=block, OPERATION=OPERATIONS[cell.problem.name],
                     EPS=EPSILON, MASK=cell.sizes.get("MASK", 0),
                     QUERIES=cell.sizes.get("QUERIES", 1), SCALE=SCALE if is_masked else 1,
                     num_warps=warps)
    grid = (triton.cdiv(count, rows),)
    if warm:
        kernel.warmup(*arguments, grid=grid, **constants)
    else:
        kernel[grid](*arguments, **constants)


def compile_all(cell, arguments):
    """Compiles every candidate into Triton's cache without running one."""
    for candidate in candidates(cell.sizes["N"]):
        call(cell, arguments.sets[0], candidate, warm=True)


def tuned(cell, arguments):
    """The fastest candidate, writing to the sets' own outputs."""
    sets = len(arguments.sets)
    estimate = cell.figure("bytes") / 4e6
    times = {}
    for candidate in candidates(cell.sizes["N"]):
        def run(which, candidate=candidate):
            call(cell, arguments.sets[which], candidate)
        run(0)
        torch.cuda.synchronize()
        times[candidate] = timing.quick(run, sets, estimate)
    best = min(times, key=times.get)
    return lambda which: call(cell, arguments.sets[which], best)
