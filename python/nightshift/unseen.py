"""Rounds on inputs that a kernel never had, beside rounds on those of its samples: `trust = "none"`."""

import array
import random
import resource
from statistics import median

from .distrust import HonestyRule
from .draw_ends import KINDS, LARGEST, LEAST, with_last
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

    On a host a function that makes inputs may take far longer than the kernel. Those of a pair are made
    once, before either round, and copied then; both rounds read both contents, so that caches hold the
    same. The rounds before either have the inputs of the samples, as in evaluator/host/host_audit.h.

    A core knows the branches of inputs that it has had by heart: sorting 300 numbers takes half of the
    time then. What seems longer on a host is timed once more, where the core has forgotten them."""

    def __init__(self, visit, clock):
        self.visit, self.clock = visit, clock
        self.dice = random.Random(visit.seed)
        self.seed = random.Random(f"{_UNSEEN} {visit.seed}").randrange(1 << 40)
        self.is_copied = visit.bench.on_host

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
            raise remembers(ratio)
        self._check_ends()
        return {"unseen_pairs": pairs, "unseen_ratio": round(ratio, 4), **conditions}

    def _judged(self, rule, before):
        """(the rule's verdict, the median of unseen over usual, pairs). before: is called before each
        timed round."""
        ratios, verdict = [], "go_on"
        while verdict == "go_on":
            took = {}
            self.visit.say("verify")  # each pair has a limit of its own
            self._draw()
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

    def _draw(self):
        """Inputs that nobody has had, where they are copied."""
        if not self.is_copied:
            return
        for _, workshop in self.visit.sets:
            workshop.forget(self.seed)
        self.seed += 1
        for _, workshop in self.visit.sets:
            workshop.refill(self.seed)
            workshop.keep()

    def _seeds(self, usual):
        """Of each set."""
        if usual:
            return [self.visit.seed] * len(self.visit.sets)
        if not self.is_copied:
            self.seed += len(self.visit.sets)
        return list(range(self.seed - len(self.visit.sets) + 1, self.seed + 1))

    def _fill(self, seeds):
        self.visit.restorer.restore()
        for seed, (_, workshop) in zip(seeds, self.visit.sets):
            if self.is_copied:
                workshop.refill(self.seed if seed == self.visit.seed else self.visit.seed)
            workshop.refill(seed)
        self.visit.restorer.zero()

    def _undisturbed(self, usual, before):
        """Of a round in whose timed calls nobody else had the core, if there is one. Who has it while inputs are
        made has it in each round of a busy machine, and in either of a pair alike."""
        for attempt in range(_TRIES):
            if attempt and not usual:
                self._draw()
            known = self._seeds(usual or self.is_copied)
            seeds = self._seeds(usual)
            took, was_disturbed = self._round(known, seeds, before)
            if not usual:
                self._check_one(seeds)
            if not was_disturbed:
                break
        return took

    def _round(self, known, seeds, before):
        """(seconds of a call, whether another process had the core in that time) on inputs of `seeds`,
        where the calls before had those of `known`."""
        self._fill(known)
        for _ in range(self.dice.choice((1, 2))):
            self.clock.sample()
        self._fill(seeds)
        self._poison()
        return self._timed(self.clock, before)

    def _poison(self):
        for run, workshop in self.visit.sets:
            self.visit.bench.poison(run.outputs, workshop)
        self.visit.bench.settle()

    def _timed(self, clock, before):
        """(seconds of a call, whether another process had the core in that time)."""
        before()
        switches = _switches()
        took, _ = clock.sample()
        if not took > 0:
            raise Failure("launch_failed", "the device's clock says that a call took no time")
        return took, self.visit.bench.on_host and _switches() != switches

    def _check_ends(self):
        """Raises Failure where the answer is wrong whose largest, or least, inputs stand last."""
        if not any(one.kind in KINDS for one in self.visit.sets[0][1].arrays):
            return
        self.visit.say("verify")
        for which in (LARGEST, LEAST):
            self._draw()
            seeds = [with_last(seed, which) for seed in self._seeds(False)]
            self._round(seeds, seeds, lambda: None)
            self._check_one(seeds)

    def _check_one(self, seeds):
        drawn = self.dice.randrange(len(seeds))
        self.visit.check_timed(drawn, seeds[drawn])


def not_of_its_work(where, ratio):
    """The failure of a kernel whose calls take so many times as long there."""
    return Failure("launch_failed",
                   f"its time is not that of its work: {where} it takes {ratio:.3g} times as long")


def remembers(ratio):
    return not_of_its_work("on inputs that it never had", ratio)


def _switches():
    """How often this thread has had to leave its core to another."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
