# linkedin/Liger-Kernel, src/liger_kernel/ops/dyt.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops.dyt import _dyt_fwd_kernel, liger_dyt_fwd

@ns.problem(space=ns.from_triton(_dyt_fwd_kernel), cases=[dict(M=8192, N=4096)])
def liger_dyt(case, config):
    x, gamma, beta = ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.N)
    alpha = ns.uniform(1)
    return ns.Run(lambda: liger_dyt_fwd(x, alpha, gamma, beta))
