"""`nightshift collect`, `batch run`, `apply` and `compare --apply` on whole programs. What needs Triton runs on a GPU that
tests/python/emulated pretends, and says that it is skipped where torch or triton is missing."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest
import unittest.mock

import harness
from harness import Case, NIGHTSHIFT, SOURCE, USAGE

EMULATED = SOURCE / "tests" / "python" / "emulated"
PYTHON = os.environ.get("NIGHTSHIFT_PYTHON", sys.executable)
BETTER, WORSE, SAME = 10, 11, 0

# A program whose step takes what the launches that are applied to it leave: what each gains in its own
# study says little about the program.
PROGRAM = """
import os, random
gains = {"broken": "it cannot be added", "other_loss": 0.3, "alone": 0.3, "cache": -0.2, "small": 0.0, "pair": 0.1}
if "NIGHTSHIFT_APPLY" in os.environ:
    applied = os.environ["NIGHTSHIFT_APPLY_ONLY"].split(",")
else:
    applied = []
step = 10.0 * (1 - sum(gains[name] for name in applied)) * random.uniform(0.999, 1.001)
if "BROKEN" in os.environ:
    raise SystemExit(3)
loss = 2.0 if "other_loss" in applied else os.environ.get("LOSS", "1.0") if applied else "1.0"
print(f"loss {loss}")
print(f"step {step:.6f} ms")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "seen"), "a") as out:
    out.write(os.environ.get("TMPDIR", "none") + "\\n")
