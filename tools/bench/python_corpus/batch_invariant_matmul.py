# thinking-machines-lab/batch_invariant_ops, batch_invariant_ops/batch_invariant_ops.py
from corpus import at
import nightshift as ns
at("batch_invariant_ops")
from batch_invariant_ops.batch_invariant_ops import matmul_kernel_persistent, matmul_persistent

@ns.problem(space=ns.from_triton(matmul_kernel_persistent, num_warps=[8, 4], num_stages=[3, 2, 4], GROUP_SIZE_M=[8, 4, 16]),
            cases=[dict(M=4096, N=4096, K=4096)])
def batch_invariant_matmul(case, config):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: matmul_persistent(a, b), reference=lambda: a.double() @ b.double())
