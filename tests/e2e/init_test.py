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

    HOST_SOURCE = """
#include <cstddef>
#include <cstdint>
template <int STEP>
void scale(const float* __restrict__ x, float* y, std::size_t n, float factor) {
  for (std::size_t i = 0; i < n; i += STEP)
    for (std::size_t k = i; k < n && k < i + STEP; ++k) y[k] = factor * x[k];
}
namespace far {
void negate(double* x, int32_t count, bool all) {
  for (int32_t i = 0; i < count; ++i) if (all) x[i] = -x[i];
}
}
extern "C" void add(const int *a, const int *b, int *c, long n) {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
"""

    def filled(self, source, function, *places):
        problem = self.folder / f"{function}.toml"
        self.told("init", source, "--function", function, "--output", problem)
        self.assertIn("FILL", self.told("check", problem, code=USAGE).stdout)
        text = problem.read_text()
        for key, value in places:
            self.assertIn(f'{key} = "FILL"', text)
            text = text.replace(f'{key} = "FILL"', f"{key} = {value}", 1)
        self.assertNotIn(' = "FILL"', text)
        problem.write_text(text)
        return problem

    def test_a_draft_of_cpp_is_compiled_once_its_places_are_filled(self):
        source = self.write("k.cc", self.HOST_SOURCE)
        for function, places in (
                ("scale", [("n", "4096"), ("size", '"n"'), ("size", '"n"'), ("access", '"out"'),
                           ("value", "2"), ("STEP", "[1, 4]")]),
                ("negate", [("count", "64"), ("all", "1"), ("size", '"count"'), ("access", '"inout"')]),
                ("add", [("n", "64"), ("size", '"n"'), ("size", '"n"'), ("size", '"n"'),
                         ("access", '"out"')])):
            told = self.told("check", self.filled(source, function, *places)).stdout
            self.assertIn("compiled once, in ", told)

    def test_check_says_what_the_first_failure_of_tune_would_be(self):
        problem = self.write("scale.toml", harness.host_scale("WORK = [1, 2]"))
        self.write("scale.cc", "void scale(float* x) { x[0] = WORK + undeclared_thing; }")
        told = self.told("check", problem, code=USAGE).stdout
        self.assertIn("the baseline does not compile:", told)
        self.assertIn("undeclared_thing", told)
        build = json.loads(self.told("check", problem, "--json", code=USAGE).stdout)["build"]
        self.assertEqual(build["failed"], "the baseline")
        self.assertIn("undeclared_thing", build["words"])
        told = json.loads(self.told("check", problem, "--no-build", "--json").stdout)
        self.assertIsNone(told["build"])

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
