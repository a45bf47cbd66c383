"""The process that knows what is right, and compares answers of candidates with it. It runs none of
their code: inputs are made again from the seed, by the problem's own side.

Answers come as bytes in a file without a name that the process of a candidate shares (carried.py)."""

import os

from . import candidates, carried, factories
from .answers import NO_REFERENCE, compared, expect_right, least_of, right_answer
from .errors import Failure, UserError, one_line
from .evaluation import Evaluator
from .found_inputs import FoundInputs
from .processes import hide


def write(descriptor, value):
    """An answer into the file. Returns how many bytes. Raises Failure for what can't be carried."""
    try:
        parts = carried.pack(value)
    except carried.Unreadable as error:
        raise Failure("wrong_result", f"the answer can't be compared: {error}") from None
    at = 0
    for part in parts:
        rest = memoryview(part)
        while len(rest):
            done = os.pwrite(descriptor, rest, at)
            at, rest = at + done, rest[done:]
    return at


def _read(descriptor, size):
    """Raises Unreadable."""
    if type(size) is not int or not 0 < size <= os.fstat(descriptor).st_size:
        raise carried.Unreadable("it is not there")
    data, at = bytearray(size), 0
    while at < size:
        done = os.preadv(descriptor, [memoryview(data)[at:]], at)
        if done == 0:
            raise carried.Unreadable("it is cut short")
        at += done
    return data


class Checker:
    """Serves the requests of one process. descriptor: of the file with answers."""

    def __init__(self, problem, cases, bench, descriptor):
        self.evaluator = Evaluator(problem, cases, bench)
        self.problem, self.cases, self.bench, self.descriptor = problem, cases, bench, descriptor
        self._sides = {}  # case's position: (what it was made by, _Side)
        if bench.on_host:
            hide()

    def compare(self, request, _):
        """{"right": the largest error, "cases": how many there are}. request: {"case", "seed" or
        "test", "named", "bytes", "configuration", "baseline", "made_from" (the evaluation's seed), "trust"}.
        Raises Failure."""
        candidates.choose(request)
        candidates.choose({})  # what is right is the problem's own side's
        candidates.load()
        try:
            data = _read(self.descriptor, request.get("bytes"))
            outputs = carried.unpack(data, getattr(self.bench, "name", "cpu"))
        except carried.Unreadable as error:
            raise Failure("wrong_result", f"the answer can't be read: {one_line(error)}") from None
        position, seed = request.get("case"), request.get("seed")
        if type(position) is not int or not 0 <= position < len(self.cases):
            raise Failure("wrong_result", "the answer is of no case")
        side = self._side(position, request)
        error = side.test(request["test"], outputs) if "test" in request else \
            side.compare(int(seed), request.get("named"), outputs, request.get("trust") == "none")
        self.bench.settle()
        return {"right": error, "cases": len(self.cases)}

    def _side(self, position, request):
        made_by = request.get("configuration"), request.get("baseline"), int(request.get("made_from", 0))
        known = self._sides.get(position)
        if known is None or known[0] != made_by:
            self._sides.pop(position, None)  # its memory first
            self.bench.tidy()
            configuration = self.problem.space.asked(request)
            self._sides[position] = made_by, _Side(self, position, configuration, made_by[-1])
        return self._sides[position][1]


class _Side:
    """One case as the problem's own side has it: a run whose inputs are made again for each seed. What
    it makes besides is that of `seed`, as in the evaluation that asks."""

    def __init__(self, checker, position, configuration, seed):
        self.checker, self.bench = checker, checker.bench
        problem, self._case, self._configuration = checker.problem, checker.cases[position], configuration
        self._evaluator, self._filled, self._right = checker.evaluator, None, {}
        self.run, self.workshop = self._made(seed)
        self._untouched = seed  # whose inputs there are, that no reference has had
        if not self.run.reference:
            raise UserError(NO_REFERENCE)
        if self.bench.on_host:
            self.workshop.groups.append(FoundInputs(
                self.run, self.workshop, self._made, seed, problem.function.__code__.co_filename))

    def _made(self, seed):
        with factories.use(self.bench.workshop(seed)) as workshop:
            return self._evaluator.run(self._case, self._configuration, seed), workshop

    def compare(self, seed, named, outputs, is_doubted):
        least = least_of(self.checker.problem, [self.workshop]) if is_doubted else None
        return compared(self.run, self.bench, outputs, self._expected(seed, named), least)

    def test(self, number, answer):
        _, check = self.run.tests[number]
        expect_right(check(answer))
        return 0.0

    def _expected(self, seed, named):
        is_kept = (seed, named) in self._right and (not self.run.check or self._filled == seed)
        if not is_kept:
            if len(self._right) > 1:  # those before and after the samples are asked for again
                self._right.pop(next(iter(self._right)))
            if seed != self._untouched:
                self.workshop.refill(seed)
            self._filled, self._untouched = seed, None
            # What `check` gets may be the inputs themselves, as they are now.
            self._right[seed, named] = right_answer(self.run, self.bench, named)
        return self._right[seed, named]
