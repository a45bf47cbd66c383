#!/usr/bin/env python3
"""`nightshift recheck`: real host kernels under other sources and another compiler, CUDA kernels on
the fake GPU, and the check in a pipeline."""

import json
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree

from harness import (Case, CUDA_SCALE, FEW_PAIRS, IN_SHORT, INTERRUPTED, QUICK, TIMEOUT, USAGE, doubling_kernel,
                     fake_gpus, host_scale, json_program, main, working_scale)

SAME, BROKEN, DEVICE, FASTER, WORSE, UNFINISHED = 0, 4, 6, 10, 11, 75

PROBLEM = host_scale("WORK = [4, 1, 2]", IN_SHORT, host='compiler = "{folder}/compiler"')
SCALE = working_scale('#include "repeats.h"', """
#ifdef OTHER_TOOLCHAIN
  asm volatile("nop");
#endif""")
COMPILER = """#!/bin/sh
exec c++ "$@" {more}
"""
CUDA = CUDA_SCALE + FEW_PAIRS


class Recheck(Case):
    def setUp(self):
        super().setUp()
        self.compiler("")
        self.repeats("#define REPEATS 8\n")
        self.write("scale.cc", SCALE)
        self.problem = self.write("problem.toml", PROBLEM.replace("{folder}", str(self.folder)))

    def compiler(self, more):
        self.write("compiler", COMPILER.format(more=more)).chmod(0o755)

    def repeats(self, text):
        self.write("repeats.h", text)

    def tuned(self, study="study"):
        result = self.tune(self.problem, "--budget", "3t", "--devices", "cpu:1", study=study)
        self.assertTrue(result["improvement"]["accepted"], result["improvement"])
        self.assertEqual(result["best"]["configuration"], {"WORK": 1})

    def recheck(self, *words, codes):
        done = self.run_nightshift("recheck", *words, "--json", "--devices", "cpu:1",
                                   "--confidence", "standard", "--min-difference", "10%", codes=codes)
        return json.loads(done.stdout)

    def one(self, *words, codes):
        result = self.recheck(*words, codes=codes)
        self.assertEqual(len(result["winners"]), 1)
        return result["winners"][0]


