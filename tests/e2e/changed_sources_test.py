#!/usr/bin/env python3
"""Sources and programs that change or go away while a study runs: no failure and no claim comes of them."""

import json
import shutil
import sys
import time

from harness import Case, FEW_PAIRS, FEW_SAMPLES, IMPROVED, INTERRUPTED, NO_IMPROVEMENT, host_scale, main, \
    working_scale

UNFINISHED = 75
ALL = ["measured"] * 7 + ["skipped"]  # the baseline stands for one of them
QUICK = FEW_SAMPLES + FEW_PAIRS + "hold_out_most = 8\n"
HOST = host_scale("WORK = [9, 1, 3, 5, 7]", QUICK, host='compiler = "{compiler}"')
# Of WORK = 5 it waits until somebody has written the file "go".
COMPILER = """#!/bin/sh
case " $* " in *WORK=5*)
  >"{folder}/reached"
  while [ ! -e "{folder}/go" ]; do sleep 0.01; done;;
esac
exec c++ "$@"
"""

# Says which trial begins, and with A = 5 waits until somebody has written the file "go".
PROGRAM = """#!{python}
import os, sys, time
if sys.argv[1] == "5":
    open("reached", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.01)
print("time", {time})
"""
COMMAND = """
name = "waits"
[command]
argv = ["./bench", "{A}"]
cores = 1
runs = 1
[[command.figure]]
objective = "time"
source = "regex"
key = "time ([0-9.]+)"
[parameters]
A = [1, 2, 3, 4, 5, 6, 7, 8]
[search]
searcher = "random"
[limits]
measure = 600
trial = 600
[acceptance]
confidence = "quick"
self_test_pairs = 0
hold_out_most = 0
"""


class Changed(Case):
    def program(self, time="10 + int(sys.argv[1])"):
        new = self.write("bench.new", PROGRAM.format(python=sys.executable, time=time))
        new.chmod(0o755)
        new.rename(self.folder / "bench")

    def begun(self):
        """A run in which the configuration A = 5 waits for go()."""
        self.program()
        self.write("problem.toml", COMMAND)
        process = self.start("tune", "problem.toml", "--study", "study", "--budget", "8t", "--json")
        self.addCleanup(process.kill)
        self.reached(process)
        return process

    def reached(self, process):
        while not (self.folder / "reached").exists():
            self.assertIsNone(process.poll(), "it ended before")
            time.sleep(0.02)

    def go(self):
        self.write("go", "")

    def end(self, process, code):
        out, err = process.communicate()
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def statuses(self, study="study"):
        return sorted(row["status"] for row in self.csv_rows(study) if row["job"] == "explore")

    def test_a_program_that_was_away_has_failed_nothing(self):
        process = self.begun()
        (self.folder / "bench").rename(self.folder / "away")
        self.go()
        for line in process.stderr:
            if "is gone since the study began" in line:
                break
        (self.folder / "away").rename(self.folder / "bench")
        out, _ = self.end(process, NO_IMPROVEMENT)
        self.assertEqual(self.statuses(), ALL)
        self.assertTrue(any("bench is as it was" in notice for notice in json.loads(out)["notices"]))
        number = next(row["trial"] for row in self.csv_rows() if row["A"] == "5" and row["job"] == "explore")
        told = self.run_nightshift("explain", "study", number, codes=(0,)).stdout
        self.assertIn("bench is gone", " ".join(told.split()))

    def test_an_edited_program_ends_the_study_and_resume_begins_anew(self):
        process = self.begun()
        self.program(time="100 * int(sys.argv[1])")
        self.go()
        result = json.loads(self.end(process, INTERRUPTED)[0])
        self.assertEqual(result["status"], "interrupted")
        self.assertIn(f"{self.folder}/bench has changed since the study began", result["status_reason"])
        self.assertFalse(result["improvement"]["accepted"])
        self.assertNotIn("5", [row["A"] for row in self.csv_rows() if row["status"] == "measured"])
        told = " ".join(self.run_nightshift("report", "study", codes=(0,)).stdout.split())
        self.assertIn("bench has changed since the study began", told)
        again = self.run_nightshift("resume", "study", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("begins anew", again.stderr)
        costs = [float(row["time"]) for row in self.csv_rows() if row["status"] == "measured"]
        self.assertEqual(set(costs), {100.0 * a for a in range(1, 9)})

    def test_what_is_as_it_was_goes_on(self):
        process = self.begun()
        shutil.copy(self.folder / "bench", self.folder / "kept")
        self.program(time="1")
        self.go()
        self.end(process, INTERRUPTED)
        (self.folder / "kept").rename(self.folder / "bench")
        again = self.run_nightshift("resume", "study", codes=(NO_IMPROVEMENT,))
        self.assertNotIn("begins anew", again.stderr)
        self.assertEqual(self.statuses(), ALL)

    def test_a_batch_names_it_and_begins_that_study_anew(self):
        self.program()
        self.write("problem.toml", COMMAND)
        batch = self.write("night.toml", '[[study]]\nproblem = "problem.toml"\nname = "waits"\nbudget = "8t"\n')
        process = self.start("batch", "run", batch)
        self.addCleanup(process.kill)
        self.reached(process)
        self.program(time="100 * int(sys.argv[1])")
        self.go()
        out, _ = self.end(process, UNFINISHED)
        self.assertIn("bench has changed since the study began", " ".join(out.split()))
        again = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("begins anew", again.stdout)

    def test_a_kernel_that_is_edited_is_claimed_by_nobody(self):
        self.write("scale.cc", working_scale("#define REPEATS 8"))
        compiler = self.write("compiler", COMPILER.replace("{folder}", str(self.folder)))
        compiler.chmod(0o755)
        self.write("problem.toml", HOST.replace("{compiler}", str(compiler)) +
                   "[limits]\nbuild = 600\n")
        process = self.start("tune", "problem.toml", "--study", "study", "--budget", "5t", "--json")
        self.addCleanup(process.kill)
        self.reached(process)
        self.write("scale.new", working_scale("#define REPEATS 1")).rename(self.folder / "scale.cc")
        self.go()
        result = json.loads(self.end(process, INTERRUPTED)[0])
        self.assertIn(f"{self.folder}/scale.cc has changed", result["status_reason"])
        self.assertFalse(result["improvement"]["accepted"])


if __name__ == "__main__":
    main()
