"""Evaluations on a device whose times are scripted: graphs, sets, giving up, checks."""

import array
import datetime
import decimal
import fractions
import math
import re
import sys
import types
import unittest

import fake_torch
import harness
from harness import ORDER, Case

import nightshift as ns
from nightshift.benches import GpuBench, PlainBench
from nightshift.errors import Failure, UserError
from nightshift.evaluation import Evaluator
from nightshift.failures import failure_of, is_cuda_error


class FakeGpuBench(GpuBench):
    """The clock, the sets and the gates of a GPU over arrays without a library."""

    plain = True
    workshop, copied, check = PlainBench.workshop, PlainBench.copied, PlainBench.check
    same_bits, type_of, tells = PlainBench.same_bits, PlainBench.type_of, PlainBench.tells

    def _hold(self):
        return sys.modules["torch"].hold


class Gpu(Case):
    def setUp(self):
        super().setUp()
        self.device = fake_torch.Device()
        sys.modules["torch"] = fake_torch.module(self.device)
        self.addCleanup(sys.modules.pop, "torch")
        self.phases, self.seconds = [], lambda config: 1e-3
        self.does, self.now = lambda x, y, config: None, 0.0

    def evaluator(self, cases=None, elements=1 << 10, work=None, **options):
        work = work or self.device.work

        @ns.problem(space={"a": [1, 2, 3]}, cases=cases, dtype="float32", **options)
        def double(case, config):
            x, y = ns.normal(elements), ns.output(elements)

            def kernel():
                for i in range(8):
                    y[i] = 2 * x[i]
                y[8:] = memoryview(bytes(4 * (elements - 8))).cast("f")
                self.does(x, y, config)

            return ns.Run(lambda: work(self.seconds(config), kernel), outputs=[y],
                          reference=lambda: [2 * x[i] if i < 8 else 0.0 for i in range(elements)],
                          bytes=elements * 8)

        self.problem = double
        return Evaluator(double, double.cases, FakeGpuBench(double), self._clock)

    def _clock(self):
        self.now += 1e-3
        return self.now

    def measure(self, evaluator=None, configuration=None, **changes):
        evaluator = evaluator or self.evaluator()
        return evaluator.measure(dict(ORDER, configuration=configuration or {}, **changes),
                                 self.phases.append)

    def test_times_are_of_one_call_in_microseconds(self):
        answer = self.measure()
        self.assertEqual([round(t, 6) for t in answer["time"]], [1000.0] * 3)
        self.assertEqual(answer["conditions"]["timing"], "graph")

    def test_short_calls_are_repeated_within_one_graph(self):
        self.seconds = lambda config: 1e-5
        conditions = self.measure(min_sample_seconds=5e-5)["conditions"]
        # A thousand ticks of an event are half a millisecond.
        self.assertGreaterEqual(conditions["calls_per_sample"] * 1e-5, 5e-4)

    def test_cold_caches_take_enough_sets_to_fill_the_cache_three_times(self):
        self.device.cache = 40 << 10  # an array has 4 KiB, a set 8
        conditions = self.measure(cold_cache=True)["conditions"]
        self.assertEqual((conditions["sets"], conditions["cache"]), (31, "cold"))

    def test_too_little_memory_for_cold_caches_is_said(self):
        self.device.cache, self.device.free = 40 << 10, 100 << 10
        conditions = self.measure(cold_cache=True)["conditions"]
        self.assertEqual((conditions["sets"], conditions["cache"]), (5, "partly cold"))

    def test_what_cannot_be_captured_is_timed_behind_a_gate(self):
        self.device.refuses_capture = "operation not permitted when stream is capturing"
        conditions = self.measure()["conditions"]
        self.assertEqual(conditions["timing"], "events")
        self.assertIn("not permitted", conditions["no_graph"])
        self.assertIn("gate", self.device.log)

    def test_a_call_that_waits_for_the_device_is_timed_without_a_gate(self):
        def work(seconds, does):
            self.device.work(seconds, does)
            self.device.wait()

        answer = self.measure(self.evaluator(work=work))
        conditions = answer["conditions"]
        self.assertEqual(conditions["timing"], "eager")
        self.assertIn("not permitted", conditions["no_graph"])
        self.device.log.clear()
        conditions = self.measure(self.evaluator(work=work, timing="events"))["conditions"]
        self.assertEqual((conditions["timing"], conditions["no_graph"]),
                         ("eager", "the call waits for the device"))
        self.assertNotIn("capture", self.device.log)

    def elsewhere(self, evaluator_of, **changes):
        """Measures with the device's clock as the host's."""
        evaluator = evaluator_of()
        evaluator.bench.host = lambda: self.device.now
        return self.measure(evaluator, **changes)

    def test_work_that_is_left_on_another_stream_is_refused(self):
        def work(seconds, does):
            does()
            self.device.work(1e-6)
            self.device.work_elsewhere(seconds)

        for changes in ({}, {"trust": "none"}):
            with self.subTest(changes), self.assertRaisesRegex(Failure, "another stream.*wait_stream"):
                self.elsewhere(lambda: self.evaluator(work=work), **changes)

    def test_work_on_this_stream_leaves_nothing_behind(self):
        self.device.refuses_capture = "operation not permitted when stream is capturing"
        for changes, gate in (({}, "gate"), ({"trust": "none"}, "hold")):
            with self.subTest(changes):
                self.device.log.clear()
                answer = self.elsewhere(self.evaluator, **changes)
                self.assertEqual([round(t, 6) for t in answer["time"]], [1000.0] * 3)
                self.assertEqual(answer["conditions"]["timing"], "events")
                self.assertEqual(self.device.log[0], gate)

    def test_work_that_goes_on_beside_ones_own_is_no_work_left_behind(self):
        def work(seconds, does):
            self.device.work_elsewhere(seconds / 2)
            self.device.work(seconds, does)

        self.assertEqual(len(self.elsewhere(lambda: self.evaluator(work=work))["time"]), 3)

    def launching(self):
        """A call that copies from the host, which no graph can have, and launches a kernel."""
        modules, launch = fake_torch.triton(self.device)
        for name, module in modules.items():
            sys.modules[name] = module
            self.addCleanup(sys.modules.pop, name)

        def work(seconds, does):
            self.device.wait()
            self.device.log.append("call")
            self.device.work(2e-3)  # of a library's own
            launch(seconds, does)

        return self.evaluator(work=work)

    def test_the_kernels_of_a_call_that_cannot_be_captured_are_timed_alone(self):
        answer = self.measure(self.launching())
        self.assertEqual([round(t, 6) for t in answer["time"]], [1000.0] * 3)
        conditions = answer["conditions"]
        self.assertEqual(conditions["timing"], "kernels")
        self.assertIn("not permitted", conditions["no_graph"])
        self.assertGreater(conditions["whole_call_us"], 0)

    def test_what_compiles_says_that_it_builds(self):
        evaluator = self.launching()
        self.measure(evaluator)
        self.assertEqual(self.phases, ["load", "prepare", "build", "prepare", "verify", "warm_up",
                                       "measure", "verify"])
        self.phases.clear()
        self.measure(evaluator)
        self.assertNotIn("build", self.phases)

    def test_a_compiler_of_the_problem_builds_in_its_own_phase(self):
        @ns.problem(space={"a": [1]}, dtype="float32", compile=lambda config: config.a)
        def compiled(case, config, a):
            y = ns.output(1)
            return ns.Run(lambda: self.device.work(1e-3, lambda: y.__setitem__(0, a)), outputs=[y],
                          reference=lambda: [1.0])

        self.measure(Evaluator(compiled, compiled.cases, FakeGpuBench(compiled), self._clock))
        self.assertEqual(self.phases[:4], ["load", "build", "load", "prepare"])

    def test_kernels_that_cheat_when_they_are_timed_alone_are_found(self):
        def cheat(x, y, config):
            if self.device.log[-1:] == ["replay"] and self.device.log.count("replay") > 3:
                y[0] = 123.0

        self.does = cheat
        with self.assertRaisesRegex(Failure, r"output 0\[0\] is 123"):
            self.measure(self.launching())

    def test_kernels_whose_answers_need_the_rest_of_the_call_are_timed_alone(self):
        def cheat(x, y, config):
            if self.device.log[-1:] == ["replay"]:
                y[0] = 123.0  # what the call does besides would mend it

        self.does = cheat
        self.assertEqual(self.measure(self.launching())["conditions"]["timing"], "kernels")

    def test_kernels_that_nobody_vouches_for_are_not_timed_alone_on_other_inputs(self):
        conditions = self.measure(self.launching(), trust="none")["conditions"]
        self.assertGreaterEqual(conditions["unseen_pairs"], 9)

    def test_before_a_claim_each_way_to_time_is_asked(self):
        for evaluator, timing in ((self.launching(), "kernels"), (self.evaluator(), "graph"),
                                  (self.evaluator(timing="events"), "events"),
                                  (self.evaluator(timing="eager"), "eager")):
            conditions = self.measure(evaluator, audit=5.0)["conditions"]
            self.assertEqual((conditions["timing"], conditions["audit"]), (timing, "its time held"))

    def test_eager_timing_has_neither_graph_nor_gate(self):
        evaluator = self.evaluator(timing="eager")
        self.assertEqual(self.measure(evaluator)["conditions"]["timing"], "eager")
        self.assertNotIn("capture", self.device.log)

    def test_three_slow_samples_are_given_up(self):
        answer = self.measure(samples=[20, 60], give_up_above=900.0)
        self.assertIs(answer["given_up"], True)
        self.assertEqual(len(answer["time"]), 3)
        self.assertIs(self.measure(samples=[20, 60], give_up_above=1100.0)["given_up"], False)

    def test_what_is_hopeless_is_shown_by_one_set_of_inputs(self):
        def spent(above):
            before = self.device.now
            evaluator = self.evaluator(elements=1 << 18)  # three times the cache, and the one that is used
            return self.measure(evaluator, samples=[20, 60], cold_cache=True,
                                give_up_above=above), self.device.now - before

        slow, seconds = spent(900.0)
        self.assertEqual((slow["given_up"], slow["conditions"]["sets"], slow["conditions"]["cache"]),
                         (True, 4, "cold"))
        hopeless, less = spent(200.0)
        self.assertEqual((hopeless["given_up"], hopeless["conditions"]["sets"], len(hopeless["time"])),
                         (True, 1, 3))
        self.assertLess(less, 0.7 * seconds)

    def test_what_only_looked_hopeless_is_measured(self):
        calls = []
        self.seconds = lambda config: calls.append(0) or (1e-2 if len(calls) < 6 else 1e-3)
        answer = self.measure(self.evaluator(elements=1 << 18), samples=[20, 60], cold_cache=True,
                              give_up_above=1500.0)
        self.assertEqual((answer["given_up"], answer["conditions"]["sets"]), (False, 4))
        self.assertGreaterEqual(len(answer["time"]), 20)

    def test_a_kernel_that_cheats_while_it_is_timed_is_found(self):
        def cheat(x, y, config):
            if self.device.log and self.device.log[-1] == "replay":
                y[0] = 123.0

        self.does = cheat
        with self.assertRaisesRegex(Failure, r"output 0\[0\] is 123"):
            self.measure()

    def test_a_kernel_that_remembers_its_answer_is_found(self):
        memory = {}

        def cheat(x, y, config):
            memory.setdefault("y", bytes(y))
            memoryview(y).cast("B")[:] = memory["y"]

        self.does = cheat
        with self.assertRaisesRegex(Failure, "instead of"):
            self.measure()

    def test_work_left_undone_is_found(self):
        def cheat(x, y, config):
            y[5] = math.nan

        self.does = cheat
        with self.assertRaisesRegex(Failure, r"output 0\[5\] is nan"):
            self.measure()

    def test_other_bits_than_the_baseline_are_said(self):
        def other(x, y, config):
            if config.a == 2:
                y[0] = y[0] * (1 + 2 ** -22)

        self.does = other
        evaluator = self.evaluator(tolerance=1e-4)
        self.assertIs(self.measure(evaluator, {"a": 2})["conditions"]["same_bits"], False)
        self.assertIs(self.measure(evaluator, {"a": 3})["conditions"]["same_bits"], True)

    def test_runs_that_differ_are_nondeterministic(self):
        calls = []

        def other(x, y, config):
            calls.append(1)
            y[0] = y[0] * (1 + len(calls) * 2 ** -22)

        self.does = other
        with self.assertRaises(Failure) as caught:
            self.measure(self.evaluator(deterministic=True, tolerance=1e-2))
        self.assertEqual(caught.exception.kind, "nondeterministic")

    def figures_of(self, values, aggregate="geometric_mean", **limits):
        """What an evaluation of a case for each value says, of a figure that is that value."""
        @ns.problem(space={"a": [1]}, cases=[dict(q=value) for value in values], dtype="float32", together=True,
                    aggregate=aggregate, objectives={"time": {}, "q": limits})
        def several(case, config):
            x, y = ns.normal(8), ns.output(8)

            def kernel():
                for i in range(8):
                    y[i] = 2 * x[i]

            return ns.Run(lambda: self.device.work(1e-3, kernel), outputs=[y], reference=lambda: [2 * v for v in x],
                          figures={} if case.q is None else {"q": case.q})

        return self.measure(Evaluator(several, several.cases, FakeGpuBench(several), self._clock))["q"]

    def test_a_figure_of_ones_own_is_of_all_cases(self):
        self.assertAlmostEqual(self.figures_of([1, 4, 2]), 2.0)
        self.assertAlmostEqual(self.figures_of([1, 4, 2], aggregate="sum"), 7.0)
        self.assertEqual(self.figures_of([0.1, 0.9, 0.1], at_most=0.5), 0.9)
        self.assertEqual(self.figures_of([0.9, 0.1, 0.9], at_least=0.5), 0.1)
        self.assertEqual(self.figures_of([[1, 2], 3, [9, 8, 7]], at_most=10), [9, 8])
        self.assertEqual(self.figures_of([0, 0]), 0)

    def test_what_is_no_figure_of_all_cases_is_told(self):
        for values, words in (([1, None], "case 2 of 2 has no 'q'"), ([1, -1], "no geometric mean"),
                              ([1, math.nan], "finite number")):
            with self.subTest(values), self.assertRaisesRegex(UserError, words):
                self.figures_of(values)

    def test_cases_together_count_by_their_geometric_mean(self):
        evaluator = self.evaluator(cases=[dict(t=1), dict(t=4)], together=True)
        seconds = iter([1e-3] * 1000)
        self.seconds = lambda config: next(seconds)
        self.assertEqual(self.measure(evaluator)["conditions"]["cases"], 2)

    def timed(self, times, **settings):
        """What is answered where the cases take these microseconds."""
        evaluator = self.evaluator(cases=[dict(t=time) for time in times], together=True, **settings)
        visits = [types.SimpleNamespace(samples=[time / 1e6] * 3, given_up=False, error=0,
                                        conditions={"same_bits": True}) for time in times]
        return evaluator._answer(visits)

    def test_cases_are_told_apart_and_count_to_their_weights(self):
        answer = self.timed([1, 16])
        for times, time in zip(answer["cases"]["time"], [1, 16]):
            self.assertEqual([round(one, 9) for one in times], [time] * 3)
        for settings, time in [({}, 4), ({"weights": [3, 1]}, 2), ({"aggregate": "worst"}, 4),
                               ({"aggregate": "sum"}, 17),
                               ({"aggregate": "sum", "weights": [3, 1]}, 19)]:
            with self.subTest(settings):
                self.assertAlmostEqual(self.timed([1, 16], **settings)["time"][0], time)

    def test_weights_and_aggregates_that_mean_nothing_are_refused(self):
        for settings, words in [
                (dict(weights=[1]), "one number for each of the 2 cases"),
                (dict(weights=[1, 0]), "a weight is a number from 0.000001 to 1000000, not 0.0"),
                (dict(weights=[1, -1]), "not -1.0"),
                (dict(weights=[1, math.inf]), "a weight is a finite number"),
                (dict(weights="12"), "one number for each"),
                (dict(weights={"a": 1}), "weights by name are of each case"),
                (dict(aggregate="max"), 'aggregate is "geometric_mean", "sum" or "worst", not'),
                (dict(aggregate="worst", weights=[1, 2]), "has no use for weights"),
                (dict(aggregate="worst", objectives=["bandwidth"]), 'the objective "time"'),
                (dict(aggregate="sum", together=False), "aggregate=... is of cases that are one")]:
            with self.subTest(settings):
                with self.assertRaisesRegex(UserError, re.escape(words)):
                    ns.problem({"a": [1]}, cases=[dict(t=1), dict(t=2)],
                               **{"together": True, **settings})(lambda case, config: None)

    def test_weights_may_be_given_by_the_names_of_the_cases(self):
        problem = ns.problem({"a": [1]}, cases={"small": dict(t=1), "large": dict(t=2)},
                             weights={"large": 2, "small": 5}, together=True)(lambda c, config: None)
        self.assertEqual(problem.weights, [5, 2])

    def test_objectives_are_computed_from_the_time(self):
        evaluator = self.evaluator(objectives=["time", "bandwidth", "error"])
        answer = self.measure(evaluator)
        self.assertAlmostEqual(answer["bandwidth"][0], (1 << 13) / 1e-3 / 1e9)
        self.assertEqual(answer["error"], 0)

    def test_a_figure_of_no_objective_is_told(self):
        for objectives, name, words in ((None, "time", "says 'time', which is computed"),
                                        (["time", "error"], "error", "says 'error', which is computed"),
                                        (None, "cost", "says 'cost', which is no objective: .* which are time, or"),
                                        (["time", "costs"], "cost", "no objective: .* are time, costs, or")):
            for made in dict, lambda figures: lambda: figures:
                @ns.problem(device="cpu", space={"a": [1]}, objectives=objectives)
                def one(case, config, name=name, made=made):
                    return ns.Run(lambda: [1], reference=lambda: [1], figures=made({name: 1000.0}))

                with self.subTest(name), self.assertRaisesRegex(UserError, words):
                    self.measure(Evaluator(one, one.cases, PlainBench(one)))

    def figured(self, figure, objectives=("time", "score")):
        @ns.problem(device="cpu", space={"a": [1]}, objectives=objectives)
        def scored(case, config):
            return ns.Run(lambda: [1], reference=lambda: [1], figures={"score": figure})

        return self.measure(Evaluator(scored, scored.cases, PlainBench(scored)))["score"]

    def test_figures_are_numbers_of_any_library(self):
        for figure, said in [(3, 3.0), (True, 1.0), (fractions.Fraction(1, 2), 0.5),
                             (decimal.Decimal("0.25"), 0.25), (2 ** 70, 2.0 ** 70),
                             ([1, fractions.Fraction(3, 2)], [1.0, 1.5]), (range(3), [0, 1, 2]),
                             (array.array("f", [0.5, 2]), [0.5, 2.0]), (map(int, "12"), [1, 2])]:
            with self.subTest(figure):
                found = self.figured(figure)
                self.assertEqual(found, said)
                for one in found if isinstance(found, list) else [found]:
                    self.assertIs(type(one), float)
        for figure in (math.nan, math.inf, 10 ** 400, "3", None, [1, math.nan], [[1]], [], 1j):
            with self.subTest(figure):
                with self.assertRaisesRegex(UserError, "the objective 'score' is"):
                    self.figured(figure)

    def test_durations_are_in_the_unit_of_the_objective(self):
        for unit, said in (("s", 0.0015), ("ms", 1.5), ("us", 1500.0), ("ns", 1.5e6)):
            with self.subTest(unit):
                objectives = {"time": {}, "score": {"unit": unit}}
                self.assertAlmostEqual(self.figured(datetime.timedelta(microseconds=1500), objectives), said)
                self.assertEqual(self.figured([datetime.timedelta(0)] * 2, objectives), [0.0, 0.0])
        for unit in ("", "J", "min"):
            with self.subTest(unit), self.assertRaisesRegex(UserError, "'score' is a number without a duration's unit"):
                self.figured(datetime.timedelta(seconds=1), {"time": {}, "score": {"unit": unit}})

    def test_amounts_and_tolerances_are_numbers_of_any_library(self):
        run = ns.Run(print, flops=fractions.Fraction(4), bytes=decimal.Decimal(8))
        self.assertEqual((run.flops, run.bytes), (4.0, 8.0))
        for flops in ("4", math.inf, None, [4]):
            with self.assertRaisesRegex(UserError, "flops is a finite number"):
                ns.Run(print, flops=flops)

        def declared(tolerance):
            return ns.problem({"a": [1]}, tolerance=tolerance)(lambda case, config: None).tolerance

        self.assertEqual(declared(fractions.Fraction(1, 8)), 0.125)
        self.assertEqual(declared({"float32": decimal.Decimal("0.5"), "int8": None}),
                         {"float32": 0.5, "int8": None})
        for tolerance in ("1", math.nan, -1, {"float32": -1}):
            with self.assertRaisesRegex(UserError, "tolerance"):
                declared(tolerance)

    def test_a_broken_context_is_a_device_error(self):
        def breaks(x, y, config):
            self.device.broken = "CUDA error: an illegal memory access was encountered"

        self.does = breaks
        with self.assertRaises(RuntimeError) as caught:
            self.measure()
        failure = failure_of(caught.exception, "none")
        self.assertTrue(is_cuda_error(caught.exception))
        self.assertEqual((failure.kind, failure.members["code"]), ("device_error", 700))

    def test_a_clock_that_stands_still_is_no_time(self):
        self.seconds = lambda config: 0.0
        with self.assertRaisesRegex(Failure, "took no time"):
            self.measure()


