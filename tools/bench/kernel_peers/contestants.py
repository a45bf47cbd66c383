"""Who runs beside our kernels: for each problem what others do the same work, stored in the same types.

A peer's `prepare(cell, arguments)` returns `run(set)`, which starts one execution and returns the
outputs in the problem's order, or None where it writes to the set's own. What is compiled by torch or
Triton has `warm`, which fills their caches in another process beforehand. One that does `less` than
the problem asks for is shown beside the others, unchecked, and is nobody's peer.
"""

import dataclasses
import importlib.util

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, bias, sdpa_kernel

from . import libraries, marlin, products, rows

MODE = "max-autotune-no-cudagraphs"
EPSILON = 1e-5
IGNORED = -100
SCALE = rows.SCALE  # of masked_softmax
GRAD_SCALE = 0.5    # of cross_entropy_gradient


@dataclasses.dataclass
class Peer:
    name: str
    prepare: object
    warm: object = None
    graph: bool = True
    less: bool = False


def eager(function, inputs, name="torch", graph=True, less=False):
    def prepare(cell, arguments):
        def run(which):
            one = arguments.sets[which]
            return function(*[one[n] for n in inputs])
        return run
    return Peer(name, prepare, graph=graph, less=less)


def compiled(function, inputs, name="torch.compile"):
    def prepare(cell, arguments):
        # Shapes of their own for each cell: sizes that vary would make them symbols, which is slower.
        call = torch.compile(function, mode=MODE, dynamic=False)
        return eager(call, inputs).prepare(cell, arguments)
    return Peer(name, prepare, warm=first_call(prepare))


def of_sizes(make, inputs):
    """torch and torch.compile of the function that make(sizes) returns."""
    def prepare(cell, arguments):
        return eager(make(cell.sizes), inputs).prepare(cell, arguments)

    def prepare_compiled(cell, arguments):
        return compiled(make(cell.sizes), inputs).prepare(cell, arguments)
    return [Peer("torch", prepare),
            Peer("torch.compile", prepare_compiled, warm=first_call(prepare_compiled))]


def first_call(prepare):
    def warm(cell, arguments):
        prepare(cell, arguments)(0)
    return warm


def backward(forward, inputs, name, compile_it=False):
    """The backward pass that autograd derives, alone: the forward pass is run beforehand, once a set."""
    def prepare(cell, arguments):
        call = torch.compile(forward, mode=MODE, dynamic=False) if compile_it else forward
        tapes = []
        for one in arguments.sets:
            leaves = [(one[n] if n in one else torch.zeros_like(one["weight"]))
                      .detach().requires_grad_() for n in inputs]
            tapes.append((call(*leaves), leaves))

        def run(which):
            result, leaves = tapes[which]
            return torch.autograd.grad(result, leaves, arguments.sets[which]["dy"],
                                       retain_graph=True)
        return run
    return Peer(name, prepare, warm=first_call(prepare) if compile_it else None)


# --- The work, as a user of torch would write it ---

def rms_norm(x, weight):
    return F.rms_norm(x, (x.shape[1],), weight, EPSILON)


def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[1],), weight, bias, EPSILON)


def layer_norm_training(x, weight, bias):
    y, mean, rstd = torch.ops.aten.native_layer_norm(x, [x.shape[1]], weight, bias, EPSILON)
    return y, mean[:, 0], rstd[:, 0]


def plain_rms_norm(x):
    return F.rms_norm(x, (x.shape[1],), None, EPSILON)


def plain_layer_norm(x):
    return F.layer_norm(x, (x.shape[1],), None, None, EPSILON)


def softmax(x):
    return torch.softmax(x, 1)


def masked_softmax(sizes):
    kind, queries = sizes["MASK"], sizes["QUERIES"]

    def run(x, mask):
        count, columns = x.shape
        scores = x.float().view(-1, queries, columns) * SCALE
        if kind == 1:
            query = torch.arange(queries, device=x.device)[:, None]
            column = torch.arange(columns, device=x.device)
            scores = scores.masked_fill(column > query + columns - queries, float("-inf"))
        elif kind == 2:
            scores = scores + mask.view(queries, columns).float()
        return torch.softmax(scores, 2).to(x.dtype).view(count, columns)
    return run


def add_rms_norm(x, residual, weight):
    total = x + residual
    return total, rms_norm(total, weight)


def add_layer_norm(x, residual, weight, bias):
    total = x + residual
    return total, layer_norm(total, weight, bias)


