"""RMSNorm in Helion, as its manual writes one, in a space like the one its own tuner has."""

import helion
import helion.language as hl
import torch

import nightshift as ns


@helion.kernel(static_shapes=True)
def rmsnorm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    rows, columns = x.size()
    out = torch.empty([rows, columns], dtype=x.dtype, device=x.device)
    for tile in hl.tile(rows):
        values = x[tile, :].to(torch.float32)
        squares = torch.sum(values * values, dim=-1, keepdim=True)
        scale = torch.rsqrt(squares / columns + 1e-5)
        out[tile, :] = (values * scale * weight[:].to(torch.float32)).to(out.dtype)
    return out


LOADS, ACCESSES = 5, 7  # as Helion counts them: both forms of the reduction, and the stores
FIRST = dict(block_sizes=[1], reduction_loops=[None], num_warps=8, num_stages=1, pid_type="flat",
             indexing=["pointer"] * ACCESSES)


def shapes():
    return [torch.empty(*size, dtype=torch.bfloat16, device="cuda") for size in ((8192, 7168), (7168,))]


@ns.problem(space=ns.from_helion([FIRST], block_sizes=[[1], [2], [4], [8]],
                                 reduction_loops=[[None], [1024], [2048], [4096]],
                                 num_warps=[1, 2, 4, 8, 16, 32], num_stages=[1, 2, 3, 4],
                                 pid_type=["flat", "persistent_blocked", "persistent_interleaved"],
                                 each=dict(
                                     load_eviction_policies=(LOADS, ["", "first", "last"]),
                                     indexing=(ACCESSES, ["pointer", "tensor_descriptor"]))),
            compile=ns.compiled_by(rmsnorm, shapes), cases=[dict(M=8192, N=7168)])
def helion_rmsnorm(case, config, compiled):
    x, weight = ns.normal(case.M, case.N), ns.normal(case.N)

    def reference():
        wide = x.double()
        return wide * (wide.pow(2).mean(1, keepdim=True) + 1e-5).rsqrt() * weight.double()

    return ns.Run(lambda: compiled(x, weight), reference=reference, bytes=4 * case.M * case.N)
