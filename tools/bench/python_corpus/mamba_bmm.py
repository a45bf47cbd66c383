# state-spaces/mamba, mamba_ssm/ops/triton/ssd_bmm.py
from corpus import hollow
import nightshift as ns
hollow("mamba_ssm", "mamba/mamba_ssm")
from mamba_ssm.ops.triton.ssd_bmm import _bmm_chunk_fwd, _bmm_chunk_fwd_kernel

@ns.problem(space=ns.from_triton(_bmm_chunk_fwd_kernel), cases=[dict(B=8, T=4096, G=8, N=128)])
def mamba_bmm(case, config):
    a, b = ns.normal(case.B, case.T, case.G, case.N), ns.normal(case.B, case.T, case.G, case.N)
    return ns.Run(lambda: _bmm_chunk_fwd(a, b, 256))