def quantised(values, group, kind):
    """q, and a scale for each `group` columns, the groups in front."""
    largest = 448 if kind == torch.float8_e4m3fn else 127
    blocks = values.view(values.shape[0], -1, group or values.shape[1])
    scale = blocks.abs().amax(2) / largest
    q = blocks / scale[:, :, None]
    if kind == torch.int8:
        q = q.round()
    return q.to(kind).view(values.shape), scale.t().contiguous()


def swiglu(kind):
    def make(sizes):
        def run(gate, up):
            return quantised(F.silu(gate.float()) * up.float(), sizes["GROUP"], kind)
        return run
    return of_sizes(make, ["gate", "up"])


def gated_rms_norm(kind):
    def make(sizes):
        def run(x, gate, weight):
            normal = rms_norm(x.float(), weight.float())
            return quantised(normal * F.silu(gate.float()), sizes["GROUP"], kind)
        return run
    return of_sizes(make, ["x", "gate", "weight"])


def rope(sizes):
    def run(x, cosine, sine):
        wide, cosine, sine = x.float(), cosine[:, None], sine[:, None]
        if sizes["INTERLEAVED"]:
            first, second = wide[..., ::2], wide[..., 1::2]
        else:
            first, second = wide.chunk(2, -1)
        turned = first * cosine - second * sine, second * cosine + first * sine
        both = torch.stack(turned, -1).flatten(-2) if sizes["INTERLEAVED"] \
            else torch.cat(turned, -1)
        return both.to(x.dtype)
    return run


def rms_norm_fp8(x, weight):
    normal = rms_norm(x.float(), weight.float())
    scale = normal.abs().amax(1) / 448
    return (normal / scale[:, None]).to(torch.float8_e4m3fn), scale


def cross_entropy(x, target):
    wide = x.float()
    return F.cross_entropy(wide, target, reduction="none", ignore_index=IGNORED), \
        torch.logsumexp(wide, 1)


def cross_entropy_by_gather(x, target):
    """One reduction for both results, which the compiler does not find in the form above."""
    wide = x.float()
    lse = torch.logsumexp(wide, 1)
    picked = wide.gather(1, target.clamp(min=0)[:, None])[:, 0]
    return torch.where(target == IGNORED, 0.0, lse - picked), lse


def cross_entropy_gradient(x, target):
    wide = x.float()
    lse = torch.logsumexp(wide, 1)
    label, counts = target.clamp(min=0)[:, None], target != IGNORED
    loss = torch.where(counts, lse - wide.gather(1, label)[:, 0], 0.0)
    is_label = torch.arange(x.shape[1], device=x.device) == label
    gradient = torch.exp(wide - lse[:, None]) - torch.where(is_label, 1.0, 0.0)
    return loss, lse, torch.where(counts[:, None], gradient * GRAD_SCALE, 0.0).to(x.dtype)


def grad_scales(cell, arguments):
    """GRAD_SCALE for the loss of each row."""
    x = arguments.sets[0]["x"]
    return x.new_full((cell.sizes["M"],), GRAD_SCALE, dtype=torch.float32)


def loss_and_autograd(name, compile_it=False):
    """The loss and the gradient that autograd derives, both in each run."""
    def forward(x, target):
        loss, lse = cross_entropy(x, target)
        return loss, lse.detach()

    def prepare(cell, arguments):
        call = torch.compile(forward, mode=MODE, dynamic=False) if compile_it else forward
        leaves = [one["x"].detach().requires_grad_() for one in arguments.sets]
        scales = grad_scales(cell, arguments)

        def run(which):
            loss, lse = call(leaves[which], arguments.sets[which]["target"])
            dx, = torch.autograd.grad(loss, leaves[which], scales)
            return loss.detach(), lse.detach(), dx
        return run
    return Peer(name, prepare, warm=first_call(prepare) if compile_it else None)


def rms_norm_backward(x, dy, weight, rstd):
    normal = x.float() * rstd[:, None]
    scaled = dy.float() * weight.float()
    dx = rstd[:, None] * (scaled - normal * (scaled * normal).mean(1, keepdim=True))
    return dx.to(x.dtype), (dy.float() * normal).sum(0).to(x.dtype)


def layer_norm_backward(x, dy, weight, mean, rstd):
    normal = (x.float() - mean[:, None]) * rstd[:, None]
    scaled = dy.float() * weight.float()
    dx = rstd[:, None] * (scaled - scaled.mean(1, keepdim=True)
                          - normal * (scaled * normal).mean(1, keepdim=True))
    return dx.to(x.dtype), (dy.float() * normal).sum(0).to(x.dtype), dy.float().sum(0).to(x.dtype)


