"""What workshops share: arrays in order, and inputs that are made from a seed, or copied where they were
kept."""

SEEDED = ("normal", "uniform", "integers", "bits", "made")  # kinds of arrays


class Workshop:
    """`arrays` and `groups` in the order in which they were made, with the inputs of `seed`. Those who
    inherit say how an array and a group are filled: _fill(number, one), _refill_group(group)."""

    def __init__(self, seed):
        self.seed, self.arrays, self.groups = seed, [], []
        self._kept = {}  # seed: (contents of the arrays, of the groups)

    def keep(self):
        """What there is now is what the seed makes, and nobody has written it: refill() copies it from
        now on. Making inputs may take far longer than a kernel."""
        self._kept[self.seed] = ([one.snapshot() if one.kind in SEEDED else None for one in self.arrays],
                                 [group.kept() for group in self.groups])

    def forget(self, seed):
        """The contents of a seed are made anew again."""
        self._kept.pop(seed, None)

    def refill(self, seed):
        """Seeded inputs get the numbers of a seed, all else what it had at first."""
        self.seed = seed
        arrays, groups = self._kept.get(seed) or ([None] * len(self.arrays), None)
        for number, (one, contents) in enumerate(zip(self.arrays, arrays), start=1):
            if contents is None:
                self._fill(number, one)
            else:
                one.put_back(contents)
        for number, group in enumerate(self.groups):
            if groups is None:
                self._refill_group(group)
            else:
                group.put_back(groups[number])
