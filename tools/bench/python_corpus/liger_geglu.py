# linkedin/Liger-Kernel, src/liger_kernel/ops/geglu.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops import geglu

@ns.problem(space=ns.replacing(geglu.calculate_settings, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=11008)])
def liger_geglu(case, config):
    a, b = ns.normal(case.M, case.N), ns.normal(case.M, case.N)
    return ns.Run(lambda: geglu.geglu_forward(a, b)[-1])
