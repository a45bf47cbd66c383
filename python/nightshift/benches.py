"""What a device lends to an evaluation: memory, clocks, comparisons. One class a kind of device."""

import gc
import time

from . import plain_answers, torch_arrays, triton_import
from .cpu_clock import CpuClock
from .errors import Failure, UserError
from .gpu_clock import GpuClock
from .held_gpu import HeldGpu, KernelError
from .plain_arrays import Numbers, PlainWorkshop, numbers_of

_EVENT_TICK = 5e-7  # seconds: what events of CUDA resolve
# Seconds that the host may take to see that a GPU is idle, and the share of what was timed besides.
_LEFT_BEHIND, _SHARE_BEHIND = 1e-4, 0.05
_FEWEST_LOOKED_AT = 32  # calls, of those that are short
_MOST_SETS = 64


class PlainBench:
    """A CPU and no library."""

    tick = 1e-7
    plain = True
    on_host = True  # calls read Python's own objects each time, unlike a graph

    def __init__(self, problem):
        self.problem = problem

    def workshop(self, seed, moved=False):
        return PlainWorkshop(seed, self.problem.dtype)

    def settle(self):
        """Waits until all that was started has ended; raises what went wrong in it."""

    def warm_up(self):
        """What a new process does before it is needed."""

    def tidy(self):
        """Gives memory back after an evaluation."""

    def clock(self, calls, is_doubted=False):
        return CpuClock(calls)

    def look_behind(self, clock, seconds):
        pass

    def sets_for(self, bytes_a_set, largest):
        return 1, "warm"

    def copied(self, value):
        return Numbers(value)

    def check(self, name, got, expected, least=None):
        return plain_answers.check(name, got, expected, self.problem.tolerance,
                                   self.problem.element_tolerance, least)

    def tells(self, right):
        """Whether a wrong answer differs from this one: it has a number that is one."""
        return any(one == one for one in numbers_of(right)[0])

    def type_of(self, value):
        return numbers_of(value)[1]

    def same_bits(self, a, b):
        # NaN is equal to itself here: repr tells all doubles apart.
        return list(map(repr, numbers_of(a)[0])) == list(map(repr, numbers_of(b)[0]))

    def poison(self, outputs, workshop):
        for one in outputs or []:
            mine = workshop.of(one)
            if mine is not None and mine.kind == "output":
                mine.poison()


class TorchBench:
    """A CPU whose problem uses torch's tensors."""

    tick, name, plain, on_host = 1e-7, "cpu", False, True

    def __init__(self, problem):
        self.problem = problem

    def workshop(self, seed, moved=False):
        return torch_arrays.TorchWorkshop(seed, self.name, self.problem.dtype, moved)

    def settle(self):
        pass

    def warm_up(self):
        pass

    def tidy(self):
        pass

    def clock(self, calls, is_doubted=False):
        return CpuClock(calls)

    def look_behind(self, clock, seconds):
        pass

    def sets_for(self, bytes_a_set, largest):
        return 1, "warm"

    def copied(self, value):
        return value.detach().clone() if torch_arrays.is_tensor(value) else torch_arrays.torch(
        ).as_tensor(value)

    def stacked(self, numbers):
        """Tensors without dimensions as one."""
        return torch_arrays.torch().stack(numbers)

    def check(self, name, got, expected, least=None):
        return torch_arrays.check(name, got, expected, self.problem.tolerance,
                                  self.problem.element_tolerance, least)

    def tells(self, right):
        """Whether a wrong answer differs from this one: it has a number that is one."""
        return torch_arrays.has_numbers(right)

    def type_of(self, value):
        return torch_arrays.name_of(value.dtype)

    def same_bits(self, a, b):
        return torch_arrays.same_bits(a, b)

    poison = PlainBench.poison


class GpuBench(TorchBench):
    """The GPU that this process sees."""

    tick, name, on_host = _EVENT_TICK, "cuda", False

    def __init__(self, problem):
        super().__init__(problem)
        self.host, self._held = seconds, None

    def settle(self):
        torch_arrays.torch().cuda.synchronize()

    def warm_up(self):
        """What libraries load at their first use, which took longer than the context."""
        torch = torch_arrays.torch()
        one = torch.randn(64, 64, device="cuda").to(torch.bfloat16)
        wide = one.double() @ one.double()
        (wide - wide.mean()).abs().max().item()
        (one @ one).float().isfinite().all().item()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            one.add_(1)
        graph.replay()
        triton_import.warm_up()
        torch.cuda.synchronize()
        self.tidy()

    def tidy(self):
        gc.collect()
        torch_arrays.torch().cuda.empty_cache()

    def clock(self, calls, is_doubted=False):
        """is_doubted: nobody vouches for the calls, so that nothing of them may run while they are
        held back. Raises UserError where the GPU can't be held."""
        return GpuClock(calls, self.problem.timing, self._hold() if is_doubted else None, self.host)

    def look_behind(self, clock, seconds):
        """Raises Failure where calls that were timed by events leave work on other streams behind,
        which nothing has timed. seconds: that a call was found to take"""
        if clock.used not in ("events", "eager"):
            return
        try:
            hold = clock.hold or self._hold()
        except UserError:
            return  # an old driver: as it was, without the look

        def is_idle(behind, took):
            return behind <= _LEFT_BEHIND + _SHARE_BEHIND * took

        # One call that takes so long shows as much as many do.
        fewest = 1 if seconds >= _LEFT_BEHIND / _SHARE_BEHIND else _FEWEST_LOOKED_AT
        behind, took, count = clock.elsewhere(hold, fewest, is_idle)
        if not is_idle(behind, took):
            raise Failure("launch_failed", f"the GPU works on for {behind * 1e6 / count:.3g} us a call on another "
                                           f"stream, {took * 1e6 / count:.3g} us are timed: have the current stream "
                                           "wait for it, torch.cuda.current_stream().wait_stream(other)")

    def _hold(self):
        if self._held is None:
            try:
                self._held = HeldGpu()
            except KernelError as error:
                raise UserError(f"the GPU can't be held back while calls are made: {error}") from None
        stream = torch_arrays.torch().cuda.current_stream
        return lambda seconds: self._held.hold(seconds, stream().cuda_stream)

    def sets_for(self, bytes_a_set, largest):
        """(sets of arguments, "cold", "partly cold" or "warm"): so many that between two uses of the
        largest array as much of its kind fills the L2 cache three times, within 64 sets and 40 % of
        the memory that is free. One array is asked and not all of a set, since a kernel's hints can
        make one array's lines stay at the cost of the others'."""
        cuda = torch_arrays.torch().cuda
        if bytes_a_set <= 0:
            return 1, "warm"
        cache = getattr(cuda.get_device_properties(0), "L2_cache_size", 0) or 50 << 20
        wanted = 1 + 3 * cache // largest
        room = int(0.4 * cuda.mem_get_info()[0] / bytes_a_set)
        sets = max(1, min(wanted, room, _MOST_SETS))
        return sets, "cold" if sets >= wanted else "partly cold" if sets > 1 else "warm"


def bench_for(problem):
    """The bench of a problem's device. Raises UserError where torch is missing for a GPU."""
    if problem.device == "gpu":
        torch_arrays.torch()
        triton_import.use_real_driver()
        return GpuBench(problem)
    import sys
    return TorchBench(problem) if "torch" in sys.modules else PlainBench(problem)


def seconds():
    return time.perf_counter()
