"""A machine's clock that is set by hours, within a run or between two: what is told of time is what passed."""

import re
import time

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT

SHIFTED_CLOCK = harness.BUILD / "fakes" / "libshiftedclock.so"
HOURS = 2 * 3600

# The seventh run of it sets the clock.
WORK = """
echo x >> runs
if [ $(wc -l < runs) = 7 ]; then cp next clock; fi
echo '{"time": '$(( 100 + $1 ))'}'
"""
SLOW_WORK = """
sleep 0.03
echo x >> runs
echo '{"time": '$(( 100 + $1 ))'}'
"""
BEHIND = r"(2 h 00|1 h 59) min behind"


class ClockSet(Case):
    def setUp(self):
        super().setUp()
        self.shifted = {"LD_PRELOAD": str(SHIFTED_CLOCK), "FAKE_CLOCK_FILE": str(self.folder / "clock")}
        tried = self.run_nightshift("--version", env=self.shifted)
        if tried.returncode != 0:
            self.skipTest(f"this build takes no preloaded library: {tried.stderr.strip()[:200]}")
        self.write("work.sh", WORK)
        self.problem = self.write("p.toml", harness.json_program("p", 12, "cores = 1\n"))

    def run_it(self, *arguments, codes=(0,)):
        return self.run_nightshift(*arguments, env=self.shifted, codes=codes).stdout

    def batch(self, folder, shift):
        self.write("next", str(shift))
        self.write("clock", "0")
        (self.folder / "runs").unlink(missing_ok=True)
        return self.run_it("batch", "run", self.problem, "--batch", folder, codes=(IMPROVED, NO_IMPROVEMENT))

    def expect_minutes(self, text):
        """All times in it are of a run that took no hour."""
        self.assertNotRegex(text, r"\d h \d\d min(?! (ahead|behind))")
        self.assertNotRegex(text, r"-\d+(\.\d+)? s\b")

    def test_lines_status_and_report_tell_what_passed(self):
        for folder, shift, words in (("back", -HOURS, "behind"), ("forward", HOURS, "ahead of")):
            told = self.batch(folder, shift)
            self.assertEqual((self.folder / "clock").read_text(), str(shift))
            seconds = [int(line) for line in re.findall(r"^\[(-?\d+) s\]", told, re.MULTILINE)]
            self.assertEqual(seconds, sorted(seconds), told)
            self.assertTrue(0 <= seconds[0] and seconds[-1] < HOURS / 2, told)
            # A second less where this process had to wait between asking both clocks.
            said = rf"the machine's clock was set: it is (2 h 00|1 h 59) min {words} the times of this run"
            self.assertRegex(" ".join(told.split()), said)
            for command in ("status", "report"):
                text = " ".join(self.run_it(command, folder).split())
                self.expect_minutes(text)
            self.assertRegex(text, said)
            self.expect_minutes(self.run_it("report", f"{folder}/p"))
            for trial in ("1", "best"):
                self.assertNotRegex(self.run_it("explain", f"{folder}/p", trial), r"\+-\d")

    def test_a_run_that_begins_before_the_last_one_ended_takes_no_time_away(self):
        self.batch("night", 0)
        self.write("clock", str(-HOURS))
        self.run_it("batch", "run", self.problem, "--batch", "night", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn(", after ", self.run_it("status", "night"))
        for command in ("status", "report"):
            self.expect_minutes(self.run_it(command, "night"))
        self.assertIn("the machine's clock was set back before the next run", self.run_it("report", "night"))

    def killed(self, *arguments):
        """A run that is killed after some evaluations, whereupon the clock is set back."""
        self.write("work.sh", SLOW_WORK)
        self.problem = self.write("p.toml", harness.json_program("p", 30, "cores = 1\n"))
        self.write("clock", "0")
        runs = self.folder / "runs"
        process = self.start(*arguments, env=self.shifted)
        deadline = time.monotonic() + harness.TIMEOUT
        while not (runs.exists() and runs.read_text().count("x") >= 10) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        self.write("clock", str(-HOURS))

    def test_a_killed_study_goes_on_with_what_its_budget_has_left(self):
        self.killed("tune", self.problem, "--study", "study", "--budget", "2m")
        done = self.run_nightshift("resume", "study", env=self.shifted, codes=(IMPROVED, NO_IMPROVEMENT))
        text = " ".join((done.stdout + done.stderr).split())
        self.assertRegex(text, f"the machine's clock is {BEHIND} the times of the study")
        self.assertNotIn("time budget", text)
        self.expect_minutes(text)
        self.assertEqual(len({row["x"] for row in self.csv_rows()}), 30)
        report = self.run_it("report", "study")
        self.expect_minutes(report)
        self.assertRegex(" ".join(report.split()), f"the machine's clock is {BEHIND}")

    def test_a_killed_batch_goes_on_for_as_long_as_it_is_told_to(self):
        self.killed("batch", "run", self.problem, "--batch", "night")
        told = self.run_it("batch", "run", "night", "--time", "2m", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertRegex(" ".join(told.split()), f"the machine's clock was set: it is {BEHIND} the times of this run")
        self.assertEqual(len({row["x"] for row in self.csv_rows("night/p")}), 30)
        self.expect_minutes(told)
        report = self.run_it("report", "night")
        self.expect_minutes(report)
        self.assertIn("the machine's clock was set back before the next run", report)


if __name__ == "__main__":
    harness.main()
