# linkedin/Liger-Kernel, src/liger_kernel/ops/rope.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops.rope import _triton_rope, rope_forward

@ns.problem(space=ns.from_triton(_triton_rope, num_warps=[4, 1, 2, 8]), cases=[dict(B=4, T=2048, H=32, D=128)])
def liger_rope(case, config):
    q, k = ns.normal(case.B, case.H, case.T, case.D), ns.normal(case.B, 8, case.T, case.D)
    cos, sin = ns.uniform(1, case.T, case.D), ns.uniform(1, case.T, case.D)
    return ns.Run(lambda: rope_forward(q.clone(), k.clone(), cos, sin)[:2])
