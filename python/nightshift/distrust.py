"""Whether the time of a kernel that nobody vouches for is that of its work.

The rule is that of evaluator/sampling/honesty_rule.h. It has no clock."""

from statistics import median

_PAIRS, _MOST_PAIRS = 9, 25
_RATIO, _POINTS = 1.05, 1.02


class HonestyRule:
    """Told of pairs of rounds that differ in their inputs alone: `usual` on those of the samples,
    `unseen` on such as the kernel never had. Says "go_on", "honest" or "remembers".

    honest: after 9 pairs or more the median of unseen over usual is not above `ratio`
    remembers: it is after as many pairs as one of `enough` has, and in so many of them unseen is 2 %
        longer (25, and all but three of them); honest where it is not after the last
    tick: what a difference has to exceed, in the unit of the pairs"""

    def __init__(self, tick, enough=((_MOST_PAIRS, _MOST_PAIRS - _MOST_PAIRS // 8),), ratio=_RATIO):
        self.tick, self.ratios, self.enough, self.ratio = tick, [], dict(enough), ratio

    def add(self, usual, unseen):
        self.ratios.append((unseen - self.tick) / usual)
        count = len(self.ratios)
        if count < _PAIRS:
            return "go_on"
        if median(self.ratios) <= self.ratio:
            return "honest"
        if count not in self.enough:
            return "go_on"
        if sum(ratio > _POINTS for ratio in self.ratios) >= self.enough[count]:
            return "remembers"
        return "honest" if count == max(self.enough) else "go_on"
