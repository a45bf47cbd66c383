"""kernels/command/profiled_program: a build that has a training run, which is a parameter."""

import os
import shutil
import subprocess
import unittest

import harness
from harness import Case, SOURCE

SHIPPED = SOURCE / "kernels/command/profiled_program"
# Quick, and the same counts of branches each time.
SHORT = "kLength = 1 << 20", "kLength = 1 << 12"


@unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
class ProfiledProgram(Case):
    def setUp(self):
        super().setUp()
        self.problem = self.folder / "program" / "problem.toml"
        shutil.copytree(SHIPPED, self.problem.parent)
        self.change("tokens.c", *SHORT)
        self.shipped = sorted(path.name for path in self.problem.parent.iterdir())

    def change(self, name, old, new):
        path = self.problem.parent / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def built(self, name, training, *flags, code=0):
        """The bytes of the program, or what is said where it is not built."""
        folder, scratch = self.folder / name, self.folder / f"{name}.tmp"
        folder.mkdir()
        scratch.mkdir()
        done = subprocess.run(["sh", "build.sh", folder, training, *flags], cwd=self.problem.parent,
                              env=dict(os.environ, TMPDIR=str(scratch)), capture_output=True, text=True,
                              timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode != 0, code != 0, done.stderr)
        return done.stderr if code else (folder / "tokens").read_bytes()

    def test_a_profile_changes_the_program_and_is_the_same_each_time(self):
        plain = self.built("plain", "none", "-O2")
        code, again = self.built("code", "code", "-O2"), self.built("again", "code", "-O2")
        self.assertEqual(code, again)
        self.assertEqual(len({plain, code, self.built("data", "data", "-O2")}), 3)

    def test_a_build_leaves_nothing_beside_the_sources(self):
        self.built("code", "code", "-O3")
        self.assertEqual(sorted(path.name for path in self.problem.parent.iterdir()), self.shipped)
        self.assertEqual([path.name for path in (self.folder / "code").iterdir()], ["tokens"])

    def test_a_training_run_that_fails_fails_the_build(self):
        self.change("tokens.c", "return 0;\n}\n", "return 5;\n}\n")
        self.built("plain", "none", "-O2")
        self.built("code", "code", "-O2", code=1)

    def test_a_training_run_that_leaves_no_counts_fails_the_build(self):
        self.change("tokens.c", "return 0;\n}\n", "_Exit(0);\n}\n")
        self.change("tokens.c", "#include <stdint.h>", "#include <stdint.h>\n#include <stdlib.h>")
        self.built("code", "code", "-O2", code=1)

    def test_it_is_tuned(self):
        self.change("problem.toml", '"-fno-inline", "-finline-limit=1000"', '"-fno-inline"')
        self.change("problem.toml", '"-O2", "-O3"', '"-O2"')
        self.tune(self.problem, "--budget", "16t", "--searcher", "exhaustive",
                  "--set", "acceptance.confidence=quick")
        rows = self.csv_rows()
        self.assertEqual({row["TRAINING"] for row in rows} - {""}, {"none", "code", "prose", "data"})
        self.assertEqual({row["status"] for row in rows} - {"measured", "skipped"}, set(), rows)


if __name__ == "__main__":
    harness.main()
