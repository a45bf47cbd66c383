# state-spaces/mamba, mamba_ssm/ops/triton/selective_state_update.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.selective_state_update import selective_state_update

@ns.problem(space=ns.replacing(selective_state_update, BLOCK_SIZE_M=[4, 8, 16, 32], num_warps=[4, 1, 2, 8],
                               baseline=dict(BLOCK_SIZE_M=4, num_warps=4)),
            cases=[dict(B=128, H=64, P=64, N=128)])
def mamba_state_update(case, config):
    B, H, P, N = ns.sizes(case)
    state, x, dt = ns.normal(B, H, P, N), ns.normal(B, H, P), ns.uniform(B, H, P)
    a, b, c = ns.uniform(H, P, N, low=-1, high=0), ns.normal(B, 1, N), ns.normal(B, 1, N)
    d, bias = ns.normal(H, P), ns.normal(H, P)
    return ns.Run(lambda: selective_state_update(state.clone(), x, dt, a, b, c, d, dt_bias=bias))
