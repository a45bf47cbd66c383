"""Which tensors a kernel writes, by the text of its IR.

Each value of the text has the arguments that its address may come from. What is stored through or reduced
into is written. A text that this does not follow is taken to write every tensor, which is safe: such tensors
are put back before each sample and compared after it."""

import re

_FUNCTION = re.compile(r"tt\.func\b[^@]*@[^(]*\((.*)")
_ARGUMENT = re.compile(r"%(\w+):\s*(!tt\.ptr|!tt\.tensordesc)?")
_RESULT = re.compile(r"^\s*(%\w+(?::\d+)?(?:,\s*%\w+(?::\d+)?)*)\s*=\s*(.*)$")
_VALUE = re.compile(r"%\w+(?:#\d+)?")
_OPERATION = re.compile(r'"?([a-z_]+\.[\w.]+)"?')
_CARRIED = re.compile(r"(%\w+) = (%\w+(?:#\d+)?)")
_WRITES = {"tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.descriptor_store", "tt.descriptor_reduce",
           "tt.descriptor_scatter", "tt.experimental_descriptor_store"}
_UNKNOWN = {"tt.int_to_ptr", "tt.call", "tt.elementwise_inline_asm", "tt.extern_elementwise", "cf.br",
            "cf.cond_br", "scf.while", "scf.execute_region", "scf.index_switch"}
_FIRST = {"tt.addptr", "tt.advance"}  # whose other operands are no addresses


def written_by(text):
    """Positions among the function's arguments that it may write; None: not known."""
    lines = [line.split(" loc(")[0].strip() if "tt.func" not in line else re.sub(
        r" ?loc\([^()]*(\([^()]*\))?[^()]*\)", "", line).strip() for line in text.splitlines()]
    starts = [number for number, line in enumerate(lines) if _FUNCTION.search(line)]
    if len(starts) != 1:
        return None
    found = _ARGUMENT.findall(_FUNCTION.search(lines[starts[0]]).group(1))
    follower = _Follower({f"%{name}": {place} for place, (name, pointer) in enumerate(found) if pointer})
    # Loops hand values back to where they began: another round finds what the first could not know.
    while follower.changed:
        follower.changed = False
        if not follower.follow(lines[starts[0] + 1:]):
            return None
    return sorted(follower.written)


class _Follower:
    def __init__(self, origins):
        self.origins, self.written, self.changed = origins, set(), True

    def follow(self, lines):
        regions = []  # of each that is open: the lists of names that its yields become
        for line in lines:
            names, rest = _parted(line)
            operation = _operation(rest)
            points = "!tt.ptr" in rest or "tensordesc" in rest
            if points and operation in _UNKNOWN:
                return False
            if operation == "scf.yield":
                for targets in regions[-1:]:
                    self._hand(_VALUE.findall(rest), targets)
            elif points:
                if operation == "tt.load" and "!tt.ptr<!tt.ptr" in rest:
                    return False
                self._line(operation, names, rest)
            if rest.startswith("}") and regions:
                inner = regions.pop()
                if rest.endswith("{"):
                    regions.append(inner)
            elif rest.endswith("{"):
                regions.append([names, [f for f, _ in _CARRIED.findall(_carried(rest))]])
        return True

    def _line(self, operation, names, rest):
        used = _VALUE.findall(rest)
        if operation == "scf.for":
            pairs = _CARRIED.findall(_carried(rest))
            self._hand([init for _, init in pairs], [names, [name for name, _ in pairs]])
        elif operation in _WRITES:
            self._add(self.written, self._of(used[:1]))
        elif operation not in ("tt.load", "scf.if"):
            for name in names:
                self._add(self.origins.setdefault(name, set()),
                          self._of(used[:1] if operation in _FIRST else used))

    def _hand(self, values, targets):
        """Gives what each value comes from to its place in each list of names."""
        for names in targets:
            for value, name in zip(values, names):
                self._add(self.origins.setdefault(name, set()), self._of([value]))

    def _of(self, values):
        return set().union(*(self.origins.get(value, ()) for value in values))

    def _add(self, owner, found):
        if not found <= owner:
            owner |= found
            self.changed = True


def _carried(rest):
    return rest.partition("iter_args(")[2].partition(")")[0]


def _parted(line):
    """([names of the results, each of several by its number], what stands behind them)"""
    found = _RESULT.match(line)
    if not found:
        return [], line
    names = []
    for one in found.group(1).split(","):
        name, _, count = one.strip().partition(":")
        names += [f"{name}#{number}" for number in range(int(count))] if count else [name]
    return names, found.group(2)


def _operation(rest):
    found = _OPERATION.match(rest)
    return found.group(1) if found else ""
