# BobMcDear/attorch, attorch/glu_layer.py
from corpus import at
import nightshift as ns
at("attorch")
from attorch.glu_kernels import glu_forward_kernel
from attorch.glu_layer import GLUAutoGrad

@ns.problem(space=ns.from_triton(glu_forward_kernel), cases=[dict(M=8192, N=16384)], dtype="float16")
def attorch_glu(case, config):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: GLUAutoGrad.apply(x, -1, "silu"))
