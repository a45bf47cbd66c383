# vllm-project/vllm, vllm/model_executor/layers/mamba/ops/ssd_bmm.py
from corpus import hollow, without
import nightshift as ns
hollow("vllm", "vllm/vllm")
without("vllm.triton_utils", tl=__import__("triton").language, triton=__import__("triton"))
from vllm.model_executor.layers.mamba.ops.ssd_bmm import _bmm_chunk_fwd, _bmm_chunk_fwd_kernel
import torch

@ns.problem(space=ns.from_triton(_bmm_chunk_fwd_kernel), cases=[dict(T=16384, G=8, N=128)])
def vllm_ssd_bmm(case, config):
    a, b = ns.normal(case.T, case.G, case.N), ns.normal(case.T, case.G, case.N)
    chunks = torch.arange(case.T // 256 + 1, device="cuda", dtype=torch.int32) * 256
    return ns.Run(lambda: _bmm_chunk_fwd(a, b, 256, chunks))
