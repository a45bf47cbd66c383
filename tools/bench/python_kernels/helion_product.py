"""A product in Helion, as its manual writes one, in a space like the one its own tuner has."""

import itertools

import helion
import helion.language as hl
import torch

import nightshift as ns


@helion.kernel(static_shapes=True)
def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    m, k = a.size()
    n = b.size(1)
    out = torch.empty([m, n], dtype=a.dtype, device=a.device)
    for tile_m, tile_n in hl.tile([m, n]):
        total = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            total = torch.addmm(total, a[tile_m, tile_k], b[tile_k, tile_n])
        out[tile_m, tile_n] = total.to(out.dtype)
    return out


FIRST = dict(block_sizes=[64, 64, 32], l2_groupings=[8], loop_orders=[[0, 1]], num_warps=4,
             num_stages=3, pid_type="flat", indexing="pointer")
BLOCKS = [list(sizes) for sizes in itertools.product([64, 128, 256], [64, 128, 256], [32, 64, 128])]


def shapes():
    return [torch.empty(4096, 4096, dtype=torch.bfloat16, device="cuda") for _ in range(2)]


@ns.problem(space=ns.from_helion([FIRST], block_sizes=[FIRST["block_sizes"]] + [
    sizes for sizes in BLOCKS if sizes != FIRST["block_sizes"] and sizes[0] * sizes[1] <= 32768],
    l2_groupings=[[1], [4], [8], [16], [32]], loop_orders=[[[0, 1]], [[1, 0]]], num_warps=[4, 8],
    num_stages=[2, 3, 4, 5], pid_type=["flat", "persistent_blocked", "persistent_interleaved"],
    indexing=["pointer", "tensor_descriptor"]),
    compile=ns.compiled_by(product, shapes), cases=[dict(M=4096, N=4096, K=4096)])
def helion_product(case, config, compiled):
    a, b = ns.normal(case.M, case.K), ns.normal(case.K, case.N)
    return ns.Run(lambda: compiled(a, b), flops=2 * case.M * case.N * case.K,
                  reference=lambda: a.double() @ b.double())
