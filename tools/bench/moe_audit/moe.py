"""The two products of a mixture of experts as vLLM launches them, with the Triton kernel of its own
file, which is read where it was unpacked.

NIGHTSHIFT_VLLM is the folder of an unpacked wheel; NIGHTSHIFT_MOE_CASES a JSON file: [{"name", "E",
"N", "K", "topk", "M", "dtype", "block_shape"}], E experts of N x K after the gate, M tokens that
each go to `topk` of them. The time is that of both products; what stands between them in an
application (activation, sums over experts) does not depend on the configuration."""

import ast
import json
import os
import pathlib
import random

import torch
import triton
import triton.language as tl

import nightshift as ns

FOLDER = pathlib.Path(os.environ["NIGHTSHIFT_VLLM"]) / "vllm/model_executor/layers/fused_moe"
FILE = FOLDER / "fused_moe.py"
WANTED = {"write_zeros_to_output", "fused_moe_kernel", "invoke_fused_moe_kernel",
          "get_default_config"}


class _Platform:
    is_rocm = staticmethod(lambda: False)


def _functions():
    """What is wanted of the file, without what it imports."""
    tree = ast.parse(FILE.read_text())
    tree.body = [node for node in tree.body
                 if isinstance(node, ast.FunctionDef) and node.name in WANTED]
    for node in tree.body:
        if node.name.startswith(("invoke", "get")):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
    names = {"__name__": "fused_moe", "torch": torch, "triton": triton, "tl": tl,
             "current_platform": _Platform, "vllm_is_batch_invariant": lambda: False}
    exec(compile(tree, str(FILE), "exec"), names)
    return names


_NAMES = _functions()
CASES = json.loads(pathlib.Path(os.environ["NIGHTSHIFT_MOE_CASES"]).read_text())


def default_config(case):
    """What is used where no file matches."""
    found = _NAMES["get_default_config"](case["M"], case["E"], case["N"], case["K"], case["topk"],
                                         case["dtype"], case["block_shape"])
    found.pop("SPLIT_K", None)
    return {"num_warps": 4, "num_stages": 3, **found}


def sorted_tokens(tokens, experts, topk, block):
    """(token of each row, expert of each block, rows) with each expert's rows padded to `block`;
    tokens choose `topk` different experts at random."""
    import numpy
    dice, chosen = random.Random(tokens), [[] for _ in range(experts)]
    for token in range(tokens):
        for place, expert in enumerate(dice.sample(range(experts), topk)):
            chosen[expert].append(token * topk + place)
    most = tokens * topk + experts * (block - 1)
    most = (most + block - 1) // block * block
    rows, blocks, of = [], [], [0] * (tokens * topk)
    for expert, mine in enumerate(chosen):
        for row in mine:
            of[row] = expert
        padded = mine + [tokens * topk] * (-len(mine) % block)
        rows += padded
        blocks += [expert] * (len(padded) // block)
    count = len(rows)
    rows += [tokens * topk] * (most - count)
    blocks += [0] * (most // block - len(blocks))
    return (numpy.array(rows, numpy.int32), numpy.array(blocks, numpy.int32),
            numpy.array([count], numpy.int32), of)


def on_gpu(array):
    return torch.from_numpy(array).to("cuda")


def product_of(a, b, a_scale, b_scale, row_of, expert_of, group):
    """float64: row i is a's row_of[i] by expert expert_of[i]."""
    result = torch.empty(len(row_of), b.shape[1], dtype=torch.float64, device=a.device)
    left = a.double()
    if a_scale is not None:
        scale = a_scale if a_scale.ndim < 2 else a_scale.repeat_interleave(group, 1)
        left = left * scale.double()
    experts = torch.tensor(expert_of, device=a.device)
    rows = torch.tensor(row_of, device=a.device)
    for expert in experts.unique().tolist():
        mine = (experts == expert).nonzero()[:, 0]
        right = b[expert].double()
        if b_scale is not None:
            scale = b_scale[expert].double()
            right = right * (scale if scale.ndim == 0 else scale.repeat_interleave(
                group, 0)[:right.shape[0]].repeat_interleave(group, 1)[:, :right.shape[1]])
        result[mine] = left[rows[mine]] @ right.T
    return result


def scales_of(shape_a, shape_b, block_shape):
    if block_shape is None:
        return (ns.uniform(1, dtype="float32", low=0.5, high=1.5),
                ns.uniform(shape_b[0], dtype="float32", low=0.5, high=1.5))
    n, k = block_shape
    return (ns.uniform(shape_a[0], shape_a[1] // k, dtype="float32", low=0.5, high=1.5),
            ns.uniform(shape_b[0], -(-shape_b[1] // n), shape_b[2] // k, dtype="float32", low=0.5,
                       high=1.5))


@ns.problem(space=dict(BLOCK_SIZE_M=[16, 32, 64, 128, 256], BLOCK_SIZE_N=[32, 64, 128, 256],
                       BLOCK_SIZE_K=[32, 64, 128, 256], GROUP_SIZE_M=[1, 8, 16, 32, 64],
                       num_warps=[4, 8], num_stages=[2, 3, 4, 5]),
            cases={case["name"]: case for case in CASES}, dtype="bfloat16", tolerance=0.01,
            baseline=dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=32, GROUP_SIZE_M=8,
                          num_warps=4, num_stages=3))
def moe(case, config):
    E, N, K, M, topk = case.E, case.N, case.K, case.M, case.topk
    fp8, group = case.dtype == "fp8_w8a8", case.block_shape
    kind = "float8_e4m3fn" if fp8 else "bfloat16"
    x, h = ns.normal(M, K, dtype=kind), ns.normal(M * topk, N, dtype=kind)
    w1, w2 = ns.normal(E, 2 * N, K, dtype=kind), ns.normal(E, K, N, dtype=kind)
    y1, y2 = ns.output(M, topk, 2 * N), ns.output(M, topk, K)
    weights = ns.uniform(M, topk, dtype="float32", low=0.1, high=1.0)
    x_scale, w1_scale = scales_of((M, K), (E, 2 * N, K), group) if fp8 else (None, None)
    h_scale, w2_scale = scales_of((M * topk, N), (E, K, N), group) if fp8 else (None, None)
    rows, blocks, count, expert_of = sorted_tokens(M, E, topk, config.BLOCK_SIZE_M)
    order = [on_gpu(one) for one in (rows, blocks, count)]

    def product(a, b, c, a_scale, b_scale, routed, top_k):
        _NAMES["invoke_fused_moe_kernel"](
            a, b, c, a_scale, b_scale, None, weights, *order, routed, top_k, dict(config),
            compute_type=tl.bfloat16, use_fp8_w8a8=fp8, use_int8_w8a8=False,
            use_int8_w8a16=False, use_int4_w4a16=False, per_channel_quant=False,
            block_shape=group)

    def call():
        product(x, w1, y1, x_scale, w1_scale, False, topk)
        product(h, w2, y2, h_scale, w2_scale, True, 1)

    def reference():
        each = list(range(M * topk))
        size = group[1] if group else 0
        one = product_of(x, w1, x_scale, w1_scale, [i // topk for i in each], expert_of, size)
        two = product_of(h, w2, h_scale, w2_scale, each, expert_of, size)
        return one.view(M, topk, -1), (two * weights.view(-1, 1).double()).view(M, topk, -1)

    return ns.Run(call, outputs=[y1, y2], reference=reference,
                  flops=2 * M * topk * (2 * N * K + K * N))