class Kinds(unittest.TestCase):
    def test_words_of_the_driver_are_told_apart(self):
        for words, kind, fatal in [
                ("Triton Error [CUDA]: misaligned address", "device_error", True),
                ("CUDA error: invalid argument", "launch_failed", True),
                ("CUDA error: out of memory", "out_of_memory", True),
                ("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate",
                 "out_of_memory", False),
                ("no such thing", "launch_failed", False)]:
            with self.subTest(words):
                error = RuntimeError(words)
                self.assertEqual(failure_of(error, "none").kind, kind)
                self.assertEqual(is_cuda_error(error), fatal)


class WrongNowAndThen(unittest.TestCase):
    """A call in ten, by a clock that counts calls: a share of as many as were timed is checked."""

    def measure(self, every, returns, samples=200):
        calls = [0]

        @ns.problem(space={"a": [1]}, device="cpu", dtype="float64")
        def double(case, config):
            x, y = ns.uniform(16), ns.output(16)

            def call():
                calls[0] += 1
                out = [2 * v + (calls[0] % every == 0) for v in x]
                if returns:
                    return out
                y[:] = memoryview(array.array("d", out))
                return None

            return ns.Run(call, outputs=None if returns else [y], reference=lambda: [2 * v for v in x])

        evaluator = Evaluator(double, double.cases, PlainBench(double), lambda: float(calls[0]))
        order = dict(ORDER, configuration={}, samples=[samples, samples], max_seconds=1e9)
        return evaluator.measure(order, lambda phase: None)

    def test_it_is_found_after_the_samples(self):
        for returns in True, False:
            with self.subTest(returns=returns):
                self.assertIn("time", self.measure(10 ** 9, returns))
                with self.assertRaises(Failure) as caught:
                    self.measure(10, returns)
                self.assertEqual(caught.exception.kind, "wrong_result")

    def test_as_far_as_calls_are_looked_at(self):
        self.assertIn("time", self.measure(10 ** 4, True))


if __name__ == "__main__":
    harness.main()
