# triton-lang/triton, python/tutorials/09-persistent-matmul.py (descriptors of the host)
from corpus import script
import nightshift as ns
m = script("triton-cpu/python/tutorials/09-persistent-matmul.py")


@ns.problem(space=ns.from_triton(m.matmul_kernel_tma_persistent), cases=[dict(M=4096, N=4096, K=4096)], dtype="float16")
def tutorial_persistent(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.N, case.K)
    return ns.Run(lambda: m.matmul_tma_persistent(a, b, False), reference=lambda: a.double() @ b.T.double())
