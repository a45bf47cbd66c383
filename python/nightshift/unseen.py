"""Rounds on inputs that a kernel never had, beside rounds on those of its samples: `trust = "none"`."""

import array
import random
from statistics import median

from .distrust import HonestyRule
from .errors import Failure

_UNSEEN = 0xD15C  # begins the seeds of inputs that nothing else has
_FORGOTTEN = 1 << 16  # numbers; sorting them takes a million branches that nothing foretells


class Unseen:
    """Times single rounds of a visit (evaluation.py), one call of each set, in pairs.

    Both rounds of a pair are made the same way: inputs are filled, a round is made, inputs are filled
    again, outputs are poisoned, a round is timed. In the usual one all sets have the inputs of the
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
        verdict, ratio, pairs = self._judged(lambda: None)
        conditions = {}
        if verdict == "remembers" and visit.bench.on_host:
            conditions["unseen_ratio_by_heart"] = round(ratio, 4)
            verdict, ratio, pairs = self._judged(self._forget)
        if verdict == "remembers":
            raise Failure("launch_failed", "its time is not that of its work: on inputs that it never "
                                           f"had it takes {ratio:.3g} times as long")
        return {"unseen_pairs": pairs, "unseen_ratio": round(ratio, 4), **conditions}

    def _judged(self, before):
        """(the rule's verdict, the median of unseen over usual, pairs). before: is called before each
        timed round."""
        rule = HonestyRule(self.visit.bench.tick / len(self.visit.sets))
        ratios, verdict = [], "go_on"
        while verdict == "go_on":
            took = {}
            for usual in self.dice.sample((True, False), 2):
                took[usual] = self._round(usual, before)
            ratios.append(took[False] / took[True])
            verdict = rule.add(took[True], took[False])
        return verdict, median(ratios), len(ratios)

    def _forget(self):
        numbers = array.array("I")
        numbers.frombytes(self.dice.randbytes(numbers.itemsize * _FORGOTTEN))
        numbers.tolist().sort()

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

    def _round(self, usual, before):
        visit = self.visit
        self._fill(usual)
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
