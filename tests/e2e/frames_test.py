"""Servers of protocol 2, here one in Perl, and problems that a Python file describes."""

import pathlib
import shutil
import stat
import sys

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT

DATA = pathlib.Path(__file__).resolve().parent / "data"

PROBLEM = """
name = "framed"
[command]
mode = "server"
protocol = 2
builds = true
argv = ["perl", "frames.pl"]
inputs = ["frames.pl"]
[parameters]
TILE = [1, 2, 4, 8, 16, 32, 64]
WAYS = [1, 2, 3, 5, 7]
[acceptance]
max_pairs = 20
"""

# In place of an interpreter: it describes, and has nothing to do with Python.
STAND_IN = """#!/bin/sh
[ "$1 $2 $3" = "-m nightshift describe" ] || exit 9
case "$4" in *broken.py) printf "broken.py:3: no space\\nraised here\\n" >&2; exit 2;; esac
case "$4" in *slow.py) sleep 3;; esac
echo "described $4 ${5-} ${6-}" >> "{log}"
cat <<END
name = "described"
[command]
mode = "server"
protocol = 2
builds = true
argv = ["perl", "{folder}/frames.pl"]
directory = "{folder}"
inputs = ["$4", "{folder}/frames.pl"]
[parameters]
TILE = [1, 2, 4]
WAYS = [1, 2]
[budget]
trials = 1
END
"""


