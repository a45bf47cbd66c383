"""A study that begins with what earlier ones found, and with the user's own configurations."""

import json

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, USAGE


class WarmStart(Case):
    def setUp(self):
        super().setUp()
        self.space = self.recorded_space()

    def configurations(self, study):
        return [(row["tile_x"], row["tile_y"], row["unroll"])
                for row in self.csv_rows(study) if row["job"] == "explore"]

    def best_of(self, study):
        rows = [row for row in self.csv_rows(study)
                if row["job"] == "explore" and row["status"] == "measured"]
        return min(rows, key=lambda row: float(row["normalised"]))

    def test_the_second_study_begins_near_the_best_of_the_first(self):
        self.tune(self.space, "--budget", "100t", "--seed", "1", study="first")
        best = float(self.best_of("first")["normalised"])
        self.tune(self.space, "--budget", "5t", "--seed", "2", "--warm-start",
                  self.folder / "first", study="second")
        self.assertLess(float(self.best_of("second")["normalised"]), 1.1 * best)

    def test_searchers_that_do_not_learn_begin_with_the_best_of_the_first(self):
        self.tune(self.space, "--budget", "60t", "--seed", "1", study="first")
        best = self.best_of("first")
        for searcher in ("random", "pattern", "exhaustive", "low-discrepancy", "lfbo-tree-published"):
            with self.subTest(searcher=searcher):
                self.tune(self.space, "--budget", "5t", "--searcher", searcher, "--warm-start",
                          self.folder / "first", study=searcher)
                self.assertEqual(self.configurations(searcher)[0],
                                 (best["tile_x"], best["tile_y"], best["unroll"]))

    def test_it_is_resumed_with_the_same_knowledge(self):
        # What finishing rounds of the first part learn would be more knowledge. Confirmations of
        # the first part take numbers of trials, by which noise is drawn: without noise, what the
        # parts know is the same to the last digit.
        alike = ["--finish-margin", "0"]
        self.space = self.recorded_space("quiet.json", scatter=0)
        self.tune(self.space, "--budget", "60t", *alike, study="first")
        options = ["--warm-start", self.folder / "first", "--seed", "2", *alike]
        self.tune(self.space, "--budget", "30t", *options, study="whole")
        self.tune(self.space, "--budget", "12t", *options, study="parts")
        self.run_nightshift("resume", self.folder / "parts", "--budget", "30t",
                            codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.configurations("parts"), self.configurations("whole"))

    def test_starts_come_first_in_their_order(self):
        rows = [(2, 4, 1), (8, 2, 2)]
        starts = ", ".join(f"{{ tile_x = {x}, tile_y = {y}, unroll = {u} }}" for x, y, u in rows)
        self.tune(self.space, "--budget", "8t", "--set", f"search.starts=[{starts}]", study="s")
        self.assertEqual(self.configurations("s")[:2],
                         [tuple(str(v) for v in row) for row in rows])

    def test_what_was_found_comes_first_whatever_becomes_of_its_file(self):
        def found(*rows):
            names = ("tile_x", "tile_y", "unroll")
            entries = [{"sizes": {}, "configuration": dict(zip(names, row))} for row in rows]
            return self.write("found.json", json.dumps({"found": entries}))

        def tuned_in_parts(study, between=lambda: None):
            file = found((2, 4, 1), (8, 2, 2))
            options = ["--set", f"search.starts_file={file}", "--finish-margin", "0"]
            self.tune(self.space, "--budget", "12t", *options, study=study)
            between()
            self.tune(self.space, "--budget", "20t", "--continue", *options, study=study)
            file.unlink()
            self.run_nightshift("resume", self.folder / study, "--budget", "30t",
                                codes=(IMPROVED, NO_IMPROVEMENT))
            return self.configurations(study)
        changed = tuned_in_parts("changed", lambda: found((1, 1, 1)))
        self.assertEqual(changed[:2], [("2", "4", "1"), ("8", "2", "2")])
        self.assertEqual(changed, tuned_in_parts("unchanged"))

    def test_a_file_that_is_not_there_is_an_error(self):
        result = self.run_nightshift("tune", self.space, "--set", "search.starts_file=none.json",
                                     codes=(USAGE,))
        self.assertIn("search.starts_file names 'none.json', which is no file", result.stderr)

    def test_a_folder_without_a_study_is_an_error(self):
        result = self.run_nightshift("tune", self.space, "--warm-start", self.folder / "none",
                                     codes=(USAGE,))
        self.assertIn("holds no study", result.stderr)


if __name__ == "__main__":
    harness.main()
