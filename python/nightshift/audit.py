"""Whether the time of a trusted author's kernel is that of its work, asked before a claim: `"audit"` of a
request. unseen.py asks the same of kernels that nobody vouches for."""

from .answers import compared, right_answer
from .distrust import FEWEST_AT_END, PLAIN, HonestyRule, judged
from .errors import Failure
from .unseen import Unseen, not_of_its_work, remembers
from .workshop import SEEDED

# The condition `audit`, as search/figures/audit_condition.h has it.
HELD, CUT_SHORT, SAME_INPUTS = "its time held", "cut short", "on the same inputs alone"
_TIMES, _LEAST = 10 / 3, 1.0  # of each kind of pairs: of what the evaluation took before; seconds
_TRIES = 3  # of a pair during which another process had the core
_FORGETTING = 1.3  # of the same inputs, known and new; beyond what caches and branches do
# All copies are kept. Those that are made before the pairs have the addresses of what is gone, which a
# kernel may know.
_PAIRS_OF_COPIES, _POINTING_OF_COPIES, _SPARE_COPIES = 5, 4, 3


def audit_of(conditions):
    """The condition of several cases, which hold together alone; none where they were not asked."""
    said = [one["audit"] for one in conditions if "audit" in one]
    return {"audit": min(said, key=(CUT_SHORT, SAME_INPUTS, HELD).index)} if said else {}


def seconds_of_pairs(so_far, most):
    """That each kind of pairs may take, in an evaluation that has taken `so_far`. As
    evaluator/sampling/doubt_time.h."""
    return min(max(_LEAST, _TIMES * so_far), most)


