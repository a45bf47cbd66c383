"""A training step of a small Llama with Liger's kernels, with random weights: a program that nobody edits.

    python3 liger_step.py [--steps 60] [--compile] [--tokens 4096]

It prints the loss of the last step and the milliseconds of a step, as `--regex` of nightshift compare reads them."""

import argparse
import sys
import time

import torch
import torch.nn.functional as F
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.rope import LigerRopeFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction


class Norm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return LigerRMSNormFunction.apply(x, self.weight, 1e-6, 0.0, "llama", False)


class Layer(torch.nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.before, self.after = Norm(width), Norm(width)
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.up = torch.nn.Linear(width, inner, bias=False)
        self.gate = torch.nn.Linear(width, inner, bias=False)
        self.down = torch.nn.Linear(inner, width, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q, k, v = (one.view(batch, length, self.heads, self.head).transpose(1, 2)
                   for one in self.qkv(self.before(x)).split(width, dim=-1))
        q, k = LigerRopeFunction.apply(q, k, cos, sin)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        y = self.after(x)
        return x + self.down(LigerSiLUMulFunction.apply(self.gate(y), self.up(y)))


class Model(torch.nn.Module):
    def __init__(self, words, width, heads, inner, layers):
        super().__init__()
        self.embed = torch.nn.Embedding(words, width)
        self.layers = torch.nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))
        self.norm, self.head = Norm(width), torch.nn.Linear(width, words, bias=False)

    def forward(self, tokens, cos, sin):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.head(self.norm(x))


def angles(length, head, device, dtype):
    rates = 10000.0 ** (-torch.arange(0, head, 2, device=device).float() / head)
    turned = torch.outer(torch.arange(length, device=device).float(), rates)
    turned = torch.cat([turned, turned], dim=-1)[None]
    return turned.cos().to(dtype), turned.sin().to(dtype)


def loss_of(logits, targets):
    loss, *_ = LigerCrossEntropyFunction.apply(
        logits.view(-1, logits.shape[-1]), targets.view(-1), None)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=1024)
    given = parser.parse_args()
    torch.manual_seed(0)
    words, dtype = 32000, torch.bfloat16
    model = Model(words, given.width, given.width // 64, 4 * given.width, given.layers).to(given.device, dtype)
    step = torch.compile(model) if given.compile else model
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    tokens = torch.randint(0, words, (2, given.tokens // 2 + 1), device=given.device)
    cos, sin = angles(given.tokens // 2, 64, given.device, dtype)
    begin = loss = None
    for number in range(given.steps):
        if number == given.steps // 3:
            synchronize(given.device)
            begin = time.perf_counter()
        loss = loss_of(step(tokens[:, :-1], cos, sin), tokens[:, 1:].contiguous())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    synchronize(given.device)
    took = (time.perf_counter() - begin) / (given.steps - given.steps // 3)
    print(f"loss {loss.item():.4f}\nstep {1e3 * took:.4f} ms")
    sys.stdout.flush()


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
