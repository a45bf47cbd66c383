# fla-org/flash-linear-attention, fla/ops/gla/chunk.py
from corpus import absent, at
import nightshift as ns
at("flash-linear-attention")
absent("fla.layers", "fla.models")
from fla.ops.common.chunk_h import chunk_fwd_kernel_h
from fla.ops.gla.chunk import chunk_gla, chunk_gla_fwd_kernel_o
import torch

@ns.problem(space=ns.from_triton({"h": chunk_fwd_kernel_h, "o": chunk_gla_fwd_kernel_o}),
            cases=[dict(B=2, T=4096, H=8, D=128)])
def fla_gla(case, config):
    q, k, v = (ns.normal(case.B, case.T, case.H, case.D) for _ in range(3))
    g = ns.uniform(case.B, case.T, case.H, case.D, low=-1, dtype=torch.float32)
    return ns.Run(lambda: chunk_gla(q, k, v, g)[0])
