"""Products of 8-bit matrices in Triton as a careful author would write them, tuned over tiles for each
shape: integers with a scale for each row and column, and floats with a scale for each block of k."""

import torch
import triton
import triton.language as tl

from . import timing

BLOCK = 128  # of k and of columns that share a scale


@triton.jit
def product(a_pointer, b_pointer, a_scale_pointer, b_scale_pointer, c_pointer, M, N: tl.constexpr,
            K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            GROUP: tl.constexpr, BY_BLOCKS: tl.constexpr):
    tile = tl.program_id(0)
    down = tl.cdiv(M, BLOCK_M)
    across: tl.constexpr = (N + BLOCK_N - 1) // BLOCK_N
    band = tile // (GROUP * across)
    height = min(down - band * GROUP, GROUP)
    m_tile = band * GROUP + tile % (GROUP * across) % height
    n_tile = tile % (GROUP * across) // height
    m = m_tile * BLOCK_M + tl.arange(0, BLOCK_M)
    n = n_tile * BLOCK_N + tl.arange(0, BLOCK_N)
    rows, columns = m % M, n % N
    k = tl.arange(0, BLOCK_K)
    a_at = a_pointer + rows[:, None] * K + k[None, :]
    b_at = b_pointer + columns[None, :] * K + k[:, None]
    if BY_BLOCKS:
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for block in range(0, tl.cdiv(K, BLOCK_K)):
            a_scale = tl.load(a_scale_pointer + block * tl.cdiv(M, 4) * 4 + rows)
            b_scale = tl.load(b_scale_pointer + columns // 128 * (K // 128) + block)
            total += tl.dot(tl.load(a_at), tl.load(b_at)) * a_scale[:, None] * b_scale[None, :]
            a_at += BLOCK_K
            b_at += BLOCK_K
    else:
        sums = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
        for block in range(0, tl.cdiv(K, BLOCK_K)):
            inside = k < K - block * BLOCK_K
            a = tl.load(a_at, mask=inside[None, :], other=0)
            b = tl.load(b_at, mask=inside[:, None], other=0)
            sums = tl.dot(a, b, sums, out_dtype=tl.int32)
            a_at += BLOCK_K
            b_at += BLOCK_K
        total = sums.to(tl.float32) * tl.load(a_scale_pointer + rows)[:, None] \
            * tl.load(b_scale_pointer + columns)[None, :]
    c_at = c_pointer + m.to(tl.int64)[:, None] * N + n[None, :]
    tl.store(c_at, total.to(tl.bfloat16), mask=(m < M)[:, None] & (n < N)[None, :])


def candidates(rows):
    """(BLOCK_M, BLOCK_N, stages, warps), few of each."""
    if rows <= 128:
        return [(64, 64, 5, 4), (64, 128, 4, 4), (128, 64, 4, 4)]
    return [(128, 128, 4, 8), (128, 128, 3, 4), (128, 256, 3, 8), (64, 128, 4, 4)]


def call(one, candidate, by_blocks, warm=False):
    block_m, block_n, stages, warps = candidate
    rows, depth = one["a"].shape
    columns = one["b"].shape[0]
    arguments = (one["a"], one["b"], one["a_scale"], one["b_scale"], one["c"], rows)
    constants = dict(N=columns, K=depth, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=BLOCK, GROUP=8,
                     BY_BLOCKS=by_blocks, num_stages=stages, num_warps=warps)
    grid = (triton.cdiv(rows, block_m) * triton.cdiv(columns, block_n),)
    if warm:
        product.warmup(*arguments, grid=grid, **constants)
    else:
        product[grid](*arguments, **constants)


def by_blocks_of(cell):
    return cell.problem.name == "fp8_gemm"


def compile_all(cell, arguments):
    for candidate in candidates(cell.sizes["M"]):
        call(arguments.sets[0], candidate, by_blocks_of(cell), warm=True)


def tuned(cell, arguments):
    """The fastest candidate, writing to the sets' own outputs."""
    times = {}
    for candidate in candidates(cell.sizes["M"]):
        def run(which, candidate=candidate):
            call(arguments.sets[which], candidate, by_blocks_of(cell))
        try:
            run(0)
            torch.cuda.synchronize()
        except triton.runtime.errors.OutOfResources:
            continue
        times[candidate] = timing.quick(run, len(arguments.sets), cell.figure("flops") / 5e8)
    best = min(times, key=times.get)
    return lambda which: call(arguments.sets[which], best, by_blocks_of(cell))
