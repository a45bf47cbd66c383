"""Python files as problems: described by the module, read, tuned."""

import json

import harness
from harness import Case, SOURCE

EXAMPLE = SOURCE / "python" / "examples" / "cpu_blocks.py"

PROBLEM = r'''
import nightshift as ns

@ns.problem(device="cpu", space={"tile": [1, 2, 4, 8], "way": ['a "b"', "c\\d", "e{f}"],
                                 "kind": [None, (1, 2)], "fast": [True, False]},
            where=["tile * 2 <= N", "way != 'a \"b\"' or fast"], baseline={"tile": 4},
            cases=[dict(N=8)], objectives={"time": {"weight": 1}, "error": {"at_most": 0.1}})
def quotes(case, config):
    pass
'''


class Python(Case):
    def check(self, problem):
        done = self.run_nightshift("check", problem, "--json", codes=(0,))
        return json.loads(done.stdout)

    def test_the_example_is_read(self):
        found = self.check(EXAMPLE)
        self.assertEqual(found["space"]["configurations"], 15)

    def test_the_example_is_tuned(self):
        result = self.tune(EXAMPLE, "--set", "python.case=large", "--budget", "15t")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["trials"]["measured"], 15)

    def test_a_batch_has_a_study_for_each_case(self):
        batch = self.write("night.toml", f'''[[study]]
problem = "{EXAMPLE}"
each = {{ python.case = ["small", "large"] }}
budget = "2t"
''')
        self.run_nightshift("batch", "run", batch, codes=(0, 3))
        figures = []
        for case in ("small", "large"):
            told = self.run_nightshift("report", f"batches/night/cpu_blocks-case{case}",
                                       codes=(0,)).stdout
            figures.append(told)
            self.assertIn("the budget of 2 configurations is used up", told)
        self.assertNotEqual(*figures)

    def test_what_needs_quotes_is_read(self):
        found = self.check(self.write("quotes.py", PROBLEM))
        # tile is 1, 2 or 4; without `fast` two ways are left.
        self.assertEqual(found["space"]["configurations"], 3 * 2 * (3 + 2))


if __name__ == "__main__":
    harness.unittest.main()
