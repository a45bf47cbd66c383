#!/usr/bin/env python3
"""A study whose sources have gone since is told of from its journal alone; what builds or measures says
which file is missing."""

import json
import sys

from harness import Case, FEW_PAIRS, FEW_SAMPLES, IMPROVED, USAGE, host_scale, main, working_scale

QUICK = FEW_SAMPLES + FEW_PAIRS + "hold_out_most = 8\n"

HOST = host_scale("""WORK = [9, 1, 3]
OPTION = { values = ["-O2"], flag = "{}" }""", QUICK, host='reference = { file = "reference.cc", function = "scale" }')
SCALE = working_scale("#define REPEATS 8")
REFERENCE = "void scale(double* x) { for (int i = 0; i < N; ++i) x[i] *= 2; }\n"
COMMAND = """
name = "counts"
[command]
argv = ["{python}", "program.py", "{{A}}"]
directory = "programs"
inputs = ["data"]
cores = 1
runs = 1
[parameters]
A = [9, 1, 3]
[[command.figure]]
objective = "time"
source = "json"
key = "time"
""" + QUICK
PROGRAM = """
import json, os, sys
print(json.dumps({"time": int(sys.argv[1]) + os.getpid() % 7 / 100}))
"""
FORMATS = ["t4", "csv", "json", "header", "kernel-tuner", "ktt", "ktt-xml"]


class Gone(Case):
    def in_place(self, name, problem, **files):
        folder = self.folder / name
        for file, text in files.items():
            path = folder / file.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / "problem.toml").write_text(problem)
        return folder

    def all_that_is_told(self, study, trial):
        told = {form: self.export(form, study) for form in FORMATS}
        told["explain"] = self.run_nightshift("explain", study, trial, codes=(0,)).stdout
        told["report"] = self.run_nightshift("report", study, codes=(0,)).stdout
        told["markdown"] = self.run_nightshift("report", study, "--markdown", codes=(0,)).stdout
        self.run_nightshift("report", study, "--html", "page.html", codes=(0,))
        told["page"] = (self.folder / "page.html").read_text()
        told["status"] = self.run_nightshift("status", study, codes=(0,)).stdout
        return told

    def tuned(self, source):
        result = self.tune(source / "problem.toml", "--budget", "3t", "--devices", "cpu:1",
                           study="study", codes=(IMPROVED,))
        return result["best"]["trial"]

    def refused(self, *words, codes=(USAGE,)):
        return " ".join(self.run_nightshift(*words, codes=codes).stderr.split())

    def test_of_a_kernel(self):
        source = self.in_place("here", HOST, scale_cc=SCALE, reference_cc=REFERENCE)
        trial = self.tuned(source)
        before = self.all_that_is_told("study", trial)
        source.rename(self.folder / "elsewhere")
        self.assertEqual(self.all_that_is_told("study", trial), before)
        # What came out is said again, and what has changed.
        again = self.run_nightshift("resume", "study", "--json", codes=(IMPROVED,))
        self.assertEqual(json.loads(again.stdout)["best"]["trial"], trial)
        for words in (["export", "study", "--format", "bundle", "--output", "bundle"],
                      ["code", "study", "best"], ["compare", "study", "--confidence", "quick"],
                      ["resume", "study", "--budget", "6t"]):
            with self.subTest(words[0]):
                told = self.refused(*words)
                for name in ("'scale.cc'", "'reference.cc'"):
                    self.assertIn(f"names {name}, which is no file in {source}", told)
                self.assertIn("report, explain and export do not", told)
                self.assertIn(f"problem, {source}, is gone: move it back", told)
                self.assertNotIn("mistake", told)
        self.assertFalse((self.folder / "bundle").exists())

    def test_of_a_program(self):
        source = self.in_place("here", COMMAND.format(python=sys.executable),
                               programs__program_py=PROGRAM, data="8")
        trial = self.tuned(source)
        before = self.all_that_is_told("study", trial)
        source.rename(self.folder / "elsewhere")
        self.assertEqual(self.all_that_is_told("study", trial), before)
        told = self.refused("export", "study", "--format", "bundle", "--output", "bundle")
        self.assertIn(f"problem, {source}, is gone: move it back", told)
        self.assertIn(f"names 'data', which is not there ({source}/data)", told)
        self.assertIn(f"names {source}/programs, which is no folder", told)

    def test_of_a_recording_in_a_batch(self):
        space = self.recorded_space("space.json", sizes=(4, 4, 4))
        study = '[[study]]\nproblem = "{}"\nbudget = "20t"\n'
        batch = self.write("night.toml", study.format("space.json"))
        self.run_nightshift("batch", "run", batch, codes=(0, 3))
        before = self.run_nightshift("status", "batches/night", "--json", codes=(0,)).stdout
        other = self.recorded_space("other.json", sizes=(4, 4, 4))
        batch.write_text(study.format("space.json") + study.format(other.name))
        for damage in (lambda: space.write_text("{}"), space.unlink):
            damage()
            done = self.run_nightshift("batch", "run", batch, codes=(0, 3))
            self.assertIn("space: done already", done.stdout)
            self.assertRegex(done.stdout, r"\n  other +completed")
            found = [json.loads(text)["batches"][0]["studies"][0] for text in (
                before, self.run_nightshift("status", "batches/night", "--json", codes=(0,)).stdout)]
            self.assertEqual(*[[one[key] for key in ("state", "reason", "claim")] for one in found])


if __name__ == "__main__":
    main()
