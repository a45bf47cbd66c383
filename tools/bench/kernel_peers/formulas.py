"""What the problems compute, as a user of torch would write it."""

import torch
import torch.nn.functional as F

from . import rows

EPSILON = 1e-5
IGNORED = -100
SCALE = rows.SCALE  # of masked_softmax
GRAD_SCALE = 0.5    # of cross_entropy_gradient


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
    """The function for sizes."""
    def make(sizes):
        def run(gate, up):
            return quantised(F.silu(gate.float()) * up.float(), sizes["GROUP"], kind)
        return run
    return make


def gated_rms_norm(kind):
    """The function for sizes."""
    def make(sizes):
        def run(x, gate, weight):
            normal = rms_norm(x.float(), weight.float())
            return quantised(normal * F.silu(gate.float()), sizes["GROUP"], kind)
        return run
    return make


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


# --- Products of 8-bit numbers ---

def int8_linear(x, w, weight_scale):
    """With a scale for each token."""
    scale = x.float().abs().amax(1) / 127
    q = (x.float() / scale[:, None]).round().to(torch.int8)
    return (torch._int_mm(q, w.t()).float() * scale[:, None] * weight_scale).to(torch.bfloat16)


def scaled_int_mm(a, b, a_scale, b_scale):
    return (torch._int_mm(a, b.t()).float() * a_scale[:, None] * b_scale).to(torch.bfloat16)


def block_scaled_mm(a, b, a_scale, b_scale):
    return torch._scaled_mm(a, b.t(), scale_a=a_scale[:, :a.shape[0]].t(), scale_b=b_scale.t(),
                            out_dtype=torch.bfloat16)


def row_scaled_mm(a, b, a_scale, b_scale):
    rows = a_scale[0, :a.shape[0], None].contiguous()
    columns = torch.ones(1, b.shape[0], device=b.device)
    return torch._scaled_mm(a, b.t(), scale_a=rows, scale_b=columns, out_dtype=torch.bfloat16,
                            use_fast_accum=True)
