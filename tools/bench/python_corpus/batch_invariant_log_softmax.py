# thinking-machines-lab/batch_invariant_ops, batch_invariant_ops/batch_invariant_ops.py
from corpus import at
import nightshift as ns
at("batch_invariant_ops")
from batch_invariant_ops.batch_invariant_ops import log_softmax

@ns.problem(space=ns.replacing(log_softmax, BLOCK_SIZE=[1024, 2048, 4096, 8192], baseline=dict(BLOCK_SIZE=1024)),
            cases=[dict(M=4096, N=32000)])
def batch_invariant_log_softmax(case, config):
    x = ns.normal(case.M, case.N)
    return ns.Run(lambda: log_softmax(x))
