# meta-pytorch/tritonbench, tritonbench/operators/gather_gemv/triton_gather_gemv.py
from corpus import hollow
import nightshift as ns
import torch
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.gather_gemv.triton_gather_gemv import (triton_gemv_0,
                                                                  triton_red_fused_mv_0)

@ns.problem(space=ns.from_triton(triton_red_fused_mv_0), cases=[dict(S=4096)])
def tritonbench_gather_gemv(case, config):
    w, x = ns.normal(8, case.S, case.S), ns.normal(case.S)
    which = torch.tensor([1, 6], device="cuda")  # the same one twice would be half the work
    return ns.Run(lambda: triton_gemv_0(w, which, x)[0],
                  reference=lambda: w[which].double() @ x.double())
