# state-spaces/mamba, mamba_ssm/ops/triton/ssd_chunk_state.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.ssd_chunk_state import _chunk_state_fwd, _chunk_state_fwd_kernel

@ns.problem(space=ns.from_triton(_chunk_state_fwd_kernel), cases=[dict(B=4, T=4096, H=64, P=64, N=128)])
def mamba_chunk_state(case, config):
    B, T, H, P, N = ns.sizes(case)
    b, x = ns.normal(B, T, 1, N), ns.normal(B, T, H, P)
    dt, da = (ns.uniform(B, H, T // 256, 256, low=low, high=0.01, dtype="float32") for low in (0, -1))
    return ns.Run(lambda: _chunk_state_fwd(b, x, dt, da))
