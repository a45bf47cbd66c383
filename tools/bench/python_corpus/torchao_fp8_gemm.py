# pytorch/ao, torchao/prototype/blockwise_fp8_training/kernels.py (an operator of triton_op)
from corpus import hollow, without
import nightshift as ns
hollow("torchao", "ao/torchao")
without("torchao.float8.config", e4m3_dtype=__import__("torch").float8_e4m3fn)
from torchao.prototype.blockwise_fp8_training import kernels

@ns.problem(space=ns.from_triton(kernels.triton_fp8_gemm_1x128_128x128_kernel), cases=[dict(M=4096, N=4096, K=4096)])
def torchao_fp8_gemm(case, config):
    a, b = ns.normal(case.M, case.K, dtype="float8_e4m3fn"), ns.normal(case.N, case.K, dtype="float8_e4m3fn")
    a_s = ns.uniform(case.K // 128, case.M, dtype="float32").T
    b_s = ns.uniform(case.N // 128, case.K // 128, dtype="float32").T
    return ns.Run(lambda: kernels.triton_fp8_gemm_1x128_128x128(a, b.T, a_s, b_s))
