# flashinfer-ai/flashinfer, flashinfer/triton/norm.py
from corpus import hollow
import nightshift as ns
hollow("flashinfer", "flashinfer/flashinfer")
from flashinfer.triton.norm import rms_norm, rms_norm_kernel

@ns.problem(space=ns.from_triton(rms_norm_kernel, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=4096)])
def flashinfer_rms_norm(case, config):
    x, w, out = ns.normal(case.M, case.N), ns.normal(case.N), ns.output(case.M, case.N)
    return ns.Run(lambda: rms_norm(x, w, out, 1e-6), outputs=[out])
