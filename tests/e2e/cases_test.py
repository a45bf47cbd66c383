"""Several cases in one problem: their weights, the worst of them, and what is told of each."""

import json
import math
import os

import harness
from harness import BIN, FEW_SAMPLES, QUICK, Case, doubling_kernel, fake_gpus

# Per cent of the baseline's work by mode: (small, large). Gains are large and far apart: a busy machine's
# noise hides none, and makes no second of a first (three samples beside other tests were twice as long).
WORK = [(100, 100), (2, 110), (40, 40), (90, 95)]

SOURCE = """
constexpr int kWork[][2] = {%s};
void scale(const float* x, float* y) {
  const int work = kWork[MODE][n > 1000];
  for (int s = 0; s < work * 20480 / n; ++s) {
    for (int i = 0; i < n; ++i) {
      asm volatile("" ::: "memory");
      y[i] = 2 * x[i];
    }
  }
}
""" % ", ".join("{%d, %d}" % pair for pair in WORK)

CASES = "cases = [{ n = 512 }, { n = 2048 }]"
PARAMETERS = """MODE = [0, 1, 2, 3]
[budget]
trials = 4
""" + QUICK + FEW_SAMPLES


class HostCases(Case):
    def setUp(self):
        super().setUp()
        self.write("scale.cc", SOURCE)
        self.write("reference.cc", harness.STEPPED_REFERENCE)

    def problem(self, cases=CASES, name="problem.toml"):
        return self.write(name, harness.STEPPED.replace("sizes = { n = 1024 }", cases) + PARAMETERS)

    def tuned(self, cases, study):
        return self.tune(self.problem(cases), study=study, codes=(harness.IMPROVED,))

    def test_the_mean_takes_what_the_worst_case_leaves(self):
        mean = self.tuned(CASES, "mean")
        self.assertEqual(mean["best"]["configuration"]["MODE"], 1)
        worst = self.tuned('aggregate = "worst"\n' + CASES, "worst")
        self.assertEqual(worst["best"]["configuration"]["MODE"], 2)
        ratios = {case["name"]: case["ratio"] for case in worst["cases"]}
        self.assertEqual(list(ratios), ["n=512", "n=2048"])
        self.assertAlmostEqual(max(ratios.values()), worst["improvement"]["ratio"], places=9)
        weighted = self.tuned("cases = [{ n = 512 }, { n = 2048, weight = 20 }]", "weighted")
        self.assertEqual(weighted["best"]["configuration"]["MODE"], 2)
        self.assertEqual([case["weight"] for case in weighted["cases"]], [1, 20])

    def test_without_a_winner_the_baseline_is_what_was_measured(self):
        modes = PARAMETERS.replace("[0, 1, 2, 3]", "[0, 4]")
        source = SOURCE.replace("{90, 95}", "{90, 95}, {40, 300}")
        self.write("scale.cc", source)
        problem = self.write("problem.toml", harness.STEPPED.replace(
            "sizes = { n = 1024 }", 'aggregate = "worst"\n' + CASES) + modes)
        told = self.tune(problem, study="study", codes=(harness.NO_IMPROVEMENT,))
        rows = [row for row in self.csv_rows() if row["job"] == "baseline"]
        measured = [float(row["time"]) for row in rows]
        baseline = told["baseline"]["objectives"]["time"]["value"]
        self.assertTrue(min(measured) * 0.999 <= baseline <= max(measured) * 1.001,
                        (measured, baseline))
        worst = max(told["cases"], key=lambda case: case["ratio"])
        self.assertEqual(worst["name"], "n=2048")
        self.assertGreater(worst["ratio"], 1)
        self.assertAlmostEqual(worst["best"] / worst["baseline"], worst["ratio"], places=9)
        self.run_nightshift("report", "study", "--html", "r.html", codes=(0,))
        self.assertIn("measured once", self.run_nightshift("report", "study", codes=(0,)).stdout)
        with open(os.path.join(self.folder, "r.html"), encoding="utf-8") as page:
            self.assertIn("n=2048 (the worst)", page.read())

    def test_what_is_told_of_each_case(self):
        self.tuned('aggregate = "worst"\n' + CASES, "study")
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn("time of the worst case", report)
        self.assertRegex(report, r"n=2048 +0\.|n=512 +0\.|n=512 \(the worst\)|n=2048 \(the worst\)")
        explained = self.run_nightshift("explain", "study", "best", codes=(0,)).stdout
        self.assertRegex(explained, r"case n=512 +median ")
        for row in self.csv_rows():
            if row["status"] != "measured":
                continue
            mean = math.sqrt(float(row["time of n=512"]) * float(row["time of n=2048"]))
            self.assertAlmostEqual(float(row["time"]) / mean, 1, delta=0.5)

    def test_a_study_goes_on_with_its_cases(self):
        problem = self.problem('aggregate = "worst"\n' + CASES)
        self.tune(problem, "--budget", "2t")
        again = self.run_nightshift("resume", "study", "--budget", "4t", "--json", codes=(0, 3))
        self.assertEqual(json.loads(again.stdout)["best"]["configuration"]["MODE"], 2)

    def test_a_node_measures_them(self):
        problem = self.problem('aggregate = "worst"\n' + CASES)
        self.write("nodes", "nightshift agent --node a\n")
        path = f"{BIN}:{os.environ['PATH']}"
        found = self.tune(problem, "--nodes", "nodes", codes=(harness.IMPROVED,), env={"PATH": path})
        self.assertEqual(found["best"]["configuration"]["MODE"], 2)
        self.assertEqual(len(found["cases"]), 2)

    def test_other_commands_weigh_the_worst_case(self):
        problem = self.problem('aggregate = "worst"\n' + CASES)
        done = self.run_nightshift("compare", problem, "MODE=1", "--json",
                                   codes=(0, 3, 10, 11))
        found = json.loads(done.stdout)
        self.assertEqual(found["objective"]["name"], "time of the worst case")
        self.assertEqual(list(found["first"]["objectives"]["time"]["cases"]), ["n=512", "n=2048"])

    def test_check_shows_them(self):
        problem = self.problem('aggregate = "sum"\ncases = [{ n = 512, weight = 3 }, { n = 2048 }]')
        text = self.run_nightshift("check", problem, codes=(0,)).stdout
        self.assertRegex(text, r"cases +2, joined by their sum; weights: 3.000 of n=512, 1.000 of n=2048")
        self.assertIn("case n=2048", text)
        found = json.loads(self.run_nightshift("check", problem, "--json", codes=(0,)).stdout)
        self.assertEqual(found["cases"], {"aggregate": "sum", "names": ["n=512", "n=2048"],
                                          "weights": [3, 1]})

    def test_mistakes_are_named(self):
        for cases, words in [("cases = [{ n = 512, weight = 0 }, { n = 8 }]", "weight must be a"),
                             ("cases = [{ n = 512 }, { n = 512 }]", "is there twice, n=512"),
                             ("cases = [{ n = 512 }, { m = 512 }]", "lacks the size n")]:
            with self.subTest(cases):
                done = self.run_nightshift("check", self.problem(cases), codes=(2,))
                self.assertIn(words, done.stdout + done.stderr)


