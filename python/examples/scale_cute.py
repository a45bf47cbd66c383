"""A kernel in CuTe DSL: y = 2 x, tuned by threads of a block and numbers of a thread.

    nightshift tune python/examples/scale_cute.py

Needs a GPU, torch and nvidia-cutlass-dsl. Each configuration is compiled by the process that measures.
The stream is an argument: what CuTe DSL launches elsewhere is in no CUDA graph."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack

import nightshift as ns


@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor, each: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    threads, _, _ = cute.arch.block_dim()
    first = block * threads * each + thread
    for i in cutlass.range_constexpr(each):
        y[first + i * threads] = x[first + i * threads] * 2


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, stream: cuda.CUstream, threads: cutlass.Constexpr,
          each: cutlass.Constexpr):
    scale_kernel(x, y, each).launch(grid=(cute.size(x) // (threads * each), 1, 1),
                                    block=(threads, 1, 1), stream=stream)


def compiled(config, device="cuda"):
    like = from_dlpack(torch.empty(N, device=device))
    return cute.compile(scale, like, like, cuda.CUstream(0), config["threads"], config["each"])


N = 1 << 24


@ns.problem(space={"threads": [128, 256, 512, 1024], "each": [1, 2, 4, 8]}, compile=compiled,
            baseline={"threads": 256}, cases=[dict(N=N)], dtype="float32")
def scaled(case, config, kernel):
    x, y = ns.normal(case.N), ns.output(case.N)
    a, b = from_dlpack(x), from_dlpack(y)
    return ns.Run(lambda: kernel(a, b, cuda.CUstream(torch.cuda.current_stream().cuda_stream)),
                  outputs=[y], reference=lambda: 2 * x.double(), bytes=8 * case.N)
