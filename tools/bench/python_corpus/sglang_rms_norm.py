# sgl-project/sglang, sglang/kernels/ops/layernorm/fused_rmsnorm.py
from corpus import hollow, without
import nightshift as ns
hollow("sglang", "sglang/sglang")
without("sglang.srt", is_hip=lambda: False)
from sglang.kernels.ops.layernorm.fused_rmsnorm import fused_rmsnorm, fused_rmsnorm_kernel

@ns.problem(space=ns.from_triton(fused_rmsnorm_kernel, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=4096)])
def sglang_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: fused_rmsnorm(x, w, 1e-6))
