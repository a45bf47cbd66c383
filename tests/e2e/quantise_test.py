"""A float layer to the files of an int8 kernel, by the script beside it. Needs numpy."""

import re
import subprocess
import sys
import unittest

import harness
from harness import Case, SOURCE

SCRIPT = SOURCE / "kernels/cuda/int8_linear_wgmma/quantise.py"
MAKES = """
import numpy as np
dice = np.random.default_rng(3)
weights = dice.standard_t(5, (64, 96)).astype(np.float32)
weights[0] *= 30  # one row that spoils a scale for all
np.save("weights.npy", weights)
np.save("activations.npy", dice.standard_normal((100, 96)).astype(np.float32))
"""
# What the kernel computes with exact activations, from the files alone.
JUDGES = """
import numpy as np
w, scale, exact, x = (np.load(f"layer/{n}.npy") for n in ("w", "weight_scale", "exact", "x"))
assert w.dtype == np.int8 and abs(w.astype(int)).max() <= 127
assert (exact == np.load("weights.npy")).all() and len(x) == 96
right = x @ exact.T
print(np.linalg.norm(x @ (w * scale[:, None]).T - right) / np.linalg.norm(right))
"""


def python_with_numpy():
    for program in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([program, "-c", "import numpy"], capture_output=True).returncode == 0:
                return program
        except OSError:
            continue
    return None


PYTHON = python_with_numpy()


@unittest.skipIf(PYTHON is None, "no Python here has numpy")
class Quantise(Case):
    def python(self, *words, code=0):
        done = subprocess.run([PYTHON, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def setUp(self):
        super().setUp()
        self.python("-c", MAKES)

    def test_the_layer_is_a_problem_with_the_least_error(self):
        told = self.python(SCRIPT, "weights.npy", "activations.npy", "--into", "layer", "--rows", 32)
        errors = {tuple(re.split(r"  +", line)[:2]): float(line.split()[-1]) for line in told.splitlines()
                  if line.startswith(("tensor", "channel"))}
        self.assertEqual(len(errors), 10)
        # A row 30 times the others leaves these few of the levels of a scale for all.
        self.assertLess(errors["channel", "largest"], errors["tensor", "largest"] / 2)
        best = min(errors.values())
        self.assertIn(f"Least error of the product: {best:.5f}", told)
        self.assertLess(abs(float(self.python("-c", JUDGES)) / best - 1), 0.5)
        checked = self.run_nightshift("check", "layer/layer.toml", "--configurations", 0).stdout
        self.assertRegex(checked, r"argument +x +in bfloat16, 3,072 elements")
        self.assertNotIn("Mistakes", checked)

    def test_what_cannot_be_a_layer_is_told(self):
        self.python("-c", "import numpy as np; np.save('odd.npy', np.ones((64, 90))); "
                    "np.save('nan.npy', np.full((64, 96), np.nan)); np.save('whole.npy', np.ones((64, 96), int))")
        for words, files in [("multiples of 16", ("odd.npy", "odd.npy")),
                             ("NaN or infinity", ("nan.npy", "activations.npy")),
                             ("expected a matrix of floats", ("whole.npy", "activations.npy")),
                             ("it has 96 columns, and the weights 90", ("odd.npy", "activations.npy")),
                             ("No such file", ("none.npy", "activations.npy"))]:
            with self.subTest(words):
                self.assertIn(words, self.python(SCRIPT, *files, "--into", "layer", code=1))


if __name__ == "__main__":
    harness.main()
