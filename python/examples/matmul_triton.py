"""A product of matrices in Triton, decorated by triton.autotune as any other, and tuned without an
edit of the kernel: the problem below is all that was added.

    nightshift tune python/examples/matmul_triton.py
"""

import torch
import triton
import triton.language as tl

import nightshift as ns


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4,
                      num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8,
                      num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 1}, num_warps=4,
                      num_stages=4),
    ],
    key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_bk, stride_cm, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = tile // (GROUP_M * tiles_n)
    rows = min(tiles_m - group * GROUP_M, GROUP_M)
    tile_m = group * GROUP_M + (tile % (GROUP_M * tiles_n)) % rows
    tile_n = (tile % (GROUP_M * tiles_n)) // rows
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * stride_am + (start + k)[None, :],
                       mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * stride_bk + n[None, :],
                        mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * stride_cm + n[None, :], total.to(c.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b, out):
    (M, K), N = a.shape, b.shape[1]
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](a, b, out, M, N, K, a.stride(0), b.stride(0), out.stride(0))
    return out


@ns.problem(space=ns.from_triton(matmul_kernel, num_stages=[2, 3, 4, 5]),
            where=["BLOCK_M * BLOCK_N <= 32768"],
            cases=[dict(M=4096, N=4096, K=4096), dict(M=8192, N=8192, K=8192)])
def gemm(case, config):
    a, b, c = ns.normal(case.M, case.K), ns.normal(case.K, case.N), ns.output(case.M, case.N)
    return ns.Run(lambda: matmul(a, b, c), outputs=[c], flops=2 * case.M * case.N * case.K,
                  reference=lambda: a.double() @ b.double())
