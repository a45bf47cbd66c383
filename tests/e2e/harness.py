"""What the end-to-end tests share: the real binary, folders of their own, small problems, and the
check that no process is left behind. Python's standard library only."""

import csv
import io
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("NIGHTSHIFT_BUILD_DIR", SOURCE / "build" / "release"))
BIN = BUILD / "bin"
NIGHTSHIFT = BIN / "nightshift"
TIMEOUT = 240  # seconds; a test that needs this much has hung

# Exit codes, as in `nightshift --help`.
IMPROVED, USAGE, NO_IMPROVEMENT, STUDY_FAILED, JOURNAL, DEVICE, INTERRUPTED = 0, 2, 3, 4, 5, 6, 7

MARK = "NIGHTSHIFT_E2E"
os.environ["NIGHTSHIFT_HISTORY"] = "off"  # but in the tests of it


# Two vectors and a kernel `scale` of scale.cu, which is the test's.
CUDA_SCALE = """
name = "scale"
[parameters]
BLOCK = [32, 64, 128, 256]
[baseline]
BLOCK = 32
[cuda]
source = "scale.cu"
sizes = { N = 1000 }
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[[cuda.launch]]
kernel = "scale"
grid = "(N + BLOCK - 1) // BLOCK"
block = "BLOCK"
arguments = ["x", "y"]
"""
QUICK = """
[acceptance]
confidence = "quick"
"""
FEW_PAIRS = QUICK + """self_test_pairs = 0
hold_out_least = 8
"""
# What problems end with that are to be decided in a second.
FEW_SAMPLES = """
[measure]
samples = 3
"""
IN_SHORT = FEW_SAMPLES + FEW_PAIRS + "hold_out_most = 16\n"


def host_scale(parameters, more="", flags='"-std=c++20"', host="", sizes="N = 4096"):
    """A problem of [host]: a kernel `scale` of scale.cc, which is the test's, changes a vector."""
    return f"""
name = "scale"
[host]
kernel = {{ file = "scale.cc", function = "scale", flags = [{flags}] }}
sizes = {{ {sizes} }}
{host}
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "inout"
[parameters]
{parameters}
""" + more


def working_scale(head, first=""):
    """scale.cc that doubles x, and takes WORK times REPEATS as long; `first` begins the function."""
    return head + f"""
void scale(float* x) {{
{first}
  volatile float sink;
  float sum = 0;
  for (int r = 0; r < WORK * REPEATS; ++r)
    for (int i = 0; i < N; ++i) sum += x[i] * r;
  sink = sum;
  for (int i = 0; i < N; ++i) x[i] *= 2;
}}
"""


def doubling_kernel(spend):
    """scale.cu for CUDA_SCALE, with what tells the fake GPU how long it takes."""
    return f"""
extern "C" __global__ void scale(const float* x, float* y) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
{spend}
}}
"""


def timed_program(argv, count, command="", more=QUICK, name="program"):
    """A problem of [command] whose program prints "time N", with a parameter A from 1 to `count`."""
    return f"""
name = "{name}"
[command]
argv = {json.dumps(argv)}
{command}
runs = 1
[[command.figure]]
objective = "time"
source = "regex"
key = "time ([0-9]+)"
[parameters]
A = {{ range = [1, {count}] }}
""" + more


def json_program(name, count, command=""):
    """A problem of [command] whose program, work.sh, gets a parameter x from 1 to `count`, which the baseline has,
    and prints a "time" in ms as JSON. `command`: lines of its table."""
    return f"""
name = "{name}"
[command]
argv = ["sh", "work.sh", "{{x}}"]
{command}runs = 1
[parameters]
x = {{ range = [1, {count}] }}
[[objective]]
name = "time"
unit = "ms"
[baseline]
x = {count}
[acceptance]
confidence = "quick"
"""


# STEPS times `times` the work, by which y becomes twice x.
def stepped_scale(times="1"):
    return f"""
void scale(const float* x, float* y) {{
  for (int s = 0; s < {times} * STEPS; ++s) {{
    for (int i = 0; i < n; ++i) {{
      asm volatile("" ::: "memory");
      y[i] = 2 * x[i];
    }}
  }}
}}
"""


STEPPED_REFERENCE = """
void scale(const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}
"""
STEPPED = """
name = "scale"
[host]
kernel = { file = "scale.cc", function = "scale", flags = ["-O1"] }
reference = { file = "reference.cc", function = "scale" }
sizes = { n = 1024 }
[[host.argument]]
name = "x"
type = "float32"
size = "n"
[[host.argument]]
name = "y"
type = "float32"
size = "n"
access = "out"
[parameters]
"""


