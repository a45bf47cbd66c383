#!/usr/bin/env python3
"""Studies and projects that were moved or copied measure the sources that lie beside them."""

import json
import shutil
import time

from harness import (Case, FEW_PAIRS, FEW_SAMPLES, IMPROVED, JOURNAL, NO_IMPROVEMENT, TIMEOUT, host_scale, json_program,
                     main, working_scale)

QUICK = FEW_SAMPLES + FEW_PAIRS + "hold_out_most = 8\n"
HOST = host_scale("WORK = [9, 1, 3, 5, 7]", QUICK,
                  host='reference = { file = "reference.cc", function = "scale" }')
SLOW_WORK = """
sleep 0.03
echo x >> runs
echo '{"time": '$(( 100 + $1 ))'}'
"""
REFERENCE = "void scale(double* x) { for (int i = 0; i < N; ++i) x[i] *= 2; }\n"


class Moved(Case):
    def project(self):
        folder = self.folder / "project"
        folder.mkdir()
        (folder / "problem.toml").write_text(HOST)
        (folder / "scale.cc").write_text(working_scale("#define REPEATS 8"))
        (folder / "reference.cc").write_text(REFERENCE)
        return folder

    def begun(self, folder):
        self.run_nightshift("tune", folder / "problem.toml", "--study", folder / "studies/a", "--budget",
                            "1t", "--devices", "cpu:1")

    def resumed(self, folder, trials):
        """What the run says, and the problem file that it had."""
        done = self.run_nightshift("resume", folder / "studies/a", "--budget", f"{trials}t")
        report = self.run_nightshift("report", folder / "studies/a").stdout
        return done.stdout + done.stderr, report.split("problem ")[1].split("(")[1].split(")")[0]

    def test_a_copied_project_measures_its_own_sources(self):
        folder = self.project()
        self.begun(folder)
        copy = self.folder / "copy"
        shutil.copytree(folder, copy)
        (folder / "scale.cc").write_text("#error the original\n")
        told, problem = self.resumed(copy, 2)
        self.assertEqual(problem, str(copy / "problem.toml"))
        self.assertNotIn("begins anew", told)
        self.assertIn(" 0 failed", told)

    def test_a_changed_source_of_the_copy_begins_the_copy_anew(self):
        folder = self.project()
        self.begun(folder)
        copy = self.folder / "copy"
        shutil.copytree(folder, copy)
        (copy / "problem.toml").write_text("# edited\n" + HOST)
        (copy / "scale.cc").write_text(working_scale("#define REPEATS 9"))
        told, problem = self.resumed(copy, 2)
        self.assertEqual(problem, str(copy / "problem.toml"))
        self.assertIn("begins anew", told)

    def test_a_study_that_was_moved_away_measures_the_sources_where_they_are(self):
        folder = self.project()
        self.begun(folder)
        shutil.move(folder / "studies", self.folder / "studies")
        _, problem = self.resumed(self.folder, 2)
        self.assertEqual(problem, str(folder / "problem.toml"))

    def test_a_batch_that_was_moved_goes_on(self):
        folder = self.project()
        (folder / "night.toml").write_text("""[[study]]
problem = "problem.toml"
budget = "1t"
each = { host.sizes.N = [2048, 4096] }
""")
        self.run_nightshift("batch", "run", folder / "night.toml", "--batch", folder / "batches/night",
                            "--devices", "cpu:1")
        before = json.loads(self.run_nightshift("status", folder / "batches/night", "--json").stdout)
        (folder / "batches/night").rename(self.folder / "elsewhere")
        done = self.run_nightshift("batch", "run", self.folder / "elsewhere", "--devices", "cpu:1")
        self.assertNotIn("damaged", done.stdout + done.stderr)
        after = json.loads(self.run_nightshift("status", self.folder / "elsewhere", "--json").stdout)
        claims = [[study["claim"] for study in found["batches"][0]["studies"]]
                  for found in (before, after)]
        self.assertEqual(*claims)

    def test_a_batch_that_is_moved_or_removed_while_it_runs_ends_and_begins_nothing(self):
        self.write("work.sh", SLOW_WORK)
        self.write("p.toml", json_program("p", 30, "cores = 1\n"))
        night = self.write("night.toml", "".join(f'[[study]]\nproblem = "p.toml"\nname = "{name}"\n' for name in "ab"))
        old, new, runs = self.folder / "old", self.folder / "new", self.folder / "runs"
        for harm in (lambda: old.rename(new), lambda: shutil.rmtree(old, ignore_errors=True)):
            runs.unlink(missing_ok=True)
            process = self.start("batch", "run", night, "--batch", "old", "--devices", "cpu:1")
            deadline = time.monotonic() + TIMEOUT
            while not (runs.exists() and runs.read_text().count("x") >= 10) and time.monotonic() < deadline:
                time.sleep(0.02)
            harm()
            _, told = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, JOURNAL, told)
            self.assertIn("old was removed or moved while it was written", " ".join(told.split()))
            self.assertFalse((old / "b").exists())
        done = self.run_nightshift("batch", "run", "new", "--devices", "cpu:1", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertNotIn("measured anew", done.stdout + done.stderr)
        self.assertTrue((new / "b" / "journal.sqlite").exists())


if __name__ == "__main__":
    main()
