# Dao-AILab/flash-attention, flash_attn/ops/triton/rotary.py
from corpus import hollow
import nightshift as ns
hollow("flash_attn", "flash-attention/flash_attn")
from flash_attn.ops.triton.rotary import apply_rotary

@ns.problem(space=ns.replacing(apply_rotary, BLOCK_M=[2, 4, 8, 16]), cases=[dict(B=4, T=4096, H=16, D=128)])
def flash_rotary(case, config):
    x = ns.normal(case.B, case.T, case.H, case.D)
    cos, sin = ns.uniform(case.T, case.D // 2), ns.uniform(case.T, case.D // 2)
    return ns.Run(lambda: apply_rotary(x, cos, sin))
