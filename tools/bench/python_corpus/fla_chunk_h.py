# fla-org/flash-linear-attention, fla/ops/common/chunk_h.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.ops.common.chunk_h import chunk_fwd_h, chunk_fwd_kernel_h

@ns.problem(space=ns.from_triton(chunk_fwd_kernel_h), cases=[dict(B=2, T=4096, H=16, D=128)])
def fla_chunk_h(case, config):
    k, v = (ns.normal(case.B, case.T, case.H, case.D) for _ in range(2))
    return ns.Run(lambda: chunk_fwd_h(k, v)[0])
