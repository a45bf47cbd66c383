"""Rounds on inputs that a kernel never had, beside rounds on those of its samples: `trust = "none"`."""

import array
import random
import resource
from statistics import median

from .distrust import HonestyRule
from .errors import Failure

_UNSEEN = 0xD15C  # begins the seeds of inputs that nothing else has
# Sorting so many numbers so often takes 300,000 branches that nothing foretells, and little of the caches.
_NUMBERS, _SORTS = 1 << 10, 32
# Pairs, and how many of them have to point one way, until a core is to forget, and then, with the least ratio:
# sorts of 300 to 512 numbers took 0.92 to 1.25 times as long then, and what remembers 9 times and more.
_SUSPECTING, _FORGETTING = ((9, 9), (25, 22)), (((9, 9), (15, 14), (49, 36)), 1.3)
_TRIES = 5  # of a round during which another process had the core


class Unseen:
    """Times single rounds of a visit (evaluation.py), one call of each set, in pairs.

    Both rounds of a pair are made the same way: inputs are filled, one round or two are made, inputs are
    filled again, outputs are poisoned, a round is timed: how many is drawn, so that who works in every
    other call is met in the others. In the usual one all sets have the inputs of the
    samples both times; in the other each set has others each time. So neither contents, nor the
    contents of the call before, nor an address tell what the answer will be. Which comes first is
    drawn. After each unseen round the answer of one drawn set is compared with the reference.

    A core knows the branches of inputs that it has had by heart: sorting 300 numbers takes half of the
    time then. What seems longer on a host is timed once more, where the core has forgotten them."""

    def __init__(self, visit, clock):
        self.visit, self.clock = visit, clock
        self.dice = random.Random(visit.seed)
        self.seed = random.Random(f"{_UNSEEN} {visit.seed}").randrange(1 << 40)

    def measured(self):
        """The conditions to report. Raises Failure where the kernel remembers, or is wrong."""
        visit = self.visit
        if not visit.is_seeded():
            return {"unseen": "no input is made from a seed"}
        visit.prepare(self.clock, 1)
        tick = visit.bench.tick / len(visit.sets)
        first = HonestyRule(tick, _SUSPECTING) if visit.bench.on_host else HonestyRule(tick)
        verdict, ratio, pairs = self._judged(first, lambda: None)
        conditions = {}
        if verdict == "remembers" and visit.bench.on_host:
            conditions["unseen_ratio_by_heart"] = round(ratio, 4)
            verdict, ratio, pairs = self._judged(HonestyRule(tick, *_FORGETTING), self._forget)
        if verdict == "remembers":
            raise Failure("launch_failed", "its time is not that of its work: on inputs that it never "
                                           f"had it takes {ratio:.3g} times as long")
        return {"unseen_pairs": pairs, "unseen_ratio": round(ratio, 4), **conditions}

    def _judged(self, rule, before):
        """(the rule's verdict, the median of unseen over usual, pairs). before: is called before each
        timed round."""
        ratios, verdict = [], "go_on"
        while verdict == "go_on":
            took = {}
            for usual in self.dice.sample((True, False), 2):
                took[usual] = self._undisturbed(usual, before)
            ratios.append(took[False] / took[True])
            verdict = rule.add(took[True], took[False])
        return verdict, median(ratios), len(ratios)

    def _forget(self):
        for _ in range(_SORTS):
            numbers = array.array("I")
            numbers.frombytes(self.dice.randbytes(numbers.itemsize * _NUMBERS))
            numbers.tolist().sort()
        # The interpreter's own branches are those of any code, and are to be known again.
        for turn in range(_SORTS):
            sum({one: one * 0.5 for one in range(turn)}.get(one, 0.0) for one in range(16))

    def _fill(self, usual):
        """The seed of each set."""
        self.visit.restorer.restore()
        seeds = []
        for _, workshop in self.visit.sets:
            self.seed += 1
            seeds.append(self.visit.seed if usual else self.seed)
            workshop.refill(seeds[-1])
        self.visit.restorer.zero()
        return seeds

    def _undisturbed(self, usual, before):
        """A round during which nobody else had the core, if there is one."""
        for _ in range(_TRIES):
            switches = _switches()
            took = self._round(usual, before)
            if not self.visit.bench.on_host or _switches() == switches:
                break
        return took

    def _round(self, usual, before):
        visit = self.visit
        self._fill(usual)
        for _ in range(self.dice.choice((1, 2))):
            self.clock.sample()
        seeds = self._fill(usual)
        for run, workshop in visit.sets:
            visit.bench.poison(run.outputs, workshop)
        visit.bench.settle()
        before()
        took, _ = self.clock.sample()
        if not took > 0:
            raise Failure("launch_failed", "the device's clock says that a call took no time")
        if not usual:
            drawn = self.dice.randrange(len(seeds))
            visit.check_timed(drawn, seeds[drawn])
        return took


def _switches():
    """How often this thread has had to leave its core to another."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
