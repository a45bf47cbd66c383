#!/usr/bin/env python3
"""Host kernels that look faster than they are: `[measure] trust = "none"` and `nightshift judge`."""

import json
import re
import shutil
import time

from harness import Case, SOURCE, USAGE, main

PUZZLES = SOURCE / "tests" / "puzzles" / "host_cheats"
# How each fails where nobody is trusted. Some meet one check or another, as their luck has it.
CHEATS = {
    "leaves_what_is_right": ("launch_failed", "where its outputs do not hold the answer yet"),
    "leaves_where_not_poisoned": ("launch_failed", "where its outputs do not hold the answer yet"),
    "remembers_answers": ("wrong_result", "y["),
    "remembers_inputs": ("launch_failed", "where it has not seen the inputs"),
    "remembers_two_inputs": ("launch_failed", "where it has not seen the inputs"),
    "remembers_elements": ("launch_failed", "where it has not seen the inputs"),
    "remembers_in_a_file": ("launch_failed", "where it has not seen the inputs"),
    "answers_at_an_address": ("wrong_result", "y["),
}
MORE_CHEATS = {
    "half_when_timed": ("wrong_result", "y["),
    "leaves_every_third": ("wrong_result launch_failed", ""),
    "few_calls_are_honest": ("wrong_result launch_failed", ""),
    "works_on_after_its_return": ("wrong_result crashed", ""),
    "computes_samples": ("wrong_result", "y["),
    "lower_precision": ("wrong_result", "y["),
    "mean_of_all": ("wrong_result", "y["),
    "writes_inputs": ("launch_failed", "wrote to argument 'x'"),
    "writes_before": ("launch_failed", "wrote outside of argument 'y'"),
    "writes_behind": ("crashed", "SIGSEGV"),
    "exits": ("crashed", "exited with code 0"),
    "throws": ("launch_failed", "threw an exception: enough"),
    "aborts": ("crashed", "SIGABRT"),
    "overflows_its_stack": ("crashed", "SIGSEGV"),
    "leaves_the_rest_to_a_child": ("wrong_result", "y["),
    "leaves_known_inputs": ("wrong_result", "y["),
    "answers_one_call_late": ("wrong_result", "y["),
    "not_a_number": ("wrong_result", "y["),
    "makes_inputs_easy": ("launch_failed", "wrote to argument 'x'"),
    "does_nothing": ("wrong_result", "y["),
    "rests_after_many": ("launch_failed", "its time is not that of its work"),
    "rests_when_called_at_once": ("launch_failed", "its time is not that of its work"),
}


# Honest ones whose time depends on what the core, or they themselves, have learned: the elements of
# inputs that were seen are known to the branch predictor by heart.
HONEST = {
    "branches": """
  float s = 0;
  for (int i = 0; i < N; ++i) {
    if (x[i] > 0) { s += x[i]; } else { s *= 0.5f; asm volatile("" ::: "memory"); }
    y[i] = s;
  }""",
    "sorts": """
  for (int i = 0; i < N; ++i) y[i] = x[i];
  for (int i = 0; i < N; i += 64) std::sort(y + i, y + i + 64);""",
    "keeps_a_table": """
  static float table[1024];
  static bool is_made = false;
  if (!is_made) for (int i = 0; i < 1024; ++i) table[i] = i * 0.25f;
  is_made = true;
  for (int i = 0; i < N; ++i) y[i] = table[static_cast<int>((x[i] + 1) * 511)];""",
    "allocates": """
  std::vector<float> all(x, x + N);
  std::nth_element(all.begin(), all.begin() + N / 2, all.end());
  for (int i = 0; i < N; ++i) y[i] = x[i] - all[N / 2];""",
}
HONEST_KERNEL = """#include <algorithm>
#include <vector>
extern "C" void answer(const float* x, float* y) {%s
}
"""
# Its branches follow from the inputs, and a core learns those of 384 of them.
SORTS = """#include <algorithm>
extern "C" void sorts(const float* x, float* y) {
  for (int w = 0; w < WORK; ++w) {
    std::copy(x, x + N, y);
    std::sort(y, y + N);
  }
}
"""
SORTS_PROBLEM = """
name = "sorts"
[host]
kernel = { file = "sorts.cc", function = "sorts", flags = ["-O2"] }
sizes = { N = 384 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
[[host.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[parameters]
WORK = [3, 2]
"""