class Frames(Case):
    def setUp(self):
        super().setUp()
        if shutil.which("perl") is None:
            self.skipTest("perl is not installed")
        self.write("frames.pl", (DATA / "frames.pl").read_text())

    def test_a_program_that_does_not_say_that_it_distrusts_is_refused(self):
        done = self.run_nightshift("tune", self.write("framed.toml", PROBLEM), "--set",
                                   'measure.trust="none"', "--budget", "2t")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('does not say in its hello that it distrusts',
                      " ".join((done.stdout + done.stderr).split()))

    def test_every_kind_of_end_is_told_and_equal_code_is_measured_once(self):
        result = self.tune(self.write("framed.toml", PROBLEM), "--budget", "100t")
        best = result["best"]["configuration"]
        self.assertIn(best["TILE"], (16, 32), "which are the same code")
        self.assertEqual(best["WAYS"], 2)
        self.assertTrue(result["improvement"]["accepted"])
        rows = [row for row in self.csv_rows() if row["job"] == "explore"]
        self.assertEqual(len(rows), 35)
        for row in rows:
            tile, ways = int(row["TILE"]), int(row["WAYS"])
            why = {3: "three ways lose a word", 5: "exited with code 3 while measuring",
                   7: "killed by SIGSEGV while measuring: seven ways"}
            if tile == 64:
                self.assertEqual(row["status"], "build_failed")
                self.assertIn("no tile of 64", row["reason"])
            elif row["status"] != "skipped":
                self.assertEqual(row["status"], {3: "wrong_result"}.get(ways, "crashed")
                                 if ways > 2 else "measured", row)
                self.assertIn(why.get(ways, ""), row["reason"])
                if ways <= 2:
                    self.assertAlmostEqual(float(row["time"]), 10 / min(tile, 16) / ways, delta=0.1)
        trial = next(row["trial"] for row in rows if row["status"] == "measured")
        told = self.run_nightshift("explain", "study", trial, codes=(0,)).stdout
        for word in ("blocks", "registers", "perl"):
            self.assertIn(word, told)

    def test_what_compiles_for_ever_where_it_is_measured_is_not_built(self):
        problem = PROBLEM.replace("[1, 2, 3, 5, 7]", "[1, 11]").replace("[1, 2, 4, 8, 16, 32, 64]",
                                                                       "[1, 2]")
        self.tune(self.write("framed.toml", problem), "--set", 'limits.build="1s"', "--budget",
                  "9t")
        rows = [row for row in self.csv_rows() if row["job"] == "explore"]
        late = [row for row in rows if row["WAYS"] == "11"]
        self.assertEqual(len(late), 2)
        for row in late:
            self.assertEqual(row["status"], "build_failed")
            self.assertIn("compiled where it is measured, which took longer than limits.build, "
                          "1.0 s", row["reason"])
        self.assertEqual({row["status"] for row in rows if row["WAYS"] == "1"},
                         {"measured", "skipped"})

    def test_a_death_that_a_server_survives_costs_little(self):
        self.tune(self.write("framed.toml", PROBLEM), "--budget", "100t")
        rows = self.csv_rows()  # in the order of their ends
        for words, name in (("SIGSEGV", "a child died"), ("code 3", "the program died")):
            gaps = []
            for at, row in enumerate(rows):
                later = [after for after in rows[at + 1:] if after["status"] == "measured"]
                if words in row["reason"] and later:
                    gaps.append(float(later[0]["finished"]) - float(row["finished"]))
            self.assertTrue(gaps)
            print(f"{name}: the next measurement was finished {max(gaps) * 1e3:.1f} ms later at "
                  f"most, of {len(gaps)}", file=sys.stderr)

    # --- Problems that a file describes ---

    def described(self):
        script = self.write("interpreter", STAND_IN.replace(
            "{log}", str(self.folder / "log")).replace("{folder}", str(self.folder)))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        self.write("gemm.py", "# described by the stand-in\n")
        return {"NIGHTSHIFT_PYTHON": str(script)}

    def test_a_python_file_is_a_problem(self):
        env = self.described()
        result = self.tune("gemm.py", "--budget", "6t", env=env)
        self.assertEqual(result["best"]["configuration"], {"TILE": 4, "WAYS": 2})
        log = (self.folder / "log").read_text()
        self.assertEqual(log.split(), ["described", str(self.folder / "gemm.py")])
        # What was described goes on without anybody to ask.
        self.run_nightshift("resume", "study", "--budget", "6t", codes=(IMPROVED, NO_IMPROVEMENT),
                            env={"NIGHTSHIFT_PYTHON": "/nonexistent"})
        checked = self.run_nightshift("check", "gemm.py", env=env, codes=(0,))
        self.assertIn("described", checked.stdout)

    def test_a_toml_file_overrides_what_a_file_describes(self):
        env = self.described()
        problem = self.write("set.toml", "[python]\nfile = 'gemm.py'\ncase = 'large'\n"
                             "[parameters]\nTILE = [1, 2]\n")
        result = self.tune(problem, "--budget", "6t", env=env)
        self.assertEqual(result["best"]["configuration"], {"TILE": 2, "WAYS": 2})
        self.assertIn("--case large", (self.folder / "log").read_text())
        problem = self.write("slip.toml", "[python]\nfile = 'gemm.py'\n\n[budget]\ntrails = 3\n")
        done = self.run_nightshift("check", problem, env=env)
        self.assertIn("slip.toml:5", done.stdout + done.stderr)

    def test_a_file_that_took_long_to_read_says_so(self):
        env = self.described()
        self.write("slow.py", "")
        done = self.run_nightshift("check", "slow.py", env=env, codes=(0,))
        self.assertIn("slow.py and what it imports took", done.stderr)
        self.assertIn("which is no part of a budget", done.stderr)

    def test_what_cannot_be_described_is_one_error(self):
        env = self.described()
        self.write("broken.py", "")
        done = self.run_nightshift("tune", "broken.py", env=env, codes=(harness.USAGE,))
        self.assertIn("broken.py:3: no space", done.stderr)
        done = self.run_nightshift("check", "broken.py", env=env, codes=(harness.USAGE,))
        self.assertIn("\n    broken.py:3: no space\n    raised here\n", done.stdout)
        done = self.run_nightshift("tune", "gemm.py", env={"NIGHTSHIFT_PYTHON": "/nonexistent"},
                                   codes=(harness.USAGE,))
        self.assertIn("cannot be started", done.stderr)


if __name__ == "__main__":
    harness.main()
