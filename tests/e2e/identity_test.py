"""What a study is made of: a change of it is noticed, and no figure from before counts after it."""

import json
import signal
import sys

import harness
from harness import Case, DEVICE, IMPROVED, NO_IMPROVEMENT, STUDY_FAILED, host_scale

NO_DIFFERENCE, SECOND_BETTER, SECOND_WORSE = 0, 10, 11
UNFINISHED = 75

# Figures of its own making, which scatter a little; N = 1 is the baseline.
PROGRAM = """#!{python}
import json, random, sys
cost = {costs}[sys.argv[1]]
print(json.dumps({{"cost": cost * random.gauss(1, 0.002)}}))
"""
FIRST_COSTS = {"1": 20, "2": 16, "3": 24, "4": 22, "5": 25, "6": 26}
# What was best is worst, and what is best now was next to it.
OTHER_COSTS = {"1": 200, "2": 230, "3": 210, "4": 220, "5": 240, "6": 190}

PROBLEM = """
name = "made"
[command]
argv = ["./bench", "{N}"]
cores = 1
runs = 1
[parameters]
N = [1, 2, 3, 4, 5, 6]
[[objective]]
name = "cost"
[acceptance]
confidence = "quick"
"""

HOST_PROBLEM = host_scale("UNROLL = [1, 2, 4, 8]", """
[measure]
samples = 3
[acceptance]
self_test_pairs = 0
hold_out_most = 0
""", host='compiler = "{compiler}"')
SCALE = """
#include "factor.h"
void scale(float* x) {
  for (int i = 0; i < N; i += UNROLL)
    for (int j = 0; j < UNROLL; ++j) x[i + j] *= kFactor;
}
"""
CHANGED = "begins anew"