def rms_norm_backward_eager(x, dy, weight, rstd):
    return torch.ops.aten._fused_rms_norm_backward(dy, x, [x.shape[1]], rstd[:, None], weight,
                                                   [True, True])


def layer_norm_backward_eager(x, dy, weight, mean, rstd):
    return torch.ops.aten.native_layer_norm_backward(
        dy, x, [x.shape[1]], mean[:, None], rstd[:, None], weight, weight, [True] * 3)


def stencil(x):
    wide = F.pad(x.float(), (1, 1, 1, 1))
    sides = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    return (0.5 * x.float() + 0.125 * sides).to(x.dtype)


def row_sum(x):
    return torch.sum(x, 1, dtype=torch.float32)


def full_sum(x):
    return torch.sum(x, dtype=torch.float32)


def transpose(x):
    return x.t().contiguous()


def convolution(x, kernel):
    return F.conv2d(x[None, None], kernel[None, None])[0, 0]


def both(function, inputs):
    return [eager(function, inputs), compiled(function, inputs)]


# --- Weights of four bits ---

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


# --- Products of 8-bit numbers ---

def int8_linear(x, w, weight_scale):
    """With a scale for each token."""
    scale = x.float().abs().amax(1) / 127
    q = (x.float() / scale[:, None]).round().to(torch.int8)
    return (torch._int_mm(q, w.t()).float() * scale[:, None] * weight_scale).to(torch.bfloat16)


def scaled_int_mm(a, b, a_scale, b_scale):
    return (torch._int_mm(a, b.t()).float() * a_scale[:, None] * b_scale).to(torch.bfloat16)


def block_scaled_mm(a, b, a_scale, b_scale):
    return torch._scaled_mm(a, b.t(), scale_a=a_scale.t(), scale_b=b_scale.t(),
                            out_dtype=torch.bfloat16)


def row_scaled_mm(a, b, a_scale, b_scale):
    rows = a_scale[0, :, None].contiguous()
    columns = torch.ones(1, b.shape[0], device=b.device)
    return torch._scaled_mm(a, b.t(), scale_a=rows, scale_b=columns, out_dtype=torch.bfloat16,
                            use_fast_accum=True)


def triton_products():
    return Peer("triton", products.tuned, warm=products.compile_all)


SCALED = ["a", "b", "a_scale", "b_scale"]


# --- Other libraries, where they are installed ---

def is_installed(package):
    return importlib.util.find_spec(package) is not None


def quack(problem):
    def norm(x, weight):
        from quack.rmsnorm import rmsnorm_fwd
        return rmsnorm_fwd(x, weight, eps=EPSILON)[0]

    def normalise(cell, arguments):
        from quack.rmsnorm import layernorm_fwd
        wide = [(one["weight"].float(), one["bias"].float()) for one in arguments.sets]
        return lambda which: layernorm_fwd(arguments.sets[which]["x"], *wide[which], eps=EPSILON)

    def norm_backward(x, dy, weight, rstd):
        from quack.rmsnorm import rmsnorm_bwd
        return rmsnorm_bwd(x, weight, dy, rstd)[:2]

    def rows_softmax(x):
        from quack.softmax import softmax_fwd
        return softmax_fwd(x)

    def loss(x, target):
        from quack.cross_entropy import cross_entropy_fwd
        return cross_entropy_fwd(x, target, ignore_index=IGNORED, return_lse=True)

    def loss_and_gradient(cell, arguments):
        """Two kernels: the one that does both takes no scale of the gradient."""
        from quack.cross_entropy import cross_entropy_bwd, cross_entropy_fwd
        scales = grad_scales(cell, arguments)

        def run(which):
            x, target = arguments.sets[which]["x"], arguments.sets[which]["target"]
            loss, lse = cross_entropy_fwd(x, target, ignore_index=IGNORED, return_lse=True)
            return loss, lse, cross_entropy_bwd(x, target, scales, lse, ignore_index=IGNORED)
        return run

    def loss_with_gradient(x, target):
        from quack.cross_entropy import cross_entropy_fwd
        return cross_entropy_fwd(x, target, ignore_index=IGNORED, return_lse=True, return_dx=True)
    if problem == "cross_entropy_gradient":
        return [Peer("quack", loss_and_gradient),
                eager(loss_with_gradient, ["x", "target"], "quack, one pass, unscaled", less=True)]
    peers = {"rmsnorm": eager(norm, ["x", "weight"], "quack"),
             "layernorm": Peer("quack (float32 weight)", normalise),
             "softmax": eager(rows_softmax, ["x"], "quack"),
             "cross_entropy": eager(loss, ["x", "target"], "quack"),
             "rmsnorm_backward": eager(norm_backward, ["x", "dy", "weight", "rstd"], "quack")}
    return [peers[problem]] if problem in peers else []


