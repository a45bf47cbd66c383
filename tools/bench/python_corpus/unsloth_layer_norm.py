# unslothai/unsloth, unsloth/kernels/layernorm.py
from corpus import hollow, without
import nightshift as ns
hollow("unsloth", "unsloth/unsloth")
without("unsloth_zoo", "bitsandbytes", "transformers", "peft",
        Version=__import__("packaging.version").version.Version)
from unsloth.kernels.layernorm import Fast_Layernorm, calculate_settings

@ns.problem(space=ns.replacing(calculate_settings, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=4096)])
def unsloth_layer_norm(case, config):
    x, w, b = ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.N)
    return ns.Run(lambda: Fast_Layernorm.apply(x, w, b, 1e-6))