class CudaCases(Case):
    def test_the_worst_case_of_kernels(self):
        self.write("scale.cu", doubling_kernel(
            "  fake_spend_us(N == 1000 ? (BLOCK == 32 ? 100 : BLOCK == 64 ? 20 : 70)"
            " : (BLOCK == 32 ? 400 : BLOCK == 64 ? 420 : 300));"))
        cases = 'aggregate = "worst"\ncases = [{ N = 1000 }, { N = 4000 }]'
        problem = self.write("p.toml", harness.CUDA_SCALE.replace("sizes = { N = 1000 }", cases)
                             .replace("[32, 64, 128, 256]", "[32, 64, 128]") + QUICK)
        found = self.tune(problem, "--budget", "3t", codes=(harness.IMPROVED,), env=fake_gpus())
        self.assertEqual(found["best"]["configuration"]["BLOCK"], 128)
        self.assertAlmostEqual(found["improvement"]["ratio"], 0.75, places=3)
        self.assertEqual([round(case["baseline"]) for case in found["cases"]], [100, 400])


class PythonCases(Case):
    FILE = """
import time
import nightshift as ns

@ns.problem(space={"mode": [0, 1, 2]}, device="cpu", together=True, aggregate="worst",
            cases={"small": dict(k=0), "large": dict(k=1)}, settings={"budget.trials": 3,
            "acceptance.confidence": "quick", "measure.samples": 3})
def spin(case, config):
    loops = [(40000, 40000), (2000, 44000), (16000, 14000)][config.mode][case.k]
    def call():
        total = 0
        for i in range(loops):
            total += 1
        return [1.0]
    return ns.Run(call, reference=lambda: [1.0])
"""

    def test_the_worst_case_of_a_python_problem(self):
        file = self.write("spin.py", self.FILE)
        found = self.tune(file, codes=(harness.IMPROVED,))
        self.assertEqual(found["best"]["configuration"]["mode"], 2)
        self.assertEqual([case["name"] for case in found["cases"]], ["small", "large"])
        done = self.run_nightshift("check", file, codes=(0,))
        self.assertIn("judged by the one that does worst by the baseline", done.stdout)


if __name__ == "__main__":
    harness.main()
