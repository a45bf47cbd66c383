"""Kernels of other packages, where these are installed."""

import importlib.util

from . import formulas
from .peer import Peer, backward, eager


def is_installed(package):
    return importlib.util.find_spec(package) is not None


def quack(problem):
    def norm(x, weight):
        from quack.rmsnorm import rmsnorm_fwd
        return rmsnorm_fwd(x, weight, eps=formulas.EPSILON)[0]

    def normalise(cell, arguments):
        from quack.rmsnorm import layernorm_fwd
        wide = [(one["weight"].float(), one["bias"].float()) for one in arguments.sets]
        return lambda which: layernorm_fwd(arguments.sets[which]["x"], *wide[which], eps=formulas.EPSILON)

    def norm_backward(x, dy, weight, rstd):
        from quack.rmsnorm import rmsnorm_bwd
        return rmsnorm_bwd(x, weight, dy, rstd)[:2]

    def rows_softmax(x):
        from quack.softmax import softmax_fwd
        return softmax_fwd(x)

    def loss(x, target):
        from quack.cross_entropy import cross_entropy_fwd
        return cross_entropy_fwd(x, target, ignore_index=formulas.IGNORED, return_lse=True)

    def loss_and_gradient(cell, arguments):
        """Two kernels: the one that does both takes no scale of the gradient."""
        from quack.cross_entropy import cross_entropy_bwd, cross_entropy_fwd
        scales = formulas.grad_scales(cell, arguments)

        def run(which):
            x, target = arguments.sets[which]["x"], arguments.sets[which]["target"]
            loss, lse = cross_entropy_fwd(x, target, ignore_index=formulas.IGNORED, return_lse=True)
            return loss, lse, cross_entropy_bwd(x, target, scales, lse, ignore_index=formulas.IGNORED)
        return run

    def loss_with_gradient(x, target):
        from quack.cross_entropy import cross_entropy_fwd
        return cross_entropy_fwd(x, target, ignore_index=formulas.IGNORED, return_lse=True,
                                 return_dx=True)
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
        return LigerRMSNormFunction.apply(x, weight, formulas.EPSILON, 0.0, "gemma", False)

    def normalise(x, weight, bias):
        from liger_kernel.ops.layer_norm import LigerLayerNormFunction
        return LigerLayerNormFunction.apply(x, weight, bias, formulas.EPSILON)

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
