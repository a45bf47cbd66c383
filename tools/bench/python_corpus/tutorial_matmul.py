# triton-lang/triton, python/tutorials/03-matrix-multiplication.py
from corpus import script
import nightshift as ns
m = script("triton-cpu/python/tutorials/03-matrix-multiplication.py", "triton_output", "a")


@ns.problem(space=ns.from_triton(m.matmul_kernel), cases=[dict(M=4096, N=4096, K=4096)], dtype="float16")
def tutorial_matmul(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: m.matmul(a, b), reference=lambda: a.double() @ b.double())
