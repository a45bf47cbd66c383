# pytorch/ao, torchao/prototype/quantized_training/int8_mm.py (registered by torch.library)
from corpus import hollow
import nightshift as ns
hollow("torchao", "ao/torchao")
from torchao.prototype.quantized_training.int8_mm import _scaled_int8_mm_kernel, scaled_int8_mm

@ns.problem(space=ns.from_triton(_scaled_int8_mm_kernel), cases=[dict(M=4096, N=4096, K=4096)])
def torchao_int8_mm(case, config):
    a, b = (ns.integers(4096, case.K, low=-9, high=9, dtype="int8") for _ in range(2))
    row, col = ns.uniform(case.M), ns.uniform(case.N)
    return ns.Run(lambda: scaled_int8_mm(a, b.T, row, col))
