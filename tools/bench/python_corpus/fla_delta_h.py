# fla-org/flash-linear-attention, fla/ops/common/chunk_delta_h.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.ops.common.chunk_delta_h import (chunk_gated_delta_rule_fwd_h,
                                          chunk_gated_delta_rule_fwd_kernel_h_blockdim64)

@ns.problem(space=ns.from_triton(chunk_gated_delta_rule_fwd_kernel_h_blockdim64),
            cases=[dict(B=2, T=2048, H=16, D=128)])
def fla_delta_h(case, config):
    k, w, u = (ns.normal(case.B, case.T, case.H, case.D, std=0.05) for _ in range(3))
    return ns.Run(lambda: chunk_gated_delta_rule_fwd_h(k, w, u)[:2])
