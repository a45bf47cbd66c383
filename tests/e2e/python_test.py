"""What the Python module describes is what the reader of problem files reads."""

import json
import os
import subprocess
import sys

import harness
from harness import Case, SOURCE

# Of the protocol, which `check` has no use for.
OF_THE_PROTOCOL = ("protocol = ", "builds = ")

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
    def describe(self, file):
        done = subprocess.run([sys.executable, "-m", "nightshift", "describe", str(file)],
                              env=dict(os.environ, PYTHONPATH=str(SOURCE / "python")), text=True,
                              capture_output=True, timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if not line.startswith(OF_THE_PROTOCOL)]
        return self.write("described.toml", "\n".join(lines) + "\n")

    def check(self, problem):
        done = self.run_nightshift("check", problem, "--json", codes=(0,))
        return json.loads(done.stdout)

    def test_the_example_is_read(self):
        found = self.check(self.describe(SOURCE / "python" / "examples" / "cpu_blocks.py"))
        self.assertEqual(found["space"]["configurations"], 15)

    def test_what_needs_quotes_is_read(self):
        found = self.check(self.describe(self.write("quotes.py", PROBLEM)))
        # tile is 1, 2 or 4; without `fast` two ways are left.
        self.assertEqual(found["space"]["configurations"], 3 * 2 * (3 + 2))


if __name__ == "__main__":
    harness.unittest.main()
