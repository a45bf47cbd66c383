"""A recorded space tuned to completion, and everything that can be asked about it afterwards."""

import json
import subprocess

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, USAGE


def in_microseconds(x):
    time = 3000.0 - 10 * x
    return {"configuration": {"X": x}, "objectives": ["TotalDuration"], "invalidity": "correct",
            "times": {"compilation_time": 1e6, "runtimes": [time], "framework": 40000.0},
            "measurements": [{"name": "TotalDuration", "value": time, "unit": "Microseconds"}]}


class RecordedUnits(Case):
    def test_times_are_in_the_unit_that_the_figures_have(self):
        space = self.write("t4.json", json.dumps(
            {"results": [in_microseconds(x) for x in range(200)]}))
        result = self.tune(space, "--budget", "2m")
        self.assertGreater(result["evaluations"], 50)  # of 1.04 s each
        self.assertEqual(result["best"]["objectives"]["TotalDuration"]["unit"], "us")
        notes = json.loads(self.run_nightshift("check", space, "--json").stdout)["notes"]
        self.assertIn("no metadata.timeunit: its times are read in us", notes[0])

    def test_rows_of_one_configuration_are_joined_and_said(self):
        rows = [in_microseconds(x) for x in (1, 2, 3)] + [in_microseconds(2)]
        space = self.write("t4.json", json.dumps(
            {"metadata": {"timeunit": "microseconds"}, "results": rows}))
        notes = json.loads(self.run_nightshift("check", space, "--json").stdout)["notes"]
        self.assertIn("1 of 3 configurations have several rows", notes[0])


IMPOSSIBLE = {
    "tune_params_keys": ["X"], "tune_params": {"X": [1, 2, 3, 4]}, "cache": {
        str(x): {"X": x, "time": time, "times": [time] * 5}
        for x, time in [(1, 10.0), (2, 9.5), (3, 0.0), (4, -1.0)]}}


class RecordedFigures(Case):
    def test_times_of_zero_and_below_win_nothing(self):
        space = self.write("cache.json", json.dumps(IMPOSSIBLE))
        self.tune(space)
        notes = json.loads(self.run_nightshift("check", space, "--json").stdout)["notes"]
        self.assertIn("left out of the recording: 10 of 'time', such as 0 ms; ", notes[0])
        failed = {row["X"]: row["reason"] for row in self.csv_rows() if row["status"] == "launch_failed"}
        self.assertEqual(sorted(failed), ["3", "4"])
        self.assertIn("'time' of -1 ms, which cannot be", failed["4"])


