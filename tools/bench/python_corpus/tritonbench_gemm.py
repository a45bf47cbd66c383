# meta-pytorch/tritonbench, tritonbench/operators/gemm/triton_matmul.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.gemm.triton_matmul import matmul, matmul_kernel

@ns.problem(space=ns.from_triton(matmul_kernel), cases=[dict(M=4096, N=4096, K=4096)], dtype="float16")
def tritonbench_gemm(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: matmul(a, b), reference=lambda: a.double() @ b.double())
