# fla-org/flash-linear-attention, fla/ops/common/chunk_o.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.ops.common.chunk_o import chunk_fwd_kernel_o, chunk_fwd_o

@ns.problem(space=ns.from_triton(chunk_fwd_kernel_o), cases=[dict(B=2, T=4096, H=16, D=128)])
def fla_chunk_o(case, config):
    q, k, v = (ns.normal(case.B, case.T, case.H, case.D) for _ in range(3))
    h = ns.normal(case.B, case.T // 64, case.H, case.D, case.D)
    return ns.Run(lambda: chunk_fwd_o(q, k, v, h))
