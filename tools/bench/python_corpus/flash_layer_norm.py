# Dao-AILab/flash-attention, flash_attn/ops/triton/layer_norm.py (an operator of torch.library)
from corpus import hollow
import nightshift as ns
hollow("flash_attn", "flash-attention/flash_attn")
from flash_attn.ops.triton.layer_norm import _layer_norm_fwd_1pass_kernel, layer_norm_fn

@ns.problem(space=ns.from_triton(_layer_norm_fwd_1pass_kernel), cases=[dict(M=16384, N=4096)])
def flash_layer_norm(case, config):
    x, res, w, b = ns.normal(case.M, case.N), ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.N)
    return ns.Run(lambda: layer_norm_fn(x, w, b, residual=res))
