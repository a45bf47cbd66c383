# facebookresearch/xformers, xformers/ops/_triton/rmsnorm_kernels.py
from corpus import hollow
import nightshift as ns
hollow("xformers", "xformers/xformers")
from xformers.ops._triton.rmsnorm_kernels import _rms_norm_forward

@ns.problem(space=ns.replacing(_rms_norm_forward, num_warps=[1, 2, 4, 8, 16]), cases=[dict(M=16384, N=4096)])
def xformers_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: _rms_norm_forward(x, w, 1e-6))
