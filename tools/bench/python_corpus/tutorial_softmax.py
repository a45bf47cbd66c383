# triton-lang/triton, python/tutorials/02-fused-softmax.py
from corpus import script
import nightshift as ns
m = script("triton-cpu/python/tutorials/02-fused-softmax.py", "x", "y_triton", "y_torch", "benchmark")


@ns.problem(space=ns.replacing(m.softmax, num_warps=[4, 8, 16], num_stages=[2, 4], baseline=dict(num_warps=8, num_stages=4)),
            cases=[dict(M=8192, N=4096)], dtype="float32")
def tutorial_softmax(case, config):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: m.softmax(x), reference=lambda: x.double().softmax(1))
