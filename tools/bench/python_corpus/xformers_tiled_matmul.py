# facebookresearch/xformers, xformers/ops/_triton/tiled_matmul_kernels.py
from corpus import hollow
import nightshift as ns
hollow("xformers", "xformers/xformers")
from xformers.ops._triton.tiled_matmul_kernels import _launch_triton_matmul, _xformers_tiled_matmul_kernel

@ns.problem(space=ns.from_triton(_xformers_tiled_matmul_kernel, combine=False), cases=[dict(M=2048, N=2048, K=2048)],
            tolerance=1e-2)
def xformers_tiled_matmul(case, config):
    a = [[ns.normal(case.M, case.K)] * 1]
    b, c = [[ns.normal(case.K, case.N)]], [[ns.output(case.M, case.N)]]
    return ns.Run(lambda: _launch_triton_matmul(a, b, c, [case.M], [case.N], [case.K]), outputs=c[0],
                  reference=lambda: a[0][0].double() @ b[0][0].double())
