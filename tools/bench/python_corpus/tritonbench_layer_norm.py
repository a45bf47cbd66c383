# meta-pytorch/tritonbench, tritonbench/operators/welford/triton_welford.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.welford.triton_welford import (fused_native_layer_norm,
                                                          triton_red_fused_native_layer_norm_0)

@ns.problem(space=ns.from_triton(triton_red_fused_native_layer_norm_0), cases=[dict(M=16384, N=4096)])
def tritonbench_layer_norm(case, config):
    w, b, x = ns.normal(case.N), ns.normal(case.N), ns.normal(case.M, case.N)
    return ns.Run(lambda: fused_native_layer_norm(w, b, x)[0])
