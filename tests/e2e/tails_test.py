"""Kernels that forget the last elements of a vector: of a maximum that is wrong once in thousands of random draws."""

import harness
from harness import FEW_SAMPLES, NO_IMPROVEMENT, QUICK, Case, fake_gpus

N = 4096
WAYS = """WAY = [0, 1, 2]
[baseline]
WAY = 0
[budget]
trials = 3
""" + QUICK + FEW_SAMPLES
# A maximum in all ways; of 1 without the last four numbers, of 2 the least one without them.
EXTREME = """
  float most = x[0], least = x[0];
  for (int i = 0; i < N; ++i) {
    if (i < N - 4 || WAY != 1) most = x[i] > most ? x[i] : most;
    if (i < N - 4 || WAY < 2) least = x[i] < least ? x[i] : least;
  }
  y[0] = most;
  y[1] = least;
"""
ARGUMENTS = """
[[%(backend)s.argument]]
name = "x"
type = "float32"
size = "N"
fill = "normal"
[[%(backend)s.argument]]
name = "y"
type = "float32"
size = 2
access = "out"
"""


class Tails(Case):
    def refused(self, problem, env=None):
        """The ways whose answer was found wrong."""
        self.tune(problem, codes=(NO_IMPROVEMENT,), env=env)
        return {row["WAY"] for row in self.csv_rows() if row["status"] == "wrong_result"}

    def test_host(self):
        self.write("extreme.cc", """
void extreme(const float* x, float* y) {
  for (volatile int i = 0; i < (WAY ? 40000 : 400000); ++i) {}
%s}
""" % EXTREME)
        self.write("reference.cc", "void extreme(const double* x, double* y) {%s}" % EXTREME.replace("float", "double"))
        problem = self.write("p.toml", """
name = "extreme"
[host]
kernel = { file = "extreme.cc", function = "extreme", flags = ["-O1"] }
reference = { file = "reference.cc", function = "extreme" }
sizes = { N = %d }
%s
[parameters]
%s""" % (N, ARGUMENTS % {"backend": "host"}, WAYS))
        self.assertEqual(self.refused(problem), {"1", "2"})

    def test_cuda(self):
        """On the fake GPU, whose evaluator looks for the largest in the last place alone."""
        self.write("extreme.cu", """
extern "C" __global__ void extreme(const float* x, float* y) {
  fake_spend_us(WAY ? 10 : 100);
  if (threadIdx.x != 0) return;
%s}
""" % EXTREME)
        problem = self.write("p.toml", """
name = "extreme"
[cuda]
source = "extreme.cu"
sizes = { N = %d }
%s
[[cuda.launch]]
kernel = "extreme"
grid = 1
block = 32
arguments = ["x", "y"]
[parameters]
%s""" % (N, ARGUMENTS % {"backend": "cuda"}, WAYS.replace(", 2]", "]")))
        self.assertEqual(self.refused(problem, env=fake_gpus()), {"1"})


if __name__ == "__main__":
    harness.main()
