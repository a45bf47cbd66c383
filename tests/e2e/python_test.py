"""Python files as problems: described by the module, read, tuned."""

import json
import os
import shutil
import subprocess
import sys

import harness
from harness import Case, SOURCE

EXAMPLE = SOURCE / "python" / "examples" / "cpu_blocks.py"

PROBLEM = r'''
import nightshift as ns

@ns.problem(device="cpu", space={"tile": [1, 2, 4, 8], "way": ['a "b"', "c\\d", "e{f}"],
                                 "kind": [None, (1, 2)], "fast": [True, False]},
            where=["tile * 2 <= N", "way != 'a \"b\"' or fast"], baseline={"tile": 4},
            cases=[dict(N=8)], objectives={"time": {"weight": 1}, "error": {"at_most": 0.1}})
def quotes(case, config):
    pass
'''


# Answers are those of the baseline, whichever that is: another one's are wrong.
ANSWERS = '''
import nightshift as ns

@ns.problem(device="cpu", space={"answer": [1, 2, 3]}, dtype="int32")
def answers(case, config):
    y = ns.output(8)
    def call():
        y[0] = config.answer
        for i in range(1, 8):
            y[i] = 0
    return ns.Run(call, outputs=[y])
'''


# Of eight parameters a draw leaves hardly any as it is.
MANY = '''
import nightshift as ns

@ns.problem(device="cpu", space={f"p{i}": list(range(8)) for i in range(8)}, dtype="int32",
            settings={"search.options.near_baseline": 4})
def many(case, config):
    y = ns.output(1)
    def call():
        y[0] = 1
    return ns.Run(call, outputs=[y])
'''


# One of two ways keeps the answers of inputs that it had, where nothing but their numbers tells.
REMEMBERS = '''
import nightshift as ns

KEPT = {}

def work(x):
    total = 0.0
    for _ in range(400):
        for value in x:
            total += value
    return total / 400

@ns.problem(device="cpu", space={"way": ["works", "remembers"]}, dtype="float64", tolerance=1e-6,
            settings={"measure.trust": "none"})
def sums(case, config):
    x, y = ns.uniform(32), ns.output(1)
    def call():
        if config.way == "works":
            y[0] = work(x)
        else:
            key = bytes(x)
            if key not in KEPT:
                KEPT[key] = work(x)
            y[0] = KEPT[key]
    return ns.Run(call, outputs=[y], reference=lambda: [sum(x)])
'''


# Of an author who is trusted. Each problem has a way that takes a fraction of the baseline's time: it does a
# fraction of the work, knows the answers of all contents that it had, or keeps the last one.
TRUSTED = '''
import functools
import random
import nightshift as ns

LAST = []

def work(x, rounds):
    total = 0.0
    for _ in range(rounds):
        for value in x:
            total += value
    return [total / rounds]

@functools.lru_cache(maxsize=None)
def remembered(x):
    return work(x, 400)

def kept(x):
    if not LAST:
        LAST.append(work(x, 400))
    return LAST[0]

def problem(name, way, make):
    def run(case, config):
        x = make()
        return ns.Run(lambda: way(x) if config.quick else work(x, 400), reference=lambda: [sum(x)])
    return ns.problem(device="cpu", space={"quick": [False, True]}, tolerance=1e-9, name=name)(run)

def seeded():
    return tuple(random.random() for _ in range(64))

honest = problem("honest", lambda x: work(x, 20), seeded)
remembers = problem("remembers", remembered, seeded)
keeps = problem("keeps", kept, lambda: tuple(0.5 * i for i in range(64)))
'''

# A winner that each measurement finds.
SUMS = '''
import nightshift as ns

@ns.problem(device="cpu", space=dict(block=[1, 64, 4096]), baseline=dict(block=1))
def sums(case, config):
    values = ns.uniform(20000, dtype="float64")
    return ns.Run(lambda: sum(sum(values[i:i + config.block]) for i in range(0, 20000, config.block)),
                  reference=lambda: sum(values))
'''
FASTER, WORSE = 10, 11  # exit codes of recheck