class Recorded(Case):
    def setUp(self):
        super().setUp()
        self.space = self.recorded_space()
        self.result = self.tune(self.space, "--budget", "120t", "--seed", "3")

    def test_json_has_what_scripts_rest_on(self):
        r = self.result
        self.assertEqual(r["status"], "completed")
        self.assertEqual(r["study"], str(self.folder / "study"))
        self.assertEqual(r["evaluations"], 120)
        self.assertEqual(r["trials"]["measured"] + r["trials"]["skipped"] +
                         sum(r["trials"]["failed"].values()), 120)
        self.assertGreater(r["simulated_seconds"], 0)
        self.assertGreater(r["seconds"], 0)
        self.assertEqual(set(r["best"]["configuration"]), {"tile_x", "tile_y", "unroll"})
        time = r["best"]["objectives"]["time"]
        self.assertEqual(time["unit"], "ms")
        self.assertLessEqual(time["interval"][0], time["value"])
        self.assertGreaterEqual(time["interval"][1], time["value"])
        improvement = r["improvement"]
        self.assertTrue(improvement["accepted"], improvement["reason"])
        self.assertLess(improvement["ratio"], 0.8)
        self.assertLessEqual(improvement["interval"][0], improvement["ratio"])
        self.assertLess(improvement["interval"][1], 1)
        self.assertAlmostEqual(improvement["confidence"], 0.98)
        self.assertTrue(improvement["reason"])
        baseline = r["baseline"]["objectives"]["time"]["value"]
        self.assertAlmostEqual(time["value"] / baseline, improvement["ratio"], delta=0.05)

    def test_the_same_seed_gives_the_same_answer(self):
        again = self.tune(self.space, "--budget", "120t", "--seed", "3", study="again")
        self.assertEqual(again["best"], self.result["best"])
        self.assertEqual(again["improvement"], self.result["improvement"])
        other = self.tune(self.space, "--budget", "120t", "--seed", "4", study="other")
        self.assertEqual(other["evaluations"], 120)
        order = [[row["tile_x"], row["tile_y"], row["unroll"]] for row in self.csv_rows("study")]
        self.assertNotEqual(order, [[row["tile_x"], row["tile_y"], row["unroll"]]
                                    for row in self.csv_rows("other")])

    def test_csv_has_exactly_the_columns_promised(self):
        rows = self.csv_rows()
        self.assertEqual(list(rows[0]), ["trial", "job", "device", "status", "reason", "tile_x",
                                         "tile_y", "unroll", "time", "normalised", "artifact", "started",
                                         "finished"])
        self.assertEqual(rows[0]["job"], "baseline")
        explored = [row for row in rows if row["job"] == "explore"]
        self.assertEqual(len(explored), 120)
        self.assertEqual(len({(r["tile_x"], r["tile_y"], r["unroll"]) for r in explored}), 120)
        finished = [float(row["finished"]) for row in rows]
        self.assertEqual(finished, sorted(finished))
        for row in explored:
            if row["status"] == "measured":
                self.assertGreater(float(row["time"]), 0)
                self.assertGreater(float(row["normalised"]), 0)
            else:
                self.assertEqual((row["time"], row["normalised"]), ("", ""))
                self.assertTrue(row["reason"])

    def test_t4_is_a_recorded_space_again(self):
        t4 = json.loads(self.export("t4"))
        self.assertEqual(t4["schema_version"], "1.0.0")
        environment = t4["metadata"].pop("environment")
        self.assertTrue(environment["os"] and environment["cores"], environment)
        self.assertEqual(t4["metadata"], {"timeunit": "milliseconds"})
        rows = self.csv_rows()
        self.assertEqual([(str(r["trial"]), r["job"]) for r in t4["results"]],
                         [(row["trial"], row["job"]) for row in rows])
        self.assertEqual(sum(r["job"] == "explore" for r in t4["results"]), 120)
        words = {"timeout", "compile", "runtime", "correctness", "constraints", "correct"}
        for result in t4["results"]:
            self.assertIn(result["invalidity"], words)
            self.assertEqual(result["correctness"], int(result["invalidity"] == "correct"))
            self.assertEqual(result["objectives"], ["time"])
            self.assertEqual(set(result["configuration"]), {"tile_x", "tile_y", "unroll"})
            if result["correctness"]:
                self.assertTrue(result["times"]["runtimes"])
        self.write("t4.json", json.dumps(t4))
        replayed = self.tune("t4.json", "--budget", "200t", study="replayed")
        recorded = {json.dumps(r["configuration"], sort_keys=True) for r in t4["results"]}
        self.assertEqual(replayed["evaluations"], len(recorded))
        baseline = next(r for r in t4["results"] if r["job"] == "baseline")
        self.assertEqual(replayed["baseline"]["configuration"], baseline["configuration"])

    def test_header_compiles(self):
        self.run_nightshift("export", "study", "--format", "header", "--output", "best.h", codes=(0,))
        best = self.result["best"]["configuration"]
        checks = "".join(f'static_assert({name} == {value}, "");' for name, value in best.items())
        self.write("use.cc", f'#include "best.h"\n#include "best.h"\n{checks}\n')
        subprocess.run(["c++", "-std=c++11", "-Wall", "-Werror", "-fsyntax-only", "use.cc"],
                       cwd=self.folder, check=True)
        self.assertNotIn(str(self.folder), (self.folder / "best.h").read_text())

    def test_best_as_json(self):
        best = json.loads(self.export("json"))
        self.assertEqual(best["configuration"], self.result["best"]["configuration"])
        self.assertTrue(best["accepted"])
        self.assertEqual(best["improvement"], self.result["improvement"])

    def test_explain_retells_the_best_trial(self):
        story = self.run_nightshift("explain", "study", self.result["best"]["trial"], codes=(0,)).stdout
        for words in ("An explore job", "searcher", "median", "ms", "Score", "against the baseline's",
                      "with this score", "a duel of trial", "Verdict: accept, because", "a hold-out: trial"):
            self.assertIn(words, " ".join(story.split()))

    def test_explain_needs_nothing_but_the_journal(self):
        trial = self.result["best"]["trial"]
        self.space.unlink()
        story = self.run_nightshift("explain", "study", trial, codes=(0,)).stdout
        self.assertIn(" ms", story)
        self.assertIn("proposed", story)
        page = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn("Improvement accepted", page)
        self.assertNotIn("backend", page)  # what the recording alone says is left out
        refused = self.run_nightshift("export", "study", "--format", "csv", codes=(USAGE,)).stderr
        self.assertIn(f"{self.space.name}", refused)

    def test_explain_retells_a_failure(self):
        failed = next(row for row in self.csv_rows() if row["status"] in ("build_failed",
                                                                          "launch_failed"))
        story = self.run_nightshift("explain", "study", failed["trial"], codes=(0,)).stdout
        self.assertIn(failed["status"], story)
        self.assertIn("does not work", " ".join(story.split()))

    def test_explain_says_which_trials_there_are(self):
        done = self.run_nightshift("explain", "study", 99999, codes=(USAGE,))
        self.assertIn("its trials are 1 to", done.stderr)

    def test_report_is_a_page(self):
        page = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertTrue(page.startswith("Report of the study of space: Improvement accepted"))
        for title in ("Study", "Configurations", "Convergence", "Confirmations",
                      "Failures", "Devices", "Machine", "How to go on"):
            self.assertIn(f"\n{title}", page)
        self.assertIn("Improvement accepted", page)
        self.assertIn("build_failed", page)
        self.assertEqual((self.folder / "study" / "report.txt").read_text(), page)

    def test_a_completed_study_is_not_run_again(self):
        before = self.export("csv")
        done = self.run_nightshift("resume", "study", "--json", codes=(IMPROVED,))
        self.assertEqual(json.loads(done.stdout)["improvement"], self.result["improvement"])
        self.assertEqual(self.export("csv"), before)

    def test_a_larger_budget_goes_on(self):
        before = self.csv_rows()
        done = self.run_nightshift("resume", "study", "--budget", "150t", "--json",
                                   codes=(IMPROVED,))
        self.assertEqual(json.loads(done.stdout)["evaluations"], 150)
        after = self.csv_rows()
        self.assertEqual(after[:len(before)], before)
        # The new budget is part of the study from now on.
        again = self.run_nightshift("resume", "study", "--json", codes=(IMPROVED,))
        self.assertEqual(json.loads(again.stdout)["evaluations"], 150)

    def test_a_study_is_never_overwritten(self):
        done = self.run_nightshift("tune", self.space, "--study", "study", codes=(USAGE,))
        self.assertIn("nightshift resume study", done.stderr)

    def test_the_budget_may_be_simulated_time(self):
        short = self.tune(self.space, "--budget", "20s", study="short")
        self.assertGreaterEqual(short["simulated_seconds"], 20)
        self.assertLess(short["evaluations"], 120)
        self.assertLess(short["seconds"], 20)

    def test_the_whole_space_is_an_end_too(self):
        whole = self.tune(self.space, "--budget", "100000t", "--searcher", "exhaustive",
                          study="whole")
        self.assertEqual(whole["evaluations"], 8 * 8 * 6)
        self.assertEqual(whole["status"], "completed")

    def test_without_json_the_result_is_in_words(self):
        done = self.run_nightshift("tune", self.space, "--budget", "30t", "--study", "plain",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("tuning space", done.stdout)
        self.assertIn("baseline on", done.stdout)
        self.assertIn("nightshift report plain", done.stdout)
        self.assertNotIn("\x1b", done.stdout)


class DefaultStudyFolder(Case):
    def test_studies_are_named_by_problem_and_time(self):
        done = self.run_nightshift("tune", self.recorded_space("bowl.json"), "--budget", "5t",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        (study,) = (self.folder / "studies").iterdir()
        self.assertRegex(study.name, r"^bowl-\d{8}-\d{6}$")
        self.assertIn(f"studies/{study.name}", done.stdout)


if __name__ == "__main__":
    harness.main()
