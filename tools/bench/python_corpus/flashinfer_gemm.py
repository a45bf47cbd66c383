# flashinfer-ai/flashinfer, flashinfer/triton/sm_constraint_gemm.py
from corpus import hollow, without
import nightshift as ns
hollow("flashinfer", "flashinfer/flashinfer")
without("tvm_ffi")
from flashinfer.triton.kernels.sm_constraint_gemm import gemm_kernel_persistent
from flashinfer.triton.sm_constraint_gemm import gemm_persistent

@ns.problem(space=ns.from_triton(gemm_kernel_persistent, BLOCK_SIZE_N=[128, 64, 256], num_warps=[4, 8], num_stages=[3, 2, 4]), cases=[dict(M=4096, N=4096, K=4096)])
def flashinfer_gemm(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.N, case.K)
    c = ns.zeros(case.M, case.N)  # what it allocates itself is read and taken times 0, NaN or not
    return ns.Run(lambda: gemm_persistent(a, b.T, c), reference=lambda: a.double() @ b.T.double())