def liger(problem):
    """Not its cross-entropy: that writes the gradient over the logits, which others read."""
    def norm(x, weight):
        from liger_kernel.ops.rms_norm import LigerRMSNormFunction
        return LigerRMSNormFunction.apply(x, weight, EPSILON, 0.0, "gemma", False)

    def normalise(x, weight, bias):
        from liger_kernel.ops.layer_norm import LigerLayerNormFunction
        return LigerLayerNormFunction.apply(x, weight, bias, EPSILON)

    def rows_softmax(x):
        from liger_kernel.ops.softmax import LigerSoftmaxFunction
        return LigerSoftmaxFunction.apply(x)
    peers = {"rmsnorm": eager(norm, ["x", "weight"], "liger"),
             "layernorm": eager(normalise, ["x", "weight", "bias"], "liger"),
             "softmax": eager(rows_softmax, ["x"], "liger"),
             "rmsnorm_backward": backward(norm, ["x", "weight"], "liger"),
             "layernorm_backward": backward(normalise, ["x", "weight", "bias"], "liger")}
    return [peers[problem]] if problem in peers else []


def flash_attention_3():
    """Of the wheel fa3_fwd, which has the forward pass for bfloat16; its rows are batch x place x head."""
    def prepare(cell, arguments):
        from fa3_fwd_interface import flash_attn_func

        def call(*matrices):
            out = flash_attn_func(*[m.transpose(1, 2) for m in matrices],
                                  causal=bool(cell.sizes["CAUSAL"]))
            return out.transpose(1, 2)
        return eager(call, ["q", "k", "v"]).prepare(cell, arguments)
    return Peer("FlashAttention 3", prepare)


# --- All of them ---

def triton_rows():
    return Peer("triton", rows.tuned, warm=rows.compile_all)


def cublaslt(inputs, by_blocks=False):
    return Peer("cuBLASLt, searched", libraries.searched(inputs, by_blocks=by_blocks))


def deep_gemm(problem):
    return [Peer("DeepGEMM", libraries.deep_gemm_product, warm=libraries.compile_deep_gemm)] \
        if problem in ("bf16_gemm", "bf16_gemm_wgmma", "fp8_gemm") else []


def attention(backend):
    """torch's attention by one backend; its own causal mask is right where there are as many keys."""
    def prepare(cell, arguments):
        sizes, mask = cell.sizes, {}
        if sizes["CAUSAL"] and sizes["QUERIES"] == sizes["KEYS"]:
            mask = {"is_causal": True}
        elif sizes["CAUSAL"]:
            mask = {"attn_mask": bias.causal_lower_right(sizes["QUERIES"], sizes["KEYS"])}

        def call(q, k, v):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(
                    q, k, v, enable_gqa=sizes["HEADS"] != sizes["KV_HEADS"], **mask)
        return eager(call, ["q", "k", "v"]).prepare(cell, arguments)
    return prepare


def matrix_products():
    return [eager(lambda a, b: torch.matmul(a, b.t()), ["a", "b"], "torch (cuBLAS)"),
            cublaslt("bfloat16")]


def small_weights():
    """Marlin does the work of the problem in float16; its answers are checked when it is prepared."""
    others = [Peer("Marlin (float16)", libraries.marlin_product(unpacked), less=True)] \
        if marlin.is_given() else []
    return [Peer("torch.matmul of bfloat16 weights", dequantised_matmul),
            Peer("torch _weight_int4pack_mm", tinygemm), *others]


