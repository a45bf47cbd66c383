# pytorch/ao, torchao/prototype/blockwise_fp8_training/kernels.py (an operator of triton_op)
from corpus import hollow, without
import nightshift as ns
hollow("torchao", "ao/torchao")
without("torchao.float8.config", e4m3_dtype=__import__("torch").float8_e4m3fn)
from torchao.prototype.blockwise_fp8_training import kernels

@ns.problem(space=ns.from_triton(kernels.triton_fp8_blockwise_act_quant_lhs_kernel), cases=[dict(M=8192, K=8192)])
def torchao_act_quant(case, config):
    x = ns.normal(case.M, case.K)
    return ns.Run(lambda: kernels.triton_fp8_blockwise_act_quant_lhs(x))
