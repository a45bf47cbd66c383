# fla-org/flash-linear-attention, fla/ops/common/chunk_scaled_dot_kkt.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.ops.common.chunk_scaled_dot_kkt import (chunk_scaled_dot_kkt_fwd,
                                                 chunk_scaled_dot_kkt_fwd_kernel)

@ns.problem(space=ns.from_triton(chunk_scaled_dot_kkt_fwd_kernel), cases=[dict(B=2, T=4096, H=16, D=128)])
def fla_kkt(case, config):
    k, beta = ns.normal(case.B, case.T, case.H, case.D), ns.uniform(case.B, case.T, case.H)
    return ns.Run(lambda: chunk_scaled_dot_kkt_fwd(k, beta=beta))
