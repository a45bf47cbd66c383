"""The product of `python/examples/matmul_triton.py` in a space of some thousand configurations."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python" / "examples"))

from matmul_triton import matmul, matmul_kernel

import nightshift as ns


@ns.problem(space=ns.from_triton(matmul_kernel, BLOCK_M=[32, 64, 128, 256],
                                 BLOCK_N=[32, 64, 128, 256], BLOCK_K=[32, 64, 128],
                                 GROUP_M=[1, 4, 8, 16], num_warps=[4, 8], num_stages=[2, 3, 4, 5]),
            where=["BLOCK_M * BLOCK_N <= 32768"], cases=[dict(M=4096, N=4096, K=4096)],
            baseline=dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, GROUP_M=8, num_warps=4,
                          num_stages=3))
def product(case, config):
    a, b, c = ns.normal(case.M, case.K), ns.normal(case.K, case.N), ns.output(case.M, case.N)
    return ns.Run(lambda: matmul(a, b, c), outputs=[c], flops=2 * case.M * case.N * case.K,
                  reference=lambda: a.double() @ b.double())
