"""Files of a study that are removed or changed while it runs, as a cleaner of old files or a bad disk
does: they are built again, and nobody fails for them."""

import shutil
import sqlite3
import sys
import unittest

from harness import Case, IMPROVED, NO_IMPROVEMENT, QUICK, STUDY_FAILED, host_scale, timed_program

DONE = (IMPROVED, NO_IMPROVEMENT)

FLAGS = '"-std=c++20", "-O1"'
HOST = host_scale("A = { range = [1, 8] }", """
[measure]
samples = 5
max_seconds = 1
""" + QUICK, FLAGS, sizes="N = 64", host=f"""
baseline = {{ file = "plain.cc", function = "scale", flags = [{FLAGS}] }}
reference = {{ file = "reference.cc", function = "scale", flags = [{FLAGS}] }}""")
PLAIN = """
void scale(float* x) {{
  for (volatile int slow = 0; slow < {slow}; slow = slow + 1) {{}}
  for (int i = 0; i < N; ++i) x[i] = 2 * x[i];
}}
"""
# The first one that runs does the harm: later the baseline is loaded again, for the confirmations.
KERNEL = """
#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
void scale(float* x) {{
  for (int i = 0; i < N; ++i) x[i] = 2 * x[i];
  const int done = ::open("{folder}/done", O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (done >= 0 && std::system("cd {folder}/study && {harm}") != 0) std::abort();
  if (done >= 0) ::close(done);
}}
volatile int which = A;
"""
REMOVE = "rm -rf artifacts"
CHANGE = ("for file in artifacts/*; do echo no machine code > scratch/changed && "
          "mv scratch/changed $file || exit 1; done")
# In place: who has the library mapped runs zeros.
OVERWRITE = ("for file in artifacts/*; do dd if=/dev/zero of=$file bs=$(stat -c %s $file) count=1 "
             "conv=notrunc status=none || exit 1; done")

PROGRAM = timed_program([sys.executable, "{artifact}/main.py", "{A}"], 8,
                        f'build = ["{sys.executable}", "build.py", "{{artifact}}"]',
                        "[baseline]\nA = 1\n" + QUICK)
BUILD = """
import pathlib, sys
pathlib.Path(sys.argv[1], "main.py").write_text(pathlib.Path("main.py").read_text())
pathlib.Path(sys.argv[1], "data").write_text("data")
"""
MAIN = """
import pathlib, shutil, sys
here = pathlib.Path(__file__).resolve().parent
assert (here / "data").read_text() == "data"
(here / "log").write_text(sys.argv[1])  # its own affair
if sys.argv[1] == "3" and not pathlib.Path("done").exists():
    pathlib.Path("done").touch()
    {harm}
print("time", 200 - int(sys.argv[1]))  # the best one is needed again, for its confirmations
"""


