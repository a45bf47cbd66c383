"""A training step of a small model that torch.compile writes the kernels of, with random weights: a program that nobody edits.

    python3 train_step.py [--steps 60] [--tokens 8192] [--width 1024]

Its layers differ, so that there are some thirty kernels. It prints the loss of the last step and the milliseconds of a
step, as `--regex` of nightshift compare reads them."""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """With norms of queries and keys, and rotary angles."""

    def __init__(self, width, head=64):
        super().__init__()
        self.head, self.before = head, nn.RMSNorm(width)
        self.q_norm, self.k_norm = nn.RMSNorm(head), nn.RMSNorm(head)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q, k, v = (one.view(batch, length, -1, self.head).transpose(1, 2)
                   for one in self.qkv(self.before(x)).chunk(3, dim=-1))
        q, k = turned(self.q_norm(q), cos, sin), turned(self.k_norm(k), cos, sin)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class ShortConvolution(nn.Module):
    """Four steps back, a weight for each channel, and a gate."""

    def __init__(self, width):
        super().__init__()
        self.before = nn.LayerNorm(width)
        self.taps, self.gate = nn.Parameter(torch.randn(4, width) / 2), nn.Linear(width, width)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, *_):
        y = self.before(x)
        mixed = sum(F.pad(y, (0, 0, back, 0))[:, :y.shape[1]] * self.taps[back] for back in range(4))
        return x + self.out(torch.sigmoid(self.gate(y)) * mixed)


class Inner(nn.Module):
    def __init__(self, width, kind):
        super().__init__()
        self.kind, self.before = kind, nn.LayerNorm(width) if kind == "gelu" else nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width * (2 if kind == "swiglu" else 1), bias=kind == "gelu")
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x, *_):
        y = self.up(self.before(x))
        if self.kind == "swiglu":
            gate, y = y.chunk(2, dim=-1)
            return x + self.down(F.silu(gate) * y)
        if self.kind == "gelu":
            return x + F.dropout(self.down(F.gelu(y, approximate="tanh")), 0.1)
        return x + self.down(F.relu(y).square())


class Model(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed, self.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.layers = nn.ModuleList([
            Attention(width), Inner(width, "swiglu"), ShortConvolution(width), Inner(width, "gelu"),
            Attention(width), Inner(width, "relu"), ShortConvolution(width), Inner(width, "swiglu")])
        self.norm = nn.RMSNorm(width)

    def forward(self, tokens, targets, cos, sin):
        x = F.layer_norm(self.embed(tokens), (self.embed.weight.shape[1],))
        for layer in self.layers:
            x = layer(x, cos, sin)
        logits = 30 * torch.tanh(self.head(self.norm(x)).float() / 30)
        logits = logits.view(-1, logits.shape[-1])
        return F.cross_entropy(logits, targets.reshape(-1)) + 1e-4 * logits.logsumexp(-1).square().mean()


def turned(x, cos, sin):
    low, high = x.chunk(2, dim=-1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], dim=-1).to(x.dtype)


def main():
    parser = argparse.ArgumentParser()
    for name, value in dict(steps=60, tokens=8192, width=1024, words=16000).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    torch.manual_seed(0)
    like = dict(device=given.device)
    length = given.tokens // 4
    model = Model(given.words, given.width).to(given.device, torch.bfloat16)
    angle = torch.outer(torch.arange(length, **like).float(),
                        10000.0 ** (-torch.arange(0, 64, 2, **like).float() / 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loss_of = torch.compile(model)
    text = torch.randint(0, given.words, (4, length + 1), **like)
    wait = torch.cuda.synchronize if given.device == "cuda" else lambda: None
    for number in range(given.steps):
        if number == given.steps // 3:
            wait()
            begin = time.perf_counter()
        loss = loss_of(text[:, :-1], text[:, 1:], angle.cos(), angle.sin())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    wait()
    took = (time.perf_counter() - begin) / (given.steps - given.steps // 3)
    print(f"loss {loss.item():.4f}\nstep {1e3 * took:.4f} ms", flush=True)


if __name__ == "__main__":
    main()
