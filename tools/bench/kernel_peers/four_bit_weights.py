"""Products with weights of four bits by torch."""

import torch


def unpacked(one):
    """Weights 0 to 15 of the set, N x K, from the order that kernels/cuda/int4_gemv tells."""
    q = one["q"]
    n, words = q.shape
    # tile of 16 rows, chunk of 128 weights, half of the tile, row, member, block
    tiles = q.view(n // 16, words // 16, 2, 8, 4, 4)
    ordered = tiles.permute(0, 2, 3, 1, 5, 4).reshape(n, words)
    shifts = torch.arange(0, 32, 4, device=q.device)
    return ((ordered[:, :, None] >> shifts) & 15).reshape(n, -1)


def dequantised_matmul(cell, arguments):
    """The product with weights of 16 bits: four times the bytes, but no unpacking."""
    weights = []
    for one in arguments.sets:
        scale = one["scale"].float().t().repeat_interleave(cell.sizes["GROUP"], 1)
        weights.append(((unpacked(one) - 8) * scale).to(torch.bfloat16).t())
    return lambda which: torch.matmul(arguments.sets[which]["x"], weights[which])


def tinygemm(cell, arguments):
    """torch's kernel for weights of four bits, with the same weights in its own order."""
    packed = []
    for one in arguments.sets:
        weights = unpacked(one)
        pairs = (weights[:, ::2] << 4 | weights[:, 1::2]).to(torch.uint8)
        scale = torch.stack([one["scale"], torch.zeros_like(one["scale"])], -1).contiguous()
        packed.append((torch.ops.aten._convert_weight_to_int4pack(pairs, 8), scale))
    group = cell.sizes["GROUP"]
    return lambda which: torch.ops.aten._weight_int4pack_mm(
        arguments.sets[which]["x"], packed[which][0], group, packed[which][1])
