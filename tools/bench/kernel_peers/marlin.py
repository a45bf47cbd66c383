"""Marlin's order of 4-bit weights, and its kernel by ctypes, for the peer of int4_gemv.

Imports torch only where tensors are packed. NIGHTSHIFT_MARLIN names a shared library that exports
the C++ function `marlin_cuda` of Marlin's first version by its mangled name; without it there is no
such peer. Its kernel multiplies float16 by weights of -8 to 7 with a scale in float16 for each 128 of
k, and sums in float32; the sums of several blocks are joined in float16.
"""

import ctypes
import functools
import os

LIBRARY = "NIGHTSHIFT_MARLIN"
SYMBOL = "_Z11marlin_cudaPKvS0_PvS1_iiiS1_iiP11CUstream_stiiii"
GROUP = 128                       # weights of k with the same scale
DEPTH, WIDTH = 16, 64             # of a piece: what a warp multiplies at once, k by n
TILES = ((128, 128), (64, 256))   # of k and n, that its kernel is compiled for with up to 16 rows
MOST_BLOCKS = 16                  # of 64 rows, at once; locks are for so many
ERRORS = {1: "it has no such shape", 2: "it has no such tile"}


def weight_order():
    """Where in a piece, counted k by n, the nibbles of its 128 words are from, lowest nibble first.

    Four neighbouring words belong to a lane of the warp, one to each 16 columns. In the fragments of
    the m16n8k16 product lane l has of column l / 4 the rows 2 (l % 4), the next, and both plus 8; a
    word has those of its first 8 columns and of its second. The kernel unpacks nibbles p and p + 4
    together, which are neighbouring rows.
    """
    order = []
    for lane in range(32):
        for word in range(4):
            for nibble in range(8):
                next_row, second_columns, lower_rows = nibble // 4, nibble // 2 % 2, nibble % 2
                row = 2 * (lane % 4) + next_row + 8 * lower_rows
                column = 16 * word + 8 * second_columns + lane // 4
                order.append(row * WIDTH + column)
    return order


def scale_order():
    """Which columns of 64 the scales are of, one after the other: 8 for each column of a fragment."""
    return [column + 8 * part for column in range(8) for part in range(8)]


def packed(weights):
    """Weights 0 to 15, a tensor of K x N, as words of 32 bits: K / 16 x 2 N."""
    import torch
    depth, width = weights.shape
    pieces = weights.to(torch.uint8).view(depth // DEPTH, DEPTH, width // WIDTH, WIDTH)
    pieces = pieces.transpose(1, 2).reshape(-1, DEPTH * WIDTH)
    nibbles = pieces[:, torch.tensor(weight_order(), device=weights.device)]
    pairs = nibbles.view(-1, 2)
    joined = pairs[:, 0] | pairs[:, 1] << 4
    return joined.view(torch.int32).view(depth // DEPTH, 2 * width)


def ordered_scales(scale):
    """Of K / 128 x N, as float16."""
    import torch
    order = torch.tensor(scale_order(), device=scale.device)
    return scale.view(-1, WIDTH)[:, order].view(scale.shape).to(torch.float16)


def is_given():
    return bool(os.environ.get(LIBRARY))


@functools.cache
def function():
    found = getattr(ctypes.CDLL(os.environ[LIBRARY]), SYMBOL)
    pointer, whole = ctypes.c_void_p, ctypes.c_int
    # x, weights, result, scales, rows, n, k, locks, group, device, stream, tile of k and of n,
    # multiprocessors, most blocks
    found.argtypes = [pointer] * 4 + [whole] * 3 + [pointer, whole, whole, pointer] + [whole] * 4
    found.restype = whole
    return found


def locks(columns):
    """How many, zero before the first launch and left so by each."""
    return columns // min(n for _, n in TILES) * MOST_BLOCKS


def launch(x, weights, result, scales, shape, lock, stream, tile, multiprocessors, device=0):
    """Starts one product of `shape` (rows, n, k); all else that is no number: addresses."""
    status = function()(x, weights, result, scales, *shape, lock, GROUP, device, stream, *tile,
                        multiprocessors, MOST_BLOCKS)
    if status:
        raise RuntimeError(f"marlin_cuda: {ERRORS.get(status, status)}")
