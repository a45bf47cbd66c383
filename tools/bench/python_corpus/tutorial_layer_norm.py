# triton-lang/triton, python/tutorials/05-layer-norm.py, forward and backward
from corpus import script
import nightshift as ns
m = script("triton-cpu/python/tutorials/05-layer-norm.py")


@ns.problem(space=ns.from_triton(m._layer_norm_bwd_dwdb, BLOCK_SIZE_M=[32, 64], BLOCK_SIZE_N=[128, 64], num_warps=[4, 8]),
            cases=[dict(M=4096, N=8192)], dtype="float16", tolerance=2e-3)  # partial sums are float16
def tutorial_layer_norm(case, config):
    x, w, b = ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.N)
    dy = ns.normal(case.M, case.N)
    
    def step():
        own, weight, bias = (one.detach().requires_grad_() for one in (x, w, b))
        m.LayerNorm.apply(own, (case.N,), weight, bias, 1e-5).backward(dy)
        return own.grad, weight.grad, bias.grad
    return ns.Run(step)
