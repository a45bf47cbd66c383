"""The history of a machine: what studies, batches and rechecks leave in it, and what is told of it."""

import json
import random
import shlex
import shutil
import subprocess

import harness
from harness import IMPROVED, STEPPED, STEPPED_REFERENCE, USAGE, stepped_scale

BETTER, WORSE, BEGAN, DAY = 10, 11, 1_700_000_000, 86_400

PROBLEM = STEPPED + "STEPS = [64, 1]\n[baseline]\nSTEPS = 64\n"


class History(harness.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "scale.toml").write_text(PROBLEM)
        (self.folder / "scale.cc").write_text(stepped_scale())
        (self.folder / "reference.cc").write_text(STEPPED_REFERENCE)
        self.file = self.folder / "state" / "nightshift" / "history.jsonl"

    def nightshift(self, *arguments, **changes):
        return self.run_nightshift(*arguments, env=dict({"XDG_STATE_HOME": str(self.folder / "state"),
                                                         "NIGHTSHIFT_HISTORY": ""}, **changes))

    def tune_scale(self, study, *more, **changes):
        return self.nightshift("tune", "scale.toml", "--study", study, "--budget", "4t", "--devices", "cpu:0",
                               *more, **changes)

    def lines(self):
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def test_what_ends_leaves_a_line(self):
        self.assertEqual(self.tune_scale("one").returncode, IMPROVED)
        self.assertEqual(self.tune_scale("two", "--set", "host.sizes.n=2048", "--seed", "3").returncode, IMPROVED)
        (self.folder / "night.toml").write_text('[[study]]\nname = "three"\nproblem = "scale.toml"\n'
                                                'budget = "4t"\n')
        batch = self.nightshift("batch", "run", "night.toml", "--devices", "cpu:0")
        self.assertEqual(batch.returncode, 0, batch.stdout)
        self.nightshift("recheck", "one", "--devices", "cpu:0")
        lines = self.lines()
        self.assertEqual([line["what"] for line in lines], ["study", "study", "study", "recheck"])
        self.assertEqual([line["settings"] for line in lines[:3]], [[], ["host.sizes.n=2048"], []])
        self.assertTrue(all(line["accepted"] and line["ratio"] < 0.5 for line in lines[:3]), lines)
        self.assertEqual(lines[3]["said"], "unchanged")

        listed = self.nightshift("history").stdout
        self.assertIn("scale, host.sizes.n=2048, on ", listed)
        told = self.nightshift("history", "scale.toml", "--html", "page.html").stdout
        self.assertEqual(told.count("  study  "), 3, told)
        self.assertIn("recheck", told)
        self.assertIn("<svg", (self.folder / "page.html").read_text())
        found = json.loads(self.nightshift("history", "one", "--json").stdout)
        self.assertEqual(sorted(len(series["runs"]) for series in found["series"]), [1, 3])

    def test_a_study_that_goes_on_is_one_run(self):
        self.tune_scale("one")
        self.nightshift("resume", "one", "--budget", "6t")
        self.assertEqual(len(self.lines()), 2)
        found = json.loads(self.nightshift("history", "scale", "--json").stdout)
        self.assertEqual([len(series["runs"]) for series in found["series"]], [1])

    def test_it_can_be_elsewhere_or_switched_off(self):
        self.tune_scale("one", NIGHTSHIFT_HISTORY="off")
        self.assertFalse(self.file.exists())
        off = self.nightshift("history", NIGHTSHIFT_HISTORY="off")
        self.assertEqual((off.returncode, off.stderr), (USAGE, "nightshift: no history is kept: NIGHTSHIFT_HISTORY is 'off'\n"))
        elsewhere = self.folder / "elsewhere.jsonl"
        self.tune_scale("two", NIGHTSHIFT_HISTORY=str(elsewhere))
        self.assertEqual(len(elsewhere.read_text().splitlines()), 1)
        self.assertIn("two", self.nightshift("history", "scale", "--history", "elsewhere.jsonl", "--json").stdout)

    def test_a_torn_line_takes_no_other_with_it(self):
        self.tune_scale("one")
        self.file.write_text(self.file.read_text() + '{"what": "stu')
        self.tune_scale("two")
        self.tune_scale("three")
        self.assertIn("1 line of", self.nightshift("history", "scale").stdout)
        found = json.loads(self.nightshift("history", "scale", "--json").stdout)
        self.assertEqual([len(series["runs"]) for series in found["series"]], [3])

    def test_one_that_cannot_be_written_costs_nothing(self):
        (self.folder / "state").write_text("no folder")
        done = self.tune_scale("one")
        self.assertEqual(done.returncode, IMPROVED)
        self.assertIn("history.jsonl could not be written", done.stderr)

    def test_what_it_does_not_know_is_told(self):
        self.assertIn("The history is empty.", self.nightshift("history").stdout)
        self.tune_scale("one")
        self.file.write_text(self.file.read_text() + "half a li\n")
        unknown = self.nightshift("history", "sgemm")
        self.assertEqual(unknown.returncode, USAGE)
        self.assertIn("has no such problem or study; it knows scale", unknown.stderr)
        self.assertIn("1 line of", self.nightshift("history", "scale").stdout)
        absent = self.nightshift("history", "--history", "nothing")
        self.assertEqual((absent.returncode, absent.stderr), (USAGE, "nightshift: --history: there is no file nothing\n"))

    def git(self, *words, day=0):
        date = f"@{BEGAN + day * DAY} +0000"
        return subprocess.run(["git", "-c", "user.name=ci", "-c", "user.email=ci@example.org", *words],
                              cwd=self.folder, check=True, capture_output=True, text=True,
                              env=self.environment(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)).stdout.strip()

    def step_of(self, study, change):
        """The step of the best in twenty runs, a day apart, as the last line has it: from the tenth on half as
        fast, and made of what `change` says."""
        line, draw, lines = self.lines()[-1], random.Random(1), []
        for day in range(20):
            later = day >= 10
            run = dict(line, begun=BEGAN + day * DAY + 60, at=BEGAN + day * DAY + 120, study=str(study))
            for figure in ("best", "baseline"):
                run[figure] = line[figure] * (2 if later else 1) * (1 + 0.003 * draw.gauss(0, 1))
            run["made_of"] = [change(part, later) for part in line["made_of"]]
            lines.append(json.dumps(run))
        self.file.write_text("\n".join(lines) + "\n")
        (series,) = json.loads(self.nightshift("history", "scale.toml", "--json").stdout)["series"]
        (step,) = [step for step in series["suspected"] if step["figure"] == "best"]
        self.assertEqual(step["run"], 10)
        return step

    def test_a_step_of_the_source_names_the_bisect_that_finds_its_commit(self):
        if shutil.which("git") is None:
            return print("SKIPPED: there is no git")

        def other_file(part, later):
            return dict(part, value="aa") if part["kind"] in ("source", "file") and not later else part

        self.tune_scale("one")
        self.assertIsNone(self.step_of(self.folder / "one", other_file)["bisect"])  # in no repository
        self.git("init", "-q")
        self.git("add", "scale.toml", "scale.cc", "reference.cc")
        self.git("commit", "-qm", "fast")
        (self.folder / "notes").write_text("nothing of the kernel")
        self.git("add", "notes")
        self.git("commit", "-qm", "notes", day=5)
        (self.folder / "scale.cc").write_text(stepped_scale("2"))
        self.git("commit", "-qam", "slow", day=10)
        self.file.unlink()
        self.tune_scale("two")
        step = self.step_of(self.folder / "two", other_file)
        self.assertEqual(step["command"], f"nightshift recheck {self.folder / 'two'}")
        words = shlex.split(step["bisect"])
        self.assertEqual(words[:4], ["nightshift", "bisect", str(self.folder / "scale.toml"), str(self.folder / "two")])
        done = self.nightshift(*words[1:], "--devices", "cpu:0", "--confidence", "quick", "--json")
        self.assertEqual(done.returncode, WORSE, done.stderr)
        self.assertIn(self.git("rev-parse", "--short=10", "HEAD"), done.stdout)

    def test_a_step_of_the_compiler_names_what_compares_the_two(self):
        if shutil.which("clang++") is None or shutil.which("c++") is None:
            return print("SKIPPED: there are not two compilers")
        clang = subprocess.run(["clang++", "--version"], capture_output=True, text=True).stdout.splitlines()[0]

        def was(value):
            return lambda part, later: part if later or part["kind"] != "compiler" else dict(part, value=value)

        self.tune_scale("one")
        words = shlex.split(self.step_of(self.folder / "one", was(clang))["bisect"])
        self.assertEqual(words[4], "--compilers")
        then, now = words[5].split(",")
        self.assertTrue(then.startswith("clang++"), words)
        done = self.nightshift(*words[1:], "--devices", "cpu:0", "--confidence", "quick", "--json")
        self.assertIn(done.returncode, (0, BETTER, WORSE), done.stderr)
        with self.subTest("it is there no more"):
            step = self.step_of(self.folder / "one", was("c++ (Debian 1.2.3) 1.2.3"))
            self.assertIsNone(step["bisect"])
            self.assertIn(f"recheck {self.folder / 'one'} --compilers {now},", step["command"])


if __name__ == "__main__":
    harness.main()
