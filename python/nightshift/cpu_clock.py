"""Times calls on a CPU by time.perf_counter."""

import time


class CpuClock:
    """See GpuClock. A sample is so many rounds that it is long beside the timer's ticks."""

    used, why, whole_seconds, answers = "host", "", None, ()

    def __init__(self, calls, clock=time.perf_counter):
        self.calls, self.clock, self.repeats = calls, clock, 1

    def prepare(self, repeats):
        self.repeats = repeats

    def rounds_for(self, wanted):
        return 1  # the rule finds out; nothing has to be captured again

    def sample(self):
        calls, rounds, clock = self.calls, range(self.repeats), self.clock
        started = clock()
        for _ in rounds:
            for call in calls:
                call()
        took = clock() - started
        count = self.repeats * len(calls)
        return took / count, count
