"""One evaluation, of one case or of several together, and the answers that the next one needs."""

import math
import operator
from collections import OrderedDict

from . import candidates, compiling, factories
from .audit import audit_of
from .benches import seconds
from .errors import Failure, UserError
from .made_inputs import seeded
from .plain_values import figure, is_list, plain, seconds_of
from .problem import COMPUTED, TIME_UNITS
from .seal import Seal, module_of
from .visit import Visit, outputs_of

_KEPT_ANSWERS = 4  # expected answers, of seeds


class Evaluator:
    """Serves the requests `measure` of one process.

    problem, cases: what to measure; more than one case: the weighted geometric mean of their times,
    or their weighted sum, and the times of each beside it
    bench: see benches.py; clock: seconds, for the rules; ask: of answers.Elsewhere, where another
    process compares"""

    def __init__(self, problem, cases, bench, clock=seconds, ask=None):
        self.problem, self.cases, self.bench, self.clock = problem, cases, bench, clock
        self.ask = ask
        self._answers = OrderedDict()  # (case's position, seed, whose) -> outputs

    def measure(self, request, say):
        """The answer's members. say(phase) tells the parent. Raises Failure or what the user's code
        raises."""
        candidates.choose(request)
        check = Seal(module_of(self.problem)).check if candidates.is_of_others() else None
        candidates.load()
        configuration = self.problem.space.asked(request)
        refusal = self.problem.space.refusal(configuration)
        if refusal:
            raise Failure("infeasible", f"infeasible: {refusal}")
        try:
            visits = [self._visit(position, configuration, request, say)
                      for position in range(len(self.cases))]
            self._expect_objectives(visits)
            return self._answer(visits)
        finally:
            if check:
                check()  # of a failure, too: says what may be behind it

    def _visit(self, position, configuration, request, say):
        visit = Visit(self, position, configuration, request, say)
        try:
            with compiling.told(lambda: say("build"), lambda: say(visit.phase)):
                return visit.measured()
        finally:
            visit.close()

    def _expect_objectives(self, visits):
        """Raises UserError where ns.Run(figures=...) says what no objective would be."""
        for name in dict.fromkeys(name for visit in visits for name in visit.figures()):
            if name in COMPUTED:
                raise UserError(f"ns.Run(figures=...) says {name!r}, which is computed: give that figure another name, "
                                "and name it among the objectives of @ns.problem")
            if name not in self.problem.objectives:
                raise UserError(f"ns.Run(figures=...) says {name!r}, which is no objective: name it among the "
                                f"objectives of @ns.problem, which are {', '.join(self.problem.objectives)}, "
                                "or leave it out")

    def _answer(self, visits):
        scale = TIME_UNITS[self.problem.unit()]
        count = min(len(visit.samples) for visit in visits)
        mean = [self._joined([visit.samples[i] for visit in visits]) for i in range(count)]
        answer = {}
        for name in self.problem.objectives:
            answer[name] = self._figures(name, visits, mean, scale)
        answer["given_up"] = any(visit.given_up for visit in visits)
        answer["conditions"] = visits[0].conditions
        if len(visits) > 1:
            if "time" in self.problem.objectives:
                answer["cases"] = {"time": [[value * scale for value in visit.samples]
                                            for visit in visits]}
            answer["conditions"]["cases"] = len(visits)
            answer["conditions"]["same_bits"] = all(v.conditions["same_bits"] for v in visits)
            answer["conditions"].update(audit_of([visit.conditions for visit in visits]))
        return answer

    def _joined(self, values):
        """One figure of those of all cases."""
        weights = self.problem.weights_of(self.cases)
        if self.problem.aggregate == "sum":
            return math.fsum(map(operator.mul, weights, values))
        logarithms = [weight * math.log(value) for weight, value in zip(weights, values)]
        return math.exp(math.fsum(logarithms) / math.fsum(weights))

    def _figures(self, name, visits, mean, scale):
        if name == "time":  # COMPUTED, as the next is
            return [value * scale for value in mean]
        if name == "error":
            return max(visit.error for visit in visits)
        own = self._own_figures(name, [visit.figures() for visit in visits])
        if own is not None:
            return own
        of_one_call = {"bandwidth": ("bytes", 1e9), "compute": ("flops", 1e12)}.get(name)
        if of_one_call is None:
            raise UserError(f"nothing says the objective {name!r}: ns.Run(figures={{...}}) does")
        member, unit = of_one_call
        amounts = [getattr(visit.run, member) for visit in visits]
        if not all(amount > 0 for amount in amounts):
            raise UserError(f"the objective {name!r} needs ns.Run({member}=...), above 0")
        amount = self._joined(amounts)
        return [amount / value / unit for value in mean]

    def _own_figures(self, name, given):
        """What ns.Run(figures=...) of each case says of an objective, as one figure or list; None where none of
        them does. What has a limit keeps it in every case: the largest, or the smallest, of them counts.
        Others are joined as times are. Raises UserError."""
        if not any(name in figures for figures in given):
            return None
        for number, figures in enumerate(given):
            if name not in figures:
                raise UserError(f"ns.Run(figures=...) of case {number + 1} of {len(given)} has no {name!r}, "
                                "which that of another one has")
        a_second = TIME_UNITS.get(self.problem.objectives[name].get("unit"))
        found = [_figure(name, figures[name], a_second) for figures in given]
        if len(found) == 1:
            return found[0]
        counts = [len(one) for one in found if isinstance(one, list)]
        if not counts:
            return self._of_all_cases(name, found)
        lists = [one if isinstance(one, list) else [one] * min(counts) for one in found]
        return [self._of_all_cases(name, values) for values in zip(*lists)]

    def _of_all_cases(self, name, values):
        limits = self.problem.objectives[name]
        for limit, worst in (("at_most", max), ("at_least", min)):
            if limits.get(limit) is not None:
                return worst(values)
        if self.problem.aggregate == "sum" or min(values) > 0:
            return self._joined(values)
        if min(values) == max(values):
            return values[0]
        raise UserError(f"the objective {name!r} is {min(values):g} in one of {len(values)} cases, and of such figures "
                        'there is no geometric mean: write aggregate="sum", or give it a limit')

    def run(self, case, configuration, seed):
        """The problem's run, whose own random numbers are the seed's on a host, and wherever another
        process has to make the same."""
        if not self.bench.on_host and not candidates.are_served():
            return self.problem.run(case, configuration)
        return seeded(lambda _: self.problem.run(case, configuration), seed)

    def baseline_answer(self, position, seed, others=None):
        """For inputs of a seed. others: the seed of those that no factory makes; `seed` where absent."""
        others = seed if others is None else others
        whose = "baseline" if others == seed else f"baseline, and others of {others}"
        return self.kept(position, seed, whose, lambda: self._run_baseline(position, seed, others))

    def _run_baseline(self, position, seed, others):
        with factories.use(self.bench.workshop(seed)) as workshop:
            run = self.run(self.cases[position], self.problem.space.baseline(), others)
            self.bench.poison(run.outputs, workshop)
            outputs = outputs_of(run, run.call(), self.bench.plain)
            self.bench.settle()
            return [self.bench.copied(one) for one in outputs]

    def kept(self, position, seed, whose, make):
        key = (position, seed, whose)
        if key not in self._answers:
            self._answers[key] = make()
            while len(self._answers) > _KEPT_ANSWERS * len(self.cases):
                self._answers.popitem(last=False)
        return self._answers[key]


def _figure(name, value, a_second):
    """A figure of an objective as JSON has it: a number or a list of them, durations in its unit, of
    which a second has `a_second`. Raises UserError."""
    what = f"the objective {name!r}"
    if seconds_of(value, what) is not None or not is_list(plain(value)):
        return figure(value, what, a_second)
    found = [figure(one, what, a_second) for one in value]
    if not found:
        raise UserError(f"{what} is an empty list")
    return found
