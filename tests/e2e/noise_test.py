"""`nightshift noise`: the baseline alone, in words, as JSON and as a page."""

import json
import sys

import harness
from harness import Case, STUDY_FAILED, USAGE

FIGURE = """
import json, random, sys
print(json.dumps({"time": [float(sys.argv[1]) * random.gauss(1, 0.01) for _ in range(4)]}))
"""

PROBLEM = """
name = "figures"
[command]
argv = ["{python}", "figure.py", "{{A}}"]
runs = 1
[parameters]
A = [3, 1, 2]
"""


class Noise(Case):
    def setUp(self):
        super().setUp()
        self.write("figure.py", FIGURE)
        self.problem = self.write("problem.toml", PROBLEM.format(python=sys.executable))

    def test_what_it_measures(self):
        done = self.run_nightshift("noise", self.problem, "--visits", "16", "--json", codes=(0,))
        result = json.loads(done.stdout)
        device = result["devices"][0]
        self.assertEqual(device["visits"]["count"], 16)
        self.assertEqual(device["launches"]["count"], 64)
        self.assertAlmostEqual(device["visits"]["median"], 3, delta=0.1)  # the baseline's A
        self.assertTrue(0.001 < device["visits"]["sd"] < 0.05, device["visits"])
        self.assertEqual([a["pairs"] for a in device["aa"]], [4, 8])
        self.assertEqual([d["gain"] for d in device["detectable"]], [0.005, 0.01, 0.02, 0.05])
        self.assertGreater(device["levels"]["visit_seconds"], 0)

    def test_the_page_and_the_text_and_settings_that_can_be_pasted(self):
        done = self.run_nightshift("noise", self.problem, "--visits", "16", "--html", "noise.html",
                                   codes=(0,))
        page = (self.folder / "noise.html").read_text()
        self.assertIn("<svg", page)
        self.assertNotIn("http", page)
        lines = done.stdout.split("To write into the problem file\n", 1)[1].split("Measured", 1)[0]
        self.problem.write_text(self.problem.read_text() +
                                "\n".join(line.strip() for line in lines.splitlines()))
        self.tune(self.problem, "--budget", "1t")

    def test_what_a_start_of_a_program_costs(self):
        """And what of the machine disturbs, which is asked of the machine that is there."""
        problem = self.write("start.toml", """
            name = "start"
            [command]
            argv = ["sleep", "0.0{A}"]
            figure = [{ objective = "time", source = "wall-time" }]
            runs = 1
            [parameters]
            A = [3, 1]
            """)
        done = self.run_nightshift("noise", problem, "--visits", "16", "--json", codes=(0,))
        result = json.loads(done.stdout)
        self.assertEqual(result["empty"], "a program that does nothing")
        self.assertTrue(0 < result["devices"][0]["empty_seconds"] < 0.03, result["devices"][0])
        for reason in result["machine"]:
            self.assertEqual(set(reason), {"name", "found", "change"})
            self.assertTrue(reason["name"] and reason["found"].endswith("."), reason)

    def test_a_recorded_space_has_its_recorded_noise(self):
        done = self.run_nightshift("noise", self.recorded_space(), "--json", codes=(0,))
        result = json.loads(done.stdout)
        self.assertLess(result["devices"][0]["visits"]["sd"], 0.01)
        self.assertIsNone(result["recommended"]["samples"])
        self.assertEqual(result["machine"], [])  # nothing disturbs it
        self.assertIsNone(result["empty"])

    def test_what_is_wrong_is_said(self):
        self.assertIn("nowhere.toml",
                      self.run_nightshift("noise", "nowhere.toml", codes=(USAGE,)).stderr)
        self.write("figure.py", "import sys; sys.exit(3)")
        failed = self.run_nightshift("noise", self.problem, codes=(STUDY_FAILED,))
        self.assertIn("the baseline failed", failed.stderr)
        self.assertIn("code 3", failed.stderr)
        self.assertEqual(failed.stdout, "")


if __name__ == "__main__":
    harness.main()
