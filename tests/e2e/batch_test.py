"""Several studies in one queue: alone and together they come out the same, and what was cut off goes on."""

import json
import random
import signal
import time

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, STUDY_FAILED, USAGE

UNFINISHED = 75


class Batch(Case):
    def spaces(self, count):
        return [self.recorded_space(f"space{i}.json", (6 + i % 3, 8, 6)) for i in range(count)]

    def batch_of(self, spaces, **settings):
        lines = ["[defaults]", 'budget = "60t"', 'set = { search.seed = 3 }']
        for space in spaces:
            lines += ["[[study]]", f'problem = "{space.name}"']
            lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        return self.write("night.toml", "\n".join(lines) + "\n")

    def outcome(self, name):
        done = self.run_nightshift("resume", f"batches/night/{name}", "--json",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        result = json.loads(done.stdout)
        for key in ("study", "seconds"):
            del result[key]
        return result

    def test_each_study_ends_as_it_would_alone(self):
        spaces = self.spaces(4)
        done = self.run_nightshift("batch", "run", self.batch_of(spaces), codes=(IMPROVED,))
        self.assertIn("4 of 4 studies are done, 4 improvements hold over the whole batch",
                      done.stdout)
        for space in spaces:
            alone = self.tune(space, "--budget", "60t", "--seed", "3", study=f"alone-{space.stem}")
            for key in ("study", "seconds"):
                del alone[key]
            self.assertEqual(self.outcome(space.stem), alone)

    def test_the_same_command_leaves_what_is_done(self):
        batch = self.batch_of(self.spaces(2))
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        again = self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        self.assertEqual(again.stdout.count("done already"), 2)

    def test_of_a_study_that_is_done_is_said_what_has_changed(self):
        self.slow_batch()
        batch = self.write("night.toml", "".join(
            f'[[study]]\nproblem = "{name}.toml"\nbudget = "4t"\n' for name in "ac"))
        first = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertNotIn("changed", first.stdout)
        work = self.folder / "work.sh"
        work.write_text(work.read_text() + "# another\n")
        problem = self.folder / "c.toml"
        problem.write_text(problem.read_text() + "# another\n")
        again = self.run_nightshift("batch", "run", batch, codes=(first.returncode,))
        self.assertEqual(again.stdout.count("done already"), 2)
        for name in "ac":
            self.assertRegex(again.stdout, rf"s\] {name}: since batches/night/{name} was measured, "
                             r".*work\.sh has changed: its figures are not those of today")
        self.assertRegex(again.stdout, r"s\] c: .*c\.toml has changed since the study was begun")
        self.assertNotRegex(again.stdout, r"a\.toml has changed")
        report = " ".join(self.run_nightshift("report", "batches/night").stdout.split())
        self.assertIn("has changed: its figures are not those of today", report)

    def test_a_study_without_a_figure_begins_anew_once_its_problem_file_is_mended(self):
        self.slow_batch()
        problem = self.folder / "a.toml"
        good = problem.read_text()
        problem.write_text(good.replace('argv = ["sh", "work.sh", "{x}"]', 'argv = ["sh", "wrok.sh", "{x}"]\n'
                                        'baseline_argv = ["sh", "work.sh", "12"]')
                           .replace("[baseline]\nx = 12\n", ""))
        arguments = ("batch", "run", problem, "--batch", "b")
        done = self.run_nightshift(*arguments, codes=(NO_IMPROVEMENT,))
        self.assertRegex(done.stdout, r"a +completed +No result")
        problem.write_text(good)
        again = self.run_nightshift(*arguments, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("the study begins anew, as since it ended without a figure its problem file "
                      "was changed", again.stdout)
        self.assertNotIn("No result", again.stdout)

    def test_a_broken_study_leaves_the_others_their_way(self):
        spaces = self.spaces(2)
        (self.folder / "space0.json").write_text("{")
        spaces.append(self.folder / "nowhere.json")
        done = self.run_nightshift("batch", "run", self.batch_of(spaces), codes=(STUDY_FAILED,))
        self.assertIn("1 of 3 studies are done, 1 improvements hold", done.stdout)
        self.assertRegex(done.stdout, r"space0 +failed .*space0\.json")
        self.assertRegex(done.stdout, r"nowhere +failed .*nowhere\.json")
        report = self.run_nightshift("report", "batches/night").stdout
        self.assertRegex(report, r"nightshift batch run batches/night +try again what failed or was "
                                 r"not begun, once that is mended: .*nowhere\.json")
        self.assertNotIn("what a study failed of", report)  # what failed before it began has no folder
        # The same again, until somebody mends it: then the same command does what is left.
        batch = self.folder / "night.toml"
        self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))
        # A trial is asked of a study.
        refused = self.run_nightshift("explain", "batches/night", "best", codes=(USAGE,))
        self.assertIn("batches/night is a batch: name one of its studies, as in `nightshift explain "
                      "batches/night/space1 best`", refused.stderr)
        for command in (["resume", "batches/night"], ["export", "batches/night", "--format", "json"],
                        ["code", "batches/night", "best"], ["compare", "batches/night"]):
            refused = self.run_nightshift(*command, codes=(USAGE,)).stderr
            self.assertIn("batches/night is a batch: name one of its studies, as in batches/night/", refused, command)
            self.assertIn("`nightshift batch run batches/night` goes on with all of them", refused, command)
        refused = self.run_nightshift("tune", "night.toml", codes=(USAGE,)).stderr
        self.assertIn("is a batch file, not a problem file: `nightshift batch run night.toml`", refused)

    def test_what_comes_after_a_broken_study_is_skipped_until_that_is_mended(self):
        spaces = self.spaces(3)
        good = spaces[0].read_text()
        spaces[0].write_text("{")
        batch = self.write("night.toml", '[defaults]\nbudget = "20t"\n' + "".join(
            f'[[study]]\nproblem = "{space.name}"\n{more}\n' for space, more in zip(
                spaces, ("", 'after = ["space0"]', 'after = ["space1"]'))))
        done = self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))
        self.assertRegex(done.stdout,
                         r"space1 +failed +skipped: it comes after 'space0', which failed")
        self.assertRegex(done.stdout,
                         r"space2 +failed +skipped: it comes after 'space1', which failed")
        self.assertIn("skipped: it comes after 'space0'",
                      self.run_nightshift("report", "batches/night", codes=(0,)).stdout)
        spaces[0].write_text(good)
        again = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("3 of 3 studies are done", again.stdout)

    def test_what_comes_after_a_paused_study_waits_and_the_batch_ends(self):
        spaces = self.spaces(2)
        batch = self.write("night.toml", '[defaults]\nbudget = "20t"\n' + "".join(
            f'[[study]]\nproblem = "{space.name}"\n{more}\n'
            for space, more in zip(spaces, ("", 'after = ["space0"]'))))
        self.run_nightshift("batch", "run", batch, "--time", "0.001s")
        self.run_nightshift("batch", "pause", "night", "space0", codes=(0,))
        done = self.run_nightshift("batch", "run", batch, codes=(UNFINISHED,))
        self.assertRegex(done.stdout, r"space1 +waiting +it comes after 'space0', which is paused")

    def test_a_batch_whose_studies_failed_says_so(self):
        problem = self.write("bad.toml", """
name = "bad"
[command]
argv = ["sh", "-c", "exit {X}"]
runs = 1
[parameters]
X = [1, 2]
""")
        done = self.run_nightshift("batch", "run", problem, "--batch", "b",
                                   codes=(harness.STUDY_FAILED,))
        self.assertRegex(done.stdout, r"bad +failed +the baseline failed")
        report = self.run_nightshift("report", "b").stdout
        self.assertIn("nightshift batch run b ", report)
        self.assertIn("0 configurations tried; 1 trial failed", " ".join(report.split()))
        self.assertRegex(report, r"bad +crashed +1 ")

    def test_a_front_is_in_the_report_of_the_batch(self):
        problem = self.write("two.toml", """
name = "two"
[command]
argv = ["sh", "-c", "echo '{\\"time\\": 5{X}, \\"size\\": 10{X}}'"]
baseline_argv = ["sh", "-c", "echo '{\\"time\\": 10, \\"size\\": 10}'"]
runs = 1
[[objective]]
name = "time"
unit = "ms"
[[objective]]
name = "size"
unit = "B"
[parameters]
X = [1, 2, 3]
""")
        self.run_nightshift("batch", "run", problem, "--batch", "b", codes=(NO_IMPROVEMENT,))
        words = "nothing that was measured beats the baseline"
        for arguments in (("b",), ("b", "--markdown"), ("b/two",)):
            report = self.run_nightshift("report", *arguments).stdout
            self.assertRegex(report, "Pareto front")
            self.assertIn(words, " ".join(report.split()))
        self.run_nightshift("report", "b", "--html", "b.html")
        self.assertIn(words, (self.folder / "b.html").read_text())

    def test_a_mistake_in_the_batch_file_is_told_with_its_line(self):
        done = self.run_nightshift("batch", "run", self.write("night.toml", """
[[study]]
problme = "a.toml"
"""), codes=(USAGE,))
        self.assertIn("night.toml:3:", done.stderr)
        self.assertIn("did you mean 'problem'?", done.stderr)

    def test_a_batch_of_nothing_is_a_wrong_command_line(self):
        done = self.run_nightshift("batch", "run", codes=(USAGE,))
        self.assertIn("FILE is missing", done.stderr)

    def test_a_batch_that_runs_is_not_run_twice(self):
        first, batch = self.running(), "night.toml"
        second = self.run_nightshift("batch", "run", batch)
        self.assertEqual(second.returncode, harness.JOURNAL)
        self.assertIn("another run is writing the batch", second.stderr)
        first.send_signal(signal.SIGINT)
        self.go_on()
        first.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(first.returncode, UNFINISHED)

    def running(self):
        """A batch that runs, with a study begun, and measures nothing until go_on()."""
        batch = self.slow_batch()
        self.write("hold", "")
        process = self.start("batch", "run", batch)
        self.until_journals(1)
        return process

    def go_on(self):
        (self.folder / "hold").unlink()

    def states(self):
        done = self.run_nightshift("batch", "list", "night")
        rows = [line.split() for line in done.stdout.splitlines()[1:] if line.strip()]
        return {row[0]: " ".join(row[1:3]) if row[1] == "not" else row[1] for row in rows}

    def test_what_needs_other_devices_is_left_to_the_next_run(self):
        process = self.running()
        space = self.recorded_space("more.json", (6, 8, 6))  # the batch has cores
        asked = self.run_nightshift("batch", "add", "night", space, "--budget", "60t")
        self.assertIn("more: the batch runs on none of its devices", asked.stdout)
        self.go_on()
        process.communicate(timeout=harness.TIMEOUT)
        self.run_nightshift("batch", "run", "batches/night", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.states()["more"], "completed")

    def test_a_study_that_is_added_while_the_batch_runs_is_run(self):
        process = self.running()
        asked = self.run_nightshift("batch", "add", "night", "a.toml", "--budget", "12t")
        self.assertEqual(asked.stdout, "a-2 waits for its turn\n")
        self.go_on()
        process.communicate(timeout=harness.TIMEOUT)
        self.assertIn(process.returncode, (IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.states(), dict.fromkeys(["a", "b", "c", "a-2"], "completed"))
        for again in ("batches/night", "night.toml"):  # known by its folder, and then still by its file
            self.run_nightshift("batch", "run", again, codes=(IMPROVED, NO_IMPROVEMENT))
            self.assertEqual(list(self.states()), ["a", "b", "c", "a-2"])

    def test_a_paused_study_waits_until_it_is_resumed(self):
        process = self.running()
        asked = self.run_nightshift("batch", "pause", "night", "c")
        self.assertEqual(asked.stdout, "c is paused\n")
        self.go_on()
        process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, UNFINISHED)
        self.assertEqual(self.states()["c"], "paused")
        again = self.run_nightshift("batch", "run", "batches/night")
        self.assertEqual(again.returncode, UNFINISHED)
        self.assertEqual(self.states()["c"], "paused")
        later = self.run_nightshift("batch", "resume", "night", "all")
        self.assertIn("the batch does not run", later.stdout)
        self.run_nightshift("batch", "run", "batches/night", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.states()["c"], "completed")

    def test_a_cancelled_study_is_left_out_for_good(self):
        process = self.running()
        asked = self.run_nightshift("batch", "cancel", "night", "b", "c")
        self.assertEqual(asked.stdout, "b is cancelled\nc is cancelled\n")
        self.go_on()
        process.communicate(timeout=harness.TIMEOUT)
        self.assertIn(process.returncode, (IMPROVED, NO_IMPROVEMENT))
        self.run_nightshift("batch", "run", "night.toml", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.states(), {"a": "completed", "b": "cancelled", "c": "cancelled"})

    def test_studies_and_batches_that_are_not_there_are_named(self):
        process = self.running()
        process.send_signal(signal.SIGINT)
        self.go_on()
        process.communicate(timeout=harness.TIMEOUT)
        done = self.run_nightshift("batch", "pause", "night", "bb", codes=(USAGE,))
        self.assertIn("no study called bb", done.stderr)
        done = self.run_nightshift("batch", "list", "evening", codes=(USAGE,))
        self.assertIn("evening is no batch", done.stderr)

    def test_devices_that_another_run_has_are_waited_for(self):
        first = self.running()
        self.write("later.toml", '[[study]]\nproblem = "a.toml"\nbudget = "2t"\n')
        refused = self.run_nightshift("batch", "run", "later.toml")
        self.assertEqual(refused.returncode, harness.DEVICE)
        second = self.start("batch", "run", "later.toml", "--wait")
        # What comes after depends on what else this machine does.
        self.assertIn("waiting: another nightshift measures on", second.stderr.readline())
        for process in (second, first):
            process.kill()
            process.communicate()

    def test_devices_are_waited_for_no_longer_than_was_said(self):
        first = self.running()
        self.write("later.toml", '[[study]]\nproblem = "a.toml"\nbudget = "2t"\n')
        refused = self.run_nightshift("batch", "run", "later.toml", "--wait=1s")
        first.kill()
        first.communicate()
        self.assertEqual(refused.returncode, harness.DEVICE)
        self.assertIn("waited for in vain", refused.stderr)

    def test_another_budget_in_the_file_is_taken_over(self):
        batch = self.slow_batch()
        path = self.folder / "night.toml"
        more = path.read_text()
        path.write_text(more.replace("12t", "6t"))
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        path.write_text(more)
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        for name in "abc":
            explored = [row for row in self.csv_rows(f"batches/night/{name}")
                        if row["job"] == "explore"]
            self.assertEqual(len(explored), 12)

    def test_hooks_are_told_what_happened(self):
        batch = self.slow_batch()
        path = self.folder / "night.toml"
        path.write_text(path.read_text() + """
[[study]]
problem = "nowhere.toml"
[hooks]
on_improvement = "cat >> improved"
on_failure = "cat >> failed; head -c 2000000 /dev/urandom | base64; echo that was it; exit 3"
on_end = "cat >> ended"
""")
        self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))
        told = {name: [json.loads(line) for line in (self.folder / name).read_text().splitlines()]
                for name in ("improved", "failed", "ended")}
        self.assertLessEqual({fact["study"] for fact in told["improved"]}, set("abc"))
        self.assertTrue(all(fact["ratio"] < 1 for fact in told["improved"]))
        self.assertEqual([fact["study"] for fact in told["failed"]], ["nowhere"])
        self.assertEqual(told["ended"][0]["studies"]["completed"], 3)
        log = (self.folder / "batches/night/hooks.log").read_text()
        self.assertIn("that was it", log)
        self.assertIn("exit code 3", log)
        self.assertIn("what came before was cut off", log)
        self.assertLess(len(log), 1 << 20)

    def test_a_hook_that_is_killed_from_outside_is_run_once_more(self):
        batch = self.slow_batch()
        path = self.folder / "night.toml"
        path.write_text(path.read_text() + """
[hooks]
on_end = "cat >> ended; [ -e once ] || { touch once; kill -9 $$; }"
on_improvement = "echo call >> improved; kill -TERM $$"
""")
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        facts = [json.loads(line) for line in (self.folder / "ended").read_text().splitlines()]
        self.assertEqual([fact["event"] for fact in facts], ["end", "end"])
        log = (self.folder / "batches/night/hooks.log").read_text()
        self.assertNotIn("cat >> ended", log, "the second time it ended well")
        improved = self.folder / "improved"
        calls = len(improved.read_text().splitlines()) if improved.exists() else 0
        self.assertEqual(calls, 2 * log.count("killed from outside twice: echo call"))

    def test_sizes_of_one_problem_start_from_each_other(self):
        self.slow_batch()
        batch = self.write("sizes.toml", """
[[study]]
problem = "a.toml"
budget = "12t"
each = { measure.give_up_ratio = [40, 50] }
devices_most = 1
""")
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        later = self.folder / "batches/sizes/a-give_up_ratio50"
        explored = [row["x"] for row in self.csv_rows(later) if row["job"] == "explore"]
        first = self.folder / "batches/sizes/a-give_up_ratio40"
        best = self.run_nightshift("export", first, "--format", "json")
        self.assertIn(str(json.loads(best.stdout)["configuration"]["x"]), explored[:2])

    def slow_batch(self):
        """Studies of commands, which take real time."""
        self.write("work.sh", "while [ -e hold ]; do sleep 0.02; done; sleep 0.02\n"
                   "echo '{\"time\": '$(( 100 + $1 ))'}'\n")
        for name in "abc":
            self.write(f"{name}.toml", harness.json_program(name, 12))
        return self.write("night.toml", "".join(
            f'[[study]]\nproblem = "{name}.toml"\nbudget = "12t"\n' for name in "abc"))

    def test_studies_may_share_cores(self):
        self.slow_batch()
        path = self.folder / "a.toml"  # on one core, the others on all
        path.write_text(path.read_text().replace("[command]", "[command]\ncores = 1"))
        done = self.run_nightshift("batch", "run", "night.toml",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("3 of 3 studies are done", done.stdout)

    def until_journals(self, count):
        deadline = time.monotonic() + harness.TIMEOUT
        while len(list(self.folder.glob("batches/night/*/journal.sqlite"))) < count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_kills_at_random_instants_lose_and_double_nothing(self):
        batch = self.slow_batch()
        instants = random.Random(5)
        for _ in range(4):
            process = self.start("batch", "run", batch)
            try:
                process.communicate(timeout=0.2 + 1.5 * instants.random())
            except Exception:
                process.kill()
                process.communicate()
        done = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("3 of 3 studies are done", done.stdout)
        for name in "abc":
            explored = [row["x"] for row in self.csv_rows(f"batches/night/{name}")
                        if row["job"] == "explore"]
            self.assertEqual(sorted(map(int, explored)), list(range(1, 13)))

    def test_a_deadline_is_kept(self):
        batch = self.slow_batch()
        began = time.monotonic()
        self.run_nightshift("batch", "run", batch, "--time", "60s",  # which serves all on a slow machine
                            codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertLess(time.monotonic() - began, harness.TIMEOUT)
        for name in "abc":
            self.assertTrue((self.folder / "batches/night" / name / "journal.sqlite").exists())

    def test_a_night_that_is_too_short_serves_the_heaviest_whole_and_the_next_one_the_rest(self):
        # An evaluation takes 0.05 s or more, a whole study some thirty of them: sixty studies take minutes on the fastest
        # machine, and the time has room for one of them on one that is many times as slow.
        self.write("work.sh", "sleep 0.05; echo '{\"time\": '$(( $1 * 100 ))'}'\n")
        self.write("slow.toml", harness.json_program("slow", 8, "cores = 1\n"))
        names = [f"s{i}" for i in range(60)]
        batch = self.write("night.toml", "".join(
            f'[[study]]\nproblem = "slow.toml"\nname = "{name}"\nweight = {100 if name == "s50" else 1}\n'
            'budget = "8t"\nwarm_start = false\n' for name in names))
        done = self.run_nightshift("batch", "run", batch, "--time", "40s", codes=(UNFINISHED,))
        self.assertRegex(done.stdout, r"s\] the time \([0-9.]+ s\) serves \d+ of 60 studies, .* would serve all; left: s")
        states = self.states()
        self.assertEqual(states["s50"], "completed")
        self.assertIn("Improvement accepted", self.run_nightshift("report", "batches/night/s50").stdout)
        left = [name for name in names if states[name] != "completed"]
        self.assertGreater(len(left), 0)
        self.assertLessEqual({states[name] for name in left}, {"not begun", "interrupted"})
        night = json.loads(self.run_nightshift("status", "batches/night", "--json").stdout)["batches"][0]
        self.assertEqual(sorted(night["time"]["left"]), sorted(left))
        self.assertGreater(night["time"]["whole"], night["time"]["given"])
        self.assertRegex(" ".join(self.run_nightshift("report", "batches/night").stdout.split()),
                         r"Too little time: the time .* would serve all; left: s")
        # The next night serves the rest: of these two, that the test is short.
        self.run_nightshift("batch", "cancel", "night", *left[2:])
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual([self.states()[name] for name in left[:2]], ["completed"] * 2)
        night = json.loads(self.run_nightshift("status", "batches/night", "--json").stdout)["batches"][0]
        self.assertIsNone(night["time"])


if __name__ == "__main__":
    harness.main()
