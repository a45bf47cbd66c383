# meta-pytorch/applied-ai, kernels/triton/training/rms_norm/fused_rms_norm.py
from corpus import at
import nightshift as ns
at("applied-ai/kernels/triton/training/rms_norm")
import torch
from fused_rms_norm import _rms_norm_fwd_kernel, ttt_RMSNorm

@ns.problem(space=ns.from_triton(_rms_norm_fwd_kernel), cases=[dict(M=8192, N=4096)])
def applied_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: ttt_RMSNorm.apply(x, w, 1e-6))