class Identity(Case):
    def program(self, costs):
        path = self.write("bench", PROGRAM.format(python=sys.executable, costs=costs))
        path.chmod(0o755)

    def tuned(self, *options, budget="4t"):
        self.program(FIRST_COSTS)
        return self.tune(self.write("problem.toml", PROBLEM), "--budget", budget, *options)

    def resume(self, *options):
        done = self.run_nightshift("resume", "study", "--json", *options,
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        return json.loads(done.stdout), done.stderr

    def figures(self, study="study"):
        return [float(row["cost"]) for row in self.csv_rows(study) if row["status"] == "measured"]


class Program(Identity):
    def test_what_was_measured_before_a_change_does_not_count(self):
        before = self.tuned("--set", "search.starts=[{ N = 2 }]")
        self.assertEqual(before["best"]["configuration"], {"N": 2})
        self.assertTrue(before["improvement"]["accepted"])
        self.program(OTHER_COSTS)
        after, said = self.resume("--budget", "6t")
        self.assertIn(CHANGED, said)
        self.assertIn("the program ./bench has changed", said)
        self.assertIn("study/earlier/1", said)
        self.assertTrue(any(CHANGED in notice for notice in after["notices"]), after["notices"])
        # Every figure is the new program's, the baseline's too.
        self.assertGreater(min(self.figures()), 100)
        baseline = after["baseline"]["objectives"]["cost"]
        self.assertGreater(baseline["interval"][0], 150)
        self.assertNotEqual(after["best"]["configuration"], {"N": 2})
        # The earlier study is whole, and a study.
        earlier = self.run_nightshift("report", "study/earlier/1", codes=(0,)).stdout
        self.assertIn("set aside: the program ./bench has changed", earlier)
        self.assertLess(max(self.figures("study/earlier/1")), 50)

    def test_the_searcher_knows_what_was_measured_before(self):
        self.tuned(budget="6t")
        self.program({n: 10 * cost for n, cost in FIRST_COSTS.items()})
        self.resume("--budget", "3t")
        explored = [row["N"] for row in self.csv_rows() if row["job"] == "explore"]
        self.assertEqual(explored[0], "2")

    def test_each_change_sets_one_study_aside(self):
        self.tuned()
        for number, factor in enumerate((10, 100), start=1):
            self.program({n: factor * cost for n, cost in FIRST_COSTS.items()})
            self.resume("--budget", "5t")
            self.assertTrue((self.folder / f"study/earlier/{number}/journal.sqlite").exists())
        self.assertGreater(min(self.figures()), 1000)
        self.assertFalse((self.folder / "study/earlier/3").exists())

    def test_nothing_is_said_where_nothing_has_changed(self):
        self.tuned()
        after, said = self.resume("--budget", "6t")
        self.assertEqual(said.count("warning"), 0, said)
        self.assertEqual(after["notices"], [])
        self.assertFalse((self.folder / "study/earlier").exists())
        self.tune(self.folder / "problem.toml", "--budget", "6t", "--continue")
        done = self.run_nightshift("compare", "study", "--json", codes=(NO_DIFFERENCE, SECOND_BETTER))
        self.assertEqual(json.loads(done.stdout)["notices"], [])
        self.assertEqual(done.stderr, "")

    def test_a_program_that_is_written_anew_with_the_same_content_is_the_same(self):
        self.tuned()
        self.program(FIRST_COSTS)
        self.assertNotIn(CHANGED, self.resume("--budget", "6t")[1])

    def test_continue_begins_anew_as_well_and_only_once(self):
        self.tuned()
        self.program(OTHER_COSTS)
        command = ["tune", "problem.toml", "--study", "study", "--continue", "--budget", "5t"]
        codes = (IMPROVED, NO_IMPROVEMENT)
        self.assertIn(CHANGED, self.run_nightshift(*command, codes=codes).stderr)
        again = self.run_nightshift(*command, codes=codes)
        self.assertNotIn("warning", again.stderr)

    def test_where_devices_are_busy_the_study_stays_as_it_is(self):
        before = self.tuned()
        self.program(OTHER_COSTS)
        slow = self.write("slow", f"#!{sys.executable}\nimport time\ntime.sleep(0.2)\nprint('{{\"cost\": 1}}')\n")
        slow.chmod(0o755)
        other = self.write("other.toml", PROBLEM.replace("./bench", "./slow"))
        measuring = self.start("tune", other, "--study", "other", "--budget", "10m", "--set", "budget.trials=0")
        for line in measuring.stdout:
            if "baseline" in line:
                break
        try:
            self.run_nightshift("resume", "study", "--budget", "6t", codes=(DEVICE,))
        finally:
            measuring.kill()
            measuring.communicate()
        self.assertFalse((self.folder / "study/earlier").exists())
        self.assertEqual(self.resume()[0], before)

    def test_what_failed_begins_anew_with_a_mended_file(self):
        self.program(FIRST_COSTS)
        broken = PROBLEM.replace('"./bench"', '"./bench", "none of the costs"')
        self.write("problem.toml", broken)
        batch = self.write("night.toml", '[[study]]\nproblem = "problem.toml"\nname = "made"\n'
                                         'budget = "4t"\n')
        study = self.folder / "batches/night/made"
        self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED, UNFINISHED))
        again = self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED, UNFINISHED))
        self.assertNotIn(CHANGED, again.stdout)
        self.write("problem.toml", PROBLEM)
        mended = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("since it failed its problem file was changed", mended.stdout)
        self.assertEqual([row["status"] for row in self.csv_rows(study) if row["job"] == "explore"],
                         ["measured"] * 4)
        self.assertTrue((study / "earlier/1/journal.sqlite").exists())
        # Alone as in a batch; what has figures goes on with the file that they are of.
        self.write("problem.toml", broken)
        command = ("tune", "problem.toml", "--study", "alone", "--budget", "3t")
        self.run_nightshift(*command, codes=(STUDY_FAILED,))
        self.write("problem.toml", PROBLEM)
        done = self.run_nightshift(*command, "--continue", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn(CHANGED, done.stderr)
        self.write("problem.toml", PROBLEM + "# more\n")
        kept = self.run_nightshift(*command[:-1], "4t", "--continue", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("goes on with the file as it was", kept.stderr)

    def test_what_failed_begins_anew_by_the_same_command_and_by_resume(self):
        self.program(FIRST_COSTS)
        broken = PROBLEM.replace('"./bench"', '"./bench", "none of the costs"')
        for study, again in (("same", ("tune", "problem.toml", "--study", "same", "--budget", "3t")),
                             ("named", ("resume", "named"))):
            self.write("problem.toml", broken)
            self.run_nightshift("tune", "problem.toml", "--study", study, "--budget", "3t", codes=(STUDY_FAILED,))
            self.write("problem.toml", PROBLEM)
            done = self.run_nightshift(*again, codes=(IMPROVED, NO_IMPROVEMENT))
            self.assertIn("since it failed its problem file was changed", done.stderr)
            self.assertTrue((self.folder / study / "earlier/1/journal.sqlite").exists())
        # What has figures is not taken up by chance.
        self.run_nightshift("tune", "problem.toml", "--study", "same", "--budget", "3t", codes=(harness.USAGE,))

    def test_a_completed_study_is_told_of_and_stays(self):
        before = self.tuned()
        self.program(OTHER_COSTS)
        after, said = self.resume()
        self.assertIn("since study was measured, the program ./bench has changed", said)
        self.assertEqual(after, before)

    def test_compare_says_what_has_changed(self):
        self.tuned("--set", "search.starts=[{ N = 2 }]")
        self.program(OTHER_COSTS)
        done = self.run_nightshift("compare", "study", "--json", codes=(SECOND_WORSE,))
        self.assertIn("the program ./bench has changed", done.stderr)
        self.assertIn("the program ./bench has changed", json.loads(done.stdout)["notices"][0])

    def test_warm_start_says_what_has_changed(self):
        self.tuned()
        self.program(OTHER_COSTS)
        result = self.tune(self.folder / "problem.toml", "--budget", "2t", "--warm-start", "study",
                           study="second")
        self.assertIn("the program ./bench has changed", result["notices"][0])

    def test_a_batch_that_goes_on_begins_anew_too(self):
        self.program(FIRST_COSTS)
        self.write("problem.toml", PROBLEM)
        batch = self.write("night.toml", '[[study]]\nproblem = "problem.toml"\nname = "made"\n'
                                         'budget = "4t"\n')
        process = self.start("batch", "run", batch)
        for line in process.stdout:
            if "begins on" in line:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=harness.TIMEOUT)
        self.program(OTHER_COSTS)
        done = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn(CHANGED, done.stdout)
        self.assertGreater(min(self.figures(self.folder / "batches/night/made")), 100)


class Sources(Identity):
    def setUp(self):
        super().setUp()
        self.write("factor.h", "constexpr float kFactor = 1.5F;\n")
        self.write("scale.cc", SCALE)

    def tuned_kernel(self, compiler="c++"):
        problem = self.write("problem.toml", HOST_PROBLEM.replace("{compiler}", str(compiler)))
        return self.tune(problem, "--budget", "2t")

    def test_an_included_file_that_changes_is_named(self):
        before = self.tuned_kernel()
        self.assertIn("file", {part["kind"] for part in before["made_of"]})
        self.write("factor.h", "constexpr float kFactor = 2.5F;\n")
        after, said = self.resume("--budget", "3t")
        self.assertIn(f"{self.folder}/factor.h has changed", said)
        self.assertNotIn("scale.cc has changed", said)
        self.assertNotEqual(before["baseline"]["artifact"], after["baseline"]["artifact"])

    def test_another_compiler_under_the_same_name_is_noticed(self):
        wrapper = self.write("compiler", '#!/bin/sh\nexec c++ "$@"\n')
        wrapper.chmod(0o755)
        before = self.tuned_kernel(compiler=wrapper)
        wrapper.write_text('#!/bin/sh\nexec c++ "$@" -fno-inline\n')
        self.assertIn("the program of the compiler", self.resume("--budget", "3t")[1])
        wrapper.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo another 9.1; exit; fi\n'
                           'exec c++ "$@" -fno-inline\n')
        _, said = self.resume("--budget", "4t")
        self.assertRegex(said, "the compiler .* was .* and is another 9.1")
        self.assertTrue(before["made_of"])

    def test_hashes_of_machine_code_stand_in_what_is_exported(self):
        result = self.tuned_kernel()
        best = json.loads(self.export("json"))
        self.assertEqual(best["artifact"], result["best"]["artifact"])
        self.assertRegex(best["artifact"], "^[0-9a-f]{32}$")
        self.assertIn(result["baseline"]["artifact"], self.export("header"))
        self.assertIn(best["artifact"],
                      self.run_nightshift("report", "study", codes=(0,)).stdout)


if __name__ == "__main__":
    harness.main()
