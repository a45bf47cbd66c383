# unslothai/unsloth, unsloth/kernels/rms_layernorm.py
from corpus import hollow, without
import nightshift as ns
hollow("unsloth", "unsloth/unsloth")
without("unsloth_zoo", "bitsandbytes", "transformers", "peft",
        Version=__import__("packaging.version").version.Version)
from unsloth.kernels.rms_layernorm import Fast_RMS_Layernorm, calculate_settings

@ns.problem(space=ns.replacing(calculate_settings, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=4096)])
def unsloth_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: Fast_RMS_Layernorm.apply(x, w, 1e-6, False))
