# fla-org/flash-linear-attention, fla/modules/layernorm.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.modules.layernorm import layer_norm_fwd, layer_norm_fwd_kernel1

@ns.problem(space=ns.from_triton(layer_norm_fwd_kernel1), cases=[dict(M=16384, D=2048)])
def fla_layer_norm(case, config):
    x, w, b = ns.normal(case.M, case.D), ns.normal(case.D), ns.normal(case.D)
    return ns.Run(lambda: layer_norm_fwd(x, w, b)[0])
