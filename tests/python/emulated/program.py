"""A program that a test collects from: a few steps, whose results it prints."""

import sys

import torch
import triton
import triton.language as tl

N = 4096


@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps) for block in (256, 512)
                  for warps in (4, 8)], key=["n"])
@triton.jit
def tuned_scale(x, y, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@triton.jit
def add_into(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(y + at, mask=at < n) + tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def gather(x, index, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + tl.load(index + at, mask=at < n, other=0)), mask=at < n)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def step(x, index, number):
    y, z, w = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
    scale[grid](x, y, x.numel(), 0.5 + 0.01 * number, BLOCK=256, num_warps=8)
    tuned_scale[grid](y, z, x.numel(), 2.0)
    add_into[(triton.cdiv(x.numel(), 256),)](x, z, x.numel(), BLOCK=256, num_warps=8)
    gather[grid](z, index, w, x.numel(), BLOCK=256)
    return w


def main(steps):
    torch.manual_seed(1)
    x = torch.randn(N)
    index = torch.randperm(N, dtype=torch.int32)
    for number in range(steps):
        x = step(x, index, number)
        x = x / x.norm() * 64
    print(f"result {x.double().sum().item():.17g}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
