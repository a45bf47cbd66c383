#!/usr/bin/env python3
"""`nightshift search --serve`: configurations go out as lines, and what came of them comes back."""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import unittest
import unittest.mock

from harness import Case, INTERRUPTED, NIGHTSHIFT, NO_IMPROVEMENT, SOURCE, STUDY_FAILED, TIMEOUT, USAGE, main
from serving import Lines

SPACE = """
name = "bowl"
constraints = ["x * y <= 40"]
[parameters]
x = { range = [1, 10] }
y = { range = [1, 10] }
"""


def cost(c):
    return 1 + (c["x"] - 6) ** 2 + (c["y"] - 5) ** 2


class Search(Case):
    def setUp(self):
        super().setUp()
        self.space = self.write("space.toml", SPACE)

    def search(self, *options, answer=None, most=None):
        """(configurations that were asked for, the last object). answer(id, configuration): a line, or
        None where the client goes; most: configurations, then it is killed."""
        answer = answer or (lambda number, c: {"id": number, "time": cost(c)})
        process = self.start("search", self.space, "--serve", "--study", "study", *options,
                             stdin=subprocess.PIPE)
        asked, said = [], {}
        hello = json.loads(process.stdout.readline())
        self.assertEqual((hello["protocol"], hello["parameters"], hello["objectives"]),
                         (1, ["x", "y"], ["time"]))
        for line in process.stdout:
            said = json.loads(line)
            if "done" in said:
                break
            asked.append(said["configuration"])
            if most is not None and len(asked) > most:
                process.kill()
                break
            told = answer(said["id"], said["configuration"])
            if told is None:
                process.stdin.close()
                continue
            process.stdin.write(json.dumps(told) + "\n")
            process.stdin.flush()
        process.wait(TIMEOUT)
        process.stdout.close()
        self.told = process.stderr.read()
        process.stderr.close()
        if not process.stdin.closed:
            process.stdin.close()
        self.code = process.returncode
        return asked, said.get("done")

    def test_a_search_by_somebody_elses_measurements(self):
        asked, done = self.search("--budget", "40t")
        self.assertEqual(self.code, 0)
        self.assertEqual(asked[0], {"x": 1, "y": 1})
        self.assertEqual(len(asked), 41)  # and the baseline
        self.assertEqual(len({tuple(c.values()) for c in asked[1:]}), 40)
        self.assertTrue(all(c["x"] * c["y"] <= 40 for c in asked))
        self.assertEqual(done["best"]["configuration"], {"x": 6, "y": 5})
        self.assertEqual(done["confirmations"], 0)
        self.assertFalse(done["improvement"]["accepted"])
        self.assertIn("bowl", self.run_nightshift("report", "study", codes=(0,)).stdout)

    def test_failures_and_units_are_told_as_by_any_program(self):
        def answer(number, c):
            if c["x"] == 7:
                return {"id": number, "error": "no sevens", "kind": "build_failed"}
            return {"id": number, "time": f"{cost(c)} us"}
        asked, done = self.search("--budget", "30t", answer=answer)
        failed = sum(c["x"] == 7 for c in asked)
        self.assertGreater(failed, 0)
        self.assertEqual(done["trials"]["failed"], {"build_failed": failed})
        self.assertAlmostEqual(done["best"]["objectives"]["time"]["value"],
                               cost(done["best"]["configuration"]) / 1000)
        self.assertEqual(done["best"]["objectives"]["time"]["unit"], "ms")

    def test_units_that_answers_name_are_in_what_is_told(self):
        self.write("space.toml", SPACE.replace("[parameters]", '[[objective]]\nname = "rate"\n'
                                               'direction = "maximise"\n[parameters]'))
        done = self.lines_of(["--budget", "6t"], lambda process, said: (
            process.stdin.write(json.dumps({"id": said["id"], "rate": f"{900 + cost(said['configuration'])} MB/s"}) + "\n"),
            process.stdin.flush()))
        for side in "baseline", "best":
            self.assertEqual(done[side]["objectives"]["rate"]["unit"], "GB/s")
        self.assertIn("GB/s", self.run_nightshift("report", "study", codes=(0,)).stdout)

    def test_several_are_open_at_once_and_answered_in_any_order(self):
        process = self.start("search", self.space, "--serve", "--study", "study", "--outstanding", "3",
                             "--budget", "12t", stdin=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        lines = Lines(self, process.stdout.fileno(), lambda data: process.stdin.write(data.decode()))
        lines.next()
        held, most, done = [], 0, None
        while done is None:
            said = lines.next()
            done = said.get("done")
            held.append(said)
            most = max(most, len(held))
            # Who waits for more than there will be answers what there is.
            if done is None and (len(held) == 3 or not lines.has_more(0.5)):
                lines.send(*({"id": one["id"], "time": cost(one["configuration"])}
                             for one in reversed(held)))
                process.stdin.flush()
                held = []
        process.stdin.close()
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual((most, done["trials"]["measured"]), (3, 12))

    def test_who_was_killed_goes_on_and_asks_for_nothing_twice(self):
        first, _ = self.search("--budget", "20t", most=10)
        second, done = self.search("--budget", "20t")
        measured = [tuple(c.values()) for c in first[1:-1]]  # without the baseline and the last one
        self.assertEqual(set(measured) & {tuple(c.values()) for c in second[1:]}, set())
        self.assertEqual(done["trials"]["measured"], 20)

    def test_a_client_that_goes_interrupts_the_study(self):
        seen = []

        def answer(number, c):
            seen.append(c)
            return None if len(seen) == 5 else {"id": number, "time": cost(c)}
        _, done = self.search("--budget", "20t", answer=answer)
        self.assertEqual((self.code, done["status"]), (INTERRUPTED, "interrupted"))
        _, done = self.search("--budget", "20t")
        self.assertEqual((self.code, done["status"]), (0, "completed"))

    def test_an_answer_that_never_comes_ends_with_the_budget(self):
        """And is left to the next run, as what was open where the client ends."""
        for options in (["--outstanding", "3"], ["--outstanding", "3", "--confirm"]):
            with self.subTest(options):
                lost = []

                def answer(process, said):
                    process.stdin.write(json.dumps({"id": said["id"], "time": cost(said["configuration"])}) + "\n")
                    process.stdin.flush()

                def answer_most(process, said):
                    if len(lost) == 0 and said["id"] == 5 or said["configuration"] in lost:
                        lost.append(said["configuration"])
                    else:
                        answer(process, said)
                seconds = 2
                while not lost:  # a slow machine may not come to it in few seconds
                    shutil.rmtree(self.folder / "study", ignore_errors=True)
                    done = self.lines_of(["--budget", f"{seconds}s", *options], answer_most)
                    seconds *= 2
                self.assertEqual(done["status"], "completed")
                self.assertEqual(done["trials"]["failed"], {})
                done = self.lines_of(["--budget", "40t"], answer)
                self.assertEqual(done["trials"]["failed"], {})

    def test_a_baseline_that_nobody_answers_fails_by_name(self):
        done = self.lines_of(["--budget", "1s"], lambda process, said: None, code=STUDY_FAILED)
        self.assertEqual(done["status"], "failed")
        self.assertIn("no answer came for id 1", json.dumps(done))

    def lines_of(self, options, answer, code=0):
        """The last object of a search whose lines go to answer(process, said)."""
        process = self.start("search", self.space, "--serve", "--study", "study", *options, stdin=subprocess.PIPE)
        done = None
        process.stdout.readline()
        for line in process.stdout:
            done = json.loads(line).get("done")
            if done is not None:
                break
            answer(process, json.loads(line))
        self.assertEqual(process.wait(TIMEOUT), code)
        for stream in (process.stdout, process.stderr, process.stdin):
            stream.close()
        return done

    def test_confirmations_ask_again(self):
        asked, done = self.search("--budget", "40t", "--confirm", "--set",
                                  "acceptance.confidence=quick")
        self.assertTrue(done["improvement"]["accepted"], done["improvement"])
        self.assertGreater(sum(c == {"x": 6, "y": 5} for c in asked), 8)
        self.nothing_is_measured_here()

    def nothing_is_measured_here(self):
        """Of a study that is measured elsewhere: no command tries, and no page advises it."""
        goes_on = "study is measured elsewhere: `nightshift search"
        for command in (("compare", "study"), ("export", "study", "--format", "bundle", "--output", "b")):
            refused = self.run_nightshift(*command, codes=(USAGE,)).stderr
            self.assertIn(goes_on, " ".join(refused.split()))
            self.assertIn("--serve --study study", refused)
        self.assertFalse((self.folder / "b").exists())
        self.run_nightshift("export", "study", "--format", "json", "--output", "best.json", codes=(0,))
        for winner in "study", "best.json":
            rechecked = self.run_nightshift("recheck", winner, codes=(NO_IMPROVEMENT,)).stdout
            self.assertIn("measured elsewhere", " ".join(rechecked.split()))
        explained = self.run_nightshift("explain", "study", "--parameters", codes=(0,)).stdout
        self.assertNotIn("nightshift compare", explained)

    def test_confirm_may_come_later_and_stays(self):
        quick = ("--set", "acceptance.confidence=quick")
        _, done = self.search("--budget", "40t", *quick)
        self.assertFalse(done["improvement"]["accepted"], done["improvement"])
        asked, done = self.search("--budget", "40t", "--confirm", *quick)
        self.assertTrue(done["improvement"]["accepted"], done["improvement"])
        self.assertGreater(sum(c == {"x": 6, "y": 5} for c in asked), 8)
        self.assertEqual(self.told, "")
        for options in (["--confirm"], []):
            _, done = self.search("--budget", "44t", *quick, *options)
            self.assertTrue(done["improvement"]["accepted"], done["improvement"])
            self.assertEqual("told to --confirm, and goes on with it" in self.told, not options, self.told)

    def test_options_that_come_later_are_taken_or_told(self):
        self.search("--budget", "10t", "--searcher", "random")
        self.search("--budget", "12t", "--searcher", "random", "--outstanding", "2")
        self.assertEqual(self.told, "")
        self.search("--budget", "14t", "--searcher", "genetic", "--set", "acceptance.confidence=quick")
        self.assertIn('search.searcher = "genetic" is not what the study was begun with', self.told)
        self.assertIn("acceptance.confidence = ", self.told)
        self.assertNotIn("acceptance.duels", self.told)
        self.write("space.toml", SPACE.replace("40", "50"))
        self.search("--budget", "16t", "--searcher", "random")
        self.assertIn("has changed since the study was begun", self.told)
        self.write("space.toml", SPACE.replace("bowl", "other"))
        done = self.run_nightshift("search", self.space, "--serve", "--study", "study", codes=(USAGE,))
        self.assertIn("holds a study of bowl", done.stderr)

    def test_lines_that_are_no_answers_are_told_and_change_nothing(self):
        process = self.start("search", self.space, "--serve", "--study", "study", "--budget", "2t",
                             stdin=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        process.stdout.readline()
        self.assertEqual(json.loads(process.stdout.readline())["id"], 1)
        for line, words in (("x", "expected a JSON object a line"), ("[1]", "expected a JSON object"),
                            ('{"id": 9, "time": 1}', "nothing with id 9 is open"),
                            ('{"id": -1, "time": 1}', "with the id of a configuration"),
                            ('{"id": 1, "tme": 1}', "time")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            self.assertIn(words, json.loads(process.stdout.readline())["error"])
        for number in (1, 2, 3):
            process.stdin.write(json.dumps({"id": number, "time": number}) + "\n")
            process.stdin.flush()
            last = json.loads(process.stdout.readline())
        self.assertEqual(last["done"]["trials"]["measured"], 2)
        process.stdin.close()
        self.assertEqual(process.wait(TIMEOUT), 0)

    @unittest.skipUnless(importlib.util.find_spec("kernel_tuner"), "Kernel Tuner is not installed")
    def test_a_strategy_of_kernel_tuner_in_its_own_simulation(self):
        sys.path.insert(0, str(SOURCE / "python" / "examples"))
        from kernel_tuner.interface import tune_cache
        import kernel_tuner_strategy
        sides = list(range(1, 11))
        entry = {"times": [1.0], "compile_time": 1, "verification_time": 0, "benchmark_time": 1,
                 "strategy_time": 0, "framework_time": 0, "timestamp": "2025-01-01 00:00:00+00:00"}
        cache = {f"{x},{y}": dict(entry, x=x, y=y, time=float(cost({"x": x, "y": y})))
                 for x in sides for y in sides if x * y <= 40}
        path = self.write("space.json", json.dumps({
            "device_name": "Recorded", "kernel_name": "bowl", "problem_size": [64],
            "tune_params_keys": ["x", "y"], "objective": "time",
            "tune_params": {"x": sides, "y": sides}, "cache": cache}))
        environment = self.environment(NIGHTSHIFT=str(NIGHTSHIFT))
        with contextlib.redirect_stdout(io.StringIO()), \
                unittest.mock.patch.dict(os.environ, environment):
            found, _ = tune_cache(cache_path=str(path), strategy=kernel_tuner_strategy,
                                  strategy_options={"max_fevals": 40}, restrictions=["x * y <= 40"])
        self.assertLessEqual(len(found), 41)
        self.assertEqual(min(one["time"] for one in found), 1)

    def test_a_baseline_that_fails_is_told_as_the_end(self):
        _, done = self.search("--budget", "5t",
                              answer=lambda number, c: {"id": number, "error": "nothing works"})
        self.assertEqual((self.code, done["status"]), (STUDY_FAILED, "failed"))

    def test_a_second_answer_and_a_nan_are_told(self):
        process = self.start("search", self.space, "--serve", "--study", "study", "--budget", "2t",
                             stdin=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdin.close)

        def told(line):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        process.stdout.readline()
        process.stdout.readline()
        self.assertEqual(told('{"id": 1, "time": 5}')["id"], 2)
        self.assertIn("id 1 has been answered", told('{"id": 1, "time": 6}')["error"])
        self.assertIn("NaN and Infinity are no JSON", told('{"id": 2, "time": NaN}')["error"])
        self.assertEqual(told('{"id": 2, "time": 5}')["id"], 3)
        process.kill()
        process.wait(TIMEOUT)

    def test_a_baseline_outside_of_the_space_is_a_mistake(self):
        for baseline, words in (("x = 11", "the baseline: 'x' has no value 11"),
                                ("x = 10\ny = 10", "the baseline x=10 y=10 violates the constraint 'x * y <= 40'")):
            space = self.write("outside.toml", SPACE + "[baseline]\n" + baseline + "\n")
            done = self.run_nightshift("search", space, "--serve", codes=(USAGE,))
            self.assertIn(words, done.stderr)
            self.assertNotIn("backend", done.stderr)

    def test_what_cannot_be_searched(self):
        done = self.run_nightshift("search", self.space, codes=(USAGE,))
        self.assertIn("search needs --serve", done.stderr)
        done = self.run_nightshift("search", self.recorded_space(), "--serve", codes=(USAGE,))
        self.assertIn("is a [recorded] problem", done.stderr)
        wrong = self.write("wrong.toml", SPACE.replace("x * y", "x * z"))
        done = self.run_nightshift("search", wrong, "--serve", codes=(USAGE,))
        self.assertIn("unknown name 'z'", done.stderr)
        self.assertNotIn("backend", done.stderr)
        for words, said in (('name = "qps"', "objective.name is 'qps', a rate"),
                            ('name = "lat"\nunit = "req/s"', "of the objective 'lat' is 'req/s', a rate")):
            rate = self.write("rate.toml", 'name = "r"\n[parameters]\nA = [1, 2]\n[[objective]]\n' + words + "\n")
            done = self.run_nightshift("search", rate, "--serve", codes=(USAGE,))
            self.assertIn(said, done.stderr)
            self.assertIn('write direction = "maximise"', done.stderr)
            self.assertNotIn("backend", done.stderr)

    def test_a_figure_that_cannot_be_read_is_told_and_may_be_answered_anew(self):
        for wrong in (1, None, "5 parsec", [], "fast"):
            with self.subTest(wrong):
                shutil.rmtree(self.folder / "study", ignore_errors=True)
                errors = []

                def answer(process, said):
                    if "error" in said:
                        errors.append(said["error"])
                        return
                    c = said["configuration"]
                    if (c["x"], c["y"]) == (6, 5):
                        process.stdin.write(json.dumps({"id": said["id"], "time": wrong}) + "\n")
                    process.stdin.write(json.dumps({"id": said["id"], "time": f"{cost(c)} us"}) + "\n")
                    process.stdin.flush()
                done = self.lines_of(["--budget", "40t"], answer)
                self.assertEqual(done["best"]["configuration"], {"x": 6, "y": 5})
                self.assertEqual(done["trials"]["failed"], {})
                self.assertEqual(len(errors), 1)
                self.assertRegex(errors[0], "id [0-9]+ stays open, answer it anew: .*time")

    def test_a_file_for_search_is_counted_by_check_and_refused_by_tune(self):
        done = self.run_nightshift("check", self.space, codes=(0,))
        self.assertIn("configurations of 100 combinations", done.stdout)
        self.assertIn("for `nightshift search --serve`", done.stdout)
        self.assertNotIn("Mistakes", done.stdout)
        done = self.run_nightshift("check", self.space, "--json", codes=(0,))
        self.assertEqual(json.loads(done.stdout)["mistakes"], [])
        done = self.run_nightshift("tune", self.space, codes=(USAGE,))
        self.assertIn("there is no backend", done.stderr)
        self.assertIn("`nightshift search --serve`", done.stderr)
        wrong = self.write("wrong.toml", SPACE.replace("x * y", "x * z"))
        self.assertIn("unknown name 'z'", self.run_nightshift("check", wrong, codes=(USAGE,)).stdout)
        helped = self.run_nightshift("search", "--help", codes=(0,)).stdout
        self.assertNotIn("recorded space", " ".join(helped.split()))


if __name__ == "__main__":
    main()
