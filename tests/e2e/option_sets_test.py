"""The sets of compiler options that come with Nightshift: every option is one, and a study with a
set runs and goes on."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import tomllib

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, SOURCE

FOLDER = SOURCE / "kernels" / "options"
HOST = "float f(float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i] / 3; return s; }\n"
CUDA = 'extern "C" __global__ void f(float* x, int n) { x[threadIdx.x] = sqrtf(x[n]) / 3; }\n'

PROBLEM = '''
name = "sum"
include = ["gcc"]
[host]
kernel = { file = "sum.cc", function = "sum" }
compiler = "g++"
sizes = { N = 1000 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "in"
[[host.argument]]
name = "y"
type = "float32"
size = "1"
access = "out"
[parameters]
LANES = [1, 4]
GCC_LEVEL = { values = ["", "-O3"] }
'''
SUM = '''
extern "C" void sum(const float* x, float* y) {
  float s[LANES] = {};
  for (long i = 0; i < N; ++i) s[i % LANES] += x[i];
  y[0] = 0;
  for (float part : s) y[0] += part;
}
'''


def options(name):
    """Each option of a set, as a list of words."""
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    return [value.split() for parameter in table["parameters"].values()
            for value in parameter["values"] if value]


def nvrtc():
    for name in (os.environ.get("NIGHTSHIFT_NVRTC"), "libnvrtc.so", "libnvrtc.so.13",
                 "/usr/local/cuda/lib64/libnvrtc.so"):
        with contextlib.suppress(OSError):
            if name:
                return ctypes.CDLL(name)
    return None


class Options(Case):
    def compile_each(self, name, command):
        if shutil.which(command[0]) is None:
            print(f"SKIPPED: there is no {command[0]}")
            return
        for words in options(name):
            with self.subTest(" ".join(words)):
                done = subprocess.run([*command, *words], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.strip()), (0, ""))

    def test_gcc_knows_each_option(self):
        file = self.write("f.cc", HOST)
        self.compile_each("gcc", ["g++", "-O2", "-c", str(file), "-o", str(self.folder / "f.o")])

    def test_clang_knows_each_option(self):
        file = self.write("f.cc", HOST)
        self.compile_each("clang", ["clang++", "-O2", "-c", str(file), "-o",
                                    str(self.folder / "f.o")])

    def test_nvcc_knows_each_option(self):
        file = self.write("f.cu", CUDA)
        self.compile_each("nvcc", ["nvcc", "-arch=sm_90", "-cubin", str(file), "-o",
                                   str(self.folder / "f.o")])

    def test_nvrtc_knows_each_option(self):
        library = nvrtc()
        if library is None:
            print("SKIPPED: there is no NVRTC")
            return
        for words in options("nvrtc"):
            with self.subTest(" ".join(words)):
                program = ctypes.c_void_p()
                self.assertEqual(0, library.nvrtcCreateProgram(
                    ctypes.byref(program), CUDA.encode(), b"f.cu", 0, None, None))
                asked = [b"--gpu-architecture=sm_90", *(word.encode() for word in words)]
                self.assertEqual(0, library.nvrtcCompileProgram(
                    program, len(asked), (ctypes.c_char_p * len(asked))(*asked)))
                library.nvrtcDestroyProgram(ctypes.byref(program))

    def test_a_program_is_built_with_a_set(self):
        self.write("main.c", "#include <stdio.h>\nint main(void) { printf(\"{\\\"time\\\": 1}\\n\"); }\n")
        self.write("build.sh", 'echo "$@" >> built; shift; exec cc "$@"\n')
        problem = self.write("problem.toml", """
name = "program"
include = ["gcc"]
[command]
build = ["sh", "build.sh", "{EXTRA}", "{flags}", "main.c", "-o", "{artifact}/main"]
inputs = ["main.c", "build.sh"]
argv = ["{artifact}/main"]
runs = 1
cores = 1
[parameters]
EXTRA = [1, 2]
""")
        self.tune(problem, "--budget", "6t", codes=(IMPROVED, NO_IMPROVEMENT))
        rows = self.csv_rows()
        self.assertEqual({row["status"] for row in rows} - {"measured", "skipped"}, set())
        built = [line.split() for line in (self.folder / "built").read_text().splitlines()]
        known = {word for words in options("gcc") for word in words}
        added = [word for words in built for word in words[1:words.index("main.c")]]
        self.assertGreater(len(added), 0)
        self.assertEqual(set(added) - known, set())
        self.assertNotIn("{flags}", added)
        problem.write_text(problem.read_text().replace(' "{flags}",', ""))
        done = self.run_nightshift("check", problem, codes=(2,))
        self.assertIn("write the word {flags} into command.build",
                      " ".join((done.stdout + done.stderr).split()))

    def test_a_study_with_a_set_runs_and_goes_on(self):
        self.write("sum.cc", SUM)
        problem = self.write("problem.toml", PROBLEM)
        either = (IMPROVED, NO_IMPROVEMENT)
        self.tune(problem, "--budget", "6t", codes=either)
        rows = self.csv_rows()
        self.assertIn("GCC_UNROLL", rows[0])
        self.assertEqual({row["GCC_LEVEL"].removeprefix("'") for row in rows} - {"", "-O3"}, set())
        done = self.run_nightshift("resume", "study", "--budget", "9t", codes=either)
        self.assertIn("9", done.stdout)
        steady = {"unsteadiness"}  # a column of those that the machine makes
        self.assertEqual({name for row in self.csv_rows() for name in row} - steady,
                         set(rows[0]) - steady)


if __name__ == "__main__":
    harness.main()
