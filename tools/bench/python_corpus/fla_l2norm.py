# fla-org/flash-linear-attention, fla/modules/l2norm.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.modules.l2norm import l2norm_fwd, l2norm_fwd_kernel

@ns.problem(space=ns.from_triton(l2norm_fwd_kernel), cases=[dict(M=65536, D=128)])
def fla_l2norm(case, config):
    x = ns.normal(case.M, case.D)
    return ns.Run(lambda: l2norm_fwd(x)[0])
