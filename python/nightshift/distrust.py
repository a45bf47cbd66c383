"""Whether the time of a kernel that nobody vouches for is that of its work.

The rule is that of evaluator/sampling/honesty_rule.h. It has no clock."""

from statistics import median

_PAIRS, _MOST_PAIRS = 9, 25
_RATIO, _POINTS = 1.05, 1.02


class HonestyRule:
    """Told of pairs of rounds that differ in their inputs alone: `usual` on those of the samples,
    `unseen` on such as the kernel never had. Says "go_on", "honest" or "remembers".

    honest: after 9 pairs or more the median of unseen over usual is not above 1.05
    remembers: after `most` pairs it is, and in `pointing` of them unseen is 2 % longer (25, and all but
        three of them)
    tick: what a difference has to exceed, in the unit of the pairs"""

    def __init__(self, tick, most=_MOST_PAIRS, pointing=_MOST_PAIRS - _MOST_PAIRS // 8):
        self.tick, self.ratios, self.most, self.pointing = tick, [], most, pointing

    def add(self, usual, unseen):
        self.ratios.append((unseen - self.tick) / usual)
        count = len(self.ratios)
        if count < _PAIRS:
            return "go_on"
        if median(self.ratios) <= _RATIO:
            return "honest"
        if count < self.most:
            return "go_on"
        pointing = sum(ratio > _POINTS for ratio in self.ratios)
        return "remembers" if pointing >= self.pointing else "honest"
