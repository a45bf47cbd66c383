# meta-pytorch/tritonbench, tritonbench/operators/gemm/partition_k.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.gemm.partition_k import _matmul_partition_k, matmul_partition_k

# With a BLOCK_SIZE_K of 128 and 32 parts it sums other products, which triton.autotune takes.
@ns.problem(space=ns.from_triton(_matmul_partition_k), cases=[dict(M=512, N=512, K=65536)], dtype="float16")
def tritonbench_partition_k(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: matmul_partition_k(a, b), reference=lambda: a.double() @ b.double())
