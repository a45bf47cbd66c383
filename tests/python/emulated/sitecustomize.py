"""A GPU for Triton on the CPU, for programs that a test starts with this folder in PYTHONPATH: kernels are
compiled as for an H100, and a launch does, to tensors of the CPU, what the function of the same name in
kernels_of() does. It takes as long as the configuration says."""

import importlib.abc
import importlib.util
import os
import sys
import time


class _After(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "triton.runtime.driver":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def executed(module):
            execute(module)
            _install(module)

        spec.loader.exec_module = executed
        return spec


class Event:
    """Of a device that has done everything when a launch returns."""

    def __init__(self, enable_timing=False):
        self.at = None

    def record(self, stream=None):
        self.at = time.perf_counter()

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


class Interface:
    Event = Event

    @staticmethod
    def is_current_stream_capturing():
        return False


def _install(module):
    from triton.backends.compiler import GPUTarget

    class Driver:
        utils = property(lambda self: self)

        def get_current_target(self):
            return GPUTarget("cuda", 90, 32)

        def get_current_device(self):
            return 0

        def get_current_stream(self, device=None):
            return 0

        def get_device_interface(self):
            return Interface

        def get_active_torch_device(self):
            import torch
            return torch.device("cpu")

        def get_benchmarker(self):
            def bench(call, quantiles=None, **_):
                times = []
                for _ in range(3):
                    begin = time.perf_counter()
                    call()
                    times.append(1e3 * (time.perf_counter() - begin))
                return [min(times)] * len(quantiles or [0.5])
            return bench

        def get_device_properties(self, device):
            return {"max_shared_mem": 232448, "multiprocessor_count": 132, "warpSize": 32,
                    "max_num_regs": 65536}

        def load_binary(self, name, code, shared, device):
            return object(), 0, 32, 0, 1024

        def launcher_cls(self, src, metadata):
            return lambda x, y, z, stream, function, packed, *rest: _launch(
                src, metadata, (x, y, z), rest[3:])

    class Always(module.DriverConfig):
        active = property(lambda self: driver)

    driver = Driver()
    module.driver = Always()


def _launch(src, metadata, grid, values):
    named = dict(zip(src.fn.arg_names, values))
    for path, value in src.constants.items():
        named.setdefault(src.fn.arg_names[path[0]], value)
    begin = time.perf_counter()
    name = src.fn.__name__
    _log(name, metadata, named)
    kernels_of().get(name, lambda *_, **__: None)(grid, **named)
    seconds = float(os.environ.get("EMULATED_SECONDS", "2e-4")) * _cost(name, metadata, named)
    while time.perf_counter() - begin < seconds:
        pass


def _cost(name, metadata, named):
    """One is what the slowest takes: fewer warps are better, and larger blocks."""
    warps = {1: 0.25, 2: 0.4, 4: 0.7, 8: 1.0}.get(metadata.num_warps, 1.2)
    return warps * (0.5 if named.get("BLOCK", named.get("XBLOCK", 0)) >= 1024 else 1.0)


launched = []  # (kernel's name, warps, block) of each launch of this process


def _log(name, metadata, named):
    launched.append((name, metadata.num_warps, named.get("BLOCK", named.get("XBLOCK"))))
    path = os.environ.get("EMULATED_LOG")
    if path:
        with open(path, "a") as out:
            out.write(f"{name} warps={metadata.num_warps} block={named.get('BLOCK', named.get('XBLOCK'))}\n")


def kernels_of():
    """{kernel's name: what it does to tensors}"""
    def part(grid, n, BLOCK):
        return slice(0, min(n, grid[0] * BLOCK))

    def scale(grid, x, y, n, factor, BLOCK):
        at = part(grid, n, BLOCK)
        y.view(-1)[at] = x.view(-1)[at] * factor

    def add_into(grid, x, y, n, BLOCK):
        at = part(grid, n, BLOCK)
        y.view(-1)[at] += x.view(-1)[at]

    def gather(grid, x, index, y, n, BLOCK):
        at = part(grid, n, BLOCK)
        y.view(-1)[at] = x.view(-1)[index[at].long()]

    def roots(grid, in_ptr0, out_ptr0, xnumel, XBLOCK):
        at = part(grid, xnumel, XBLOCK)
        out_ptr0.view(-1)[at] = in_ptr0.view(-1)[at].abs().sqrt()

    return {"triton_poi_fused_mul_0": roots, "scale": scale, "tuned_scale": scale, "add_into": add_into, "gather": gather}


sys.meta_path.insert(0, _After())
