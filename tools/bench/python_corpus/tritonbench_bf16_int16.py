# meta-pytorch/tritonbench, tritonbench/operators/bf16xint16_gemm/kernel.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.bf16xint16_gemm.kernel import bf16xint16_matmul, bf16xint16_matmul_kernel

@ns.problem(space=ns.from_triton(bf16xint16_matmul_kernel), cases=[dict(M=1024, N=4096, K=4096)])
def tritonbench_bf16_int16(case, config):
    a, b = ns.normal(case.M, case.K), ns.integers(case.K, case.N, low=-100, high=100, dtype="int16")
    return ns.Run(lambda: bf16xint16_matmul(a, b), reference=lambda: a.double() @ b.double())
