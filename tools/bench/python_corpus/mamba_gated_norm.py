# state-spaces/mamba, mamba_ssm/ops/triton/layernorm_gated.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.layernorm_gated import _layer_norm_fwd

@ns.problem(space=ns.replacing(_layer_norm_fwd, num_warps=[1, 2, 4, 8, 16]), cases=[dict(M=16384, N=4096)])
def mamba_gated_norm(case, config):
    x, z, w = ns.normal(case.M, case.N), ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: _layer_norm_fwd(x, w, None, 1e-6, z=z, is_rms_norm=True)[0])
