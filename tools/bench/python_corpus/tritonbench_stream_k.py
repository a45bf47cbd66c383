# meta-pytorch/tritonbench, tritonbench/operators/gemm/stream_k.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.gemm.stream_k import streamk_cuda_gemm, streamk_cuda_matmul

@ns.problem(space=ns.from_triton(streamk_cuda_gemm), cases=[dict(M=4096, N=4096, K=4096)], dtype="float16")
def tritonbench_stream_k(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: streamk_cuda_matmul(a, b), reference=lambda: a.double() @ b.double())
