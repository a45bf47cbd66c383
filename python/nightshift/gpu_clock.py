"""Times calls on a GPU: as one CUDA graph, by events behind a gate, or eagerly."""

import math
import time

from .torch_arrays import torch

_SPIN_CYCLES_PER_SECOND = 2_000_000_000  # about; a gate may be longer than needed


class GpuClock:
    """Times a list of calls, each with arguments of its own.

    wanted: "graph", "events" or "eager"; `used` is what was possible, `why` says why not"""

    def __init__(self, calls, wanted):
        self.calls, self.used, self.why = calls, wanted, ""
        self.repeats, self.graph = 1, None
        self.begin = torch().cuda.Event(enable_timing=True)
        self.end = torch().cuda.Event(enable_timing=True)
        self.launch_seconds = 0.0

    def prepare(self, repeats):
        """A sample is `repeats` rounds of all calls from now on."""
        self.repeats = repeats
        if self.used == "graph":
            self._capture()

    def _capture(self):
        lib = torch()
        self.graph = None
        graph = lib.cuda.CUDAGraph()
        try:
            with lib.cuda.graph(graph):
                self._launch()
        except Exception as error:
            # A broken context raises here as well, and is no matter of capturing.
            lib.cuda.synchronize()
            self.used, self.why = "events", f"{type(error).__name__}: {error}".splitlines()[0][:60]
            return
        self.graph = graph

    def rounds_for(self, wanted):
        """How many rounds of all calls last `wanted` seconds, by one round behind a gate."""
        graph, used, self.graph, self.used = self.graph, self.used, None, "events"
        self.repeats = 1
        self.sample()  # its gate was as long as a guess
        took, calls = self.sample()
        self.graph, self.used = graph, used
        return max(1, math.ceil(wanted / (took * calls))) if took > 0 else 1

    def _launch(self):
        for _ in range(self.repeats):
            for call in self.calls:
                call()

    def sample(self):
        """(seconds a call, calls) of one sample. Waits for its end."""
        lib = torch()
        if self.graph is not None:
            self.begin.record()
            self.graph.replay()
            self.end.record()
        else:
            if self.used == "events":
                # The stream waits while the host fills it, twice as long as that took last time.
                lib.cuda._sleep(int(min(0.5, 2 * self.launch_seconds + 1e-4)
                                    * _SPIN_CYCLES_PER_SECOND))
            started = time.perf_counter()
            self.begin.record()
            self._launch()
            self.end.record()
            self.launch_seconds = time.perf_counter() - started
        self.end.synchronize()
        count = self.repeats * len(self.calls)
        return self.begin.elapsed_time(self.end) * 1e-3 / count, count
