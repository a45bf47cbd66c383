"""Products of matrices by libraries, tuned for each shape here: cuBLASLt by every algorithm that its
heuristics propose, DeepGEMM with two or all of its sizes compiled in, Marlin by tiles.

What a library wants laid out in its own way is so before anything is timed, as our own kernels get
their scales by columns and their weights in the order of their reads: weights are laid out once in a
model's life, scales of activations by the kernel that quantises them.
"""

import math

import torch

from . import cublaslt, data, marlin, timing

WORKSPACE_BYTES = 64 << 20  # twice what cuBLAS takes by itself on Hopper
SHARE_OF_GATE = 0.8         # how far an algorithm may be from sums in float32


def estimate_us(cell):
    return max(cell.figure("bytes") / 4e6, (cell.figure("flops") or 0) / 5e8)


def fastest(candidates, cell, sets, accept=lambda run: True):
    """The best of `candidates`, {name: run}, that `accept` takes, by short timings; those that fail
    are passed over.

    The run that comes back has `searched`: how many ran, the microseconds of the first of them and
    of this one, and its name.
    """
    times = {}
    for name, run in candidates.items():
        try:
            run(0)
            torch.cuda.synchronize()
            times[name] = timing.quick(run, sets, estimate_us(cell))
        except Exception as e:
            failure = e
    if not times:
        raise failure
    for name in sorted(times, key=times.get):
        if accept(candidates[name]):
            break
    else:
        raise RuntimeError(f"none of {len(times)} candidates is right")
    chosen = candidates[name]

    def run(which):
        return chosen(which)
    run.searched = {"candidates": len(times), "first": next(iter(times.values())),
                    "best": times[name], "name": str(name)}
    return run


# --- cuBLASLt ---

def padded(rows, width):
    """With rows of `width`, and zeros behind; what is so already is not copied."""
    if rows.shape[1] == width:
        return rows
    return torch.nn.functional.pad(rows, (0, width - rows.shape[1]))


def block_scales(one, shapes):
    """Those of a and of b, kept by the caller, of the shapes that the library wants."""
    return one["a_scale"][:, :shapes[0][1]].contiguous(), padded(one["b_scale"], shapes[1][1])


def searched(inputs, output="bfloat16", by_blocks=False):
    """`prepare` of a peer; outputs of another type than the set's are its own."""
    def prepare(cell, arguments):
        m, n, k = (cell.sizes[name] for name in "MNK")
        sets = arguments.sets
        product = cublaslt.Product(cublaslt.library(), m, n, k, inputs, output)
        scales = [block_scales(one, cublaslt.scale_shapes(m, n, k)) if by_blocks else None
                  for one in sets]
        operations = [product.operation(s and tuple(t.data_ptr() for t in s)) for s in scales]
        own = data.TYPES[output] != sets[0]["c"].dtype
        results = [torch.empty((m, n), dtype=data.TYPES[output], device="cuda") if own
                   else one["c"] for one in sets]
        workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        stream = torch.cuda.current_stream().cuda_stream

        def by(algorithm):
            runs = [product.bind(operation, algorithm, one["a"].data_ptr(), one["b"].data_ptr(),
                                 result.data_ptr(), (workspace.data_ptr(), WORKSPACE_BYTES), stream)
                    for operation, one, result in zip(operations, sets, results)]

            def run(which, keep=(scales, workspace)):
                runs[which]()
                return results[which] if own else None
            return run
        proposed = product.algorithms(operations[0], WORKSPACE_BYTES)
        accept = accuracy(by, product, operations[0], results[0], cell)
        return fastest({i: by(a) for i, a in enumerate(proposed)}, cell, len(sets), accept)
    return prepare


def accuracy(by, product, operation, result, cell):
    """Whether a run's result is near that of an algorithm that adds parts of k in float32, as ours
    does. Others round them to bfloat16 first. Without this a fast one that is beyond the gate would
    cost the library its place."""
    if not result.is_floating_point():
        return lambda run: True
    try:
        exact = product.algorithms(operation, WORKSPACE_BYTES, cublaslt.FLOAT_REDUCTION, most=1)[0]
    except cublaslt.CublasError:
        return lambda run: True
    by(exact)(0)
    expected = result.clone()

    def accept(run):
        result.view(torch.int16).fill_(-1)  # NaN
        run(0)
        return data.error_of(result, expected) <= SHARE_OF_GATE * cell.gate("c")
    return accept


# --- DeepGEMM ---

DIMENSIONS = ("nk", "mnk")  # that are constants of its kernel; ours has all


def deep_gemm_calls(cell, arguments):
    """{dimensions: run}."""
    import deep_gemm
    sets = arguments.sets
    left = right = None
    if cell.problem.name == "fp8_gemm":
        left = [(one["a"], one["a_scale"][:, :cell.sizes["M"]].t()) for one in sets]
        right = [(one["b"], one["b_scale"]) for one in sets]

    def by(dimensions):
        def run(which):
            if left:
                deep_gemm.fp8_gemm_nt(left[which], right[which], sets[which]["c"],
                                      compiled_dims=dimensions)
            else:
                one = sets[which]
                deep_gemm.bf16_gemm_nt(one["a"], one["b"], one["c"], compiled_dims=dimensions)
        return run
    return {dimensions: by(dimensions) for dimensions in DIMENSIONS}


def compile_deep_gemm(cell, arguments):
    for run in deep_gemm_calls(cell, arguments).values():
        run(0)


def deep_gemm_product(cell, arguments):
    return fastest(deep_gemm_calls(cell, arguments), cell, len(arguments.sets))


# --- Marlin ---

def marlin_product(unpacked):
    """`prepare`; `unpacked(set)`: weights 0 to 15, N x K. The same numbers in float16, so inputs,
    scales and result are of another type than the problem's, with as many bytes."""
    def prepare(cell, arguments):
        m, n, k, group = (cell.sizes[name] for name in ("M", "N", "K", "GROUP"))
        tiles = [tile for tile in marlin.TILES if k % tile[0] == 0 and n % tile[1] == 0]
        if group != marlin.GROUP or not tiles:
            raise ValueError(f"it has scales of {marlin.GROUP} weights and N in whole tiles")
        sets = [{"x": one["x"].half(), "weights": marlin.packed(unpacked(one).t().contiguous()),
                 "scales": marlin.ordered_scales(one["scale"]),
                 "y": torch.empty((m, n), dtype=torch.float16, device="cuda")}
                for one in arguments.sets]
        lock = torch.zeros(marlin.locks(n), dtype=torch.int32, device="cuda")
        stream = torch.cuda.current_stream().cuda_stream

        def by(tile):
            def run(which):
                one = sets[which]
                marlin.launch(*(one[name].data_ptr() for name in ("x", "weights", "y", "scales")),
                              (m, n, k), lock.data_ptr(), stream, tile, arguments.multiprocessors)
                return one["y"]
            return run
        first = arguments.sets[0]
        scale = first["scale"].double().t().repeat_interleave(group, 1)
        expected = first["x"].double() @ ((unpacked(first) - 8) * scale).t()

        def accept(run):
            sets[0]["y"].fill_(math.nan)
            return data.error_of(run(0), expected) <= cell.gate("y")
        return fastest({tile: by(tile) for tile in tiles}, cell, len(sets), accept)
    return prepare

