# fla-org/flash-linear-attention, fla/modules/rotary.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.modules.rotary import rotary_embedding_fwdbwd, rotary_embedding_kernel

@ns.problem(space=ns.from_triton(rotary_embedding_kernel), cases=[dict(B=4, T=4096, H=16, D=128)])
def fla_rotary(case, config):
    x = ns.normal(case.B, case.T, case.H, case.D)
    cos, sin = ns.uniform(case.T, case.D // 2), ns.uniform(case.T, case.D // 2)
    return ns.Run(lambda: rotary_embedding_fwdbwd(x, cos, sin))
