"""Whether answers are right: what is right for a seed, and the comparison.

Here: in the process that made them. Elsewhere: in another one (checker.py), so that a candidate's
process never holds what is right."""

from . import candidates
from .errors import Failure, UserError, one_line
from .finished import answers_of
from .guards import least_precise, strictest

FRESH = 0x5EED  # added to a seed for the check after the samples


def right_answer(run, bench, named=None):
    """Of the reference, for the inputs that the run has now. named: how many outputs the run that is
    judged has by name; those of `run` where absent. To be called before a call overwrites inputs."""
    right = run.reference()
    if run.check:
        return right
    named, plain = len(run.outputs or []) if named is None else named, bench.plain
    several = isinstance(right, (list, tuple)) and len(right) == named
    if several and named > 1:
        right = list(right)
    else:
        # A list beside one output that is named is that output's rows.
        right = [right] if plain and named and not several else answers_of(right, not plain)
    return [bench.copied(one) for one in right]


def expect_right(said):
    """said: what a check of the problem's returned. Raises Failure where it found something wrong, and
    UserError where it is no text: a check without a `return` says nothing, and would have let all pass."""
    if not isinstance(said, str):
        raise UserError(f"a check returned {one_line(repr(said), 60)}: it is to return \"\" where the answer "
                        "is right, and otherwise what is wrong, as a text")
    if said:
        raise Failure("wrong_result", one_line(said), output="output 0")


def compared(run, bench, outputs, expected, least, theirs=None):
    """The largest norm of an error over that of its answer; 0 where the run's `check` says. least: a
    type whose gate holds where that of an answer is looser. theirs: the types of the baseline's answers,
    so that nobody has a looser gate than it by answering in a type of fewer bits. Raises Failure."""
    if run.check:
        expect_right(run.check(outputs, expected))
        return 0.0
    if not any(map(bench.tells, expected)):
        raise UserError(NOTHING_TOLD)
    pairs = list(zip(*_matched(bench, outputs, expected)))
    if len(theirs or []) != len(pairs):
        theirs = [least_precise(theirs or [])] * len(pairs)
    return max((bench.check(f"output {number}", got, right, strictest([least, theirs[number]]))
                for number, (got, right) in enumerate(pairs)), default=0.0)


def least_of(problem, workshops):
    """Where nobody is trusted and the problem has no tolerance of its own: whoever returns a type of
    few bits is not held to the gate of that type, but to that of what the problem made. A tolerance by
    type is one of the problem's own where it has that type."""
    own = problem.tolerance
    if own is not None and not isinstance(own, dict):
        return None
    least = least_precise(str(one.dtype).rsplit(".", 1)[-1] for workshop in workshops
                          for one in workshop.arrays)
    return least if own is None or least in own else None


class Here:
    """Of a Visit (visit.py). What expected() and again() return is for compare()."""

    def __init__(self, visit):
        self.visit, self.bench = visit, visit.bench

    def expected(self, seed):
        """For inputs of a seed, which the run has now."""
        visit = self.visit
        if not visit.run.reference:
            if candidates.are_declared():
                raise UserError(NO_REFERENCE)
            return visit.baseline_answer(seed)
        return visit.evaluator.kept(visit.position, seed, "reference",
                                    lambda: right_answer(visit.run, self.bench))

    def again(self):
        """For the inputs of the visit's own seed, whatever has become of them."""
        whose = "reference" if self.visit.run.reference else "baseline"
        kept = self.visit.evaluator._answers.get((self.visit.position, self.visit.seed, whose))
        return kept if kept is not None else self.expected(self.visit.seed)

    def compare(self, outputs, expected):
        """See compared()."""
        visit = self.visit
        least = least_of(visit.problem, (one for _, one in visit.sets)) if visit.is_doubted else None
        return compared(visit.run, self.bench, outputs, expected, least, visit.baseline_types)

    def compare_timed(self, number, seed, outputs):
        """Of a set whose inputs are made again, since the reference reads them and the call may have
        written them."""
        visit = self.visit
        run, workshop = visit.sets[number]
        outputs = visit.copied(run, outputs)
        visit.refill(workshop, seed)
        right = right_answer(run, self.bench) if run.reference else \
            visit.baseline_answer(seed)
        return self.compare(outputs, right)

    def compare_test(self, number, answer):
        """Of a test of the run. Raises Failure."""
        _, check = self.visit.run.tests[number]
        expect_right(check(answer))


class Elsewhere:
    """The same of a candidate: seeds stand for what is right. ask(members, value): what the process that
    compares says."""

    def __init__(self, visit, ask):
        self.visit, self._ask = visit, ask

    def expected(self, seed):
        return seed

    def again(self):
        return self.visit.seed

    def compare(self, outputs, seed):
        named = len(self.visit.run.outputs or [])
        return self._asked({"case": self.visit.position, "seed": seed, "named": named}, outputs)

    def compare_timed(self, number, seed, outputs):
        return self.compare(outputs, seed)

    def compare_test(self, number, answer):
        self._asked({"case": self.visit.position, "test": number}, answer)

    def _asked(self, members, value):
        said = self._ask(members, value)
        if "right" not in said:
            # The words are the other process's, which the zygote puts in place of these.
            raise Failure("wrong_result", "", elsewhere=True)
        return said["right"]


NOTHING_TOLD = ("what the answers are compared with has no elements, or nothing but NaN: any answer "
                "would be as right. Other inputs, or ns.Run(check=...), tell right from wrong")
NO_REFERENCE = ("a problem that leaves its kernel to candidates needs a reference: "
                "ns.Run(reference=...)")


def _matched(bench, outputs, expected):
    """(outputs, expected) that are as many, where one side has the parts of what is one answer on
    the other. Raises Failure."""
    if len(outputs) == len(expected):
        return outputs, expected
    if bench.plain:
        if len(expected) == 1:
            return [outputs], expected
        if len(outputs) == 1:
            return outputs, [bench.copied(expected)]
    elif len(expected) == 1:
        [whole] = expected
        if whole.dim() and len(whole) == len(outputs):
            return outputs, list(whole)
    elif len(outputs) == 1 and not any(one.dim() for one in expected):
        return [bench.copied(outputs[0]).flatten()], [bench.stacked(expected)]
    raise Failure("wrong_result", f"the reference has {len(expected)} answers, the run "
                                  f"{len(outputs)}; a flat list of numbers is one answer, and several are a list or a "
                                  "tuple of lists, arrays or tensors, such as (values, indices)",
                  output="output 0")
