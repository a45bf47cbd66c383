# sgl-project/sglang, sglang/kernels/ops/attention/prefill_attention.py
from corpus import hollow, without
import nightshift as ns
hollow("sglang", "sglang/sglang")
without("sglang.srt", is_cuda=lambda: True, is_hip=lambda: False)
from sglang.kernels.ops.attention.prefill_attention import context_attention_fwd
import torch

@ns.problem(space=ns.replacing(context_attention_fwd, BLOCK=[32, 64, 128], num_warps=[4, 8], baseline=dict(BLOCK=128, num_warps=8)),
            cases=[dict(B=4, T=2048, H=16, D=128)])
def sglang_prefill_attention(case, config):
    q, k, v = (ns.normal(case.B * case.T, case.H, case.D) for _ in range(3))
    o = ns.output(case.B * case.T, case.H, case.D)
    start = torch.arange(case.B, device="cuda", dtype=torch.int32) * case.T
    length = torch.full((case.B,), case.T, device="cuda", dtype=torch.int32)
    return ns.Run(lambda: context_attention_fwd(q, k, v, o, start, length, case.T), outputs=[o])
