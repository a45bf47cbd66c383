"""One case of one evaluation: load, check, warm up, sample, check. evaluator/README.md has the
rules."""

import math

from . import candidates, factories, made_inputs
from .answers import FRESH, Elsewhere, Here
from .audit import Audit, seconds_of_pairs
from .errors import Failure, UserError
from .finished import answers_of, finished
from .found_inputs import FoundInputs
from .made_inputs import leaves, seeded
from .problem import TIME_UNITS
from .restoring import restoring
from .rules import StoppingRule, WarmUpRule
from .unseen import Unseen
from .workshop import SEEDED
from .written_inputs import WrittenInputs

_MOST_LAUNCHES = 4096  # in one sample, and in one graph
_HOPELESS = 4  # times what is given up: more than a cache can hide
_EAGER_BATCH, _EAGER_SAMPLE = 0.02, 5e-3  # seconds
_SHARE_OF_CHECKS, _MOST_CHECKS = 0.05, 200  # after the samples: of the time that they took; calls
WRITTEN_DOWN = "made from a seed, so that a candidate can have the answer written down: make"
SEEDED_BY = "by ns.uniform, ns.normal, ns.integers or ns.made(lambda seed: ...)"
NO_SEED = ("where nobody is trusted inputs have to be made anew, and no input of this problem is "
           f"{WRITTEN_DOWN} them in its function {SEEDED_BY}, or by random and numpy.random without a "
           "seed of your own")


def outputs_of(run, returned, plain=True):
    """The outputs of a call: what the run names, else what it returned. Raises UserError where
    nothing says what they are, and Failure where one is not finished. plain: the bench's"""
    if run.outputs is not None:
        return [finished(one, f"output {number}") for number, one in enumerate(run.outputs)]
    if returned is None:
        raise UserError("nothing says what the outputs are: ns.Run(call, outputs=[...]), "
                        "or a call that returns them")
    answer = finished(returned)
    if run.check:
        return list(answer) if isinstance(answer, (list, tuple)) else [answer]
    return answers_of(answer, alike=not plain)


class _Answering:
    """A call, and the answer that it gave last, whose memory is free again when the next begins."""

    def __init__(self, call):
        self.call, self.answer = call, None

    def __call__(self):
        self.answer = None
        self.answer = self.call()
        return self.answer