class Host(Recheck):
    def test_each_verdict_of_one_winner(self):
        self.tuned()
        with self.subTest("nothing has changed"):
            result = self.recheck("study", codes=(SAME,))
            self.assertEqual(result["verdicts"], {"unchanged": 1})
            self.assertEqual(result["evaluations"], 0)
        with self.subTest("another source, the same machine code"):
            self.repeats("#define REPEATS 8  // eight\n")
            winner = self.one("study", codes=(SAME,))
            self.assertEqual(winner["verdict"], "unchanged")
            self.assertIn("repeats.h has changed", " ".join(winner["changes"]))
        with self.subTest("another compiler, other machine code of the same speed"):
            self.compiler("-DOTHER_TOOLCHAIN")
            try:
                winner = self.one("study", codes=(SAME,))
            finally:
                self.compiler("")
            self.assertEqual(winner["verdict"], "same speed")
            self.assertNotEqual(winner["artifact"]["before"], winner["artifact"]["now"])
            self.assertEqual(winner["advantage"]["verdict"], "held")
            self.assertIn("compiler", " ".join(winner["changes"]))
        with self.subTest("slower, with the same gain over a baseline that is slower too"):
            self.repeats("#define REPEATS 16\n")
            winner = self.one("study", codes=(WORSE,))
            self.assertEqual(winner["verdict"], "regressed")
            self.assertGreater(winner["speed"]["interval"][0], 1)
            self.assertEqual(winner["advantage"]["verdict"], "held")
        with self.subTest("faster"):
            self.repeats("#define REPEATS 4\n")
            winner = self.one("study", codes=(FASTER,))
            self.assertEqual(winner["verdict"], "faster")
            self.assertLess(winner["speed"]["interval"][1], 1)
        with self.subTest("only the baseline is faster, by as much as leaves the half"):
            self.repeats("#define REPEATS (WORK == 4 ? 4 : 8)\n")
            winner = self.one("study", codes=(WORSE,))
            self.assertEqual(winner["verdict"], "smaller")
            self.assertEqual(winner["artifact"]["before"], winner["artifact"]["now"])
            self.assertIsNone(winner["speed"])
        with self.subTest("worse than the baseline"):
            self.repeats("#define REPEATS (WORK == 4 ? 1 : 8)\n")
            self.assertEqual(self.one("study", codes=(WORSE,))["verdict"], "lost")
        with self.subTest("does not build"):
            self.repeats("#if WORK == 1\n#error no such work\n#endif\n#define REPEATS 8\n")
            winner = self.one("study", codes=(BROKEN,))
            self.assertEqual(winner["verdict"], "broken")
            self.assertIn("no such work", winner["reason"])
        with self.subTest("the value is not in the space any more"):
            self.repeats("#define REPEATS 8\n")
            text = self.problem.read_text()
            self.problem.write_text(text.replace("[4, 1, 2]", "[4, 2]"))
            self.assertIn("WORK", self.one("study", codes=(BROKEN,))["reason"])
            self.problem.write_text(text)

    def test_old_code_that_cannot_be_called_is_not(self):
        self.tuned()
        self.repeats("#define REPEATS 9\n")
        text = self.problem.read_text()
        self.problem.write_text(text.replace("N = 4096", "N = 8192"))
        winner = self.one("study", codes=(SAME,))
        self.assertEqual(winner["verdict"], "held")
        self.assertIsNone(winner["speed"])
        self.assertIn("arguments, sizes or launches", winner["reason"])
        self.problem.write_text(text)
        shutil.rmtree(self.folder / "study" / "artifacts")
        winner = self.one("study", codes=(SAME,))
        self.assertEqual(winner["verdict"], "held")
        self.assertIn("not kept any more", winner["reason"])

    def test_several_in_one_table_and_a_budget(self):
        self.tuned("studies/one")
        shutil.copytree(self.folder / "studies" / "one", self.folder / "studies" / "two")
        self.repeats("#define REPEATS 16\n")
        result = self.recheck("studies", codes=(WORSE,))
        self.assertEqual(result["verdicts"], {"regressed": 2})
        self.assertEqual([w["name"] for w in result["winners"]], ["studies/one", "studies/two"])
        # Each of two winners has two questions.
        self.assertLess(result["winners"][0]["speed"]["level"], 0.05 / 4)
        result = self.recheck("studies", "--budget", "1ms", codes=(UNFINISHED,))
        self.assertEqual(result["verdicts"], {"not reached": 2})
        self.assertEqual(result["evaluations"], 0)

    def test_exports_with_machine_code_beside_them(self):
        self.tuned()
        winners = self.folder / "winners"
        winners.mkdir()
        (winners / "best.json").write_text(self.export("json"))
        self.assertEqual(self.one("winners", codes=(SAME,))["verdict"], "unchanged")
        self.compiler("-DOTHER_TOOLCHAIN")
        winner = self.one("winners", codes=(SAME,))
        self.assertEqual(winner["verdict"], "held")
        self.assertIn("not kept any more", winner["reason"])
        shutil.copytree(self.folder / "study" / "artifacts", winners / "artifacts")
        self.assertEqual(self.one("winners/best.json", codes=(SAME,))["verdict"], "same speed")

    def test_a_signal_ends_it_and_nothing_is_left(self):
        self.tuned()
        self.write("compiler", """#!/bin/sh
case "$*" in *-shared*) ;; *) exec c++ "$@" ;; esac
: > {0}/building
exec sleep 100
""".format(self.folder))
        temporary = self.folder / "tmp"
        temporary.mkdir()
        process = self.start("recheck", "study", "--json", "--devices", "cpu:1",
                             env={"TMPDIR": str(temporary)})
        deadline = time.monotonic() + 60
        while not (self.folder / "building").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        result = json.loads(out)
        self.assertTrue(result["stopped"])
        self.assertEqual(result["verdicts"], {"not reached": 1})
        self.assertEqual(list(temporary.iterdir()), [])

    def test_devices_that_others_use_end_it_with_the_table(self):
        self.tuned()
        self.write("busy.toml", """
name = "busy"
[command]
argv = ["sh", "-c", ": > measuring; exec sleep 1000", "{A}"]
runs = 1
cores = 1
[parameters]
A = [1]
[limits]
measure = "900s"
trial = "900s"
""")
        other = self.start("tune", "busy.toml", "--study", "busy", "--devices", "cpu:1",
                           "--budget", "1t")
        deadline = time.monotonic() + 60
        while not (self.folder / "measuring").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            result = self.recheck("study", codes=(SAME,))  # needs no device
            self.assertIsNone(result["device_error"])
            self.repeats("#define REPEATS 16\n")
            result = self.recheck("study", codes=(DEVICE,))
            self.assertEqual(result["verdicts"], {"not reached": 1})
            self.assertIn("measures on core 1", result["device_error"])
            done = self.run_nightshift("recheck", "study", "--devices", "cpu:1", codes=(DEVICE,))
            self.assertIn("1 winner: 1 not reached", done.stdout)
            self.assertIn("It ended early", done.stdout)
        finally:
            other.send_signal(signal.SIGINT)
            other.send_signal(signal.SIGINT)
            other.communicate(timeout=TIMEOUT)

    def test_a_batch_is_its_studies(self):
        self.write("night.toml", """
[defaults]
budget = "3t"
[[study]]
problem = "problem.toml"
name = "slow"
[[study]]
problem = "problem.toml"
name = "calm"
set = { host.sizes.N = 2048 }
""")
        self.run_nightshift("batch", "run", "night.toml", "--devices", "cpu:1", codes=(0, 3, 10))
        result = self.recheck("batches/night", codes=(SAME,))
        self.assertEqual([w["name"] for w in result["winners"]],
                         ["batches/night/slow", "batches/night/calm"])
        self.assertEqual(result["verdicts"], {"unchanged": 2})
        self.repeats("#define REPEATS (N == 4096 ? 16 : 8)\n")
        result = self.recheck("batches/night", codes=(WORSE,))
        self.assertEqual([w["verdict"] for w in result["winners"]], ["regressed", "unchanged"])

    def test_mistakes_are_told(self):
        done = self.run_nightshift("recheck", codes=(USAGE,))
        self.assertIn("expected a study, a batch, a folder or an export", done.stderr)
        self.write("other.json", "{}")
        for word in ("nowhere", "other.json", "problem.toml"):
            done = self.run_nightshift("recheck", word, codes=(USAGE,))
            self.assertIn(f"{word}: expected a study", " ".join(done.stderr.split()))


