"""A stand-in for torch on a machine without a GPU: a device whose clock moves as it is told.

Work is what is called between two events of one stream; each call of `work(seconds)` moves the
device's clock. `work_elsewhere(seconds)` is work of another stream, which nothing but a device that is held
as a whole keeps waiting. A graph records such calls and replays them. `broken` is what every later call of
the device raises, as a poisoned context does."""

import contextlib
import types


class Device:
    def __init__(self, cache=1 << 20, free=1 << 30):
        self.now, self.capturing, self.broken = 0.0, None, None
        self.cache, self.free = cache, free
        self.refuses_capture, self.log = None, []
        self.gated = False  # the stream is held back by a gate whose end nobody has waited for
        self.held = False  # and so is all else
        self.elsewhere = 0.0  # the time at which the other stream is done

    def work(self, seconds, does=lambda: None):
        """To be called by a kernel: takes `seconds` of the device, and does something there."""
        self.check()
        if self.capturing is not None:
            if self.refuses_capture:
                raise RuntimeError(self.refuses_capture)
            self.capturing.append((seconds, does))
            return
        self._do(seconds, does)

    def work_elsewhere(self, seconds):
        """To be called by a kernel of another stream."""
        self.check()
        if self.capturing is not None:
            raise RuntimeError("operation failed due to a previous error during capture")
        if not self.gated or self.held:
            self.elsewhere = max(self.elsewhere, self.now) + seconds

    def hold(self, seconds):
        """All of the device waits."""
        self.log.append("hold")
        self.gated = self.held = True

    def go_on(self):
        """Whoever waits for the gate has waited."""
        self.gated = self.held = False

    def wait(self):
        """To be called by what makes the host wait for the device, as a copy from it does."""
        self.check()
        if self.capturing is not None:
            raise RuntimeError("operation not permitted when stream is capturing")
        self.go_on()

    def _do(self, seconds, does):
        self.now += seconds
        does()

    def check(self):
        if self.broken:
            raise RuntimeError(self.broken)


def module(device):
    """The module `torch` of a device, for sys.modules."""
    fake = types.ModuleType("torch")
    cuda = types.ModuleType("torch.cuda")

    class Event:
        def __init__(self, enable_timing=False):
            self.at = None

        def record(self):
            self.at = device.now

        def synchronize(self):
            device.check()
            device.go_on()

        def query(self):
            return not device.gated

        def elapsed_time(self, other):
            return (other.at - self.at) * 1e3

    class CUDAGraph:
        def __init__(self):
            self.calls = []

        def replay(self):
            device.check()
            device.log.append("replay")
            for seconds, does in self.calls:
                device._do(seconds, does)

    @contextlib.contextmanager
    def graph(one):
        device.capturing = one.calls
        device.log.append("capture")
        try:
            yield
        finally:
            device.capturing = None

    def sleep(cycles):
        device.log.append("gate")
        device.gated = True

    def synchronize():
        device.check()
        device.go_on()
        device.now = max(device.now, device.elsewhere)

    cuda.Event, cuda.CUDAGraph, cuda.graph = Event, CUDAGraph, graph
    cuda.synchronize, cuda._sleep = synchronize, sleep
    cuda.empty_cache = lambda: None
    cuda.mem_get_info = lambda: (device.free, device.free)
    cuda.get_device_properties = lambda _: types.SimpleNamespace(L2_cache_size=device.cache)
    fake.cuda, fake.Tensor = cuda, type("Tensor", (), {})
    fake.manual_seed = lambda seed: None
    fake.hold = device.hold  # of the tests alone
    return fake


def triton(device):
    """(modules for sys.modules, a kernel): kernel(seconds, does) is one launch of it."""
    class JITFunction:
        compiled = False

        def run(self, seconds, does, grid, warmup):
            if not self.compiled:
                self.compiled = self._do_compile()
            device.work(seconds, does)

        def _do_compile(self):
            device.log.append("compile")
            return True

    class Mode(contextlib.nullcontext):
        pass

    jit, dispatch = types.ModuleType("triton.runtime.jit"), types.ModuleType("dispatch")
    jit.JITFunction, dispatch.TorchDispatchMode = JITFunction, Mode
    one = JITFunction()
    return ({"triton.runtime.jit": jit, "torch.utils": types.ModuleType("torch.utils"),
             "torch.utils._python_dispatch": dispatch},
            lambda seconds, does: JITFunction.run(one, seconds, does, grid=(1,), warmup=False))
