"""A program with a planted loser: what is best for one of its kernels alone loses beside its neighbour.

    python3 neighbours.py [--steps 100] [--only copies]

`aside` runs on a stream of its own while `busy` has the device, and on a quarter of its processors. Each of its blocks begins with
work that all of them repeat: four times as many blocks end earlier where nobody else is there, and take three times as
much of the device where `busy` waits for it. `squared` is badly configured, and any better one helps. With `--only copies`
there is nothing but kernels whose configurations are best already. It prints a checksum and the milliseconds of a step."""

import argparse
import time

import torch
import triton
import triton.language as tl


@triton.jit
def aside(x, y, n, setup, rounds, BLOCK: tl.constexpr):
    lane = tl.arange(0, 4096) * 1e-7
    for _ in range(setup):
        lane = lane * 0.9999 + 1e-4
    start = tl.sum(lane) / 4096 * 1e-4
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0.0)
    for _ in range(rounds):
        values = values * 0.9999 + start
    tl.store(y + at, values, mask=at < n)


@triton.jit
def busy(y, rounds, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK) * 1e-7 + tl.program_id(0) * 1e-6
    for _ in range(rounds):
        lane = lane * 0.9999 + 1e-4
    tl.store(y + tl.program_id(0), tl.sum(lane) / BLOCK)


@triton.jit
def squared(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    values = tl.maximum(tl.load(x + at, mask=at < n), 0.0)
    tl.store(y + at, values * values, mask=at < n)


@triton.jit
def copied(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def summed(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(y + at, mask=at < n) * 0.5 + tl.load(x + at, mask=at < n), mask=at < n)


class Neighbours:
    def __init__(self, device, scale):
        on_gpu = device == "cuda"
        processors = torch.cuda.get_device_properties(0).multi_processor_count if on_gpu else 4
        self.scale, self.processors = scale, processors
        self.n = processors // 4 * 4096
        self.x, self.y = torch.rand(self.n, device=device), torch.zeros(self.n, device=device)
        self.counts = torch.zeros(processors * 800, device=device)
        self.wide, self.result = (torch.rand(scale * 8192, device=device) for _ in range(2))
        self.stream = torch.cuda.Stream() if on_gpu else None

    def launch_aside(self):
        aside[lambda meta: (triton.cdiv(self.n, meta["BLOCK"]),)](
            self.x, self.y, self.n, 10 * self.scale // 8, 3 * self.scale // 8, BLOCK=4096, num_warps=16)

    def step(self):
        if self.stream is None:
            self.launch_aside()
        else:
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                self.launch_aside()
        busy[(self.processors * 800,)](self.counts, max(1, self.scale // 160), BLOCK=4096, num_warps=4)
        squared[lambda meta: (triton.cdiv(self.wide.numel(), meta["BLOCK"]),)](
            self.wide, self.result, self.wide.numel(), BLOCK=128, num_warps=4)
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)

    def checksum(self):
        return self.y.double().mean() + self.counts.double().mean() + self.result.double().mean()


class Copies:
    """Whatever moves whole memory moves it as fast as memory goes."""

    def __init__(self, device, scale):
        self.x, self.y = (torch.rand(scale * 8192, device=device) for _ in range(2))

    def step(self):
        grid, n = lambda meta: (triton.cdiv(self.x.numel(), meta["BLOCK"]),), self.x.numel()
        copied[grid](self.x, self.y, n, BLOCK=1024, num_warps=4)
        summed[grid](self.x, self.y, n, BLOCK=1024, num_warps=4)

    def checksum(self):
        return self.y.double().mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--only", choices=["copies"])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", type=int, default=8000, help="of all work; small where there is no GPU")
    given = parser.parse_args()
    torch.manual_seed(0)
    program = (Copies if given.only else Neighbours)(given.device, given.scale)
    wait = torch.cuda.synchronize if given.device == "cuda" else lambda: None
    for number in range(given.steps):
        if number == given.steps // 3:
            wait()
            begin = time.perf_counter()
        program.step()
    wait()
    took = (time.perf_counter() - begin) / (given.steps - given.steps // 3)
    print(f"checksum {program.checksum().item():.4f}\nstep {1e3 * took:.4f} ms", flush=True)


if __name__ == "__main__":
    main()