class DamagedFiles(Case):
    def rows(self, query):
        with sqlite3.connect(self.folder / "study" / "journal.sqlite") as journal:
            return journal.execute(query).fetchall()

    def expect_all_measured(self):
        self.assertEqual(self.rows("SELECT job, status, reason FROM failures"), [])
        self.assertEqual(self.rows("SELECT count(*) FROM trials WHERE job = 'explore' AND status IN "
                                   "('measured', 'skipped')"), [(8,)])
        self.assertNotEqual(self.rows("SELECT 1 FROM changes WHERE detail LIKE "
                                      "'%; it is built again'"), [])

    def tune_host(self, harm, *options):
        self.write("plain.cc", PLAIN.format(slow=100000))
        self.write("reference.cc", PLAIN.format(slow=0).replace("float", "double"))
        self.write("scale.cc", KERNEL.format(folder=self.folder, harm=harm))
        self.run_nightshift("tune", self.write("host.toml", HOST), "--study", "study", *options,
                            codes=DONE)
        self.expect_all_measured()

    def test_kernels_that_are_removed(self):
        self.tune_host(REMOVE)

    def test_kernels_that_are_changed(self):
        self.tune_host(CHANGE)

    def test_who_dies_of_a_kernel_that_is_written_over_is_not_to_blame(self):
        self.tune_host(OVERWRITE, "--set", 'schedule.isolation="per-trial"')

    def expect_one_end(self, harm, what):
        self.write("plain.cc", PLAIN.format(slow=100000))
        self.write("reference.cc", PLAIN.format(slow=0).replace("float", "double"))
        self.write("scale.cc", KERNEL.format(folder=self.folder, harm=harm))
        problem = self.write("host.toml", HOST)
        done = self.run_nightshift("tune", problem, "--study", "study", codes=(STUDY_FAILED,))
        said = " ".join((done.stdout + done.stderr).split())
        self.assertIn(f"study/artifacts, through which everything goes that is built, has become "
                      f"{what}: remove it", said)
        self.assertEqual(self.rows("SELECT job, status, reason FROM failures"), [])
        (self.folder / "study" / "artifacts").unlink()
        self.run_nightshift("resume", "study", codes=DONE)
        self.assertEqual(self.rows("SELECT job, status, reason FROM failures"), [])
        self.assertEqual(self.rows("SELECT count(*) FROM trials WHERE job = 'explore' AND status IN "
                                   "('measured', 'skipped')"), [(8,)])

    def test_a_file_in_the_place_of_their_folder_ends_the_study_once(self):
        self.expect_one_end(REMOVE + " && touch artifacts", "a file")

    def test_a_dangling_link_in_the_place_of_their_folder_ends_the_study_once(self):
        self.expect_one_end(REMOVE + " && ln -s /nowhere/at/all artifacts",
                            "a link that leads to no folder")

    def test_a_file_in_the_place_of_their_folder_is_named_by_resume(self):
        self.write("plain.cc", PLAIN.format(slow=100000))
        self.write("reference.cc", PLAIN.format(slow=0).replace("float", "double"))
        self.write("scale.cc", KERNEL.format(folder=self.folder, harm="true"))
        self.run_nightshift("tune", self.write("host.toml", HOST), "--study", "study", "--budget",
                            "1t", codes=DONE)
        for name in ("artifacts", "scratch"):
            folder = self.folder / "study" / name
            shutil.rmtree(folder)
            folder.write_text("")
            done = self.run_nightshift("resume", "study", "--budget", "2t", codes=(5,))
            self.assertIn(f"study/{name} has become something else than a folder: remove it",
                          " ".join(done.stderr.split()))
            folder.unlink()
        self.run_nightshift("resume", "study", "--budget", "2t", codes=DONE)

    def test_a_journal_that_has_lost_rows_is_named_by_every_command(self):
        space = self.recorded_space(sizes=(4, 4, 2))
        self.run_nightshift("tune", space, "--study", "whole", "--budget", "5t", codes=DONE)
        for table in ("objectives", "parameters", "environment", "study", "runs"):
            folder = self.folder / table
            shutil.copytree(self.folder / "whole", folder)
            with sqlite3.connect(folder / "journal.sqlite") as journal:
                journal.execute(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
            journal.close()
            for command in (("resume", table, "--budget", "9t"), ("report", table),
                            ("explain", table, "1"), ("export", table, "--format", "csv"),
                            ("status", table)):
                done = self.run_nightshift(*command, codes=(5,))
                self.assertIn("not as it was written", " ".join(done.stderr.split()), command)
                self.assertIn(str(table), done.stderr)

    def tune_program(self, harm):
        self.write("build.py", BUILD)
        self.write("main.py", MAIN.format(harm=harm))
        problem = self.write("program.toml", PROGRAM)
        self.run_nightshift("tune", problem, "--study", "study", codes=DONE)
        self.expect_all_measured()

    def test_programs_that_are_removed(self):
        self.tune_program('shutil.rmtree("study/artifacts")')

    def test_programs_that_are_changed(self):
        self.tune_program('(here / "data").write_text("other")')

    def test_what_fails_while_its_program_is_changed_is_nobodys_failure(self):
        self.tune_program('(here / "data").write_text("other"); sys.exit("no data")')

    def test_figures_of_a_program_that_is_changed_while_it_runs_do_not_count(self):
        self.tune_program('(here / "data").write_text("other"); print("time 1"); sys.exit()')
        self.assertEqual(self.rows("SELECT count(*) FROM trials WHERE value < 100"), [(0,)])

    def test_what_is_damaged_between_two_runs_is_mended(self):
        self.write("build.py", BUILD)
        self.write("main.py", MAIN.format(harm="pass"))
        problem = self.write("program.toml",
                             PROGRAM + "\n")
        self.run_nightshift("tune", problem, "--study", "study", "--budget", "4t", codes=DONE)
        for path in (self.folder / "study/artifacts").iterdir():
            if path.is_dir() and not path.is_symlink():
                (path / "data").write_text("other")
            elif path.is_file():
                path.write_text("other")
        self.run_nightshift("resume", "study", "--budget", "8t", codes=DONE)
        self.assertEqual(self.rows("SELECT job, status, reason FROM failures"), [])


if __name__ == "__main__":
    unittest.main()
