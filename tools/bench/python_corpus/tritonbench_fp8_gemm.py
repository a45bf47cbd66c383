# meta-pytorch/tritonbench, tritonbench/operators/fp8_gemm/tutorial.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.fp8_gemm.tutorial import matmul, matmul_kernel

@ns.problem(space=ns.from_triton(matmul_kernel), cases=[dict(M=4096, N=4096, K=4096)], dtype="float8_e4m3fn",
            tolerance=4e-3)
def tritonbench_fp8_gemm(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.N, case.K).T
    return ns.Run(lambda: matmul(a, b))
