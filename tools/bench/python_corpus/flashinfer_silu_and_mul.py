# flashinfer-ai/flashinfer, flashinfer/triton/activation.py
from corpus import hollow
import nightshift as ns
hollow("flashinfer", "flashinfer/flashinfer")
from flashinfer.triton.activation import silu_and_mul, silu_and_mul_kernel

@ns.problem(space=ns.from_triton(silu_and_mul_kernel, BLOCK_SIZE=[1024, 2048, 4096], num_warps=[4, 8]), cases=[dict(M=8192, N=8192)])
def flashinfer_silu_and_mul(case, config):
    x = ns.normal(case.M, 2 * case.N)
    return ns.Run(lambda: silu_and_mul(x))
