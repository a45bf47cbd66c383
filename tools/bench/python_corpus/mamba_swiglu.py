# state-spaces/mamba, mamba_ssm/ops/triton/k_activations.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.k_activations import _swiglu_fwd, _swiglu_fwd_kernel

@ns.problem(space=ns.from_triton(_swiglu_fwd_kernel), cases=[dict(M=8192, N=8192)])
def mamba_swiglu(case, config):
    xy = ns.normal(case.M, 2 * case.N)
    return ns.Run(lambda: _swiglu_fwd(xy))
