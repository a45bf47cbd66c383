# pytorch/helion, examples/rms_norm.py
from corpus import script
import nightshift as ns
import torch
m = script("helion/examples/rms_norm.py")
FIRST = dict(block_sizes=[1], reduction_loops=[None], num_warps=4, num_stages=1, pid_type="flat", indexing="pointer")

def arguments():
    return [torch.empty(8192, 4096, dtype=torch.bfloat16, device="cuda"),
            torch.empty(4096, dtype=torch.bfloat16, device="cuda"), 1e-5]

@ns.problem(space=ns.from_helion([FIRST], block_sizes=[[1], [2], [4]], reduction_loops=[[None], [1024], [2048]],
                                 num_warps=[4, 8, 16], num_stages=[1, 2]), cases=[dict(M=8192, N=4096)],
            compile=ns.compiled_by(m.rms_norm_fwd, arguments))
def helion_rms_norm(case, config, compiled):
    x, weight = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: compiled(x, weight, 1e-5)[0])
