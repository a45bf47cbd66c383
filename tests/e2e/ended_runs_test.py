"""Configurations that end or stop the whole run: the same command goes on, they come last and alone,
and the third time is their result."""

import signal
import sqlite3
import sys
import unittest

from harness import Case, IMPROVED, NO_IMPROVEMENT, timed_program

DONE = (IMPROVED, NO_IMPROVEMENT)

# What a configuration of the space does to the process of `nightshift`, the parent of its evaluator.
PROGRAM = """
import contextlib, os, sqlite3, sys

def noticed():
    with contextlib.closing(sqlite3.connect("study/journal.sqlite")) as journal:
        return journal.execute("SELECT 1 FROM remarks WHERE what = 'notice' "
                               "AND detail LIKE '%has sent SIGTERM%'").fetchone()

a = int(sys.argv[1])
if a == {which}:
    evaluator = os.getppid()
    status = open(f"/proc/{{evaluator}}/status").read()
    run = int(status.split("PPid:")[1].split()[0])
    os.kill(run, {signal})
    while {signal} == 9:  # until the warden comes
        pass
    while {signal} == 15 and not noticed():  # the sender is there while its signal is taken in
        pass
print("time", 100 + a)
"""

PROBLEM = timed_program([sys.executable, "program.py", "{A}"], 12,
                        f"""baseline_argv = ["{sys.executable}", "-c", "print('time', 300)"]""")


class EndedRuns(Case):
    def problem(self, which, what):
        self.write("program.py", PROGRAM.format(which=which, signal=int(what)))
        return self.write("ends.toml", PROBLEM)

    def rows(self, query):
        with sqlite3.connect(self.folder / "study" / "journal.sqlite") as journal:
            return journal.execute(query).fetchall()

    def test_a_configuration_that_kills_the_run_is_its_own_failure_the_third_time(self):
        problem = self.problem(4, signal.SIGKILL)
        command = ("tune", problem, "--study", "study", "--continue", "--searcher", "random")
        measured = []
        for _ in range(3):
            died = self.run_nightshift(*command, codes=(-signal.SIGKILL,))
            measured.append(len(self.rows("SELECT 1 FROM trials WHERE job = 'explore' AND status = 'measured'")))
        self.assertIn("it comes last, alone", died.stderr + died.stdout)
        self.assertEqual(measured[2], 11, "before it came the third time, all others did")
        self.run_nightshift(*command, codes=DONE)
        failures = self.rows("SELECT status, reason, configuration FROM failures")
        self.assertEqual([(status, configuration) for status, _, configuration in failures],
                         [("device_lost", '{"A": 4}')])
        self.assertIn("3 runs died while it was in hand", failures[0][1])
        explained = self.run_nightshift("explain", "study", self.rows(
            "SELECT trial FROM proposals WHERE configuration = '{\"A\": 4}'")[0][0])
        self.assertIn("2 runs died while it was in hand, so it comes last, alone", explained.stdout)

    def test_a_stop_signal_of_a_configuration_stops_nothing(self):
        problem = self.problem(4, signal.SIGTERM)
        done = self.run_nightshift("tune", problem, "--study", "study", codes=DONE)
        self.assertIn("a program under test has sent SIGTERM to the run", done.stdout + done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM trials WHERE job = 'explore' "
                                   "AND status = 'measured'"), [(12,)])

    def test_a_run_that_a_configuration_has_stopped_goes_on(self):
        problem = self.problem(4, signal.SIGSTOP)
        self.run_nightshift("tune", problem, "--study", "study", codes=DONE)
        self.assertEqual(self.rows("SELECT count(*) FROM trials WHERE job = 'explore' "
                                   "AND status = 'measured'"), [(12,)])


if __name__ == "__main__":
    unittest.main()
