# BobMcDear/attorch, attorch/softmax_layers.py (autotune above heuristics)
from corpus import at
import nightshift as ns
at("attorch")
from attorch.softmax_kernels import softmax_forward_kernel
from attorch.softmax_layers import SoftmaxAutoGrad

@ns.problem(space=ns.from_triton(softmax_forward_kernel), cases=[dict(M=8192, N=4096)], dtype="float16")
def attorch_softmax(case, config):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: SoftmaxAutoGrad.apply(x, False, False), reference=lambda: x.double().softmax(1))
