"""`nightshift profile`: launches of a pipeline on fake GPUs, counters by a stand-in for Nsight Compute."""

import json
import stat

import harness
from harness import Case, STUDY_FAILED, USAGE

KERNELS = """extern "C" __global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
  fake_spend_us(1000.0 / BLOCK);
}
extern "C" __global__ void rest(const float* x, float* y) { fake_spend_us(12.5); }
"""

PIPELINE = harness.CUDA_SCALE.replace("sizes =", 'bytes = "8 * N"\nsizes =') + """
[[cuda.launch]]
kernel = "rest"
grid = 1
block = 1
arguments = ["x", "y"]
"""

# Runs what it is told to run, and prints a row for each launch that was made between the marks.
NCU = '''#!/usr/bin/env python3
import os, pathlib, subprocess, sys
options = [word for word in sys.argv[1:] if word.startswith("--") and "=" in word]
program = sys.argv[1 + len(options) + sys.argv.count("--csv"):]
if "--clock-control=none" not in options or "--profile-from-start=off" not in options:
    sys.exit("clocks or marks are not as they have to be")
marked = pathlib.Path(os.environ["FOLDER"], "marked")
marked.unlink(missing_ok=True)
done = subprocess.run(program, env=dict(os.environ, FAKE_GPU_PROFILE=str(marked)))
print("==PROF== Connected")
stall = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
columns = ["Kernel Name", "gpu__time_duration.sum", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
           stall.format("barrier"), stall.format("selected")]
print(",".join(f'"{c}"' for c in columns))
print('"","ns","%","inst","inst"')
for line in marked.read_text().splitlines():
    name, spent = line.split()
    print(f'"{name}","{spent}","81.5","3","1"')
sys.exit(done.returncode)
'''


class Profile(Case):
    def environment(self, **changes):
        usual = harness.fake_gpus(NIGHTSHIFT_BUILD_CACHE=str(self.folder / "cache"), NIGHTSHIFT_NCU="",
                                  FOLDER=str(self.folder))
        return super().environment(**(usual | changes))

    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNELS)
        self.tune(self.write("p.toml", PIPELINE), "--budget", "4t",
                  codes=(harness.IMPROVED, harness.NO_IMPROVEMENT))

    def ncu(self, text=NCU):
        path = self.write("ncu", text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def profile(self, *arguments, codes=(0,), **environment):
        return self.run_nightshift("profile", "study", *arguments, codes=codes,
                                   env={k: str(v) for k, v in environment.items()})

    def test_what_each_launch_adds_of_two_trials(self):
        told = json.loads(self.profile("best", "--against", "baseline", "--json").stdout)
        self.assertEqual([t["name"] for t in told["trials"]], ["the baseline", "the best"])
        for trial, block in zip(told["trials"], (32, 256)):
            case, = trial["cases"]
            self.assertEqual(case["sizes"], "N=1000")
            first, second = case["launches"]
            self.assertEqual((first["kernel"], second["kernel"]), ("scale", "rest"))
            self.assertAlmostEqual(first["seconds"] * 1e6, 1000 / block, 3)
            self.assertAlmostEqual(second["seconds"] * 1e6, 12.5, 3)
            self.assertAlmostEqual(first["share"] + second["share"], 1)
            self.assertIn("% of a copy", trial["ceilings"])
            self.assertIn("there is no ncu", trial["untold"])
        text = self.profile("best").stdout
        self.assertIn("rest", text)
        self.assertIn("not told: there is no ncu on PATH", text)

    def test_counters_by_nsight_compute(self):
        told = json.loads(self.profile("best", "--json", NIGHTSHIFT_NCU=self.ncu()).stdout)
        trial, = told["trials"]
        self.assertEqual(trial["untold"], "")
        scale, rest = trial["cases"][0]["launches"]
        self.assertAlmostEqual(scale["counters"]["seconds"] * 1e6, 1000 / 256, 3)
        self.assertAlmostEqual(rest["counters"]["seconds"] * 1e6, 12.5, 3)
        self.assertEqual(scale["counters"]["warps"], {"barrier": 0.75, "selected": 0.25})
        text = self.profile("best", NIGHTSHIFT_NCU=self.ncu()).stdout
        self.assertRegex(text, r"other warps at a barrier +75 % +75 %\n +nothing: they work +25 % +25 %")
        self.assertNotIn("Counters", self.profile("best", "--no-counters", NIGHTSHIFT_NCU=self.ncu()).stdout)

    def test_a_profiler_that_may_not_says_why(self):
        refused = self.ncu("#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM - no permission'\nexit 1\n")
        self.assertIn("ERR_NVGPUCTRPERM - no permission", self.profile("best", NIGHTSHIFT_NCU=refused).stdout)
        self.assertIn("counted 0 of 2 launches",
                      self.profile("best", NIGHTSHIFT_NCU=self.ncu("#!/bin/sh\nexit 0\n")).stdout)
        self.assertIn("cannot be started", self.profile("best", NIGHTSHIFT_NCU="/nowhere/ncu").stdout)

    def test_the_best_is_held_against_a_copy(self):
        self.assertIn("% of a copy", self.run_nightshift("report", "study").stdout)
        told = json.loads(self.run_nightshift("resume", "study", "--json",
                                              codes=(harness.IMPROVED, harness.NO_IMPROVEMENT)).stdout)
        self.assertIn("% of a copy", told["best"]["ceilings"])

    def test_mistakes(self):
        self.assertIn("there is no trial 99", self.profile("99", codes=(USAGE,)).stderr)
        self.write("scale.cu", KERNELS.replace("2 * x", "gone * x"))
        self.assertIn("could not be built", self.profile("best", codes=(STUDY_FAILED,)).stderr)
        self.write("scale.cu", KERNELS.replace("fake_spend_us(12.5)", "y[N] = 1"))
        self.assertIn("the best failed", self.profile("best", codes=(STUDY_FAILED,)).stderr)
        self.tune(self.recorded_space(), "--budget", "2t", study="recorded")
        wrong = self.run_nightshift("profile", "recorded", "best", codes=(USAGE,)).stderr
        self.assertIn("no study of [cuda] kernels", wrong)

    def test_nothing_is_left_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.profile("best", TMPDIR=temporary, NIGHTSHIFT_NCU=self.ncu())
        self.assertEqual(list(temporary.iterdir()), [])


if __name__ == "__main__":
    harness.main()
