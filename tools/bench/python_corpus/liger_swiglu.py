# linkedin/Liger-Kernel, src/liger_kernel/ops/swiglu.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops import swiglu

@ns.problem(space=ns.replacing(swiglu.calculate_settings, num_warps=[4, 8, 16, 32]), cases=[dict(M=8192, N=11008)])
def liger_swiglu(case, config):
    a, b = ns.normal(case.M, case.N), ns.normal(case.M, case.N)
    return ns.Run(lambda: swiglu.swiglu_forward(a, b)[-1])
