"""Timing of contestants: graphs of launches over rotating sets, in rounds of rotated order."""

import dataclasses
import functools
import statistics

import torch

from . import driver

GRAPH_MICROSECONDS = 1000   # about what one replay takes
MOST_LAUNCHES = 1024
HEAD_START_CYCLES = 150_000  # of the device, in which the host gets ahead of it: about 80 us
CYCLES_PER_CALL = 30_000     # the same, for each call that is no part of a graph
MOST_CYCLES = 40_000_000


@dataclasses.dataclass
class Contestant:
    """`run(set)` starts one execution and returns new outputs, or None where it writes to the set's.

    With `graph` false it is launched call by call, as a driver's copy is."""
    name: str
    run: object
    graph: bool = True
    note: str = ""
    times: list = dataclasses.field(default_factory=list)


class Kept:
    """Calls `run`, and keeps what it returns until the set's next turn: an allocator would otherwise
    hand the same memory, still in the cache, to each launch."""

    def __init__(self, run, sets):
        self.run, self.results = run, [None] * sets

    def __call__(self, which):
        if len(self.results) == 1:
            self.results[0] = None  # one large set: its memory may be used again at once
        self.results[which] = self.run(which)


class Nobodys:
    """Data of nobody, read to fill the L2 cache: a kernel whose accesses all say that their lines are
    to go first replaces only its own, and would find those of the contestant before it. Lines that
    were to be kept are told to be like others before."""

    def __init__(self):
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.data = torch.zeros(2 * device.L2_cache_size // 4, device="cuda")
        self.sum = torch.zeros((), device="cuda")

    def read(self):
        driver.driver().cuCtxResetPersistingL2Cache()
        torch.sum(self.data, dim=0, out=self.sum)


nobodys = functools.cache(Nobodys)


class Timed:
    """A contestant made ready: a captured graph, or where capturing fails its calls."""

    def __init__(self, contestant, sets, estimate_us, pool, target_us=GRAPH_MICROSECONDS):
        self.contestant = contestant
        turns = max(1, round(target_us / max(estimate_us, 0.5) / sets))
        turns = max(1, min(turns, MOST_LAUNCHES // sets))
        self.order = [s for _ in range(turns) for s in range(sets)]
        self.kept = Kept(contestant.run, sets)
        self.graph = None
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        self.kept(0)
        torch.cuda.synchronize()
        if contestant.graph:
            self.capture(pool)

    def capture(self, pool):
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, pool=pool, stream=torch.cuda.current_stream()):
                for which in self.order:
                    self.kept(which)
            self.graph = graph
        except Exception as e:
            self.contestant.note = f"by events, no graph: {first_line(e)}"
            torch.cuda.synchronize()
        self.kept.results = [None] * len(self.kept.results)

    def __call__(self):
        """Microseconds of one execution, by one replay."""
        start, end = self.events
        calls = 0 if self.graph else len(self.order)
        nobodys().read()
        # The host must not be waited for between the events.
        torch.cuda._sleep(min(MOST_CYCLES, HEAD_START_CYCLES + CYCLES_PER_CALL * calls))
        start.record()
        if self.graph:
            self.graph.replay()
        else:
            for which in self.order:
                self.kept(which)
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / len(self.order)


def first_line(error):
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]


def race(timed, rounds):
    """Round r starts with contestant r. Before the first everyone runs once, unrecorded."""
    for one in timed:
        one()
    for r in range(rounds):
        first = r % len(timed)
        for one in timed[first:] + timed[:first]:
            one.contestant.times.append(one())


def quick(run, sets, estimate_us):
    """Microseconds of one execution, for choosing between configurations of a peer."""
    timed = Timed(Contestant("", run), sets, estimate_us, None, GRAPH_MICROSECONDS / 3)
    timed()
    return statistics.median(timed() for _ in range(3))
