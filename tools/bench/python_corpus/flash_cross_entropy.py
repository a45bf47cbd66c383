# Dao-AILab/flash-attention, flash_attn/ops/triton/cross_entropy.py (an autograd function)
from corpus import hollow
import nightshift as ns
hollow("flash_attn", "flash-attention/flash_attn")
from flash_attn.ops.triton.cross_entropy import CrossEntropyLoss

@ns.problem(space=ns.replacing(CrossEntropyLoss.forward, MAX_BLOCK_SIZE=[4096, 8192, 16384, 32768], num_warps=[8, 16, 32]),
            cases=[dict(M=4096, V=32000)])
def flash_cross_entropy(case, config):
    x, y = ns.normal(case.M, case.V), ns.integers(case.M, low=0, high=case.V, dtype="int64")
    return ns.Run(lambda: CrossEntropyLoss.apply(x, y)[0])
