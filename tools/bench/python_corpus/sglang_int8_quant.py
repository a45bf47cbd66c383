# sgl-project/sglang, sglang/kernels/ops/quantization/int8_kernel.py
from corpus import hollow, without
import nightshift as ns
hollow("sglang", "sglang/sglang")
without("sglang.srt", is_cuda=lambda: False, is_hip=lambda: False)
from sglang.kernels.ops.quantization.int8_kernel import per_token_quant_int8

@ns.problem(space=ns.replacing(per_token_quant_int8, num_warps=[1, 2, 4, 8, 16]), cases=[dict(M=8192, K=7168)])
def sglang_int8_quant(case, config):
    x = ns.normal(case.M, case.K)
    return ns.Run(lambda: per_token_quant_int8(x))