class Program(Case):
    """Nothing is built of a program: what its problem file says of it is all that tells."""

    def setUp(self):
        super().setUp()
        self.write("work.sh", 'echo "{\\"time\\": $1$2, \\"size\\": 1$1}"\n')
        self.problem = self.write("problem.toml", json_program("program", 3) + FEW_PAIRS.replace(QUICK, ""))
        self.assertTrue(self.tune("problem.toml", "--budget", "3t", "--devices", "cpu:1")["improvement"]["accepted"])

    def recheck(self, old, new, codes, *words):
        text = self.problem.read_text()
        self.assertIn(old, text)
        self.problem.write_text(text.replace(old, new))
        done = self.run_nightshift("recheck", "study", "--json", "--devices", "cpu:1", "--confidence", "quick",
                                   *words, codes=codes)
        self.problem.write_text(text)
        (winner,) = json.loads(done.stdout)["winners"]
        return winner

    def test_what_the_problem_file_asks_otherwise_is_told_and_measured(self):
        self.assertEqual(self.recheck("name", "name", (SAME,))["verdict"], "unchanged")
        with self.subTest("other arguments"):
            winner = self.recheck('"{x}"]', '"{x}", "5"]', (SAME, WORSE, UNFINISHED))
            self.assertNotEqual(winner["verdict"], "unchanged")
            self.assertIsNotNone(winner["advantage"])
            self.assertIn("command.argv was", " ".join(winner["changes"]))
        with self.subTest("another budget"):
            winner = self.recheck("[parameters]", "[budget]\ntrials = 7\n[parameters]", (SAME,))
            self.assertEqual((winner["verdict"], winner["changes"]), ("unchanged", []))

    def test_a_gain_of_another_figure_is_not_compared(self):
        for old, new in (('name = "time"', 'name = "size"'),
                         ('unit = "ms"', 'unit = "ms"\ndirection = "maximise"')):
            winner = self.recheck(old, new, (UNFINISHED,))
            self.assertEqual(winner["verdict"], "undecided")
            self.assertIsNone(winner["advantage"])
            self.assertIn("another figure", winner["reason"])
            self.assertIn("objective.0.", " ".join(winner["changes"]))


