# pytorch/helion, examples/matmul.py
from corpus import script
import nightshift as ns
import torch
m = script("helion/examples/matmul.py")
FIRST = dict(block_sizes=[64, 64, 64], num_warps=4, num_stages=3, pid_type="flat", indexing="pointer", l2_groupings=[1])

def arguments():
    return [torch.empty(4096, 4096, dtype=torch.bfloat16, device="cuda") for _ in range(2)]

@ns.problem(space=ns.from_helion([FIRST], block_sizes=[[64, 64, 64], [128, 128, 64], [128, 256, 64], [64, 256, 32]],
                                 l2_groupings=[[1], [8]], num_warps=[4, 8], num_stages=[3, 4]),
            cases=[dict(M=4096, N=4096, K=4096)], compile=ns.compiled_by(m.matmul, arguments))
def helion_matmul(case, config, compiled):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: compiled(a, b), reference=lambda: a.double() @ b.double())
