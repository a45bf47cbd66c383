"""The long form of the kill test: SIGKILLs the parent at random instants, resumes, and compares each
study with one that was never disturbed. Prints its counts.

    python3 tests/e2e/parent_kill_storm.py [KILLS]      (NIGHTSHIFT_BUILD_DIR: another build)
"""

import json
import random
import sqlite3
import subprocess
import sys
import time

from harness import Case, IMPROVED, NO_IMPROVEMENT, processes_with, without_times


class ParentKillStorm(Case):
    def runTest(self):
        wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
        space = self.recorded_space(sizes=(12, 12, 8))
        moments = random.Random(3)
        kills = studies = trials = 0
        begin = time.monotonic()
        while kills < wanted:
            seed = str(studies + 1)
            options = ("--budget", "1000t", "--seed", seed, "--searcher", "random")
            undisturbed = self.tune(space, *options, study=f"calm{seed}")
            study = self.folder / f"storm{seed}"
            killed_here = 0
            while killed_here < 40 and kills < wanted:
                first = not (study / "journal.sqlite").exists()
                command = ("tune", space, "--study", study, *options) if first else ("resume", study)
                process = self.start(*command)
                try:
                    process.communicate(timeout=moments.uniform(0.005, 0.08))
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills += 1
                    killed_here += 1
            if not (study / "journal.sqlite").exists():
                continue
            done = self.run_nightshift("resume", study, "--json", codes=(IMPROVED, NO_IMPROVEMENT))
            killed = json.loads(done.stdout)
            for member in ("best", "improvement", "trials", "evaluations"):
                self.assertEqual(killed[member], undisturbed[member], f"{member}, seed {seed}")
            calm, storm = self.export("csv", f"calm{seed}"), self.export("csv", study)
            self.assertEqual(without_times(storm), without_times(calm), f"seed {seed}")
            with sqlite3.connect(study / "journal.sqlite") as journal:
                self.assertEqual(journal.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            self.expect_no_process_left()
            self.assertEqual(list((study / "scratch").glob("*")) if (study / "scratch").exists() else [], [])
            trials += len(storm.splitlines()) - 1
            studies += 1
            print(f"{kills} kills, {studies} studies, {trials} trials compared, "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
        self.assertEqual(processes_with(self.mark), [])
        print(f"parent kill storm: {kills} SIGKILLs of the parent over {studies} studies; every trial of "
              f"{trials} equal to the undisturbed run's; no process left")


if __name__ == "__main__":
    import unittest
    unittest.TextTestRunner(verbosity=2).run(ParentKillStorm())