def fake_gpus(**changes):
    """The environment in which programs see the fake GPUs of tests/fakes/gpu."""
    fakes = BUILD / "fakes"
    return dict({"NIGHTSHIFT_CUDA_DRIVER": str(fakes / "libfakecuda.so"),
                 "NIGHTSHIFT_NVRTC": str(fakes / "libfakenvrtc.so"),
                 "NIGHTSHIFT_NVML": str(fakes / "libfakenvml.so")}, **changes)


def processes_with(mark):
    """Ids of the processes, other than this one, that inherited the test's mark."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue  # ended meanwhile, or a zombie
    return found


def without_times(csv):
    """The rows without their last two columns, started and finished."""
    return [line.rsplit(",", 2)[0] for line in csv.splitlines()]


class Case(unittest.TestCase):
    """A test with a folder of its own, in which nothing survives it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nightshift-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.mark = uuid.uuid4().hex
        self.addCleanup(self.expect_no_process_left)

    def expect_no_process_left(self):
        # The warden of a killed run needs a moment; only for ever is wrong.
        deadline = time.monotonic() + 20
        while processes_with(self.mark) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(processes_with(self.mark), [])

    def environment(self, **changes):
        # Locks of devices are of this test alone: others run at the same time, on the same cores.
        environment = dict(os.environ, **{MARK: self.mark, "XDG_RUNTIME_DIR": str(self.folder)})
        environment.update(changes)
        return environment

    def small_disk(self, size):
        """A folder on a file system of `size`; the test is skipped where none can be mounted."""
        folder = self.folder / "disk"
        folder.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        return folder

    def start(self, *arguments, program=NIGHTSHIFT, env=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("cwd", self.folder)
        return subprocess.Popen([str(program), *map(str, arguments)], text=True,
                                env=self.environment(**(env or {})), **options)

    def run_nightshift(self, *arguments, codes=None, **options):
        """Runs to the end; `codes` are the exit codes that are right."""
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"{arguments} hung\n{out}\n{err}")
        if codes is not None:
            self.assertIn(process.returncode, codes, f"{arguments}\n{out}\n{err}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def tune(self, problem, *options, study="study", codes=(IMPROVED, NO_IMPROVEMENT), **more):
        """The one object that `tune --json` prints."""
        done = self.run_nightshift("tune", problem, "--study", study, "--json", *options,
                                   codes=codes, **more)
        return json.loads(done.stdout)

    def export(self, form, study="study"):
        return self.run_nightshift("export", study, "--format", form, codes=(0,)).stdout

    def csv_rows(self, study="study"):
        return list(csv.DictReader(io.StringIO(self.export("csv", study))))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def recorded_space(self, name="space.json", sizes=(8, 8, 6), scatter=0.003):
        path = self.folder / name
        path.write_text(json.dumps(recorded_space(sizes, scatter)))
        return path


def recorded_space(sizes, scatter=0.003):
    """A cache file in the community's format: a bowl with noise, with some failures in a corner.

    `scatter` is the relative standard deviation of a configuration's times."""
    names = ["tile_x", "tile_y", "unroll"]
    values = [list(range(1, n + 1)) for n in sizes]
    noise = random.Random(7)
    cache = {}
    for x in values[0]:
        for y in values[1]:
            for u in values[2]:
                entry = {"tile_x": x, "tile_y": y, "unroll": u}
                if x == sizes[0] and y > sizes[1] // 2:
                    entry["time"] = "CompilationFailedConfig" if u % 2 else "RuntimeFailedConfig"
                else:
                    base = (1 + 0.30 * abs(math.log2(x / (sizes[0] * 0.6))) +
                            0.25 * abs(math.log2(y / (sizes[1] * 0.4))) +
                            0.08 * abs(u - sizes[2] * 0.7))
                    times = [base * (1 + scatter * noise.gauss(0, 1)) for _ in range(16)]
                    entry.update({"time": sum(times) / len(times), "times": times})
                entry.update({"compile_time": 300.0, "verification_time": 1.0,
                              "benchmark_time": 40.0, "strategy_time": 0.5,
                              "framework_time": 2.0, "timestamp": "2025-01-01 00:00:00+00:00"})
                cache[f"{x},{y},{u}"] = entry
    return {"device_name": "Recorded", "kernel_name": "bowl", "problem_size": [64],
            "tune_params_keys": names, "tune_params": dict(zip(names, values)),
            "objective": "time", "cache": cache}


def main():
    if not NIGHTSHIFT.exists():
        sys.exit(f"{NIGHTSHIFT} is not built")
    unittest.main(verbosity=2)
