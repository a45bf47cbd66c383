# meta-pytorch/tritonbench, tritonbench/operators/gemm/persistent_matmul.py
from corpus import hollow, without
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
without("triton.tools.experimental_descriptor")
from tritonbench.operators.gemm.persistent_matmul import matmul_kernel_persistent, matmul_persistent

@ns.problem(space=ns.from_triton(matmul_kernel_persistent, baseline=dict(BLOCK_K=64, num_stages=3)), cases=[dict(M=4096, N=4096, K=4096)], dtype="float16")
def tritonbench_persistent_gemm(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: matmul_persistent(a, b), reference=lambda: a.double() @ b.double())
