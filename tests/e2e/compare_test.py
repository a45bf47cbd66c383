"""`nightshift compare`: programs, configurations, studies; verdicts, rankings and exit codes."""

import json
import signal
import sys
import time

import harness
from harness import Case, DEVICE, INTERRUPTED, STUDY_FAILED, USAGE

NO_DIFFERENCE, SECOND_BETTER, SECOND_WORSE = 0, 10, 11

# Prints a figure that depends on its argument and scatters a little.
FIGURE = """
import json, random, sys
print("starting")
print(json.dumps({"cost": float(sys.argv[1]) * random.gauss(1, 0.002), "other": 1}))
"""

PROBLEM = """
name = "figures"
constraints = ["A + B <= 5"]
[command]
argv = ["{python}", "figure.py", "{{A}}", "{{B}}"]
runs = 1
[parameters]
A = [1, 2, 3]
B = [1, 2, 3]
[[objective]]
name = "cost"
[baseline]
A = 2
"""


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.write("figure.py", FIGURE)
        self.problem = self.write("problem.toml", PROBLEM.format(python=sys.executable))
        self.write("same_end.sh", 'test "$(tail -n 1 "$1")" = "$(tail -n 1 "$2")"\n')

    def compare(self, *arguments, codes):
        done = self.run_nightshift("compare", *arguments, "--json", codes=codes) \
            if "--" not in arguments else self.run_nightshift("compare", "--json", *arguments, codes=codes)
        return json.loads(done.stdout)

    def figure(self, cost):
        return [sys.executable, "figure.py", cost]

    def wrong(self, *arguments, codes=(USAGE,)):
        done = self.run_nightshift("compare", *arguments, codes=codes)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_two_commands_by_a_figure_that_they_print(self):
        result = self.compare("--figure", "cost", "--metric-unit", "J", "--", *self.figure(1), "--",
                              *self.figure(1.2), codes=(SECOND_WORSE,))
        self.assertEqual(result["outcome"], "second_worse")
        self.assertAlmostEqual(result["ratio"], 1.2, delta=0.01)
        self.assertEqual(result["objective"], {"name": "cost", "unit": "J", "direction": "minimise"})
        self.assertEqual(len(result["devices"][0]["visits"]["first"]), result["pairs"])
        self.compare("--figure", "cost", "--higher-is-better", "--", *self.figure(1), "--",
                     *self.figure(1.2), codes=(SECOND_BETTER,))

    def test_a_unit_that_the_programs_name_stands_behind_the_figure(self):
        self.write("a.json", '{"benchmarks": [\n  {"real_time": 9250, "time_unit": "ns"}]}\n')
        key = "benchmarks.0.real_time"
        told = self.run_nightshift("compare", "--figure", key, "--pairs", "8", "--", "cat", "a.json",
                                   "--", "cat", "./a.json", codes=(0,)).stdout
        self.assertIn(f"{key} 0.009250 ms [0.009250, 0.009250] ms", told)
        result = self.compare("--figure", key, "--pairs", "8", "--", "cat", "a.json", "--", "cat",
                              "./a.json", codes=(0,))
        self.assertEqual(result["objective"]["unit"], "ms")
        self.assertEqual(result["first"]["objectives"][key]["unit"], "ms")

    def test_two_commands_by_an_expression(self):
        result = self.compare("--regex", r"took (\d+)", "--", "echo", "took 30 {TILE}", "--",
                              "echo", "took 20 {{", codes=(SECOND_BETTER,))
        self.assertAlmostEqual(result["ratio"], 2 / 3, delta=1e-6)

    def test_two_commands_by_their_wall_time(self):
        result = self.compare("--", "sleep", "0.02", "--", "sleep", "0.2", codes=(SECOND_WORSE,))
        self.assertGreater(result["first"]["objectives"]["time"]["value"], 20)
        self.assertGreater(result["second"]["objectives"]["time"]["value"], 200)
        self.assertEqual(result["first"]["objectives"]["time"]["unit"], "ms")
        self.assertIsNone(result["first"]["configuration"])

    def test_the_same_figure_twice_is_no_difference(self):
        result = self.compare("--regex", r"(\d+)", "--", "echo", "7", "--", "echo", "7",
                              codes=(NO_DIFFERENCE,))
        self.assertEqual(result["ratio"], 1)
        self.assertEqual(result["pairs"], 8)

    def test_a_difference_below_the_smallest_is_none(self):
        arguments = ["--regex", r"(\d+)", "--", "echo", "1000", "--", "echo", "1010"]
        self.compare(*arguments, codes=(SECOND_WORSE,))
        self.compare("--min-difference", "2%", *arguments, codes=(NO_DIFFERENCE,))

    def test_a_command_that_fails_is_named(self):
        self.assertIn("the second (false) failed",
                      self.wrong("--", "true", "--", "false", codes=(STUDY_FAILED,)))
        words = self.wrong("--", "no-such-program", "--", "true", codes=(STUDY_FAILED,))
        self.assertIn("the first (no-such-program) failed", words)
        self.assertIn("No such file", words)
        words = self.wrong("--figure", "cots", "--", *self.figure(1), "--", *self.figure(2),
                           codes=(STUDY_FAILED,))
        self.assertIn("cots", words)

    def failed(self, *arguments, codes=(STUDY_FAILED,)):
        result = self.compare(*arguments, codes=codes)
        self.assertEqual(result["outcome"], "failed")
        self.assertIn(result["failed"]["reason"], result["reason"])
        return result["failed"]

    def test_a_side_that_fails_is_an_answer_in_json(self):
        failed = self.failed("--", "true", "--", "false")
        self.assertEqual((failed["side"], failed["contender"], failed["name"], failed["status"]),
                         ("second", 1, "false", "crashed"))
        self.write("figure.py", FIGURE + "sys.exit(3 if sys.argv[1] == '3' else 0)\n")
        failed = self.failed(self.problem, "A=1", "A=2", "A=3")
        self.assertEqual((failed["contender"], failed["name"]), (2, "A=3"))
        self.assertNotIn("side", failed)
        self.assertIn("exited with code 3", failed["reason"])

    def test_a_side_that_hangs_ends_by_the_limit_that_follows_from_the_other(self):
        for sides, side in (((["true"], ["sleep", "1000"]), "second"),
                            ((["sleep", "1000"], ["true"]), "first")):
            began = time.monotonic()
            failed = self.failed("--", *sides[0], "--", *sides[1])
            self.assertLess(time.monotonic() - began, 30)
            self.assertEqual((failed["side"], failed["status"]), (side, "timed_out"))
            for words in ("the limit follows from the other one", "limits.times_baseline is 20",
                          "limits.trial sets another"):
                self.assertIn(words, failed["reason"])

    def test_a_side_beyond_a_limit_is_named_with_it(self):
        limited = PROBLEM.format(python=sys.executable).replace('name = "cost"', 'name = "cost"\nat_most = 2.5')
        for sides, place in ((("A=1", "A=3"), 1), (("A=3", "A=1"), 0)):
            failed = self.compare(self.write("limited.toml", limited), *sides, codes=(STUDY_FAILED,))["failed"]
            self.assertEqual((failed["contender"], failed["side"], failed["name"]),
                             (place, ("first", "second")[place], "A=3"))
            self.assertIn("exceeds limit on cost", failed["reason"])

    def test_limits_that_were_set_are_named(self):
        failed = self.failed("--set", "limits.measure=0.5", "--", "true", "--", "sleep", "1000")
        self.assertIn("limits.measure", failed["reason"])

    def test_a_side_that_cannot_be_built_or_is_wrong_is_an_answer_in_json(self):
        self.write("scale.cc", harness.working_scale(
            "#define REPEATS 1\n#if WORK == 3\n#error no such work\n#endif\n"
            "#define FACTOR (WORK == 2 ? 3 : 2)\n").replace("*= 2", "*= FACTOR"))
        problem = self.write("scale.toml", harness.host_scale("WORK = [1, 2, 3]", harness.IN_SHORT))
        failed = self.failed(problem, "WORK=3")
        self.assertEqual((failed["side"], failed["status"]), ("second", "build_failed"))
        self.assertIn("no such work", failed["reason"])
        failed = self.failed(problem, "WORK=2", "baseline")
        self.assertEqual((failed["side"], failed["status"]), ("first", "wrong_result"))
        failed = self.failed(problem, "WORK=1", "--set", "baseline.WORK=3")
        self.assertEqual((failed["side"], failed["status"]), ("first", "build_failed"))
        failed = self.failed(problem, 'host.kernel.flags=["-nosuchflag"]', "WORK=1")
        self.assertEqual((failed["side"], failed["status"]), ("first", "build_failed"))

    def test_two_commands_whose_outputs_agree(self):
        words = ["--regex", r"took (\d+)"], ["--", "printf", "took 7\\n6\\n", "--", "printf", "took 6\\n6\\n"]
        result = self.compare("--check", "sh same_end.sh", *words[0], *words[1], codes=(SECOND_BETTER,))
        self.assertEqual(result["check"], "sh same_end.sh")
        self.assertIsNone(self.compare(*words[0], *words[1], codes=(SECOND_BETTER,))["check"])
        done = self.run_nightshift("compare", "--check", "sh same_end.sh", *words[0], *words[1],
                                   codes=(SECOND_BETTER,))
        self.assertIn("their outputs agreed, by sh same_end.sh", " ".join(done.stdout.split()))

    def test_what_is_beyond_the_limit_of_outputs_says_what_to_set(self):
        talks = ["--", "sh", "-c",
                 "head -c 2000 /dev/zero | tr '\\0' x; echo; echo '{\"cost\": 1}'"]
        words = self.wrong("--figure", "cost", "--set", "limits.output=1000", *talks, *talks,
                           codes=(STUDY_FAILED,))
        remedy = "limits.output=4000"
        self.assertIn(f"--set {remedy}", " ".join(words.split()))
        self.compare("--figure", "cost", "--set", remedy, "--pairs", "8", *talks, *talks,
                     codes=(0,))

    def test_no_figure_is_read_of_output_that_goes_on_behind_its_limit(self):
        talks = ["--", "sh", "-c", "echo 'took 10 ms'; head -c 2000 /dev/zero; echo 'took 30 ms'"]
        words = self.wrong("--regex", r"took (\d+)", "--set", "limits.output=1000", *talks, *talks,
                           codes=(STUDY_FAILED,))
        self.assertIn("--set limits.output=4000", " ".join(words.split()))

    def test_nothing_is_measured_where_outputs_do_not_agree(self):
        counted = ["sh", "-c", "echo >> runs; cat \"$0\""]
        self.write("one", "1\n")
        self.write("two", "2\n")
        words = self.wrong("--check", "cmp", "--", *counted, "one", "--", *counted, "two",
                           codes=(STUDY_FAILED,))
        self.assertIn("do not agree: --check cmp ended with exit code 1", words)
        self.assertIn("differ: ", words)
        self.assertEqual((self.folder / "runs").read_text(), "\n\n")
        words = self.wrong("--check", "cmp", "--", *counted, "one", "--", "false", codes=(STUDY_FAILED,))
        self.assertIn("the second (false) failed: exit code 1", words)
        words = self.wrong("--check", "no-such-program", "--", *counted, "one", "--", *counted, "one")
        self.assertIn("--check no-such-program cannot be run: exit code 127", words)
        words = self.wrong("--check", "cmp", "--set", "limits.measure=0.2", "--", "sleep", "60", "--",
                           "true", codes=(STUDY_FAILED,))
        self.assertIn("the first (sleep 60) took longer than 0.2 s", words)
        self.assertIn("--check is for two commands", self.wrong(self.problem, "A=1", "--check", "cmp"))

    def test_a_check_that_is_killed_leaves_nothing_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)):
            process = self.start("compare", "--check", "sleep 60; true", "--", "true", "--", "true",
                                 env={"TMPDIR": str(temporary)})
            deadline = time.monotonic() + 60
            while len(harness.processes_with(self.mark)) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            out, err = process.communicate(timeout=harness.TIMEOUT)
            self.assertEqual((process.returncode, out), (code, ""), err)
            self.expect_no_process_left()
            self.assertEqual(list(temporary.iterdir()), [])

    def test_configurations_of_a_problem(self):
        result = self.compare(self.problem, "baseline", "A=1", codes=(SECOND_BETTER,))
        self.assertEqual(result["first"]["configuration"], {"A": 2, "B": 1})
        self.assertEqual(result["second"]["configuration"], {"A": 1, "B": 1})
        self.assertAlmostEqual(result["ratio"], 1 / 2, delta=0.01)
        result = self.compare(self.problem, "A=3,B=2", codes=(SECOND_WORSE,))  # the baseline first
        self.assertEqual(result["second"]["configuration"], {"A": 3, "B": 2})
        self.assertIn("violates the constraint", self.wrong(self.problem, "A=3,B=3"))
        self.assertIn("'A' has no value 7", self.wrong(self.problem, "A=7"))
        self.assertIn("say what to compare", self.wrong(self.problem))

    def test_studies_and_exports(self):
        self.tune(self.problem, "--budget", "9t", study="one")
        self.tune(self.problem, "--budget", "9t", "--set", "parameters.A=[2,3]", study="two")
        result = self.compare("one", codes=(SECOND_BETTER,))
        self.assertEqual(result["second"]["configuration"]["A"], 1)
        self.assertEqual(result["first"]["name"], "baseline")
        result = self.compare("one", "two", codes=(SECOND_WORSE,))
        self.assertEqual(result["second"]["configuration"]["A"], 2)
        self.write("best.json", self.export("json", study="one"))
        result = self.compare(self.problem, "best.json", "A=3", codes=(SECOND_WORSE,))
        self.assertEqual(result["first"]["configuration"]["A"], 1)

    def test_studies_of_different_problems_are_told_apart(self):
        self.tune(self.problem, "--budget", "2t", study="one")
        other = self.write("other.toml", PROBLEM.format(python=sys.executable)
                           .replace("B", "C").replace("A", "D"))
        self.tune(other, "--budget", "2t", study="two")
        words = self.wrong("one", "two")
        self.assertIn("different problems", words)
        self.assertIn("one has no C", words)
        self.assertIn("two has no B", words)

    def test_several_configurations_are_ranked(self):
        result = self.compare(self.problem, "baseline", "A=1", "A=3", "A=1,B=2", "--html", "r.html",
                              "--markdown", "r.md", codes=(SECOND_BETTER,))
        self.assertEqual(result["outcome"], "another_better")
        ranking = result["ranking"]
        self.assertEqual([r["rank"] for r in ranking], [1, 1, 3, 4])
        self.assertEqual([r["groups"] for r in ranking], [["a"], ["a"], ["b"], ["c"]])
        self.assertEqual({ranking[0]["contender"], ranking[1]["contender"]}, {1, 3})
        self.assertEqual([r["contender"] for r in ranking[2:]], [0, 2])
        self.assertEqual(ranking[2]["configuration"], {"A": 2, "B": 1})
        self.assertAlmostEqual(ranking[3]["ratio"], 3, delta=0.05)
        self.assertEqual(len(result["pairs"]), 6)
        far = [p for p in result["pairs"] if p["first"] == 0 and p["second"] == 2]
        self.assertEqual((far[0]["told_apart"], far[0]["pairs"]), (True, 8))
        page, text = (self.folder / "r.html").read_text(), (self.folder / "r.md").read_text()
        for words in ("cannot be told apart", "A=1,B=2", "baseline"):
            self.assertIn(words, page)
            self.assertIn(words, text)
        self.assertIn("<svg", page)

    def test_the_exit_code_of_several_is_about_the_first(self):
        result = self.compare(self.problem, "A=1", "A=3", "A=2", codes=(SECOND_WORSE,))
        self.assertEqual(result["outcome"], "others_worse")
        self.write("figure.py", FIGURE.replace("random.gauss(1, 0.002)", "1e-9"))
        self.compare(self.problem, "A=1", "A=1,B=2", "A=1,B=3", codes=(NO_DIFFERENCE,))

    def test_one_of_several_that_fails_is_named(self):
        self.write("figure.py", FIGURE + "sys.exit(3 if sys.argv[1] == '3' else 0)\n")
        self.assertIn("(A=3) failed", self.wrong(self.problem, "A=1", "A=2", "A=3",
                                                 codes=(STUDY_FAILED,)))
        self.assertIn("27 configurations: expected 26 at most",
                      self.wrong(self.problem, *["A=1"] * 27))
        self.assertIn("no/such/folder", self.wrong(self.problem, "A=1", "A=2", "A=3", "--html",
                                                   "no/such/folder/r.html"))

    def test_several_studies(self):
        for name, values in (("one", "[1,2]"), ("two", "[2,3]")):
            self.tune(self.problem, "--budget", "6t", "--set", f"parameters.A={values}", study=name)
        result = self.compare("one", "one", "two", "A=2", codes=(SECOND_WORSE,))
        self.assertEqual(result["ranking"][0]["name"], "one")
        self.assertEqual(result["ranking"][0]["configuration"]["A"], 1)

    def test_two_are_written_to_pages_as_well(self):
        self.compare(self.problem, "A=1", "--html", "r.html", "--markdown", "r.md",
                     codes=(SECOND_BETTER,))
        self.assertIn("The second is better", (self.folder / "r.html").read_text())
        self.assertIn("The second is better", (self.folder / "r.md").read_text())

    def test_a_recorded_space_is_compared_in_its_noise(self):
        space = self.recorded_space()
        result = self.compare(space, "tile_x=5,tile_y=3,unroll=4", "tile_x=1,tile_y=8,unroll=1",
                              codes=(SECOND_WORSE,))
        self.assertGreater(result["ratio"], 1.5)
        self.assertIn("failed", self.wrong(space, "tile_x=8,tile_y=8,unroll=1",
                                           codes=(STUDY_FAILED,)))

    def test_a_signal_ends_it_without_a_verdict(self):
        process = self.start("compare", "--", "sleep", "0.5", "--", "sleep", "0.5")
        deadline = time.monotonic() + 60
        while len(harness.processes_with(self.mark)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertEqual(out, "")
        self.assertIn("nothing is concluded", err)

    def test_killed_it_leaves_nothing_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        process = self.start("compare", "--", "sleep", "0.5", "--", "sleep", "0.5",
                             env={"TMPDIR": str(temporary)})
        deadline = time.monotonic() + 60
        while len(harness.processes_with(self.mark)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.communicate(timeout=harness.TIMEOUT)
        self.expect_no_process_left()  # the warden is the last one
        self.assertEqual(list(temporary.iterdir()), [])

    def holding(self):
        """A comparison that has the devices."""
        process = self.start("compare", "--", "sleep", "0.5", "--", "sleep", "0.5")
        deadline = time.monotonic() + 60
        while len(harness.processes_with(self.mark)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        return process

    def test_devices_that_another_run_has_are_waited_for(self):
        first = self.holding()
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.assertIn("another nightshift measures on",
                      self.wrong("--", "true", "--", "true", codes=(DEVICE,)))
        self.assertIn("waited for in vain", self.wrong("--wait=1s", "--", "true", "--", "true",
                                                       codes=(DEVICE,)))
        second = self.start("compare", "--wait", self.problem, "A=1",
                            env={"TMPDIR": str(temporary)})
        self.assertIn("waiting: another nightshift measures on", second.stderr.readline())
        second.send_signal(signal.SIGINT)
        out, err = second.communicate(timeout=harness.TIMEOUT)
        self.assertEqual((second.returncode, out), (INTERRUPTED, ""), err)
        self.assertIn("while devices were waited for", err)
        self.assertEqual(list(temporary.iterdir()), [])
        first.kill()
        first.communicate()

    def test_recheck_and_verify_wait_too(self):
        self.tune(self.problem, "--budget", "9t", study="one")
        self.run_nightshift("export", "one", "--format", "bundle", "--output", "one.bundle",
                            codes=(0,))
        self.write("figure.py", FIGURE + "# another one\n")  # or recheck has nothing to measure
        first = self.holding()
        for command in ("recheck", "one"), ("verify", "one.bundle"):
            second = self.start(*command, "--wait")
            for line in second.stderr:
                if "waiting: another nightshift measures on" in line:
                    break
            else:
                self.fail(f"{command} did not wait")
            second.send_signal(signal.SIGINT)
            _, err = second.communicate(timeout=harness.TIMEOUT)
            self.assertEqual(second.returncode, INTERRUPTED, err)
        first.kill()
        first.communicate()

    def test_nothing_is_left_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.run_nightshift("compare", "--regex", r"(\d+)", "--", "echo", "7", "--", "echo", "8",
                            codes=(SECOND_WORSE,), env={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])
        self.assertFalse((self.folder / "studies").exists())


if __name__ == "__main__":
    harness.main()
