"""Parameters that do not help go back to the baseline's values; what each of the others gains."""

import shlex
import sys

import harness
from harness import Case, IMPROVED, USAGE

# A = 2 saves a fifth, and with it C = 1 another twentieth; B does nothing. Figures scatter a little.
PROGRAM = """#!{python}
import json, random, sys
a, b, c = sys.argv[1:]
cost = 20 * (0.8 if a == "2" else 1) * (0.95 if (a, c) == ("2", "1") else 1)
print(json.dumps({{"cost": cost * random.gauss(1, 0.0003)}}))
"""
PROBLEM = """
name = "made"
[command]
argv = ["./bench", "{A}", "{B}", "{C}"]
cores = 1
runs = 1
[parameters]
A = [1, 2]
B = [1, 2, 3]
C = [0, 1]
[[objective]]
name = "cost"
[search]
starts = [{ A = 2, B = 3, C = 1 }]
[acceptance]
confidence = "quick"
"""
WINNER, SIMPLER = {"A": 2, "B": 3, "C": 1}, {"A": 2, "B": 1, "C": 1}


class Finishing(Case):
    def setUp(self):
        super().setUp()
        self.write("bench", PROGRAM.format(python=sys.executable)).chmod(0o755)
        self.problem = self.write("p.toml", PROBLEM)

    def explain(self, *what, codes=(0,)):
        return self.run_nightshift("explain", "study", *what, codes=codes)

    def test_what_does_nothing_goes_back_before_the_hold_out(self):
        result = self.tune(self.problem, "--budget", "1t", codes=(IMPROVED,))
        self.assertEqual(result["best"]["configuration"], SIMPLER)
        self.assertEqual(result["evaluations"], 1, "the budget counts what was searched")
        self.assertAlmostEqual(result["improvement"]["ratio"], 0.76, delta=0.01)
        told = self.explain("--parameters").stdout
        row = {line.split()[0]: line for line in told.splitlines()
               if line.startswith("  ") and line.split()[0] in ("A", "B", "C")}
        self.assertEqual(set(row), {"A", "B", "C"}, told)
        self.assertIn("one evaluation", row["A"])
        self.assertIn("pairs of confirmation", row["B"])
        self.assertRegex(row["B"], r"cost [0-9.]+ % (lower|higher) \[")
        self.assertIn("one evaluation", row["C"])
        self.assertIn("Finishing rounds", told)
        self.assertIn("no more than 0.3 % worse", " ".join(told.split()))
        # What it says measures the others.
        command = told.strip().splitlines()[-1]
        self.assertIn("nightshift compare study A=2,B=3,C=1 ", command)
        compared = self.run_nightshift(*shlex.split(command)[1:], "--confidence", "quick").stdout
        self.assertIn("A=2", compared)

    def test_a_simplified_trial_is_told_of(self):
        self.tune(self.problem, "--budget", "1t", codes=(IMPROVED,))
        simpler = [row["trial"] for row in self.csv_rows()
                   if row["job"] == "finish" and row["B"] == "1" and row["A"] == "2"]
        told = self.explain(simpler[0]).stdout
        self.assertIn("explore job of a finishing round", told)
        self.assertIn("finishing", told)

    def test_it_can_be_switched_off(self):
        result = self.tune(self.problem, "--budget", "1t", "--finish-margin", "0", codes=(IMPROVED,))
        self.assertEqual(result["best"]["configuration"], WINNER)
        told = self.explain("--parameters").stdout
        self.assertIn("not tried", told)
        self.assertIn("nightshift compare", told)

    def test_a_trial_or_the_parameters_are_asked_for(self):
        self.tune(self.problem, "--budget", "1t", codes=(IMPROVED,))
        self.assertIn("TRIAL is required", self.explain(codes=(USAGE,)).stderr)
        self.assertIn("give no TRIAL", self.explain("3", "--parameters", codes=(USAGE,)).stderr)


if __name__ == "__main__":
    harness.main()
