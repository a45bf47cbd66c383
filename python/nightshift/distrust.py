"""Whether the time of a kernel that nobody vouches for is that of its work.

The rule is that of evaluator/sampling/honesty_rule.h. It has no clock."""

from statistics import median

_PAIRS, _MOST_PAIRS = 9, 25
_RATIO, _POINTS = 1.05, 1.02
# Where the time for pairs is over: so many of them, all but an eighth of which are so plain.
FEWEST_AT_END, PLAIN = 3, 2.0
_TIMES_FOR_FEWEST = 3


class HonestyRule:
    """Told of pairs of rounds that differ in their inputs alone: `usual` on those of the samples,
    `unseen` on such as the kernel never had. Says "go_on", "honest" or "remembers".

    honest: after `fewest` pairs or more the median of unseen over usual is not above `ratio`
    remembers: it is after as many pairs as one of `enough` has, and in so many of them unseen is 2 %
        longer (25, and all but three of them); honest where it is not after the last
    tick: what a difference has to exceed, in the unit of the pairs"""

    def __init__(self, tick, enough=((_MOST_PAIRS, _MOST_PAIRS - _MOST_PAIRS // 8),), ratio=_RATIO,
                 fewest=_PAIRS):
        self.tick, self.ratios, self.enough, self.ratio = tick, [], dict(enough), ratio
        self.fewest = fewest

    def add(self, usual, unseen):
        self.ratios.append((unseen - self.tick) / usual)
        count = len(self.ratios)
        if count < self.fewest:
            return "go_on"
        if not self.looks_wrong():
            return "honest"
        if count not in self.enough:
            return "go_on"
        if sum(ratio > _POINTS for ratio in self.ratios) >= self.enough[count]:
            return "remembers"
        return "honest" if count == max(self.enough) else "go_on"

    def median(self):
        """Of unseen over usual."""
        return median(self.ratios)

    def looks_wrong(self):
        return self.median() > self.ratio

    def at_the_end(self):
        """Where no more pairs follow: only what is plain counts."""
        count = len(self.ratios)
        plain = sum(ratio > PLAIN for ratio in self.ratios) >= count - count // 8
        return "remembers" if plain and count >= FEWEST_AT_END else "honest"


def judged(rule, pair, most, clock):
    """(what a rule says of as many pairs as it asks for, whether they were cut short while something
    looked wrong). As judge_pairs() of honesty_rule.h.

    pair(): (usual, unseen) of a further pair
    most: seconds that pairs may take, or three times that where they are too few to say something"""
    start, count = clock(), 0
    while True:
        verdict, count = rule.add(*pair()), count + 1
        if verdict != "go_on":
            return verdict, False
        times = _TIMES_FOR_FEWEST if count < FEWEST_AT_END else 1
        if clock() - start > times * most:
            last = rule.at_the_end()
            return last, last == "honest" and rule.looks_wrong()
