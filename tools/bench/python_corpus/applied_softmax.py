# meta-pytorch/applied-ai, kernels/triton/training/fused_softmax/softmax.py (an autograd function)
from corpus import script
import nightshift as ns
m = script("applied-ai/kernels/triton/training/fused_softmax/softmax.py")


@ns.problem(space=ns.replacing(m.triton_softmax.forward, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=4096)])
def applied_softmax(case, config):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: m.triton_softmax.apply(x), reference=lambda: x.double().softmax(1))
