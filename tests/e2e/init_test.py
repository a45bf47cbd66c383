"""From a source to a problem: what check lists, what init writes, and what becomes of it once the
places that it marks are filled."""

import json

import harness
from harness import Case, USAGE

SOURCE = """
#include <stdio.h>
#include <vector>
__global__ void copy(float* out) {}
template <class T, int BM>
__global__ void scale(const T* x, T* y, int n) {}
std::vector<int> values;
int main() { scale<float, 4><<<1, 1>>>(nullptr, nullptr, 1); }
"""


PYTHON_SOURCE = """
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

def scale(x, y):
    scale_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
"""


class Init(Case):
    def told(self, *arguments, code=0):
        return self.run_nightshift(*arguments, codes=(code,))

    def test_a_source_is_listed(self):
        source = self.write("k.cu", SOURCE)
        told = self.told("check", source).stdout
        self.assertIn("2 kernels", told)
        self.assertIn("scale<class T, int BM>(const T *x, T *y, int n)", told)
        functions = json.loads(self.told("check", source, "--json").stdout)["functions"]
        self.assertEqual([one["name"] for one in functions], ["copy", "scale"])

    def test_a_draft_becomes_a_problem_where_its_places_are_filled(self):
        source = self.write("k.cu", SOURCE)
        problem = self.folder / "scale.toml"
        self.told("init", source, "--function", "scale", "--output", problem)
        marked = self.told("check", problem, code=USAGE).stdout
        self.assertIn("FILL", marked)
        text = problem.read_text()
        for before, after in [('n = "FILL"', "n = 4096"), ('size = "FILL"', 'size = "n"'),
                              ('size = "FILL"', 'size = "n"'), ('access = "FILL"', 'access = "out"'),
                              ('grid = "FILL"', 'grid = "ceil(n / THREADS)"'),
                              ('BM = "FILL"', "BM = [1, 2, 4]")]:
            self.assertIn(before, text)
            text = text.replace(before, after, 1)
        problem.write_text(text)
        told = self.told("check", problem).stdout
        self.assertIn("15 configurations", told)
        self.assertIn("launch scale<float, BM>", told)

    def test_a_file_of_triton_is_read_by_the_python_module(self):
        source = self.write("kernels.py", PYTHON_SOURCE)
        text = self.told("init", source).stdout
        self.assertIn("import nightshift as ns", text)
        self.assertIn("from kernels import", text)
        self.assertIn("scale", text)
        self.assertIn("FILL", text)
        self.assertIn("none", self.told("init", source, "--function", "none", code=USAGE).stderr)

    def test_what_is_no_source_is_told(self):
        self.assertIn("k.py", self.told("init", "k.py", code=USAGE).stderr)
        self.assertIn("no source", self.told("init", "k.txt", code=USAGE).stderr)
        missing = self.told("init", self.write("k.cu", SOURCE), "--function", "none", code=USAGE)
        self.assertIn("has no function none", missing.stderr)


if __name__ == "__main__":
    harness.main()
