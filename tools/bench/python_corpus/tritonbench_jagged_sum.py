# meta-pytorch/tritonbench, tritonbench/operators/jagged_sum/kernels.py
from corpus import hollow
import nightshift as ns
hollow("tritonbench", "tritonbench/tritonbench")
from tritonbench.operators.jagged_sum.kernels import (
    triton_jagged_sum_kernel_variable_length_loop_sum_then_buffer as kernel)
import torch, triton

@ns.problem(space=ns.from_triton(kernel), cases=[dict(B=512, L=256, M=512)], dtype="float32")
def tritonbench_jagged_sum(case, config):
    x = ns.normal(case.B * case.L, case.M)
    offsets = torch.arange(case.B + 1, device="cuda") * case.L
    out = ns.output(case.B, case.M)
    return ns.Run(lambda: kernel[lambda meta: (case.B * triton.cdiv(case.M, meta["BLOCK_SIZE_M"]),)](
        x, offsets, out, case.M), outputs=[out],
        reference=lambda: x.double().view(case.B, case.L, case.M).sum(1))
