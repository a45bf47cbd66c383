# triton-lang/triton, python/tutorials/06-fused-attention.py (tensor descriptors)
from corpus import script
import nightshift as ns
m = script("triton-cpu/python/tutorials/06-fused-attention.py")


@ns.problem(space=ns.from_triton(m._attn_fwd, baseline=dict(BLOCK_M=128, BLOCK_N=64)), cases=[dict(B=4, H=32, T=2048, D=64)], dtype="float16")
def tutorial_attention(case, config):
    q, k, v = (ns.normal(case.B, case.H, case.T, case.D) for _ in range(3))
    return ns.Run(lambda: m.attention(q, k, v, False, 0.125, False))
