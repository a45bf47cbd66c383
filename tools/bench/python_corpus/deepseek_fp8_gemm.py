# deepseek-ai/DeepSeek-V3, inference/kernel.py
from corpus import at
import nightshift as ns
at("DeepSeek-V3/inference")
from kernel import fp8_gemm, fp8_gemm_kernel

@ns.problem(space=ns.from_triton(fp8_gemm_kernel), cases=[dict(M=128, N=7168, K=2048)],
            tolerance=1e-3)
def deepseek_fp8_gemm(case, config):
    a, b = ns.normal(case.M, case.K, dtype="float8_e4m3fn"), ns.normal(case.N, case.K, dtype="float8_e4m3fn")
    a_s = ns.uniform(case.M, case.K // 128, dtype="float32")
    b_s = ns.uniform(case.N // 128, case.K // 128, dtype="float32")
    return ns.Run(lambda: fp8_gemm(a, a_s, b, b_s))
