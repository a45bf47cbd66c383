# deepseek-ai/DeepSeek-V3, inference/kernel.py
from corpus import at
import nightshift as ns
at("DeepSeek-V3/inference")
from kernel import act_quant, act_quant_kernel

@ns.problem(space=ns.from_triton(act_quant_kernel, num_warps=[4, 1, 2]), cases=[dict(M=8192, K=7168)])
def deepseek_act_quant(case, config):
    x = ns.normal(case.M, case.K)
    return ns.Run(lambda: act_quant(x))