class Cuda(Case):
    """The same path on the fake GPU, whose kernels take the time that they say."""

    def environment(self, **changes):
        return super().environment(**dict(fake_gpus(), **changes))

    def recheck(self, *words, codes, **more):
        done = self.run_nightshift("recheck", "study", "--json", "--confidence", "quick",
                                   "--min-difference", "10%", *words, codes=codes, **more)
        (winner,) = json.loads(done.stdout)["winners"]
        return winner

    def test_old_and_new_machine_code_run_side_by_side(self):
        self.write("scale.cu", doubling_kernel("  fake_spend_us(40000.0 / BLOCK);"))
        problem = self.write("problem.toml", CUDA)
        result = self.tune(problem, "--budget", "4t")
        self.assertTrue(result["improvement"]["accepted"], result["improvement"])
        self.assertEqual(self.recheck(codes=(SAME,))["verdict"], "unchanged")
        with self.subTest("another driver, the same machine code"):
            winner = self.recheck(codes=(SAME,), env={"FAKE_NVML_DRIVER": "580.00.fake"})
            self.assertEqual(winner["verdict"], "held")
            self.assertIsNone(winner["speed"])
            self.assertIn("driver", " ".join(winner["changes"]))
        self.write("scale.cu", doubling_kernel("  fake_spend_us(80000.0 / BLOCK);"))
        winner = self.recheck(codes=(WORSE,))
        self.assertEqual(winner["verdict"], "regressed")
        self.assertAlmostEqual(winner["speed"]["ratio"], 2, delta=0.3)
        self.assertEqual(winner["advantage"]["verdict"], "held")
        # Other launches: the old code is not called as it was never meant to be.
        problem.write_text(CUDA.replace('"(N + BLOCK - 1) // BLOCK"', '"(N + BLOCK) // BLOCK"'))
        winner = self.recheck(codes=(SAME,))
        self.assertIsNone(winner["speed"])
        self.assertIn("arguments, sizes or launches", winner["reason"])
        self.write("scale.cu", "no kernel at all")
        self.assertEqual(self.recheck(codes=(BROKEN,))["verdict"], "broken")


class Pipeline(Recheck):
    """As tools/README.md describes it: a repository, a change of it, the check that says so."""

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=ci", "-c", "user.email=ci@example.org", *words],
                       cwd=self.folder, check=True, capture_output=True)

    def test_a_change_that_slows_a_kernel_fails_the_check(self):
        self.git("init", "-q")
        self.git("add", "problem.toml", "scale.cc", "repeats.h")
        self.git("commit", "-qm", "a kernel")
        self.tuned()  # kept between the jobs of the pipeline
        self.repeats("#define REPEATS 16\n")
        self.git("commit", "-qam", "a slower kernel")
        command = ("recheck", "study", "--devices", "cpu:1", "--markdown", "recheck.md", "--junit",
                   "recheck.xml", "--html", "recheck.html")
        done = self.run_nightshift(*command, codes=(WORSE,))
        self.assertIn("1 winner: 1 regressed", done.stdout)
        markdown = (self.folder / "recheck.md").read_text()
        self.assertIn("Still true? 1 winner: 1 regressed", markdown)
        self.assertIn("| regressed |", markdown)
        self.assertIn("repeats.h has changed", markdown.replace("\\", ""))
        suite = xml.etree.ElementTree.parse(self.folder / "recheck.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("1", "1", "0"))
        self.assertIn("regressed", suite.find("testcase/failure").get("message"))
        self.assertIn("regressed", (self.folder / "recheck.html").read_text())
        self.git("revert", "--no-edit", "HEAD")
        done = self.run_nightshift(*command, codes=(SAME,))
        self.assertIn("1 winner: 1 unchanged", done.stdout)


if __name__ == "__main__":
    main()
