"""How much is searched, what searchers are told, and what a model says afterwards."""

import json

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, USAGE

DONE = (IMPROVED, NO_IMPROVEMENT)
STARTS = 'search.starts=[{tile_x = 5, tile_y = 3, unroll = 4}, {tile_x = 4, tile_y = 3, unroll = 4}]'


class Effort(Case):
    def explored(self):
        return [(row["tile_x"], row["tile_y"], row["unroll"]) for row in self.csv_rows()
                if row["job"] == "explore"]

    def test_none_measures_the_starts_alone_and_full_searches_on(self):
        space = self.recorded_space()
        first = self.tune(space, "--effort", "none", "--set", STARTS)
        self.assertEqual(self.explored(), [("5", "3", "4"), ("4", "3", "4")])
        self.assertIn("search.effort = 'none'", first["status_reason"])
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn("effort none", report)
        self.assertIn("nightshift resume study --effort full", report)
        # A budget alone finds nothing more to do.
        self.run_nightshift("resume", "study", "--budget", "30t", codes=DONE)
        self.assertEqual(len(self.explored()), 2)
        self.run_nightshift("resume", "study", "--effort", "full", "--budget", "40t", codes=DONE)
        explored = self.explored()
        self.assertEqual(explored[:2], [("5", "3", "4"), ("4", "3", "4")], "measured once")
        self.assertGreaterEqual(len(explored), 38)
        self.assertEqual(len(set(explored)), len(explored))
        self.assertNotIn("proposes other configurations",
                         self.run_nightshift("report", "study", codes=(0,)).stdout)

    def test_none_without_starts_is_the_baseline_and_has_a_way_on(self):
        first = self.tune(self.recorded_space(), "--effort", "none", codes=(NO_IMPROVEMENT,))
        self.assertEqual(self.explored(), [])
        self.assertIn("search.effort = 'none'", first["status_reason"])
        self.assertIn("nightshift resume study --effort full",
                      self.run_nightshift("report", "study", codes=(0,)).stdout)
        self.run_nightshift("resume", "study", "--effort", "full", "--budget", "20t", codes=DONE)
        self.assertGreater(len(self.explored()), 15)

    def test_quick_is_bounded_and_grows(self):
        space = self.recorded_space()
        self.tune(space, "--effort", "quick", "--searcher", "random")
        quick = len(self.explored())
        self.assertLessEqual(quick, 60)
        self.run_nightshift("resume", "study", "--effort", "full", "--budget", "90t", codes=DONE)
        self.assertGreater(len(self.explored()), max(quick, 60))

    def test_effort_grows_and_never_shrinks(self):
        self.tune(self.recorded_space(), "--effort", "quick", "--budget", "5t")
        refused = self.run_nightshift("resume", "study", "--effort", "none", codes=(USAGE,))
        self.assertIn("--effort can grow", refused.stderr)
        again = self.run_nightshift("resume", "study", "--effort", "quick", codes=DONE)
        self.assertEqual(len(self.explored()), 5, again.stdout)

    def test_the_same_command_with_more_effort_goes_on(self):
        command = ("tune", self.recorded_space(), "--study", "study", "--continue", "--set", STARTS,
                   "--budget", "20t", "--effort")
        self.run_nightshift(*command, "none", codes=DONE)
        self.assertEqual(len(self.explored()), 2)
        self.run_nightshift(*command, "full", codes=DONE)
        self.assertGreater(len(self.explored()), 15)

    def test_a_wrong_word_is_corrected(self):
        refused = self.run_nightshift("tune", self.recorded_space(), "--effort", "quik", codes=(USAGE,))
        self.assertIn("did you mean 'quick'?", refused.stderr)


class Options(Case):
    def test_a_study_keeps_its_options(self):
        space = self.recorded_space()
        options = ("--searcher", "genetic", "--set", "search.options.population=4",
                   "--set", "search.options.samples=6")
        self.tune(space, *options, "--budget", "25t")
        self.run_nightshift("resume", "study", "--budget", "50t", codes=DONE)
        self.tune(space, *options, "--budget", "50t", study="whole")
        self.tune(space, "--searcher", "genetic", "--budget", "50t", study="usual")
        rows = {study: [(row["tile_x"], row["tile_y"], row["unroll"])
                        for row in self.csv_rows(study) if row["job"] == "explore"]
                for study in ("study", "whole", "usual")}
        # What the end of the first budget confirmed is told to the searcher of the one alone.
        self.assertEqual(rows["study"][:25], rows["whole"][:25])
        self.assertGreater(len(rows["study"]), 25)
        self.assertNotEqual(rows["usual"][:25], rows["whole"][:25])
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn("population = 4", report)

    def test_a_slip_is_corrected(self):
        refused = self.run_nightshift("tune", self.recorded_space(), "--searcher", "genetic",
                                      "--set", "search.options.populaton=4", codes=(USAGE,))
        self.assertIn("is no option of the searcher 'genetic'; did you mean 'population'?", refused.stderr)

    def test_help_names_them(self):
        self.assertIn("population", self.run_nightshift("help", "searchers", "genetic", codes=(0,)).stdout)
        everything = self.run_nightshift("help", "searchers", codes=(0,)).stdout
        self.assertIn("tpe: ", everything)
        self.run_nightshift("help", "searchers", "genetc", codes=(USAGE,))


class Model(Case):
    def test_it_says_what_matters(self):
        self.tune(self.recorded_space(), "--searcher", "random", "--budget", "150t")
        text = self.run_nightshift("explain", "study", "--model", codes=(0,)).stdout
        self.assertIn("A forest fitted to ", text)
        told = json.loads(self.run_nightshift("explain", "study", "--model", "--json", codes=(0,)).stdout)
        self.assertEqual({p["name"] for p in told["parameters"]}, {"tile_x", "tile_y", "unroll"})
        self.assertGreater(told["explained"], 0.5)
        measured = {(int(row["tile_x"]), int(row["tile_y"]), int(row["unroll"]))
                    for row in self.csv_rows() if row["job"] == "explore"}
        advice = told["advice"]["configuration"]
        self.assertNotIn((advice["tile_x"], advice["tile_y"], advice["unroll"]), measured)
        self.assertFalse(advice["tile_x"] == 8 and advice["tile_y"] > 4, "it fails there")
        page = self.folder / "page.html"
        self.run_nightshift("report", "study", "--html", page, codes=(0,))
        self.assertIn("Share of the variance", page.read_text())

    def test_it_says_when_there_is_too_little(self):
        self.tune(self.recorded_space(), "--budget", "5t")
        text = self.run_nightshift("explain", "study", "--model", codes=(0,)).stdout
        self.assertIn("too little data", text)

    def test_its_arguments_are_checked(self):
        self.tune(self.recorded_space(), "--budget", "5t")
        for arguments in (("--model", "1"), ("--model", "--parameters"), ("1", "--json"), ()):
            self.run_nightshift("explain", "study", *arguments, codes=(USAGE,))


if __name__ == "__main__":
    harness.main()