class Audit(Unseen):
    """As Unseen, of somebody who means well: three pairs of a kind are enough where they look right, each kind
    has `most` seconds, and what may be the machine's or the problem's is no failure.

      outputs     hold the answer, or nothing
      new inputs  of factories, in the memory of the samples'. What seems longer there may have more
                  work, so it is asked once more of the same inputs: new, and had in the call before
      fresh runs  of a host where no factory makes inputs from a seed: the problem's function is called
                  again, with the seed of the samples, and with others. What it makes at the first call of
                  a run cancels
      copies      of the inputs that such a run's functions reach, in other memory: who answers by
                  addresses works there

    Where a seed changes nothing, who answers without a look at the inputs is not told from who works."""

    def __init__(self, visit, clock, most):
        super().__init__(visit, clock)
        self.most, self.is_cut_short, self._was_disturbed = most, False, False
        self.tick = visit.bench.tick / len(visit.sets)

    def measured(self):
        visit = self.visit
        visit.prepare(self.clock, 1)
        self._of_outputs()
        is_new = any(one.kind in SEEDED for one in visit.sets[0][1].arrays)
        if is_new:
            self._of_new_inputs()
            self._check_ends()
        elif visit.bench.on_host:
            is_new = self._of_own_inputs()
        return {"audit": CUT_SHORT if self.is_cut_short else HELD if is_new else SAME_INPUTS}

    def _judge(self, pair, **options):
        """The rule of as many pairs as there is time for, what it says, whether they were cut short."""
        rule = HonestyRule(self.tick, **{"fewest": FEWEST_AT_END, **options})
        clock = self.visit.evaluator.clock
        end = clock() + self.most

        def undisturbed():
            for _ in range(_TRIES):
                self._was_disturbed = False
                found = pair()
                if not self._was_disturbed or clock() > end:
                    break
            return found
        return rule, *judged(rule, undisturbed, self.most, clock)

    def _timed(self, clock, before):
        took, was_disturbed = super()._timed(clock, before)
        self._was_disturbed = self._was_disturbed or was_disturbed
        return took, was_disturbed

    def _expect_honest(self, pair, failure, **options):
        rule, verdict, is_cut_short = self._judge(pair, **options)
        self.is_cut_short = self.is_cut_short or is_cut_short
        if verdict == "remembers":
            raise failure(rule.median())

    def _pair(self, usual, unseen):
        """What two functions return, seconds of a call, which are called in an order that is drawn."""
        self.visit.say("verify")  # each pair has a limit of its own
        took = {}
        for one in self.dice.sample((usual, unseen), 2):
            took[one] = one()
        return took[usual], took[unseen]

    def _took(self, known, seeds, before=lambda: None):
        return self._round(known, seeds, before)[0]

    def _of_outputs(self):
        if not self.visit.rewrites():
            return
        self._draw()
        self._fill(self._seeds(True))
        self._expect_honest(
            lambda: self._pair(self._over_answers, lambda: self._over_answers(poisons=True)),
            lambda ratio: not_of_its_work("where its outputs do not hold the answer yet", ratio))

    def _over_answers(self, poisons=False):
        """Seconds of a call behind another one on the same inputs."""
        self.clock.sample()
        if poisons:
            self._poison()
        return self._timed(self.clock, lambda: None)[0]

    def _of_new_inputs(self):
        def pair():
            self._draw()
            known = self._seeds(True)
            return self._pair(lambda: self._took(known, known), self._on_new_inputs)
        _, verdict, is_cut_short = self._judge(pair)
        if verdict == "honest" and not is_cut_short:
            return

        def crossed():
            self.visit.say("verify")
            self._draw()
            seeds = self._seeds(False)
            new = self._took(self._seeds(True), seeds, self._forget)
            return self._took(seeds, seeds, self._forget), new
        self._expect_honest(crossed, remembers, ratio=_FORGETTING)

    def _on_new_inputs(self):
        seeds = self._seeds(False)
        took = self._took(self._seeds(True), seeds)
        self._check_one(seeds)
        return took

    # --- Where no factory makes inputs from a seed ---

    def _of_own_inputs(self):
        """Whether inputs were new. Raises Failure."""
        self._of_copies()
        try:
            return self._of_fresh_runs()
        except Failure:
            raise
        except Exception:  # the user's code, called in a way that it may not foresee: nothing is known then
            return False

    def _of_fresh_runs(self):
        visit = self.visit
        is_alike, is_same = (self._is_as_sampled(seed) for seed in (visit.seed, self._next()))
        if is_same or not is_alike:
            return False
        _, verdict, is_cut_short = self._judge(
            lambda: self._pair(lambda: self._first_call(visit.seed)[0],
                               lambda: self._first_call(self._next())[0]))
        if verdict == "remembers" or is_cut_short:
            self._expect_honest(self._crossed_runs, remembers, ratio=_FORGETTING)
        return True

    def _crossed_runs(self):
        self.visit.say("verify")
        seed = self._next()
        new, call = self._first_call(seed, self._forget)
        return self._first_call(seed, self._forget, call)[0], new

    def _next(self):
        self.seed += 1
        return self.seed

    def _is_as_sampled(self, seed):
        """Whether a run of its own, with the inputs of a seed, has the answers of the one that was sampled.
        Raises Failure where they are wrong, and what the user's code raises."""
        visit = self.visit
        visit.say("verify")
        run, workshop = visit.run_again(seed)
        visit.bench.poison(run.outputs, workshop)
        outputs = visit.copied(run, visit.outputs_of(run, run.call()))
        right = right_answer(run, visit.bench) if run.reference else \
            visit.evaluator.baseline_answer(visit.position, seed, seed)
        compared(run, visit.bench, outputs, right, None, visit.baseline_types)
        try:
            compared(run, visit.bench, outputs, visit.judge.expected(visit.seed), None, visit.baseline_types)
        except Failure:
            return False
        return True

    def _first_call(self, seed, before=lambda: None, known=None):
        """(seconds of the first call of a run of its own, its call), behind a call of `known`, or else of
        the run that was sampled."""
        visit = self.visit
        run, workshop = visit.run_again(seed)
        visit.bench.poison(run.outputs, workshop)
        (known or visit.run.call)()
        return self._timed(visit.bench.clock([run.call]), before)[0], run.call

    def _of_copies(self):
        copies = self.visit.copies()
        if not copies:
            return
        self._draw()
        known = self._seeds(True)
        for _ in range(_SPARE_COPIES):
            copies.make()

        def on_copies():
            try:
                return self._took(known, known, copies.put)
            finally:
                copies.put_back()

        def pair():
            copies.make()
            return self._pair(lambda: self._took(known, known), on_copies)
        self._expect_honest(
            pair, lambda ratio: not_of_its_work("on inputs with the same contents at other addresses", ratio),
            enough=((_PAIRS_OF_COPIES, _POINTING_OF_COPIES),), ratio=PLAIN, fewest=_PAIRS_OF_COPIES)
