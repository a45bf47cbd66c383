# unslothai/unsloth, unsloth/kernels/swiglu.py
from corpus import hollow, without
import nightshift as ns
hollow("unsloth", "unsloth/unsloth")
without("unsloth_zoo", "bitsandbytes", "transformers", "peft",
        Version=__import__("packaging.version").version.Version)
from unsloth.kernels import swiglu

@ns.problem(space=ns.replacing("unsloth.kernels.swiglu.BLOCK_SIZE", [512, 1024, 2048, 4096]) +
            ns.from_triton(swiglu._fg_kernel, num_warps=[4, 8]), cases=[dict(B=4, T=2048, N=11008)])
def unsloth_swiglu(case, config):
    e, g = ns.normal(case.B, case.T, case.N), ns.normal(case.B, case.T, case.N)
    return ns.Run(lambda: swiglu.swiglu_fg_kernel(e, g))
