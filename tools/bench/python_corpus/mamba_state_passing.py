# state-spaces/mamba, mamba_ssm/ops/triton/ssd_state_passing.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.ssd_state_passing import _state_passing_fwd, _state_passing_fwd_kernel

@ns.problem(space=ns.from_triton(_state_passing_fwd_kernel), cases=[dict(B=8, C=32, H=64, D=8192)])
def mamba_state_passing(case, config):
    states = ns.normal(case.B, case.C, case.H, case.D, dtype="float32")
    da = ns.uniform(case.B, case.H, case.C, low=-1, high=0, dtype="float32")
    return ns.Run(lambda: _state_passing_fwd(states, da))
