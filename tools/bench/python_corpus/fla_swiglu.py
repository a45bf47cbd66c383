# fla-org/flash-linear-attention, fla/modules/activations.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.modules.activations import swiglu_fwd, swiglu_fwd_kernel

@ns.problem(space=ns.from_triton(swiglu_fwd_kernel), cases=[dict(M=8192, D=8192)])
def fla_swiglu(case, config):
    x, y = ns.normal(case.M, case.D), ns.normal(case.M, case.D)
    return ns.Run(lambda: swiglu_fwd(x, y))
