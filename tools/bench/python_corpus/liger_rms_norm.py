# linkedin/Liger-Kernel, src/liger_kernel/ops/rms_norm.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops.rms_norm import calculate_settings, rms_norm_forward

@ns.problem(space=ns.replacing(calculate_settings, num_warps=[4, 8, 16, 32], baseline=dict(num_warps=8)),
            cases=[dict(M=8192, N=4096)])
def liger_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: rms_norm_forward(x, w, 1e-6, 0.0, "llama", True)[0])
