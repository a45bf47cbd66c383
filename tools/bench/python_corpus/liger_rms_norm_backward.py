# linkedin/Liger-Kernel, src/liger_kernel/ops/rms_norm.py, its backward pass by autograd
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops.rms_norm import LigerRMSNormFunction, calculate_settings, rms_norm_backward

@ns.problem(space=ns.replacing(calculate_settings, num_warps=[4, 8, 16], baseline=dict(num_warps=8)) +
            ns.replacing(rms_norm_backward, sm_count=[None, 264, 528], baseline=dict(sm_count=None)),
            cases=[dict(M=8192, N=4096)])
def liger_rms_norm_backward(case, config):
    x, w, dy = ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.M, case.N)
    
    def step():
        own, weight = x.detach().requires_grad_(), w.detach().requires_grad_()
        LigerRMSNormFunction.apply(own, weight, 1e-6, 0.0, "llama", False).backward(dy)
        return own.grad, weight.grad
    return ns.Run(step)
