"""What else could be tried for a launch: the values of its parameters, and the grid of each combination.

A grid is a function of the program's. It is asked for each combination while the program has it, before the
launch itself, as triton.autotune would ask it, and kept as a table by the parameters that it reads."""

import itertools

from .arguments import plain
from .sources import Unrecordable

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # as triton.Config has
_WARPS, _STAGES = (1, 2, 4, 8, 16), (1, 2, 3, 4, 5)
_LEAST_BLOCK, _MOST_BLOCK = 16, 1 << 17
_MOST_ROWS = 2048  # combinations of a table
_TOLD = (bool, int, float, str, type(None))


class _Asked(dict):
    """Arguments of a launch, and which of them were read."""

    def __init__(self, members):
        super().__init__(members)
        self.read = set()

    def __getitem__(self, name):
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name, otherwise=None):
        self.read.add(name)
        return super().get(name, otherwise)


def grid_of(grid, named):
    """([x, y, z], names that it read) of a grid as Triton takes it."""
    asked = _Asked(named)
    found = grid(asked) if callable(grid) else grid
    found = [int(size) for size in (found if isinstance(found, (tuple, list)) else (found,))]
    return (found + [1, 1, 1])[:3], asked.read


def is_power(value):
    return type(value) is int and value > 0 and value & (value - 1) == 0


def widened(value, seen, steps):
    """Values of a block beside its own: those seen, and up to `steps` halves and doubles of both ends."""
    values = [value, *(one for one in seen if one != value)]
    if not all(map(is_power, values)):
        return list(dict.fromkeys(values))
    least, most = min(values), max(values)
    for step in range(1, steps + 1):
        values += [one for one in (least >> step, most << step)
                   if min(least, _LEAST_BLOCK) <= one <= max(most, _MOST_BLOCK)]
    return sorted(set(values))


def option_values(options, seen):
    """{option: values}; the present one comes first. options: {name: value} of the launch."""
    found = {}
    for name, usual in (("num_warps", _WARPS), ("num_stages", _STAGES)):
        present = options.get(name)
        found[name] = list(dict.fromkeys(one for one in (present, *seen.get(name, ()), *usual)
                                         if one is not None))
    present = options.get("maxnreg")
    found["maxnreg"] = list(dict.fromkeys([present, *seen.get("maxnreg", ()), None, 64, 128, 168]))
    if len(set(seen.get("num_ctas", ())) | {options.get("num_ctas") or 1}) > 1:
        found["num_ctas"] = list(dict.fromkeys([options.get("num_ctas"), *seen["num_ctas"]]))
    return found


def space_of(grid, named, blocks, computed, fixed_rows=None):
    """The table of a launch.

    grid: as Triton takes it; named: all arguments by name; blocks: {parameter: values} that might change;
    computed: {name: function of the arguments} of triton.heuristics; fixed_rows: the combinations, where only
    these may be tried. Returns {"blocks": {name: values}, "rows": [{"of": [value of each], "grid": [x, y, z],
    "computed": {...}}]}."""
    present, _ = grid_of(grid, named)
    for name, values in blocks.items():
        if not all(isinstance(value, _TOLD) for value in values):
            raise Unrecordable(f"its configs have values of {name} that are neither numbers nor texts")
    if fixed_rows is None:
        blocks = dict(blocks)
        while _count(blocks) > _MOST_ROWS:
            longest = max(blocks, key=lambda name: len(blocks[name]))
            blocks[longest] = _nearest(blocks[longest], named.get(longest))
        rows = [dict(zip(blocks, row)) for row in itertools.product(*blocks.values())]
    else:
        rows = fixed_rows
    made = []
    for row in rows:
        try:
            given = {**named, **row}
            values = {name: one(_Asked(given)) for name, one in computed.items()}
            found, _ = grid_of(grid, {**given, **values})
            values = {name: plain(name, value) for name, value in values.items()}
        except Exception:  # a combination that the program's own function refuses
            continue
        made.append({"of": [row.get(name, named.get(name)) for name in blocks], "grid": found,
                     **({"computed": values} if values else {})})
    return {"blocks": {name: list(values) for name, values in blocks.items()}, "rows": made}, present


def _count(blocks):
    count = 1
    for values in blocks.values():
        count *= len(values)
    return count


def _nearest(values, present):
    """Without the value that is farthest from the present one."""
    if present not in values or len(values) < 2:
        return values[:-1]
    at = values.index(present)
    return values[:-1] if len(values) - 1 - at >= at else values[1:]
