# meta-pytorch/tritonbench, tritonbench/operators/grouped_gemm/kernels.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.grouped_gemm.kernels import grouped_matmul_kernel, triton_group_gemm_fn

@ns.problem(space=ns.from_triton(grouped_matmul_kernel), cases=[dict(G=8, N=1024)], dtype="float16")
def tritonbench_grouped_gemm(case, config):
    a, b = ([ns.normal(case.N, case.N) for _ in range(case.G)] for _ in range(2))
    return ns.Run(lambda: triton_group_gemm_fn(a, b),
                  reference=lambda: [x.double() @ y.double() for x, y in zip(a, b)])
