"""The long form of the kill test of batches: SIGKILLs the parent at random instants over six studies,
goes on with the same command, and compares each study with one that ran alone and undisturbed.
Prints its counts.

    python3 tests/e2e/batch_kill_storm.py [KILLS]      (NIGHTSHIFT_BUILD_DIR: another build)
"""

import json
import random
import sqlite3
import subprocess
import sys
import time

from harness import Case, IMPROVED, NO_IMPROVEMENT, processes_with, without_times

STUDIES = 6
MOST_KILLS = 60  # of one batch


class BatchKillStorm(Case):
    def batch(self, number, spaces):
        lines = ["[defaults]", 'budget = "1000t"']
        for space in spaces:
            lines += ["[[study]]", f'problem = "{space.name}"',
                      f'set = {{ search.seed = {number}, search.searcher = "random" }}']
        return self.write(f"night{number}.toml", "\n".join(lines) + "\n")

    def storm(self, batch, moments, most):
        """Runs the batch until it ends by itself or was killed often enough. Returns the kills."""
        for kills in range(most):
            process = self.start("batch", "run", batch)
            try:
                process.communicate(timeout=moments.uniform(0.01, 0.25))
                return kills
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        return most

    def compare(self, number, space):
        calm, storm = f"calm{number}-{space.stem}", f"batches/night{number}/{space.stem}"
        undisturbed = self.tune(space, "--budget", "1000t", "--seed", str(number), "--searcher",
                                "random", study=calm)
        done = self.run_nightshift("resume", storm, "--json", codes=(IMPROVED, NO_IMPROVEMENT))
        killed = json.loads(done.stdout)
        for member in ("best", "improvement", "trials", "evaluations"):
            self.assertEqual(killed[member], undisturbed[member], f"{member} of {storm}")
        rows = self.export("csv", storm)
        self.assertEqual(without_times(rows), without_times(self.export("csv", calm)), storm)
        with sqlite3.connect(self.folder / storm / "journal.sqlite") as journal:
            self.assertEqual(journal.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        return len(rows.splitlines()) - 1

    def runTest(self):
        wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
        spaces = [self.recorded_space(f"space{i}.json", (10 + i, 10, 8)) for i in range(STUDIES)]
        moments = random.Random(4)
        kills = batches = trials = 0
        begin = time.monotonic()
        while kills < wanted:
            batches += 1
            batch = self.batch(batches, spaces)
            kills += self.storm(batch, moments, min(MOST_KILLS, wanted - kills))
            self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
            trials += sum(self.compare(batches, space) for space in spaces)
            self.expect_no_process_left()
            print(f"{kills} kills, {batches} batches, {trials} trials compared, "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
        self.assertEqual(processes_with(self.mark), [])
        print(f"batch kill storm: {kills} SIGKILLs of the parent over {batches} batches of {STUDIES} "
              f"studies; every trial of {trials} equal to that of a study alone; no process left")


if __name__ == "__main__":
    import unittest
    unittest.TextTestRunner(verbosity=2).run(BatchKillStorm())