PEERS = {
    "rmsnorm without weights": lambda: both(plain_rms_norm, ["x"]),
    "layernorm without weights": lambda: both(plain_layer_norm, ["x"]),
    "add_layernorm": lambda: both(add_layer_norm, ["x", "residual", "weight", "bias"]),
    "swiglu_fp8": lambda: swiglu(torch.float8_e4m3fn),
    "swiglu_int8": lambda: swiglu(torch.int8),
    "gated_rmsnorm_fp8": lambda: gated_rms_norm(torch.float8_e4m3fn),
    "gated_rmsnorm_int8": lambda: gated_rms_norm(torch.int8),
    "rope": lambda: of_sizes(rope, ["x", "cosine", "sine"]),
    "int8_gemm": lambda: both(int8_linear, ["x", "w", "weight_scale"]),
    "int8_linear_wgmma": lambda: both(int8_linear, ["x", "w", "weight_scale"]),
    "rmsnorm": lambda: [*both(rms_norm, ["x", "weight"]), triton_rows()],
    "layernorm": lambda: [*both(layer_norm, ["x", "weight", "bias"]), triton_rows()],
    "layernorm_training": lambda: both(layer_norm_training, ["x", "weight", "bias"]),
    "softmax": lambda: [*both(softmax, ["x"]), triton_rows()],
    "masked_softmax": lambda: [*of_sizes(masked_softmax, ["x", "mask"]), triton_rows()],
    "add_rmsnorm": lambda: both(add_rms_norm, ["x", "residual", "weight"]),
    "rmsnorm_fp8": lambda: both(rms_norm_fp8, ["x", "weight"]),
    "cross_entropy": lambda: [
        *both(cross_entropy, ["x", "target"]),
        compiled(cross_entropy_by_gather, ["x", "target"], "torch.compile of one reduction")],
    "cross_entropy_gradient": lambda: [
        loss_and_autograd("torch"), loss_and_autograd("torch.compile", compile_it=True),
        compiled(cross_entropy_gradient, ["x", "target"], "torch.compile of the formula")],
    "rmsnorm_backward": lambda: [
        eager(rms_norm_backward_eager, ["x", "dy", "weight", "rstd"]),
        backward(rms_norm, ["x", "weight"], "torch.compile", compile_it=True),
        compiled(rms_norm_backward, ["x", "dy", "weight", "rstd"], "torch.compile of the formula")],
    "layernorm_backward": lambda: [
        eager(layer_norm_backward_eager, ["x", "dy", "weight", "mean", "rstd"]),
        backward(layer_norm, ["x", "weight", "bias"], "torch.compile", compile_it=True),
        compiled(layer_norm_backward, ["x", "dy", "weight", "mean", "rstd"],
                 "torch.compile of the formula")],
    "attention_forward": lambda: [
        Peer("torch (cuDNN)", attention(SDPBackend.CUDNN_ATTENTION)),
        Peer("torch (FlashAttention 2)", attention(SDPBackend.FLASH_ATTENTION))],
    "int4_gemv": small_weights,
    "bf16_gemm": matrix_products,
    "bf16_gemm_wgmma": matrix_products,
    "int8_gemm_wgmma": lambda: [
        eager(scaled_int_mm, SCALED), compiled(scaled_int_mm, SCALED), triton_products(),
        eager(lambda a, b: torch._int_mm(a, b.t()), ["a", "b"], "torch._int_mm, unscaled",
              less=True),
        Peer("cuBLASLt, searched, unscaled", libraries.searched("int8", "int32"), less=True)],
    "fp8_gemm": lambda: [
        eager(block_scaled_mm, SCALED, "torch._scaled_mm"), cublaslt("float8_e4m3", by_blocks=True),
        triton_products(),
        eager(row_scaled_mm, SCALED, "torch._scaled_mm of rows, fast sums", less=True)],
    "transpose": lambda: both(transpose, ["x"]),
    "vector_add": lambda: both(torch.add, ["a", "b"]),
    "copy": lambda: [eager(lambda x, y: y.copy_(x), ["x", "y"], "torch (driver)", graph=False),
                     compiled(torch.clone, ["x"])],
    "row_sum": lambda: both(row_sum, ["x"]),
    "full_sum": lambda: both(full_sum, ["x"]),
    "conv2d": lambda: [eager(convolution, ["x", "filter"], "torch (cuDNN)")],
    "stencil2d": lambda: both(stencil, ["x"]),
}


def peers_of(cell):
    return [peer for peer in all_peers_of(cell)
            if not cell.peers or peer.name.startswith(tuple(cell.peers))]


def all_peers_of(cell):
    problem = cell.problem.name
    if cell.sizes.get("AFFINE") == 0:
        return PEERS[f"{problem} without weights"]()
    peers = PEERS[problem]()
    if is_installed("quack"):
        peers += quack(problem)
    if is_installed("liger_kernel"):
        peers += liger(problem)
    if is_installed("deep_gemm"):
        peers += deep_gemm(problem)
    if problem == "attention_forward" and is_installed("fa3_fwd_interface"):
        peers.append(flash_attention_3())
    return peers


def set_up():
    """Full precision where the problem has it, and what the compiler leaves off by default."""
    import torch._functorch.config
    import torch._inductor.config
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch._functorch.config.donated_buffer = False  # backward runs many times
    # Choices made while many processes compile are no choices: each process makes its own.
    torch._inductor.config.autotune_local_cache = False
    if hasattr(torch._inductor.config.triton, "mix_order_reduction"):
        torch._inductor.config.triton.mix_order_reduction = True


def start_cell():
    torch._dynamo.reset()
