# state-spaces/mamba, mamba_ssm/ops/triton/ssd_chunk_scan.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.ssd_chunk_scan import _chunk_scan_fwd, _chunk_scan_fwd_kernel

@ns.problem(space=ns.from_triton(_chunk_scan_fwd_kernel, baseline=dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, num_stages=4, num_warps=4)), cases=[dict(B=4, T=4096, H=64, P=64, N=128)])
def mamba_chunk_scan(case, config):
    B, T, H, P, N = ns.sizes(case)
    cb, x = ns.normal(B, T // 256, 1, 256, 256, std=0.1), ns.normal(B, T, H, P)
    dt, da = (ns.uniform(B, H, T // 256, 256, low=low, high=0.01, dtype="float32") for low in (0, -1))
    c, states = ns.normal(B, T, 1, N), ns.normal(B, T // 256, H, P, N)
    return ns.Run(lambda: _chunk_scan_fwd(cb, x, dt, da, c, states)[0])
