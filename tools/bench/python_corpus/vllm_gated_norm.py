# vllm-project/vllm, vllm/model_executor/layers/mamba/ops/layernorm_gated.py
from corpus import hollow, without
import nightshift as ns
hollow("vllm", "vllm/vllm")
without("vllm.triton_utils", tl=__import__("triton").language, triton=__import__("triton"))
from vllm.model_executor.layers.mamba.ops.layernorm_gated import _layer_norm_fwd

@ns.problem(space=ns.replacing(_layer_norm_fwd, num_warps=[1, 2, 4, 8, 16]), cases=[dict(M=16384, N=4096)])
def vllm_gated_norm(case, config):
    x, z, w = ns.normal(case.M, case.N), ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: _layer_norm_fwd(x, w, None, 1e-6, z=z, is_rms_norm=True)[0])
