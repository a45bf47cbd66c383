# linkedin/Liger-Kernel, src/liger_kernel/ops/cross_entropy.py
from corpus import hollow
import nightshift as ns
hollow("liger_kernel", "Liger-Kernel/src/liger_kernel")
from liger_kernel.ops import cross_entropy

@ns.problem(space=ns.replacing("liger_kernel.ops.cross_entropy.MAX_FUSED_SIZE", [8192, 16384, 32768]) +
            ns.from_triton(cross_entropy.liger_cross_entropy_kernel, num_warps=[32, 16, 8]),
            cases=[dict(M=4096, V=32000)])
def liger_cross_entropy(case, config):
    x, y = ns.normal(case.M, case.V), ns.integers(case.M, low=0, high=case.V, dtype="int64")
    return ns.Run(lambda: cross_entropy.cross_entropy_forward(
        x.clone(), y, None, -100, 0.0, 0.0, "mean", None, False)[0].reshape(1))