class Visit:
    """One case of one evaluation of an Evaluator (evaluation.py)."""

    def __init__(self, evaluator, position, configuration, request, say):
        self.evaluator, self.bench, self.problem = evaluator, evaluator.bench, evaluator.problem
        self.position, self.case = position, evaluator.cases[position]
        self.configuration, self.request, self._say = configuration, request, say
        self.phase = "load"
        self.seed = int(request.get("seed", 0))
        self.is_baseline = self.problem.space.is_baseline(configuration)
        self.sets, self.samples, self.given_up, self.error = [], [], False, 0.0
        self.timed = []  # calls that return their answers
        self.conditions, self.run, self.found = {}, None, None
        self.baseline_types = None  # of its answers, where they are compared here
        self.sampled_for = 0.0  # seconds
        self.partial = False  # what is timed is not all that the answers come from
        self.is_doubted = request.get("trust") == "none"
        self.audit = request.get("audit")  # the most seconds that pairs of a kind may take
        self._watched, self._checking_since = None, 0.0
        self.judge = Elsewhere(self, evaluator.ask) if evaluator.ask else Here(self)

    def say(self, phase):
        self.phase = phase
        self._say(phase)

    def measured(self):
        self.say("load")
        workshop = self.load()
        self.say("prepare")
        watched = self._watched = None if self.found or not self.bench.on_host else WrittenInputs(
            self.run, workshop, self.run_again, self.seed, self.problem.function.__code__.co_filename)
        with restoring() as self.restorer:
            self.run.call()  # compiles, and says what has to be restored
            self.bench.settle()
            self.restorer.restore()
        words = watched.words() if watched else ""
        if words:
            raise Failure("wrong_result", words, output="output 0")
        self._checking_since = self.evaluator.clock()
        self.say("verify")
        self._try_tests()
        same = self._check(self.seed)
        self.say("warm_up")
        cache, timed = "warm", self._timed() if self._looks_hopeless() else None
        if not self.given_up:
            if timed:
                self.say("warm_up")  # again
            cache = self._make_sets(workshop)
            timed = self._timed()
        clock, warm_up, rule = timed
        self.samples = rule.values
        self._describe(clock, warm_up, rule, cache, same)
        self.say("verify")
        self._check_afterwards()
        if not self.given_up:
            if self.is_doubted and clock.used == "kernels":
                clock.leave_kernels()  # whose host work would be that of other inputs
            self.bench.look_behind(clock, min(self.samples))
            if self.is_doubted:
                self.conditions.update(Unseen(self, clock).measured())
            elif self.audit is not None:
                self.conditions.update(self._audited(clock))
        return self

    def _audited(self, clock):
        if clock.used == "kernels":
            clock.leave_kernels()
        so_far = self.evaluator.clock() - self._checking_since
        return Audit(self, clock, seconds_of_pairs(so_far, float(self.audit))).measured()

    def _looks_hopeless(self):
        """Whether a call takes so much longer than what would be given up that one set of inputs shows
        it, which lies in the cache: many would take seconds."""
        above = self._give_up_above()
        if above is None or self.bench.on_host:
            return False
        took, _ = self.bench.clock([self.run.call], self.is_doubted).one_round()
        self.restorer.restore()
        return took > _HOPELESS * above

    def _timed(self):
        """(the clock, the warm-up's rule, the rule that has the samples) of calls on all sets."""
        if self.run.outputs is None:
            self.timed = [_Answering(run.call) for run, _ in self.sets]
        clock = self.bench.clock(self.timed or [run.call for run, _ in self.sets], self.is_doubted)
        warm_up = self._warm_up(clock)
        self.say("measure")
        start = self.evaluator.clock()
        rule = self._sample(clock)
        self.sampled_for = self.evaluator.clock() - start
        return clock, warm_up, rule

    def load(self):
        """Makes the run, and its workshop, which is returned. Raises UserError where nobody is trusted
        and no input is made anew."""
        self._add_set(moved=True)
        self.run, workshop = self.sets[0]
        if self.is_doubted or self.evaluator.ask:
            # Who compares elsewhere makes these anew as well.
            self._find_inputs(workshop)
        if self.bench.on_host and (self.is_doubted or self.evaluator.ask or self.audit is not None):
            workshop.keep()
        return workshop

    def close(self):
        # Memory goes back before the next evaluation, whose sets may need all of it.
        self.sets.clear()
        self.timed.clear()

    def figures(self):
        given = self.run.figures
        return dict(given() if callable(given) else given or {})

    def _add_set(self, moved=False):
        phase = self.phase
        with factories.use(self.bench.workshop(self.seed, moved)) as workshop:
            if self.problem.compile:
                self._say("build")
            run = self.evaluator.run(self.case, self.configuration, self.seed)
            self.sets.append((run, workshop))
            if self.problem.compile:
                self._say(phase)

    def _find_inputs(self, workshop):
        """Those that the problem makes without factories, which are made anew as well from now on.
        Raises UserError where neither there nor here is anything that a seed changes."""
        kinds = {one.kind for one in workshop.arrays}
        if self.bench.on_host:
            self.found = FoundInputs(self.run, workshop, self.run_again, self.seed,
                                     self.problem.function.__code__.co_filename)
            workshop.groups.append(self.found)
            if self.found.unlike and candidates.are_declared():
                raise UserError(f"{self.found.unlike[0]} is another each time that the problem's function "
                                "is called: what is right for a candidate is computed in another "
                                "process, for the same inputs, so a seed has to determine them")
        if self.is_seeded():
            return
        constant = bool(self.found and self.found.constant)
        if kinds <= {"output"} or (constant and kinds <= {"output", "zeros"}):
            raise UserError(NO_SEED, self.problem.place)

    def is_seeded(self):
        """Whether there are inputs that a seed changes."""
        return bool(self.found and self.found.made) or any(
            one.kind in SEEDED for one in self.sets[0][1].arrays)

    def run_again(self, seed):
        """(another run, whose inputs are those of a seed on a host, its workshop). Raises what the user's
        code raises."""
        with factories.use(self.bench.workshop(seed)) as workshop:
            return seeded(lambda _: self.problem.again(self.case, self.configuration, self.run),
                          seed), workshop

    def _make_sets(self, workshop):
        sizes = [one.size for one in workshop.arrays]
        cold = self.request.get("cold_cache")
        wanted, cache = self.bench.sets_for(sum(sizes), max(sizes, default=0)) if cold else (
            1, "warm")
        for _ in range(wanted - 1):
            self._add_set()
        with restoring(self.restorer):
            for run, _ in self.sets[1:]:
                run.call()
            self.bench.settle()
        return cache

    def _check(self, seed):
        """Runs once on fresh inputs and poisoned outputs and compares. Returns whether the outputs
        have the same bits as the baseline's. Raises Failure."""
        run, workshop = self.sets[0]
        self._look_at_baseline(seed)
        self.refill(workshop, seed)
        expected = self.judge.expected(seed)
        self.bench.settle()
        outputs = self._run_checked(run, workshop, expected)
        self._look_at_unwritten(seed)
        if self.problem.deterministic:
            before = [self.bench.copied(one) for one in outputs]
            self.refill(workshop, seed)
            again = self._run_checked(run, workshop, expected)
            if not all(map(self.bench.same_bits, before, again)):
                raise Failure("nondeterministic", "two runs on equal inputs differ in bits")
        if self.is_baseline:
            return True
        theirs = self.baseline_answer(seed)
        return len(theirs) == len(outputs) and all(map(self.bench.same_bits, outputs, theirs))

    def baseline_answer(self, seed):
        """For inputs of a seed; what no factory makes is as the run that is judged has it."""
        return self.evaluator.baseline_answer(self.position, seed, None if self.found else self.seed)

    def copied(self, run, outputs):
        copied = made_inputs.copied if run.check else self.bench.copied
        return [made_inputs.mapped(one, copied) if run.check else copied(one) for one in outputs]

    def _look_at_baseline(self, seed):
        """Which types it answers in. A candidate's process has to answer before it has that answer."""
        if self.is_baseline or self.evaluator.ask or self.run.check or self.baseline_types:
            return
        self.baseline_types = [self.bench.type_of(one)
                               for one in self.baseline_answer(seed)]

    def refill(self, workshop, seed):
        """What the factories made gets the seed's numbers, all else what it had."""
        self.restorer.restore()
        workshop.refill(seed)
        self.restorer.zero()

    def outputs_of(self, run, returned):
        return outputs_of(run, returned, self.bench.plain)

    def copies(self):
        """Inputs that the run reaches and no call has written, as other objects with the same contents."""
        return self._watched.copies(self.sets[0][1], self.run.outputs) if self._watched else None

    def _run_checked(self, run, workshop, expected):
        mine = [] if run.outputs is None else [workshop.of(one) for one in run.outputs]
        watched = [(number, one, one.snapshot()) for number, one in enumerate(workshop.arrays)
                   if one.kind not in ("output", "zeros") and one not in mine]
        written = self.found.watch(run.outputs) if self.found else None
        self.bench.poison(run.outputs, workshop)
        returned = run.call()
        outputs = self.outputs_of(run, returned)
        self.bench.settle()
        self._compare(outputs, expected)
        self._look_at_guards(workshop)
        for number, one, snapshot in watched:
            if one.differs_from(snapshot):
                raise Failure("wrong_result", f"array {number} is an input and was written",
                              output=f"array {number}")
        words = written(returned, outputs) if written else ""
        if words:
            raise Failure("wrong_result", words, output="output 0")
        return outputs

    def _look_at_unwritten(self, seed):
        """NaN is what outputs hold before a call, and what a call leaves alone passes for NaN that the
        reference computes: it is made again on numbers, and then as before. Raises Failure."""
        run, workshop = self.sets[0]
        if run.check or not run.reference:  # what a baseline leaves, nobody owes
            return
        made = [(number, one, workshop.of(one)) for number, one in enumerate(run.outputs or [])]
        found = [(number, one, mine, mine.nans(one)) for number, one, mine in made if mine and mine.kind == "output"]
        found = [one for one in found if len(one[-1])]
        if not found:
            return
        self.refill(workshop, seed)
        for _, _, mine, _ in found:
            mine.number()
        run.call()
        self.bench.settle()
        for number, one, mine, places in found:
            element = mine.first_left(one, places)
            if element is not None:
                raise Failure("wrong_result", f"output {number}[{element}] was not written, where nan was expected",
                              output=f"output {number}", element=element)
        self.refill(workshop, seed)
        self.bench.poison(run.outputs, workshop)
        run.call()
        self.bench.settle()

    def _compare(self, outputs, expected):
        self.error = max(self.error, self.judge.compare(outputs, expected))

    def _try_tests(self):
        """What the run has to be right for besides, which is not timed."""
        for number, (answer, _) in enumerate(self.run.tests):
            self.judge.compare_test(number, finished(answer()))
        if self.run.tests:
            self.run.passed()

    def _look_at_guards(self, workshop):
        for number, one in enumerate(workshop.arrays):
            where = one.torn_guard()
            if where:
                raise Failure("wrong_result", f"memory {where} array {number}, which the problem "
                                              f"makes, was written", output=f"array {number}")

    def _check_afterwards(self):
        for _, workshop in self.sets:
            self._look_at_guards(workshop)
        if self.given_up:
            return
        if self.partial:
            pass
        elif self.rewrites():
            # What the timed calls themselves wrote, whatever they knew.
            self._compare_all([self.outputs_of(run, None) for run, _ in self.sets])
        elif self.timed and self._repeatable():
            self._compare_all([self.outputs_of(run, timed.answer)
                               for (run, _), timed in zip(self.sets, self.timed)])
        self._check(self.seed + FRESH)
        if self.rewrites() or (self.run.outputs is None and self._repeatable()):
            self._check_calls(self.seed + FRESH)

    def _check_calls(self, seed):
        """Calls the run again on what it has, for a share of the time that samples took: a call in a
        hundred that is wrong need not be one of those that were compared. An answer that is one compared
        already, to the bit, costs no comparison of its own."""
        run, workshop = self.sets[0]
        expected, first = self.judge.expected(seed), None
        end = self.evaluator.clock() + _SHARE_OF_CHECKS * self.sampled_for
        for _ in range(_MOST_CHECKS):
            if self.evaluator.clock() >= end:
                break
            self.bench.poison(run.outputs, workshop)
            outputs = self.outputs_of(run, run.call())
            self.bench.settle()
            if first is not None and self._are_alike(outputs, first):
                continue
            self._compare(outputs, expected)
            if not run.check:
                first = first or [self.bench.copied(one) for one in outputs]

    def _compare_all(self, answers):
        """The answers of all sets, which have the same inputs. Those that are one compared already,
        to the bit, cost no comparison of their own."""
        expected, first = self.judge.again(), None
        for outputs in answers:
            if first is not None and self._are_alike(outputs, first):
                continue
            self._compare(outputs, expected)
            first = first or outputs

    def _are_alike(self, outputs, others):
        """To the bit; False where `check` alone can read them."""
        outputs, others = (leaves(outputs), leaves(others)) if self.run.check else (outputs, others)
        try:
            return len(outputs) == len(others) and all(map(self.bench.same_bits, outputs, others))
        except (UserError, TypeError, ValueError, RuntimeError):
            return False

    def check_timed(self, number, seed):
        """Compares what the last timed call of a set left, from inputs of a seed."""
        run, _ = self.sets[number]
        answer = self.timed[number].answer if self.timed else None
        self.error = max(self.error, self.judge.compare_timed(
            number, seed, self.outputs_of(run, answer)))

    def _repeatable(self):
        """Whether a call leaves all that the next one reads as it found it."""
        workspaces = [one for one in self.sets[0][1].arrays if one.kind == "zeros"]
        return not self.restorer.tensors and not workspaces

    def rewrites(self):
        """Whether a call writes all of its outputs from inputs that it leaves alone."""
        run, workshop = self.sets[0]
        if run.outputs is None or not self._repeatable():
            return False
        kinds = [getattr(workshop.of(one), "kind", None) for one in run.outputs]
        return all(kind == "output" for kind in kinds)

    def _before_sample(self):
        self.restorer.restore()
        if not self.partial and self.rewrites():
            for run, workshop in self.sets:
                self.bench.poison(run.outputs, workshop)

    def _is_partial(self, clock):
        """Whether launches that are timed alone leave other answers than whole calls do."""
        self._before_sample()
        clock.sample()
        expected = self.judge.again()
        try:
            answer = self.timed[0].answer if self.timed else None
            self._compare(self.outputs_of(self.run, answer), expected)
        except Failure:
            return True
        return not self._repeatable()

    def prepare(self, clock, repeats):
        """Samples are `repeats` rounds of all sets from now on."""
        for timed in self.timed:
            timed.answer = None  # nothing is freed while a graph is captured
        before = clock.used
        clock.prepare(repeats)
        for timed, answer in zip(self.timed, clock.answers):
            timed.answer = answer
        if clock.used != "kernels":
            self.partial = False
        elif before != "kernels":
            self.partial = self._is_partial(clock)

    def _warm_up(self, clock):
        wanted = self.request.get("warm_up") or {}
        rule = WarmUpRule(int(wanted.get("runs", 3)), float(wanted.get("seconds", 0.01)),
                          float(self.request.get("min_sample_seconds", 5e-5)), self.bench.tick)
        most = max(1, _MOST_LAUNCHES // len(self.sets))
        prepared = 0
        self._before_sample()
        rule.calls = min(most, clock.rounds_for(1.2 * rule.sample_seconds))
        start = self.evaluator.clock()
        while not rule.done():
            if rule.calls > most and clock.used != "host":
                rule.sample_seconds, rule.calls = 0.0, most
            if prepared != rule.calls:
                prepared, before = rule.calls, self.evaluator.clock()
                self.prepare(clock, prepared)
                if clock.used == "eager" and rule.batch_seconds < _EAGER_BATCH:
                    # What the host does in between differs by more than what a device does.
                    rule.batch_for(_EAGER_BATCH)
                    rule.sample_seconds = max(rule.sample_seconds, _EAGER_SAMPLE)
                start += self.evaluator.clock() - before  # is no warming up
            self._before_sample()
            took, calls = clock.sample()
            rule.add(took * calls, self.evaluator.clock() - start)
        if prepared != rule.calls:
            self.prepare(clock, rule.calls)
        return rule

    def _give_up_above(self):
        """In seconds; None where nothing is given up."""
        above = self.request.get("give_up_above")
        if above is None or len(self.evaluator.cases) > 1 or \
                next(iter(self.problem.objectives)) != "time":
            return None
        return above / TIME_UNITS[self.problem.unit()]

    def _sample(self, clock):
        least, most = self.request.get("samples") or [20, 60]
        rule = StoppingRule(int(least), int(most), float(self.request.get("precision", 0)),
                            float(self.request.get("max_seconds", 10)), self._give_up_above())
        start, verdict = self.evaluator.clock(), "go_on"
        while verdict == "go_on":
            self._before_sample()
            took, _ = clock.sample()
            if not took > 0:
                raise Failure("launch_failed", "the device's clock says that a call took no time")
            verdict = rule.add(took, self.evaluator.clock() - start)
        self.given_up = verdict == "given_up"
        self.bench.settle()
        return rule

    def _describe(self, clock, warm_up, rule, cache, same):
        width = rule.half_width()
        self.conditions = {
            "timing": clock.used, "sets": len(self.sets), "cache": cache,
            "calls_per_sample": clock.repeats * len(self.sets), "warm_up_calls": warm_up.total,
            "same_bits": same, "reference": "own" if self.run.reference else "baseline",
            "precision": round(width, 5) if width < 1 else "unknown",
            "lag1": round(rule.lag1(), 3)}
        if clock.why:
            self.conditions["no_graph"] = clock.why
        if clock.whole_seconds is not None:
            self.conditions["whole_call_us"] = round(clock.whole_seconds * 1e6, 3)
        if not warm_up.settled():
            self.conditions["warm_up"] = "did not settle"
