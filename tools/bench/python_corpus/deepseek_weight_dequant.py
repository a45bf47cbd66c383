# deepseek-ai/DeepSeek-V3, inference/kernel.py
from corpus import at
import nightshift as ns
at("DeepSeek-V3/inference")
from kernel import weight_dequant, weight_dequant_kernel

@ns.problem(space=ns.from_triton(weight_dequant_kernel, num_warps=[4, 8, 16]), cases=[dict(M=7168, N=2048)])
def deepseek_weight_dequant(case, config):
    x, s = ns.normal(case.M, case.N, dtype="float8_e4m3fn"), ns.uniform(case.M // 128, case.N // 128, dtype="float32")
    return ns.Run(lambda: weight_dequant(x, s))
