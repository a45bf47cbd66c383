"""Runs that are killed or interrupted at any moment, and what is left of them."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import harness
from harness import Case, IMPROVED, INTERRUPTED, JOURNAL, NO_IMPROVEMENT, timed_program, without_times



class Killed(Case):
    KILLS = 10

    def test_killed_ten_times_and_resumed_equals_undisturbed(self):
        space = self.recorded_space(sizes=(16, 16, 12))
        options = ("--budget", "2000t", "--seed", "11")
        begin = time.monotonic()
        undisturbed = self.tune(space, *options, study="undisturbed")
        seconds = time.monotonic() - begin
        moments = random.Random(os.environ.get("NIGHTSHIFT_E2E_SEED", "1"))

        kills = 0
        command = ("tune", space, "--study", "killed", *options)
        for _ in range(self.KILLS):
            process = self.start(*command)
            try:
                process.communicate(timeout=moments.uniform(0, 1.5 * seconds / self.KILLS))
                break  # it was faster
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
            if (self.folder / "killed" / "journal.sqlite").exists():
                command = ("resume", "killed")
        print(f"killed {kills} times in a run of {seconds:.2f} s", file=sys.stderr)
        self.assertGreaterEqual(kills, 3)

        if command[0] == "tune":
            killed = self.tune(space, *options, study="killed")
        else:
            done = self.run_nightshift("resume", "killed", "--json", codes=(IMPROVED, NO_IMPROVEMENT))
            killed = json.loads(done.stdout)
        for member in ("best", "improvement", "trials", "evaluations", "confirmations"):
            self.assertEqual(killed[member], undisturbed[member], member)
        self.assertEqual(without_times(self.export("csv", "killed")),
                         without_times(self.export("csv", "undisturbed")))


class Interrupted(Case):
    def slow_problem(self, seconds):
        python = sys.executable
        return self.write("slow.toml", timed_program(
            [python, "-c", f"import sys, time; time.sleep({seconds}); print('time', int(sys.argv[1]))", "{A}"],
            60, f"""baseline_argv = ["{python}", "-c", "print('time', 300)"]""",
            "[budget]\ntrials = 60\n[schedule]\nrebaseline_trials = 0\n", "slow"))

    def start_and_wait_for_baseline(self, problem):
        process = self.start("tune", problem, "--study", "study", stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        said = []
        for line in process.stdout:
            said.append(line)
            if "baseline on" in line:
                return process
        process.wait(timeout=harness.TIMEOUT)
        self.fail("it ended before its baseline: " + "".join(said))

    def test_each_signal_ends_in_good_order_and_can_be_resumed(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                problem = self.slow_problem(0.02)
                process = self.start_and_wait_for_baseline(problem)
                process.send_signal(number)
                out, _ = process.communicate(timeout=harness.TIMEOUT)
                self.assertEqual(process.returncode, INTERRUPTED, out)
                self.assertIn("nightshift resume study", out)
                before = self.csv_rows()
                self.assertLess(len(before), 60)
                done = self.run_nightshift("resume", "study", "--json",
                                           codes=(IMPROVED, NO_IMPROVEMENT))
                result = json.loads(done.stdout)
                self.assertEqual((result["status"], result["evaluations"]), ("completed", 60))
                after = self.csv_rows()
                self.assertEqual(after[:len(before)], before)
                self.assertEqual(len({row["trial"] for row in after}), len(after))
                os.rename(self.folder / "study", self.folder / f"study-{number.name}")

    def test_a_second_signal_ends_at_once(self):
        process = self.start_and_wait_for_baseline(self.slow_problem(100))
        begin = time.monotonic()
        while process.poll() is None and time.monotonic() - begin < 50:
            process.send_signal(signal.SIGINT)
            # Signals within half a second count as one.
            try:
                process.wait(timeout=0.7)
            except subprocess.TimeoutExpired:
                continue
        out = process.communicate(timeout=harness.TIMEOUT)[0]
        self.assertEqual(process.returncode, INTERRUPTED, out)
        self.assertLess(time.monotonic() - begin, 50)

    def test_two_runs_do_not_share_a_study(self):
        process = self.start_and_wait_for_baseline(self.slow_problem(0.2))
        done = self.run_nightshift("resume", "study", codes=(JOURNAL,))
        self.assertIn("study", done.stderr)
        # Asking about a study that runs is fine.
        self.run_nightshift("report", "study", codes=(0,))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED, out)


if __name__ == "__main__":
    harness.main()
