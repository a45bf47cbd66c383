"""Who runs beside our kernels: for each problem what others do the same work, stored in the same
types."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, bias, sdpa_kernel

from . import formulas, four_bit_weights, libraries, marlin, packages, products, rows
from .peer import MODE, Peer, backward, both, compiled, eager, first_call, of_sizes

SCALED = ["a", "b", "a_scale", "b_scale"]


def loss_and_autograd(name, compile_it=False):
    """The loss and the gradient that autograd derives, both in each run."""
    def forward(x, target):
        loss, lse = formulas.cross_entropy(x, target)
        return loss, lse.detach()

    def prepare(cell, arguments):
        call = torch.compile(forward, mode=MODE, dynamic=False) if compile_it else forward
        leaves = [one["x"].detach().requires_grad_() for one in arguments.sets]
        scales = formulas.grad_scales(cell, arguments)

        def run(which):
            loss, lse = call(leaves[which], arguments.sets[which]["target"])
            dx, = torch.autograd.grad(loss, leaves[which], scales)
            return loss.detach(), lse.detach(), dx
        return run
    return Peer(name, prepare, warm=first_call(prepare) if compile_it else None)


def triton_products():
    return Peer("triton", products.tuned, warm=products.compile_all)


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
    in_its_order = libraries.marlin_product(four_bit_weights.unpacked)
    others = [Peer("Marlin (float16)", in_its_order, less=True)] if marlin.is_given() else []
    return [Peer("torch.matmul of bfloat16 weights", four_bit_weights.dequantised_matmul),
            Peer("torch _weight_int4pack_mm", four_bit_weights.tinygemm), *others]


PEERS = {
    "rmsnorm without weights": lambda: both(formulas.plain_rms_norm, ["x"]),
    "layernorm without weights": lambda: both(formulas.plain_layer_norm, ["x"]),
    "add_layernorm": lambda: both(formulas.add_layer_norm, ["x", "residual", "weight", "bias"]),
    "swiglu_fp8": lambda: of_sizes(formulas.swiglu(torch.float8_e4m3fn), ["gate", "up"]),
    "swiglu_int8": lambda: of_sizes(formulas.swiglu(torch.int8), ["gate", "up"]),
    "gated_rmsnorm_fp8": lambda: of_sizes(
        formulas.gated_rms_norm(torch.float8_e4m3fn), ["x", "gate", "weight"]),
    "gated_rmsnorm_int8": lambda: of_sizes(
        formulas.gated_rms_norm(torch.int8), ["x", "gate", "weight"]),
    "rope": lambda: of_sizes(formulas.rope, ["x", "cosine", "sine"]),
    "int8_gemm": lambda: both(formulas.int8_linear, ["x", "w", "weight_scale"]),
    "int8_linear_wgmma": lambda: both(formulas.int8_linear, ["x", "w", "weight_scale"]),
    "rmsnorm": lambda: [*both(formulas.rms_norm, ["x", "weight"]), triton_rows()],
    "layernorm": lambda: [*both(formulas.layer_norm, ["x", "weight", "bias"]), triton_rows()],
    "layernorm_training": lambda: both(formulas.layer_norm_training, ["x", "weight", "bias"]),
    "softmax": lambda: [*both(formulas.softmax, ["x"]), triton_rows()],
    "masked_softmax": lambda: [*of_sizes(formulas.masked_softmax, ["x", "mask"]), triton_rows()],
    "add_rmsnorm": lambda: both(formulas.add_rms_norm, ["x", "residual", "weight"]),
    "rmsnorm_fp8": lambda: both(formulas.rms_norm_fp8, ["x", "weight"]),
    "cross_entropy": lambda: [
        *both(formulas.cross_entropy, ["x", "target"]),
        compiled(formulas.cross_entropy_by_gather, ["x", "target"],
                 "torch.compile of one reduction")],
    "cross_entropy_gradient": lambda: [
        loss_and_autograd("torch"), loss_and_autograd("torch.compile", compile_it=True),
        compiled(formulas.cross_entropy_gradient, ["x", "target"], "torch.compile of the formula")],
    "rmsnorm_backward": lambda: [
        eager(formulas.rms_norm_backward_eager, ["x", "dy", "weight", "rstd"]),
        backward(formulas.rms_norm, ["x", "weight"], "torch.compile", compile_it=True),
        compiled(formulas.rms_norm_backward, ["x", "dy", "weight", "rstd"],
                 "torch.compile of the formula")],
    "layernorm_backward": lambda: [
        eager(formulas.layer_norm_backward_eager, ["x", "dy", "weight", "mean", "rstd"]),
        backward(formulas.layer_norm, ["x", "weight", "bias"], "torch.compile", compile_it=True),
        compiled(formulas.layer_norm_backward, ["x", "dy", "weight", "mean", "rstd"],
                 "torch.compile of the formula")],
    "attention_forward": lambda: [
        Peer("torch (cuDNN)", attention(SDPBackend.CUDNN_ATTENTION)),
        Peer("torch (FlashAttention 2)", attention(SDPBackend.FLASH_ATTENTION))],
    "int4_gemv": small_weights,
    "bf16_gemm": matrix_products,
    "bf16_gemm_wgmma": matrix_products,
    "int8_gemm_wgmma": lambda: [
        *both(formulas.scaled_int_mm, SCALED), triton_products(),
        eager(lambda a, b: torch._int_mm(a, b.t()), ["a", "b"], "torch._int_mm, unscaled",
              less=True),
        Peer("cuBLASLt, searched, unscaled", libraries.searched("int8", "int32"), less=True)],
    "fp8_gemm": lambda: [
        eager(formulas.block_scaled_mm, SCALED, "torch._scaled_mm"),
        cublaslt("float8_e4m3", by_blocks=True), triton_products(),
        eager(formulas.row_scaled_mm, SCALED, "torch._scaled_mm of rows, fast sums", less=True)],
    "transpose": lambda: both(formulas.transpose, ["x"]),
    "vector_add": lambda: both(torch.add, ["a", "b"]),
    "copy": lambda: [eager(lambda x, y: y.copy_(x), ["x", "y"], "torch (driver)", graph=False),
                     compiled(torch.clone, ["x"])],
    "row_sum": lambda: both(formulas.row_sum, ["x"]),
    "full_sum": lambda: both(formulas.full_sum, ["x"]),
    "conv2d": lambda: [eager(formulas.convolution, ["x", "filter"], "torch (cuDNN)")],
    "stencil2d": lambda: both(formulas.stencil, ["x"]),
}


def peers_of(cell):
    return [peer for peer in all_peers_of(cell)
            if not cell.peers or peer.name.startswith(tuple(cell.peers))]


def all_peers_of(cell):
    problem = cell.problem.name
    if cell.sizes.get("AFFINE") == 0:
        return PEERS[f"{problem} without weights"]()
    peers = PEERS[problem]()
    if packages.is_installed("quack"):
        peers += packages.quack(problem)
    if packages.is_installed("liger_kernel"):
        peers += packages.liger(problem)
    if packages.is_installed("deep_gemm"):
        peers += deep_gemm(problem)
    if problem == "attention_forward" and packages.is_installed("fa3_fwd_interface"):
        peers.append(packages.flash_attention_3())
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
