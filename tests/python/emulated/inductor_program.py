"""A program whose kernel has the form in which torch.compile writes one, launched as its code launches it."""

import contextlib
import sys

import torch
import torch._inductor.config as inductor_config
import torch._dynamo.device_interface as device_interface
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from triton.runtime.driver import driver

# The device is pretended: torch's own interface would ask for a real one.
device_interface.DeviceGuard = lambda *_: contextlib.nullcontext()
triton_heuristics.CachingAutotuner.get_device_interface = lambda self: driver.active.get_device_interface()
triton_heuristics.CachingAutotuner.bench = lambda self, launcher, *_, **__: launcher.config.kwargs["XBLOCK"]
triton_helpers.set_driver_to_gpu = lambda: None
inductor_config.use_static_cuda_launcher = inductor_config.use_static_triton_launcher = False

N = 4096
DEVICE = DeviceProperties(type="cuda", index=0, multi_processor_count=132, cc=90, major=9,
                          regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
                          warp_size=32)


@triton_heuristics.pointwise(
    size_hints={"x": N}, filename=__file__,
    triton_meta={"signature": {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32",
                               "XBLOCK": "constexpr"},
                 "device": DEVICE, "constants": {},
                 "configs": [{(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]],
                              (2,): [["tt.divisibility", 16]]}]},
    inductor_meta={"grid_type": "Grid1D", "autotune_hints": set(), "kernel_name": "triton_poi_fused_mul_0",
                   "mutated_arg_names": [], "optimize_mem": True, "no_x_dim": False,
                   "backend_hash": "emulated", "are_deterministic_algorithms_enabled": False,
                   "assert_indirect_indexing": True, "autotune_local_cache": False,
                   "autotune_remote_cache": False, "force_disable_caches": True, "store_cubin": False},
    min_elem_per_thread=0)
@triton.jit
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + x0, xmask)
    tmp1 = libdevice.sqrt(tl_math.abs(tmp0))
    tl.store(out_ptr0 + x0, tmp1, xmask)


def main(steps):
    torch.manual_seed(1)
    x = torch.randn(N)
    for _ in range(steps):
        y = torch.empty_like(x)
        triton_poi_fused_mul_0.run(x, y, N, stream=0)
        x = y + 0.25
    print(f"result {x.double().sum().item():.17g}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