"""


def has_triton():
    asked = subprocess.run([PYTHON, "-c", "import torch, triton"], capture_output=True, check=False)
    return asked.returncode == 0


class Applied(Case):
    """compare --apply with a program whose gains are planted."""

    def compare(self, studies, *options, codes, **more):
        program = self.write("program.py", PROGRAM)
        file = self.write("tuned.json", json.dumps({"version": 1, "machine": {}, "kernels": [
            {"hash": "h", "function": "f", "varying": [], "rows": [
                {"study": name, "key": name, "config": {}, "baseline": {}, "tuned_by": "", "ratio": 0.5,
                 "share": 0.1} for name in studies]}]}))
        done = self.run_nightshift(
            "compare", "--apply", file, "--regex", r"step ([0-9.]+) ms", "--metric-unit", "ms", "--json", "--seed",
            "5", *options, "--", sys.executable, program, codes=codes, **more)
        rows = json.loads(pathlib.Path(file).read_text())["kernels"][0]["rows"]
        return done, {row["study"]: row.get("taken_back") for row in rows}

    def test_what_helps_in_the_program_is_kept(self):
        done, marks = self.compare(["alone", "pair"], codes=(BETTER,))
        told = json.loads(done.stdout)
        self.assertAlmostEqual(told["ratio"], 0.6, delta=0.01)
        self.assertEqual((told["applied"], told["taken_back"], len(told["steps"])), (["alone", "pair"], [], 1))
        self.assertEqual(marks, {"alone": False, "pair": False})

    def test_a_winner_of_its_own_study_that_loses_in_the_program_is_taken_back(self):
        done, marks = self.compare(["small", "cache"], codes=(SAME,))
        told = json.loads(done.stdout)
        self.assertEqual((told["applied"], told["taken_back"]), (["small"], ["cache"]))
        self.assertEqual(marks, {"small": False, "cache": True})
        self.assertEqual([step["outcome"] for step in told["steps"] if step["launches"] == ["cache"]], ["loses"])

    def test_a_loser_behind_winners_is_found_one_by_one(self):
        done, marks = self.compare(["alone", "cache", "pair"], "--one-by-one", codes=(BETTER,))
        told = json.loads(done.stdout)
        self.assertEqual(told["taken_back"], ["cache"])
        self.assertAlmostEqual(told["ratio"], 0.6, delta=0.01)
        self.assertEqual(marks, {"alone": False, "cache": True, "pair": False})

    def test_where_all_loses_all_is_taken_back_and_nothing_claimed(self):
        done, marks = self.compare(["cache"], codes=(WORSE,))
        self.assertEqual(json.loads(done.stdout)["applied"], [])
        self.assertEqual(marks, {"cache": True})

    def test_other_results_are_told_before_anything_is_measured(self):
        check = self.write("check.sh", 'grep loss "$1" > "$1".l; grep loss "$2" > "$2".l; cmp "$1".l "$2".l\n')
        arguments = ("--check", f"sh {check}")
        done, _ = self.compare(["alone"], *arguments, codes=(harness.STUDY_FAILED,), env={"LOSS": "2.0"})
        self.assertIn("do not agree", done.stderr)
        self.compare(["alone"], *arguments, codes=(BETTER,))

    def test_the_program_has_its_users_folder_for_temporary_files(self):
        """torch.compile keeps there what it has compiled: elsewhere each run would compile again."""
        for mine, more in (("none", {}), (str(self.folder), {"TMPDIR": str(self.folder)})):
            self.write("seen", "")
            before = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
            with unittest.mock.patch.dict(os.environ, before, clear=True):
                self.compare(["alone"], "--pairs", "8", codes=(BETTER,), env=more)
            self.assertEqual(set((self.folder / "seen").read_text().split()), {mine})

    def test_what_the_program_fails_with_is_taken_back_and_the_rest_is_measured(self):
        done, marks = self.compare(["alone", "broken", "small", "pair"], codes=(BETTER,))
        told = json.loads(done.stdout)
        self.assertEqual((told["applied"], told["taken_back"]), (["alone", "small", "pair"], ["broken"]))
        self.assertEqual([step["launches"] for step in told["steps"] if step["outcome"] == "fails"], [["broken"]])
        self.assertAlmostEqual(told["ratio"], 0.6, delta=0.01)
        self.assertEqual(marks, {"alone": False, "broken": True, "small": False, "pair": False})

    def test_what_changes_the_results_is_taken_back_and_the_rest_is_measured(self):
        check = self.write("check.sh", 'grep loss "$1" > "$1".l; grep loss "$2" > "$2".l; cmp "$1".l "$2".l\n')
        done, marks = self.compare(["alone", "other_loss", "pair"], "--check", f"sh {check}", codes=(BETTER,))
        told = json.loads(done.stdout)
        self.assertEqual((told["applied"], told["taken_back"]), (["alone", "pair"], ["other_loss"]))
        self.assertEqual(marks, {"alone": False, "other_loss": True, "pair": False})

    def test_a_program_that_fails_by_itself_takes_nothing_back(self):
        for more in (("--check", "cmp"), ()):
            done, marks = self.compare(["alone", "pair"], *more, codes=(harness.STUDY_FAILED,), env={"BROKEN": "1"})
            self.assertIn("failed", done.stderr + done.stdout)
            self.assertEqual(marks, {"alone": None, "pair": None})

    def test_where_the_program_fails_with_all_of_it_all_is_taken_back(self):
        done, marks = self.compare(["broken"], codes=(harness.STUDY_FAILED,))
        self.assertIn("all is taken back", done.stderr + done.stdout)
        self.assertEqual(marks, {"broken": True})

    def test_what_makes_no_sense_is_one_sentence(self):
        self.write("program.py", PROGRAM)
        for words, said in (
                (("--apply", "x", "--", "a", "--", "b"), "expected one command"),
                (("--apply", "x"), "expected one command"),
                (("--one-by-one", "--", "a", "--", "b"), "--one-by-one is for --apply"),
                (("--apply", "nowhere", "--", "true"), "`nightshift apply nowhere` writes it")):
            self.assertIn(said, self.run_nightshift("compare", *words, codes=(USAGE,)).stderr)


class Commands(Case):
    """collect and apply around any program."""

    def test_the_exit_code_and_output_are_the_programs(self):
        done = self.run_nightshift("collect", "--output", "c", "--", "sh", "-c", "echo out; exit 7", codes=(7,))
        self.assertEqual(done.stdout, "out\n")
        self.assertIn("No launch of a Triton kernel was seen", done.stderr)

    def test_a_command_that_is_not_there(self):
        done = self.run_nightshift("collect", "--", "no-such-program", codes=(USAGE,))
        self.assertIn("no-such-program cannot be started", done.stderr)

    def test_a_folder_that_cannot_be_made(self):
        self.write("file", "")
        done = self.run_nightshift("collect", "--output", "file/c", "--", "true", codes=(USAGE,))
        self.assertIn("--output file/c", done.stderr)

    def test_the_variables_are_those_that_the_hook_heeds(self):
        done = self.run_nightshift("collect", "--output", "c", "--values", "--print-environment", codes=(0,),
                                   env={"PYTHONPATH": "/mine"})
        told = dict(line[len("export "):].split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual(told["NIGHTSHIFT_COLLECT_VALUES"], "'1'")
        self.assertEqual(told["NIGHTSHIFT_COLLECT"], f"'{self.folder}/c'")
        hook = told["PYTHONPATH"].strip("'").split(":")
        self.assertEqual(hook[1:], ["/mine"])
        self.assertTrue((pathlib.Path(hook[0]) / "sitecustomize.py").is_file())

    def test_signals_reach_the_program(self):
        process = self.start("collect", "--output", "c", "--", "sh", "-c",
                             "trap 'echo heard; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
        self.assertEqual(process.stdout.readline().strip(), "ready")
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual((out.strip(), process.returncode), ("heard", 5))

    def test_apply_of_nothing(self):
        done = self.run_nightshift("apply", "nowhere", "--", "true", codes=(USAGE,))
        self.assertIn("neither nowhere nor batches/nowhere is the folder of a batch", done.stderr)


class Circle(Case):
    """collect, a batch, apply, and the program measured as a whole."""

    def setUp(self):
        super().setUp()
        if not has_triton():
            self.skipTest(f"{PYTHON} has no torch and triton: NIGHTSHIFT_PYTHON names one that has")
        self.own = {"PYTHONPATH": str(EMULATED), "TRITON_CACHE_DIR": str(self.folder / "cache"),
                            "NIGHTSHIFT_PYTHON": PYTHON, "OMP_NUM_THREADS": "1",
                            "EMULATED_LOG": str(self.folder / "log"), "EMULATED_SECONDS": "1e-3"}

    def run_circle(self, *words, codes=(0,)):
        return self.run_nightshift(*words, codes=codes, env=self.own)

    def test_a_program_is_faster_in_the_morning_and_computes_the_same(self):
        program = (PYTHON, str(EMULATED / "program.py"), "8")
        first = self.run_circle("collect", "--share", "50%", "--", *program)
        batch = self.folder / "captured" / "batch.toml"
        # One kernel, few configurations: each compiles for a second here.
        entry = next(one for one in batch.read_text().split("[[study]]")[1:] if '"scale_' in one)
        batch.write_text('name = "night"\n[[study]]' + entry.replace(
            "set = {", 'budget = "6t"\nset = { acceptance.confidence = "quick", acceptance.self_test_pairs = 0, '
            "acceptance.hold_out_least = 8, acceptance.hold_out_most = 16, measure.samples = 3, "))
        self.run_circle("batch", "run", "captured", codes=(0, 3))
        said = self.run_circle("apply", "night")
        self.assertIn("NIGHTSHIFT_APPLY=", said.stdout)
        [row] = json.loads((self.folder / "batches" / "night" / "tuned.json").read_text())["kernels"][0]["rows"]
        (self.folder / "log").unlink()
        second = self.run_circle("apply", "night", "--report", "--", *program)
        self.assertEqual(second.stdout, first.stdout)
        self.assertIn("8 launches had what was tuned", second.stderr)
        lines = [line for line in (self.folder / "log").read_text().splitlines() if line.startswith("scale ")]
        self.assertEqual(lines, [f"scale warps={row['config']['num_warps']} block={row['config']['BLOCK']}"] * 8)
        self.assertLess(row["ratio"], 0.95)


if __name__ == "__main__":
    unittest.main()