class Judge(Case):
    def setUp(self):
        super().setUp()
        for file in PUZZLES.iterdir():
            shutil.copy(file, self.folder)
        self.problem = self.folder / "problem.toml"
        kept = self.folder / "kept"
        kept.mkdir()
        self.problem.write_text(self.problem.read_text().replace('"/tmp"', f'"{kept}"'))

    def candidate(self, name):
        file = self.folder / f"{name}.cc"
        if name != "faster":
            file.write_text(f"#define CHEAT {name}\n" + (self.folder / "cheats.cc").read_text())
        return file

    def judge(self, *candidates, codes):
        words = [word for name in candidates for word in ("--candidate", self.candidate(name))]
        done = self.run_nightshift("judge", self.problem, *words, "--json", "--devices", "cpu:1",
                                   "--confidence", "quick", codes=codes)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def expect_refused(self, cheats):
        self.problem.write_text(re.sub(r"CHEAT = \[.*\]", f"CHEAT = {json.dumps(['none', *cheats])}",
                                       self.problem.read_text()))
        # One that seems slow beside other work is given up, and then nobody doubts it.
        result = self.tune(self.problem, "--set", 'measure.trust="none"', "--set",
                           "measure.give_up_ratio=0", "--budget", f"{len(cheats) + 1}t",
                           "--devices", "cpu:1")
        self.assertEqual(result["status"], "completed")
        rows = {row["CHEAT"]: row for row in self.csv_rows() if row["job"] == "explore"}
        seen = {cheat: (row["status"], row["reason"]) for cheat, row in rows.items()}
        self.assertEqual(seen.pop("none"), ("measured", ""))
        self.assertEqual(set(seen), set(cheats))
        for cheat, (status, words) in cheats.items():
            # On a busy machine no call follows another at once: then it does all of its work.
            if cheat == "rests_when_called_at_once" and seen[cheat][0] == "measured":
                self.assertGreater(float(rows[cheat]["time"]), float(rows["none"]["time"]) / 2)
                continue
            self.assertIn(seen[cheat][0], status, f"{cheat}: {seen[cheat][1]}")
            self.assertIn(words, seen[cheat][1], cheat)

    def test_what_leaves_work_out_or_remembers_is_refused_where_nobody_is_trusted(self):
        self.expect_refused(CHEATS)

    def test_what_else_looks_faster_than_its_work_is_refused(self):
        self.expect_refused(MORE_CHEATS)

    def test_what_remembers_is_not_claimed_by_a_study_that_trusts_its_kernels(self):
        cheats = ["remembers_inputs", "remembers_two_inputs", "remembers_elements", "remembers_in_a_file"]
        self.problem.write_text(re.sub(r"CHEAT = \[.*\]", f"CHEAT = {json.dumps(['none', *cheats])}",
                                       self.problem.read_text()))
        result = self.tune(self.problem, "--budget", f"{len(cheats) + 1}t", "--devices", "cpu:1")
        self.assertFalse(result["improvement"]["accepted"], result["improvement"])
        failed = {row["CHEAT"]: row["reason"] for row in self.csv_rows()
                  if row["job"] == "confirm" and row["status"] != "measured"}
        self.assertIn("its time is not that of its work", "; ".join(failed.values()))
        self.assertNotIn("none", failed)

    def test_what_is_honest_is_no_cheat_whatever_branches_have_learned(self):
        text = self.problem.read_text()
        self.problem.write_text("\n".join(line for line in text.splitlines()
                                          if not line.startswith("reference")))
        for name, body in HONEST.items():
            (self.folder / "plain.cc").write_text(HONEST_KERNEL % body)
            candidate = self.folder / f"{name}.cc"
            candidate.write_text(HONEST_KERNEL % ("  y[0] = 0;" + body))
            done = self.run_nightshift(
                "judge", self.problem, "--candidate", candidate, "--json", "--devices", "cpu:1",
                "--confidence", "quick", "--set", "acceptance.max_pairs=8")
            verdict = json.loads(done.stdout)
            self.assertNotEqual(verdict["verdict"], "refused", f"{name}: {verdict}")
            self.assertEqual(verdict["status"], "measured", f"{name}: {verdict}")

    def test_branches_that_the_core_has_learned_are_told_beside_a_comparison_and_a_judgement(self):
        """A sort of few numbers, whose branches a core learns by heart."""
        (self.folder / "sorts.cc").write_text(SORTS)
        problem = self.write("sorts.toml", SORTS_PROBLEM)
        done = self.run_nightshift("compare", problem, "WORK=2", "--devices", "cpu:1", "--json",
                                   "--confidence", "quick", codes=(0, 10, 11))
        self.assertIn("whose branches the core has learned", " ".join(json.loads(done.stdout)["notices"]))
        (self.folder / "less.cc").write_text(SORTS.replace("WORK", "1"))
        words = ["judge", problem, "--candidate", self.folder / "less.cc", "--devices", "cpu:1", "--confidence",
                 "quick", "--set", "acceptance.max_pairs=8"]
        done = self.run_nightshift(*words, "--json", codes=(0, 10))
        self.assertIn("whose branches the core has learned", " ".join(json.loads(done.stdout)["notices"]))

    def test_each_cheat_of_the_puzzle_has_its_outcome(self):
        named = json.loads(re.search(r"CHEAT = (\[.*\])", self.problem.read_text()).group(1))
        self.assertEqual(set(named), {"none", *CHEATS, *MORE_CHEATS})

    def test_what_is_honestly_faster_is_said_to_be_and_a_cheat_is_refused(self):
        verdicts = self.judge("faster", "remembers_inputs", codes=(10,))
        self.assertEqual([verdict["verdict"] for verdict in verdicts], ["faster", "refused"])
        self.assertLess(verdicts[0]["ratio"], 0.9)
        self.assertEqual(verdicts[1]["status"], "launch_failed")
        self.assertIn("not that of its work", verdicts[1]["reason"])

    def test_the_baseline_under_another_name_is_the_same_code_without_a_pair(self):
        (self.folder / "copy.cc").write_text("// the same\n" + (self.folder / "plain.cc").read_text())
        done = self.run_nightshift("judge", self.problem, "--candidate", self.folder / "copy.cc",
                                   "--json", "--devices", "cpu:1")
        verdict = json.loads(done.stdout)
        self.assertEqual((verdict["verdict"], verdict["same_machine_code"]), ("same_code", True))
        self.assertEqual((verdict["ratio"], verdict["interval"], verdict["pairs"]), (1, [1, 1], 0))
        self.assertIn("both are one machine code, since what differs between them", verdict["reason"])
        text = self.run_nightshift("judge", self.problem, "--candidate", self.folder / "copy.cc",
                                   "--devices", "cpu:1").stdout
        self.assertIn("copy.cc: same_code", text)
        self.assertNotIn("times the baseline's time", text)

    def test_a_budget_ends_what_is_not_decided_and_a_hang_is_limited_by_the_baseline(self):
        hang = self.folder / "hang.cc"
        hang.write_text((self.folder / "plain.cc").read_text().replace(
            "{", "{ for (volatile int z = 0;;) z = z;", 1))
        self.problem.write_text(self.problem.read_text().replace("measure = 20", ""))
        # Once the baseline's time, so that a baseline of seconds on a busy machine stays below limits.verify.
        done = self.run_nightshift("judge", self.problem, "--candidate", hang, "--json",
                                   "--devices", "cpu:1", "--set", "limits.times_baseline=1")
        verdict = json.loads(done.stdout)
        self.assertEqual((verdict["verdict"], verdict["status"]), ("refused", "timed_out"))
        self.assertIn("limits.times_baseline", verdict["reason"])
        self.assertLess(float(re.search(r"exceeded ([0-9.]+) s", verdict["reason"])[1]), 60)  # limits.verify
        done = self.run_nightshift("judge", self.problem, "--candidate", self.candidate("faster"),
                                   "--json", "--devices", "cpu:1", "--budget", "10ms", "--set",
                                   "acceptance.max_pairs=100000")
        verdict = json.loads(done.stdout)
        self.assertEqual(verdict["verdict"], "undecided")
        self.assertIn("budget", verdict["reason"])

    def test_programs_are_not_judged(self):
        program = self.write("program.toml", """name = "p"
[command]
argv = ["true", "{A}"]
[[objective]]
name = "time"
unit = "s"
[[command.figure]]
source = "wall-time"
[parameters]
A = [1, 2]
""")
        done = self.run_nightshift("judge", program, "--candidate", self.folder / "plain.cc",
                                   codes=(USAGE,))
        self.assertIn("candidates are sources of [host] and [cuda] kernels", done.stderr)
        self.assertIn("is a [command] problem", done.stderr)
        done = self.run_nightshift("check", program, "--set", 'measure.trust="none"', codes=(USAGE,))
        self.assertIn('measure.trust = "none" is for [host] and [cuda] kernels',
                      " ".join((done.stdout + done.stderr).split()))

    IN_C = """void busy(const float* restrict x, float* restrict y) {
  for (int t = 0; t < %d; ++t) {
    for (int i = 0; i < N; ++i) y[i] = x[i] + 1;
    __asm__ volatile("" ::: "memory");
  }
}
"""

    def test_a_candidate_is_built_in_the_language_of_its_file(self):
        self.write("own.c", self.IN_C % 60)
        problem = self.write("c.toml", """
name = "c"
[host]
kernel = { file = "own.c", function = "busy" }
sizes = { N = 4096 }
argument = [{ name = "x", type = "float32", size = "N" },
            { name = "y", type = "float32", size = "N", access = "out" }]
[parameters]
OPT = { values = ["-O1", "-O2"], flag = "{}" }
[baseline]
OPT = "-O2"
""")
        self.write("copy.c", "// the same\n" + self.IN_C % 60)
        self.write("less.c", self.IN_C % 20)
        in_cpp = (self.IN_C % 20).replace("restrict", "__restrict").replace("int t", "auto t")
        self.write("less.cc", "#include <cstddef>\n" + in_cpp)
        self.write("wrong.c", "int x")
        words = [word for name in ("copy.c", "less.c", "less.cc", "wrong.c")
                 for word in ("--candidate", self.folder / name)]
        done = self.run_nightshift("judge", problem, *words, "--json", "--devices", "cpu:1",
                                   "--confidence", "quick", codes=(10,))
        verdicts = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([verdict["verdict"] for verdict in verdicts],
                         ["same_code", "faster", "faster", "refused"], verdicts)
        self.assertEqual(verdicts[3]["status"], "build_failed")
        rust = self.write("less.rs", "fn busy() {}\n")
        done = self.run_nightshift("judge", problem, "--candidate", rust, codes=(USAGE,))
        self.assertIn("neither C++, C, Fortran nor assembler", done.stderr)

    BUSY = """void busy(float* x) {
  unsigned long s = 1;
  for (long i = 0; i < %d; ++i) s = s * 6364136223846793005ul + 1442695040888963407ul;
  asm volatile("" : : "r"(s));
  for (int i = 0; i < N; ++i) x[i] *= 2;
}
"""

    def busy_problem(self):
        """Its kernel takes some milliseconds; good.cc does 5 % less."""
        self.write("busy.cc", self.BUSY % 2000000)
        self.write("good.cc", self.BUSY % 1900000)
        return self.write("busy.toml", """
name = "busy"
[host]
kernel = { file = "busy.cc", function = "busy", flags = ["-O2"] }
sizes = { N = 64 }
argument = [{ name = "x", type = "float32", size = "N", access = "inout" }]
[parameters]
U = [1]
""")

    def judged(self, problem, *candidates, budget):
        words = [word for candidate in candidates for word in ("--candidate", candidate)]
        began = time.monotonic()
        done = self.run_nightshift("judge", problem, *words, "--json", "--devices", "cpu:1", "--budget", budget,
                                   codes=(0, 10))
        return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic() - began

    def test_what_does_not_build_leaves_its_share_of_the_budget_to_the_others_wherever_it_stands(self):
        problem = self.busy_problem()
        bad = [self.write(f"bad{i}.cc", "syntax error\n") for i in range(12)]
        verdicts, seconds = self.judged(problem, "good.cc", *bad, budget="40s")
        self.assertEqual([verdict["candidate"] for verdict in verdicts], ["good.cc", *map(str, bad)])
        self.assertEqual({verdict["status"] for verdict in verdicts[1:]}, {"build_failed"})
        good = verdicts[0]
        if "was used up" in good["reason"]:  # of a busy machine
            self.assertGreater(seconds, 20, good)

    def test_the_end_of_a_share_is_not_called_that_of_the_budget(self):
        problem = self.busy_problem()
        copies = [self.write(f"copy{i}.cc", self.BUSY % (1999999 - i)) for i in range(2)]
        verdicts, _ = self.judged(problem, *copies, budget="20ms")
        for verdict in verdicts:
            self.assertEqual(verdict["verdict"], "undecided", verdict)
            self.assertRegex(verdict["reason"], r"its share of the budget, 0\.0 of 0\.02 s, was used up")


if __name__ == "__main__":
    main()
