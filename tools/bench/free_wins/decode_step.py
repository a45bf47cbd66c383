"""A decoding step of a small Llama with kernels of its own and random weights: a program that nobody edits.

    python3 decode_step.py [--eager] [--compile] [--steps 300] [--batch 16] [--context 4096]

Steps are replayed from a CUDA graph unless --eager is given. --compile leaves what lies between the matrix products to
torch.compile. It prints a checksum of the last logits and the milliseconds of a step, as `--regex` of nightshift compare
reads them. The tokens are given, so that an error of one step never becomes another text."""

import argparse
import time

import torch
import triton
import triton.language as tl


@triton.jit
def add_norm(x, residual, weight, y, n, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    here = at < n
    values = tl.load(residual + row * n + at, mask=here, other=0.0).to(tl.float32)
    values += tl.load(x + row * n + at, mask=here, other=0.0).to(tl.float32)
    tl.store(residual + row * n + at, values, mask=here)
    scale = tl.rsqrt(tl.sum(values * values) / n + eps)
    tl.store(y + row * n + at, values * scale * tl.load(weight + at, mask=here, other=0.0), mask=here)


@triton.jit
def few_rows_matmul(x, w, y, rows, n, k, ROWS: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((ROWS, BLOCK_N), dtype=tl.float32)
    for first in range(0, k, BLOCK_K):
        inner = first + tl.arange(0, BLOCK_K)
        left = tl.load(x + row[:, None] * k + inner[None, :], mask=(row[:, None] < rows) & (inner[None, :] < k), other=0.0)
        right = tl.load(w + col[None, :] * k + inner[:, None], mask=(col[None, :] < n) & (inner[:, None] < k), other=0.0)
        total += tl.dot(left, right)
    tl.store(y + row[:, None] * n + col[None, :], total, mask=(row[:, None] < rows) & (col[None, :] < n))


@triton.jit
def rotate_and_keep(qkv, cos, sin, keys, values, position, context, Q: tl.constexpr, KV: tl.constexpr,
                    HALF: tl.constexpr):
    one, head, at = tl.program_id(0), tl.program_id(1), tl.arange(0, HALF)
    here = tl.load(position)
    source = qkv + (one * (Q + 2 * KV) + head) * 2 * HALF + at
    low, high = tl.load(source).to(tl.float32), tl.load(source + HALF).to(tl.float32)
    if head < Q + KV:
        c, s = tl.load(cos + here * HALF + at), tl.load(sin + here * HALF + at)
        low, high = low * c - high * s, high * c + low * s
    if head < Q:
        tl.store(source, low)
        tl.store(source + HALF, high)
    else:
        kept = keys if head < Q + KV else values
        kept += ((one * KV + (head - Q) % KV).to(tl.int64) * context + here) * 2 * HALF + at
        tl.store(kept, low)
        tl.store(kept + HALF, high)


@triton.jit
def attend(qkv, keys, values, position, sums, tops, totals, context, scale, Q: tl.constexpr, KV: tl.constexpr,
           GROUP: tl.constexpr, HEAD: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    pair, part = tl.program_id(0), tl.program_id(1)
    one, head = pair // KV, pair % KV
    query, at, step = tl.arange(0, 16), tl.arange(0, HEAD), tl.arange(0, BLOCK)
    is_one = query[:, None] < GROUP
    q = tl.load(qkv + (one * (Q + 2 * KV) + head * GROUP + query[:, None]) * HEAD + at[None, :], mask=is_one, other=0.0)
    length = tl.load(position) + 1
    each = tl.cdiv(length, PARTS)
    begin, end = part * each, tl.minimum(length, part * each + each)
    place = pair.to(tl.int64) * context * HEAD
    top = tl.full((16,), -1e30, dtype=tl.float32)
    total = tl.zeros((16,), dtype=tl.float32)
    mixed = tl.zeros((16, HEAD), dtype=tl.float32)
    for first in range(begin, end, BLOCK):
        there = first + step < end
        k = tl.load(keys + place + (first + step[None, :]) * HEAD + at[:, None], mask=there[None, :], other=0.0)
        scores = tl.where(there[None, :], tl.dot(q, k) * scale, -1e30)
        larger = tl.maximum(top, tl.max(scores, 1))
        shares, before = tl.exp(scores - larger[:, None]), tl.exp(top - larger)
        v = tl.load(values + place + (first + step[:, None]) * HEAD + at[None, :], mask=there[:, None], other=0.0)
        mixed = mixed * before[:, None] + tl.dot(shares.to(v.dtype), v)
        total, top = total * before + tl.sum(shares, 1), larger
    slot = (pair * PARTS + part) * GROUP + query
    tl.store(tops + slot, top, mask=query < GROUP)
    tl.store(totals + slot, total, mask=query < GROUP)
    tl.store(sums + slot[:, None] * HEAD + at[None, :], mixed, mask=is_one)


@triton.jit
def join_parts(sums, tops, totals, y, GROUP: tl.constexpr, HEAD: tl.constexpr, PARTS: tl.constexpr):
    pair, query = tl.program_id(0) // GROUP, tl.program_id(0) % GROUP
    slot, at = (pair * PARTS + tl.arange(0, PARTS)) * GROUP + query, tl.arange(0, HEAD)
    top = tl.load(tops + slot)
    weight = tl.exp(top - tl.max(top, 0))
    mixed = tl.sum(tl.load(sums + slot[:, None] * HEAD + at[None, :]) * weight[:, None], 0)
    tl.store(y + tl.program_id(0) * HEAD + at, mixed / tl.sum(tl.load(totals + slot) * weight, 0))


@triton.jit
def gated(both, y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(1), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(both + 2 * row * n + at, mask=at < n, other=0.0).to(tl.float32)
    up = tl.load(both + (2 * row + 1) * n + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y + row * n + at, gate * tl.sigmoid(gate) * up, mask=at < n)


def plain_add_norm(x, residual, weight, y, eps):
    residual.add_(x)
    values = residual.float()
    y.copy_(values * torch.rsqrt(values.square().mean(-1, keepdim=True) + eps) * weight)


def plain_gated(both, y):
    gate, up = both.float().chunk(2, dim=-1)
    y.copy_(torch.nn.functional.silu(gate) * up)


class Decoder:
    """Weights, a cache of keys and values that is full but for the steps to come, and where each result goes."""

    def __init__(self, given, device, dtype):
        self.given, self.width, self.inner, self.words = given, given.width, given.width * 11 // 4, given.words
        self.head, self.parts = 128, 8
        self.q = self.width // self.head
        self.kv = max(1, self.q // 4)
        like = dict(device=device, dtype=dtype)
        rows, wide = given.batch, (self.q + 2 * self.kv) * self.head

        def made(*shape):
            return torch.randn(*shape, **like) / shape[-1] ** 0.5

        self.layers = [dict(qkv=made(wide, self.width), out=made(self.width, self.width),
                            both=made(2 * self.inner, self.width), down=made(self.width, self.inner),
                            keys=made(rows, self.kv, given.context, self.head),
                            values=made(rows, self.kv, given.context, self.head)) for _ in range(given.layers)]
        self.weight = torch.ones(self.width, device=device)
        self.embed, self.to_words = made(self.words, self.width), made(self.words, self.width)
        angle = torch.outer(torch.arange(given.context, device=device).float(),
                            10000.0 ** (-torch.arange(0, self.head, 2, device=device).float() / self.head))
        self.cos, self.sin = angle.cos(), angle.sin()
        self.x, self.residual, self.y = (torch.zeros(rows, self.width, **like) for _ in range(3))
        self.qkv, self.mixed = torch.zeros(rows, wide, **like), torch.zeros(rows, self.width, **like)
        self.both = torch.zeros(rows, 2 * self.inner, **like)
        self.inside, self.logits = torch.zeros(rows, self.inner, **like), torch.zeros(rows, self.words, **like)
        found = dict(device=device, dtype=torch.float32)
        slots = rows * self.kv * self.parts * (self.q // self.kv)
        self.sums, self.tops, self.totals = (
            torch.zeros(slots, self.head, **found), torch.zeros(slots, **found), torch.zeros(slots, **found))
        self.position = torch.zeros(1, device=device, dtype=torch.int32)
        self.tokens = torch.zeros(rows, device=device, dtype=torch.int64)
        self.add_norm, self.gated = self.own_add_norm, self.own_gated
        if given.compile:
            self.add_norm = lambda: compiled_norm(self.x, self.residual, self.weight, self.y, 1e-6)
            self.gated = lambda: compiled_gated(self.both, self.inside)
            compiled_norm, compiled_gated = torch.compile(plain_add_norm), torch.compile(plain_gated)

    def own_add_norm(self):
        add_norm[(self.given.batch,)](self.x, self.residual, self.weight, self.y, self.width, 1e-6,
                                      BLOCK=triton.next_power_of_2(self.width), num_warps=4)

    def own_gated(self):
        gated[lambda meta: (triton.cdiv(self.inner, meta["BLOCK"]), self.given.batch)](
            self.both, self.inside, self.inner, BLOCK=1024, num_warps=4)

    def matmul(self, x, w, y):
        n, k = w.shape
        few_rows_matmul[lambda meta: (triton.cdiv(n, meta["BLOCK_N"]),)](
            x, w, y, x.shape[0], n, k, ROWS=max(16, triton.next_power_of_2(x.shape[0])), BLOCK_N=64, BLOCK_K=64,
            num_warps=4, num_stages=3)

    def attention(self, layer):
        rows, group, context = self.given.batch, self.q // self.kv, self.given.context
        rotate_and_keep[(rows, self.q + 2 * self.kv)](
            self.qkv, self.cos, self.sin, layer["keys"], layer["values"], self.position, context, Q=self.q, KV=self.kv,
            HALF=self.head // 2, num_warps=4)
        attend[(rows * self.kv, self.parts)](
            self.qkv, layer["keys"], layer["values"], self.position, self.sums, self.tops, self.totals, context,
            self.head ** -0.5, Q=self.q, KV=self.kv, GROUP=group, HEAD=self.head, PARTS=self.parts, BLOCK=64,
            num_warps=4, num_stages=2)
        join_parts[(rows * self.q,)](self.sums, self.tops, self.totals, self.mixed, GROUP=group, HEAD=self.head,
                                     PARTS=self.parts, num_warps=4)

    def step(self):
        self.residual.zero_()
        self.x.copy_(self.embed[self.tokens])
        for layer in self.layers:
            self.add_norm()
            self.matmul(self.y, layer["qkv"], self.qkv)
            self.attention(layer)
            self.matmul(self.mixed, layer["out"], self.x)
            self.add_norm()
            self.matmul(self.y, layer["both"], self.both)
            self.gated()
            self.matmul(self.inside, layer["down"], self.x)
        self.add_norm()
        self.matmul(self.y, self.to_words, self.logits)


def stepped(decoder, on_gpu):
    """A function that makes a step: a graph's replay, where there may be one."""
    for _ in range(3):
        decoder.step()
    if decoder.given.eager or not on_gpu:
        return decoder.step
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder.step()
    return graph.replay


def main():
    parser = argparse.ArgumentParser()
    for name, value in dict(steps=300, batch=16, context=4096, layers=8, width=2048, words=32000).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    torch.manual_seed(0)
    on_gpu = given.device == "cuda"
    decoder = Decoder(given, given.device, torch.bfloat16 if on_gpu else torch.float32)
    text = torch.randint(0, given.words, (given.steps, given.batch), device=given.device)
    first = given.context - given.steps
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    decoder.position.fill_(first)
    step = stepped(decoder, on_gpu)
    for number in range(given.steps):
        if number == given.steps // 3:
            wait()
            begin = time.perf_counter()
        decoder.position.fill_(first + number)
        decoder.tokens.copy_(text[number])
        step()
    wait()
    took = (time.perf_counter() - begin) / (given.steps - given.steps // 3)
    print(f"checksum {decoder.logits.float().abs().mean().item():.4f}\nstep {1e3 * took:.4f} ms", flush=True)


if __name__ == "__main__":
    main()
