# pytorch/helion, examples/softmax.py
from corpus import script
import nightshift as ns
import torch
m = script("helion/examples/softmax.py")
FIRST = dict(block_sizes=[1, 1024], num_warps=4, num_stages=1, pid_type="flat", indexing="pointer")

@ns.problem(space=ns.from_helion([FIRST], block_sizes=[[1, 1024], [1, 2048], [1, 4096], [2, 1024], [4, 512]],
                                 num_warps=[4, 8, 16], num_stages=[1, 2, 3]), cases=[dict(M=4096, N=8192)],
            compile=ns.compiled_by(m.softmax_two_pass, lambda: [torch.empty(4096, 8192, dtype=torch.bfloat16, device="cuda")]))
def helion_softmax(case, config, compiled):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: compiled(x), reference=lambda: x.double().softmax(1))
