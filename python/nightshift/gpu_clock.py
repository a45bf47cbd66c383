"""Times calls on a GPU: as one CUDA graph, by events behind a gate, or eagerly."""

import math
import time

from . import launches
from .torch_arrays import torch

_SPIN_CYCLES_PER_SECOND = 2_000_000_000  # about; a gate may be longer than needed
# Seconds, beyond twice what launching takes; the longer one for a host that lags.
_GATES = (1e-3, 1e-2)
_LONGEST_GATE = 0.5
_EAGER_ROUNDS = 9
# What is looked at for work on other streams: at most so many calls, as many as take the host so long; looks.
_MOST_LOOKED_AT, _LOOKING, _LOOKS = 256, 1e-2, 3


class GpuClock:
    """Times a list of calls, each with arguments of its own.

    wanted: "graph", "events" or "eager"
    hold: of held_gpu.py, hold(seconds) holds back all of the GPU; None: one stream is held
    host: the host's clock, in seconds
    used: what was possible:
        "graph": all calls in one graph
        "kernels": what cannot be captured, by the launches of Triton's kernels that it makes, in
            one graph; `whole_seconds` is what a whole call takes eagerly, with copies and host work
        "events": behind a gate that holds the stream back until all launches are in it
        "eager": no gate, so that the time to launch counts; also of calls that wait for the device,
            which no gate can hold back
    why: why it is no graph; answers: what the calls returned whose launches are timed alone"""

    def __init__(self, calls, wanted, hold=None, host=time.perf_counter):
        self.calls, self.used, self.why = calls, wanted, ""
        self.hold, self._host = hold, host
        self.repeats, self.graph = 1, None
        self.begin = torch().cuda.Event(enable_timing=True)
        self.end = torch().cuda.Event(enable_timing=True)
        self.launch_seconds, self.whole_seconds = 0.0, None
        self._launches, self._kept, self.answers = [], [], []
        self._tried = False  # whether a call waits for the device

    def prepare(self, repeats):
        """A sample is `repeats` rounds of all calls from now on."""
        self.repeats = repeats
        if self.used == "graph":
            self._capture(self._call_all)
            if self.graph is None:
                self.used = "events"
                self._time_kernels()
        elif self.used == "kernels":
            self._capture(self._launch_all)
            if self.graph is None:
                self.leave_kernels()
        if self.used == "events" and not self._tried:
            self._tried = True
            if self._waits():
                self.used = "eager"
                self.why = self.why or "the call waits for the device"

    def leave_kernels(self):
        """From now on whole calls are timed."""
        self._forget()
        self.used = "events"
        self.prepare(self.repeats)

    def _forget(self):
        self.graph, self.whole_seconds = None, None
        self._launches, self._kept, self.answers = [], [], []

    def _capture(self, launch):
        lib = torch()
        self.graph = None
        graph = lib.cuda.CUDAGraph()
        try:
            with lib.cuda.graph(graph):
                for _ in range(self.repeats):
                    launch()
        except Exception as error:
            # A broken context raises here as well, and is no matter of capturing.
            lib.cuda.synchronize()
            self.why = self.why or f"{type(error).__name__}: {error}".splitlines()[0][:60]
            return
        self.graph = graph

    def _time_kernels(self):
        """Where calls launch kernels of Triton: these alone, from now on."""
        try:
            with launches.noted() as (found, self._kept):
                self.answers = [call() for call in self.calls]
                torch().cuda.synchronize()
        except Exception as error:
            if "OutOfMemory" not in type(error).__name__:
                raise
            found = []  # of tensors that are kept: whole calls free theirs
        self._launches = found
        if found:
            self._capture(self._launch_all)
        if self.graph is None:
            self._forget()
            return
        self.used = "kernels"
        self.whole_seconds = self._eager_seconds()

    def _eager_seconds(self):
        """Of one call, by the host's clock, as who calls it waits for it."""
        best = math.inf
        for _ in range(_EAGER_ROUNDS):
            started = self._host()
            self.calls[0]()
            torch().cuda.synchronize()
            best = min(best, self._host() - started)
        return best

    def _waits(self):
        """Whether the host waits for the device within a call: however long a gate is, the calls
        behind it return after its end."""
        cuda = torch().cuda
        started = self._host()
        self._call_all()
        took = self._host() - started
        cuda.synchronize()
        for more in _GATES:
            gate = cuda.Event()
            self._gate(2 * took + more)
            gate.record()
            self._call_all()
            held = not gate.query()
            cuda.synchronize()
            if held:
                return False
        return True

    def rounds_for(self, wanted):
        """How many rounds of all calls last `wanted` seconds, by one round behind a gate."""
        took, calls = self.one_round()
        return max(1, math.ceil(wanted / (took * calls))) if took > 0 else 1

    def one_round(self):
        """(seconds a call, calls) of one round of all calls behind a gate."""
        graph, used, self.graph, self.used = self.graph, self.used, None, "events"
        self.repeats = 1
        self.sample()  # its gate was as long as a guess
        found = self.sample()
        self.graph, self.used = graph, used
        return found

    def _gate(self, seconds):
        seconds = min(_LONGEST_GATE, seconds)
        if self.hold:
            self.hold(seconds)
        else:
            torch().cuda._sleep(int(seconds * _SPIN_CYCLES_PER_SECOND))

    def elsewhere(self, hold, fewest, is_enough):
        """(seconds for which the GPU works on after the end of what some calls put on this stream, seconds
        that these took there, how many). The least of three looks, or the first that is_enough(seconds,
        seconds).

        hold: holds back all of the GPU for some seconds; fewest: calls, however long they take the host"""
        cuda, took = torch().cuda, math.inf
        for _ in range(_LOOKS):
            cuda.synchronize()
            began = self._host()
            self.calls[0]()
            took = min(took, max(self._host() - began, 1e-9))
            if took > _LOOKING:
                break
        count = max(fewest, min(_MOST_LOOKED_AT, int(_LOOKING / took)))
        best = math.inf, 0.0
        for _ in range(_LOOKS):
            cuda.synchronize()
            hold(min(_LONGEST_GATE, 2 * took * count + _GATES[0]))
            best = min(best, self._left_behind(count))
            if is_enough(*best):
                break
        return *best, count

    def _left_behind(self, count):
        """(seconds, seconds) of elsewhere()."""
        self.begin.record()
        for number in range(count):
            self.calls[number % len(self.calls)]()
        self.end.record()
        self.end.synchronize()
        ended = self._host()
        torch().cuda.synchronize()
        return self._host() - ended, self.begin.elapsed_time(self.end) * 1e-3

    def _call_all(self):
        for call in self.calls:
            call()

    def _launch_all(self):
        for launch in self._launches:
            launch()

    def sample(self):
        """(seconds a call, calls) of one sample. Waits for its end."""
        if self.graph is not None:
            self.begin.record()
            self.graph.replay()
            self.end.record()
        else:
            if self.used == "events":
                # The stream waits while the host fills it, twice as long as that took last time.
                self._gate(2 * self.launch_seconds + 1e-4)
            started = self._host()
            self.begin.record()
            for _ in range(self.repeats):
                self._call_all()
            self.end.record()
            self.launch_seconds = self._host() - started
        self.end.synchronize()
        count = self.repeats * len(self.calls)
        return self.begin.elapsed_time(self.end) * 1e-3 / count, count
