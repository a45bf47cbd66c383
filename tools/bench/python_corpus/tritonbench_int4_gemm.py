# meta-pytorch/tritonbench, tritonbench/operators/int4_gemm/kernel.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.int4_gemm.kernel import matmul, matmul_kernel

@ns.problem(space=ns.from_triton(matmul_kernel), cases=[dict(M=64, N=8192, K=8192)])
def tritonbench_int4_gemm(case, config):
    a, b = ns.normal(case.M, case.K), ns.bits(case.K // 2, case.N, dtype="int8")
    return ns.Run(lambda: matmul(a, b))
