# databricks/megablocks, megablocks/backend/kernels.py
from corpus import hollow
import nightshift as ns
hollow("megablocks", "megablocks/megablocks")
from megablocks.backend.kernels import _padded_copy, padded_gather
import torch

@ns.problem(space=ns.from_triton(_padded_copy), cases=[dict(M=16384, N=4096, E=8)])
def megablocks_padded_copy(case, config):
    x = ns.normal(case.M, case.N)
    each = case.M // case.E
    indices = torch.arange(case.M, device="cuda", dtype=torch.int32)
    bins = (torch.arange(case.E, device="cuda", dtype=torch.int32) + 1) * each
    return ns.Run(lambda: padded_gather(x, indices, indices // each, None, bins, bins, 1))