class Python(Case):
    def check(self, problem):
        done = self.run_nightshift("check", problem, "--json", codes=(0,))
        return json.loads(done.stdout)

    def test_the_example_is_read(self):
        found = self.check(EXAMPLE)
        told = self.run_nightshift("check", EXAMPLE, codes=(0,)).stderr
        self.assertIn("1 more is left out, which python.case names (--set python.case=NAME)", told)
        self.assertEqual(found["space"]["configurations"], 15)

    def test_a_case_is_named_or_numbered(self):
        names = []
        for case in ("large", "1", "0"):
            done = self.run_nightshift("check", EXAMPLE, "--set", f"python.case={case}", "--json",
                                       codes=(0,))
            names.append(json.loads(done.stdout)["name"])
        self.assertEqual(names, ["dot-large", "dot-large", "dot-small"])

    def test_of_several_problems_one_is_named(self):
        file = self.write("two.py", ANSWERS + ANSWERS.replace("def answers", "def others").replace(
            "[1, 2, 3]", "[4, 5]"))
        done = self.run_nightshift("check", file, codes=(harness.USAGE,))
        self.assertIn("names one of answers, others", " ".join(done.stdout.split()))
        self.assertIn("--set python.problem=NAME", " ".join(done.stdout.split()))
        self.assertNotIn("--problem", done.stdout)
        result = self.tune(file, "--set", "python.problem=others", "--set", "baseline.answer=5",
                           "--budget", "2t", codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(result["problem"], "others")
        self.assertEqual(result["trials"]["failed"], {"wrong_result": 1})

    def test_the_example_is_tuned(self):
        result = self.tune(EXAMPLE, "--set", "python.case=large", "--budget", "15t")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["trials"]["measured"], 14, "the baseline is no candidate")
        # Sums in another order have other bits.
        self.assertIn(result["best"]["same_bits"], (True, False))
        told = self.run_nightshift("report", "study", codes=(0,)).stdout
        same = "yes" if result["best"]["same_bits"] else "no"
        self.assertIn(f"same bits as the baseline: {same}", told)

    def test_a_batch_has_a_study_for_each_case(self):
        batch = self.write("night.toml", f'''[[study]]
problem = "{EXAMPLE}"
each = {{ python.case = ["small", "large"] }}
budget = "2t"
''')
        self.run_nightshift("batch", "run", batch, codes=(0, 3))
        figures = []
        for case in ("small", "large"):
            told = self.run_nightshift("report", f"batches/night/cpu_blocks-case{case}",
                                       codes=(0,)).stdout
            figures.append(told)
            self.assertIn("the budget of 2 configurations is used up", told)
        self.assertNotEqual(*figures)

    def test_a_file_is_imported_once_in_a_run(self):
        head = """
with open(__file__ + ".imports", "a") as out:
    out.write("x")
"""
        file = self.write("answers.py", head + ANSWERS)
        imports = self.folder / "answers.py.imports"
        self.tune(file, "--budget", "3t", codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(imports.read_text(), "x")
        self.run_nightshift("resume", "study", "--budget", "4t", codes=(harness.NO_IMPROVEMENT,))
        self.assertLessEqual(len(imports.read_text()), 2)
        imports.unlink()
        batch = self.write("night.toml", f"""[[study]]
problem = "{file}"
each = {{ baseline.answer = [1, 2] }}
budget = "3t"
""")
        self.run_nightshift("batch", "run", batch, codes=(0, harness.NO_IMPROVEMENT))
        self.assertEqual(imports.read_text(), "x")

    def test_the_baseline_is_the_one_that_was_asked_for(self):
        file = self.write("answers.py", ANSWERS)
        result = self.tune(file, "--set", "baseline.answer=2", "--budget", "3t",
                           codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(result["baseline"]["configuration"], {"answer": 2})
        self.assertEqual(result["trials"]["failed"], {"wrong_result": 2})
        rows = self.run_nightshift("export", "study", "--format", "csv", codes=(0,)).stdout
        for answer in (1, 3):
            self.assertIn(f"is {answer} where 2 was expected", rows)

    def test_the_baselines_configuration_is_no_candidate(self):
        file = self.write("answers.py", ANSWERS)
        self.tune(file, "--set", "baseline.answer=2", "--budget", "3t", codes=(harness.NO_IMPROVEMENT,))
        ends = {row["answer"]: row["status"] for row in self.csv_rows() if row["job"] == "explore"}
        self.assertEqual(ends, {"1": "wrong_result", "2": "skipped", "3": "wrong_result"})

    def test_a_search_begins_near_the_baseline(self):
        file = self.write("many.py", MANY)
        self.tune(file, "--budget", "8t", "--searcher", "random")
        tried = [row for row in self.csv_rows() if row["job"] == "explore"][:8]
        others = [sum(row[f"p{i}"] != "0" for i in range(8)) for row in tried]
        self.assertGreaterEqual(sum(changed <= 2 for changed in others), 4, others)

    def test_a_kernel_that_remembers_is_told_where_nobody_is_trusted(self):
        file = self.write("remembers.py", REMEMBERS)
        result = self.tune(file, "--budget", "2t", codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(result["trials"]["failed"], {"launch_failed": 1})
        rows = self.run_nightshift("export", "study", "--format", "csv", codes=(0,)).stdout
        self.assertIn("its time is not that of its work", rows)

    def test_a_claim_is_asked_whether_its_time_is_that_of_its_work(self):
        file = self.write("trusted.py", TRUSTED)
        results = {name: self.tune(file, "--set", f"python.problem={name}", "--budget", "2t", study=name,
                                   codes=(harness.NO_IMPROVEMENT,) if name == "remembers" else (0,))
                   for name in ("honest", "remembers", "keeps")}
        self.assertNotIn("unaudited", results["honest"]["improvement"])
        self.assertIn("its inputs are the same in all calls", results["keeps"]["improvement"]["unaudited"])
        told = self.run_nightshift("report", "remembers", codes=(0,)).stdout
        self.assertIn("its time is not that of its work: on inputs that it never had", " ".join(told.split()))

    def test_what_a_file_does_when_it_is_imported_is_none_of_the_problem(self):
        loud = """
import argparse, os, subprocess, sys
assert argparse.ArgumentParser().parse_args() and sys.stdin.read() == ""
print("seed = 3"), os.write(1, b"[budget]\\n"), subprocess.run(["cat"])
print(open("data.txt").read())
"""
        folder = self.folder / "größe {x} %s"
        folder.mkdir()
        (folder / "data.txt").write_text("trials = 1")
        names = ["my-kernel.py"]
        if sys.version_info >= (3, 11):  # where Python can leave a program's folder out
            names += ["nightshift.py", "json.py"]
        for number, name in enumerate(names):
            with self.subTest(name):
                file = folder / name
                file.write_text(loud + ANSWERS)
                result = self.tune(file, "--budget", "3t", study=f"study{number}",
                                   codes=(harness.NO_IMPROVEMENT,))
                self.assertEqual(result["trials"]["failed"], {"wrong_result": 2})
                file.unlink()

    def test_a_call_that_prints_each_time_is_no_worse_for_it(self):
        text = ANSWERS.replace("    def call():\n", "    def call():\n        print('a warning', flush=True)\n"
                               "        print('another', file=sys.stderr)\n")
        result = self.tune(self.write("prints.py", "import sys\n" + text), "--budget", "3t",
                           "--set", "limits.output=4KiB", codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(result["trials"]["failed"], {"wrong_result": 2})

    def project(self):
        """A project with a study of one trial; its file imports a module that lies beside it."""
        folder = self.folder / "project"
        folder.mkdir()
        (folder / "own.py").write_text("FIRST = 1\n")
        (folder / "answers.py").write_text("import own\n" + ANSWERS.replace("[1, 2, 3]", "[own.FIRST, 2, 3]"))
        self.tune("answers.py", "--budget", "1t", cwd=folder, codes=(harness.NO_IMPROVEMENT,))
        return folder

    def test_a_copied_project_has_its_own_files(self):
        copy = self.folder / "copy"
        shutil.copytree(self.project(), copy)
        (copy / "own.py").write_text("raise SystemError('the copy has its own')\n")
        done = self.run_nightshift("resume", "study", "--budget", "3t", cwd=copy, codes=(harness.STUDY_FAILED,))
        self.assertIn("the copy has its own", done.stderr + done.stdout)

    def test_a_moved_project_goes_on(self):
        moved = self.folder / "elsewhere"
        self.project().rename(moved)
        for budget, words in (("2t", ["tune", "answers.py", "--study", "study", "--continue"]),
                              ("3t", ["resume", "study"])):
            done = self.run_nightshift(*words, "--budget", budget, cwd=moved, codes=(harness.NO_IMPROVEMENT,))
            self.assertNotIn("has changed", done.stderr)

    def test_a_file_that_ends_the_program_is_told(self):
        for head, words in [("import os; os._exit(0)", "describes nothing"),
                            ("import sys; sys.exit(0)", ":1: the file ends the program with 0")]:
            done = self.run_nightshift("check", self.write("ends.py", head + ANSWERS),
                                       codes=(harness.USAGE,))
            self.assertIn(words, " ".join(done.stdout.split()))

    def test_an_interpreter_that_is_killed_is_started_again(self):
        killed = self.folder / "killed"
        python = self.write("python", f"""#!/bin/sh
case " $* " in *" describe "*) mkdir {killed} 2>/dev/null && kill -9 $$;; esac
exec {sys.executable} "$@"
""")
        python.chmod(0o755)
        file = self.write("sums.py", SUMS)
        night = self.write("night.toml", f'[[study]]\nproblem = "{file}"\nbudget = "2t"\n'
                           'set = { acceptance.confidence = "quick" }\n')
        quick = ("--set", "acceptance.confidence=quick")
        for words, codes in ((("check", file), (0,)),
                             (("tune", file, "--study", "study", "--budget", "3t", *quick), (0,)),
                             (("batch", "run", night), (0, harness.NO_IMPROVEMENT)),
                             (("recheck", "study", "--pairs", "8", "--confidence", "quick"), (0, FASTER, WORSE))):
            with self.subTest(words[0]):
                self.run_nightshift(*words, codes=codes, env={"NIGHTSHIFT_PYTHON": str(python)})
                killed.rmdir()  # it was, once
        self.write("python", "#!/bin/sh\nkill -9 $$\n")
        done = self.run_nightshift("check", file, codes=(harness.USAGE,), env={"NIGHTSHIFT_PYTHON": str(python)})
        self.assertIn("was killed from outside 3 times", " ".join(done.stdout.split()))

    def test_conditions_with_what_is_no_value_are_told(self):
        for condition, words in [("way == 'fuse'", "did you mean 'fused'?"),
                                 ("way != 2", "never false"), ("way in [1, 'spilt']", "never true"),
                                 ("n == '2'", "never true")]:
            file = self.write("ways.py", ANSWERS.replace("[1, 2, 3]}", (
                f"[1]; 'way': ['fused', 'split'], 'n': [1, 2]}}, where=[{condition!r}]").replace(
                    ";", ",")))
            done = self.run_nightshift("check", file, codes=(harness.USAGE,))
            self.assertIn(words, " ".join(done.stdout.split()), condition)

    def test_integers_are_exact(self):
        text = ANSWERS.replace("ns.output(8)", "ns.output(8, dtype='int64')").replace(
            "= config.answer", "= 2 ** 53 + config.answer // 2")
        result = self.tune(self.write("wide.py", text), "--budget", "3t",
                           codes=(harness.NO_IMPROVEMENT,))
        self.assertEqual(result["trials"]["failed"], {"wrong_result": 2})

    def test_the_module_has_the_programs_version(self):
        said = self.run_nightshift("--version", codes=(0,)).stdout.split()
        told = subprocess.run([sys.executable, "-c",
                               "import nightshift; print(nightshift.__version__)"],
                              env=dict(os.environ, PYTHONPATH=str(SOURCE / "python")), text=True,
                              capture_output=True, check=True).stdout
        self.assertEqual(said, ["nightshift", told.strip()])

    def test_what_needs_quotes_is_read(self):
        found = self.check(self.write("quotes.py", PROBLEM))
        # tile is 1, 2 or 4; without `fast` two ways are left.
        self.assertEqual(found["space"]["configurations"], 3 * 2 * (3 + 2))


if __name__ == "__main__":
    harness.unittest.main()
