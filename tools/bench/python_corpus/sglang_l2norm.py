# sgl-project/sglang, sglang/kernels/ops/attention/fla/l2norm.py
from corpus import hollow, without
import nightshift as ns
hollow("sglang", "sglang/sglang")
without("orjson", "pybase64", "IPython", "zmq", "starlette", "fastapi", "uvicorn", "triton_kernels", "requests", "sglang.srt")
from sglang.kernels.ops.attention.fla import l2norm as m

@ns.problem(space=ns.from_triton(m.l2norm_fwd_kernel, BT=[8, 16, 32, 64], num_warps=[4, 8], num_stages=[3, 2]), cases=[dict(M=65536, D=128)])
def sglang_l2norm(case, config):
    x = ns.normal(case.M, case.D)
    return ns.Run(lambda: m.l2norm_fwd(x))
