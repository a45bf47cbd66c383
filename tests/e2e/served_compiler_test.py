#!/usr/bin/env python3
"""`[cuda] compiler = "served"`: a program of the user's makes the cubins, which the evaluator loads,
checks and times. On the fake GPU of tests/fakes/gpu; with NIGHTSHIFT_TEST_GPU=1 on this machine's."""

import json
import os
import sys

from harness import Case, IMPROVED, NO_IMPROVEMENT, STUDY_FAILED, USAGE, fake_gpus, main

REAL = os.environ.get("NIGHTSHIFT_TEST_GPU") == "1"

# A compiler in fifty lines: NVRTC behind protocol 2. FAULT says how it misbehaves.
COMPILER = r'''
import ctypes, json, os, sys
assert os.environ["NIGHTSHIFT_ROLE"] == "build" and os.environ["CUDA_VISIBLE_DEVICES"] == ""
nvrtc = ctypes.CDLL(os.environ.get("NIGHTSHIFT_NVRTC", "libnvrtc.so"))

def say(members):
    print(json.dumps(members), flush=True)

def compile(options):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    source = open("scale.cu").read().encode()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"scale.cu", 0, None, None) == 0
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    if nvrtc.nvrtcCompileProgram(program, len(options), words) != 0:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return cubin.raw

say({"hello": 2, "roles": ["build"]})
for line in sys.stdin:
    request = json.loads(line)
    number, folder = request["id"], request["artifact"]
    assert request["form"] == "cubin", request
    n, chosen = request["case"]["N"], request["configuration"]
    block, fault = chosen["BLOCK"], chosen["FAULT"]
    say({"id": number, "phase": "build"})
    if fault == "dies":
        os._exit(7)
    try:
        macros = [f"-DN={n}", f"-DBLOCK={block}", "-DWRONG=" + str(int(fault == "wrong")),
                  "-DBROKEN" if fault == "broken" else "-DWHOLE"]
        cubin = compile([f"--gpu-architecture=sm_{request['target']['architecture']}"] + macros)
    except RuntimeError as error:
        say({"id": number, "failure": "build_failed", "words": str(error)[:2000]})
        continue
    launch = {"grid": -(-n // block), "block": [block, 1], "shared": 0,
              "arguments": ["x", {"float32": 2.5}, "y", None]}
    if fault == "stranger":
        launch["arguments"][0] = "z"
    if fault == "huge":
        launch["block"] = 4096
    if fault != "no cubin":
        with open(folder + "/kernel.cubin", "wb") as out:
            out.write(cubin)
    with open(folder + "/launch.json", "w") as out:
        out.write("{" if fault == "no json" else json.dumps({"launches": {"scale": launch}}))
    say({"id": number, "built": True})
'''

KERNEL = """
extern "C" __global__ void scale(const float* x, float factor, float* y, unsigned* nothing) {
#ifdef BROKEN
  this is no C++;
#endif
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = nothing == nullptr ? factor * x[i] + WRONG : 0;
  SPEND
}
"""
REFERENCE = """
extern "C" __global__ void scale_reference(const float* x, double* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.5 * x[i];
}
"""
PROBLEM = """
name = "scale"
[parameters]
BLOCK = [32, 64, 256]
FAULT = ["none", "broken", "dies", "wrong", "stranger", "huge", "no cubin", "no json"]
[baseline]
BLOCK = 32
FAULT = "none"
[cuda]
source = "scale.cu"
compiler = "served"
compiler_argv = [PYTHON, "compiler.py"]
cases = [{ N = 1000 }, { N = 5000 }]
[cuda.reference]
source = "reference.cu"
[[cuda.reference.launch]]
kernel = "scale_reference"
grid = "ceil(N / 64)"
block = 64
arguments = ["x", "y"]
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
[measure]
samples = 5
warm_up_runs = 1
warm_up_seconds = 0
[acceptance]
confidence = "quick"
""".replace("PYTHON", json.dumps(sys.executable))

FAILURES = {
    "broken": "scale.cu",
    "dies": "exited with code 7",
    "stranger": "scale.arguments[0] is 'z', which is no argument of the problem",
    "huge": "scale.block must be a whole number from 1 to 1024",
    "no cubin": "the compiler ended well, but made no kernel.cubin",
    "no json": "launch.json of the compiler: it is no JSON object",
}


class ServedCompiler(Case):
    def setUp(self):
        super().setUp()
        self.write("compiler.py", COMPILER)
        spend = "" if REAL else "fake_spend_us(1000.0 / BLOCK);"
        self.write("scale.cu", KERNEL.replace("SPEND", spend))
        self.write("reference.cu", REFERENCE)

    def environment(self, **changes):
        fake = {} if REAL else fake_gpus()
        changes = dict(fake, NIGHTSHIFT_BUILD_CACHE=str(self.folder / "cache"), **changes)
        return super().environment(**changes)

    def test_its_kernels_are_checked_and_timed_and_its_faults_are_outcomes(self):
        result = self.tune(self.write("problem.toml", PROBLEM), "--budget", "24t",
                           codes=(IMPROVED, NO_IMPROVEMENT) if REAL else (IMPROVED,))
        self.assertEqual(result["status"], "completed")
        if not REAL:
            self.assertEqual(result["best"]["configuration"], {"BLOCK": 256, "FAULT": "none"})
        seen = {}
        for row in self.csv_rows():
            if row["job"] == "explore":
                seen.setdefault(row["FAULT"], []).append(row)
        self.assertEqual({row["status"] for row in seen["none"]} - {"measured", "skipped"}, set())
        self.assertEqual({row["status"] for row in seen["wrong"]}, {"wrong_result"})
        for fault, words in FAILURES.items():
            for row in seen[fault]:
                self.assertEqual(row["status"], "build_failed", row)
                self.assertIn(words, row["reason"])

    def test_a_baseline_is_the_answer_where_there_is_no_reference(self):
        begin, end = PROBLEM.index("[cuda.reference]"), PROBLEM.index("[[cuda.argument]]")
        text = (PROBLEM[:begin] + PROBLEM[end:]).replace(
            'FAULT = ["none", "broken", "dies", "wrong", "stranger", "huge", "no cubin", "no json"]',
            'FAULT = ["none", "wrong"]')
        self.assertNotIn("stranger", text)
        result = self.tune(self.write("problem.toml", text), "--budget", "6t",
                           codes=(IMPROVED, NO_IMPROVEMENT) if REAL else (IMPROVED,))
        self.assertEqual(result["status"], "completed")
        seen = {(row["FAULT"], row["status"]) for row in self.csv_rows() if row["job"] == "explore"}
        self.assertIn(("wrong", "wrong_result"), seen)
        self.assertIn(("none", "measured"), seen)

    def test_what_cannot_be_served_is_said(self):
        self.write("compiler.py", "print('no hello')")
        done = self.run_nightshift("tune", self.write("problem.toml", PROBLEM),
                                   codes=(STUDY_FAILED,))
        self.assertIn("cannot be served by protocol 2 in the role 'build'",
                      " ".join((done.stdout + done.stderr).split()))

    def test_keys_that_contradict_each_other_are_mistakes(self):
        for change, words in (
                (("compiler_argv", "#"), "cuda.compiler_argv is missing"),
                (('"served"', '"nvcc"'), 'compiler_argv has a meaning with compiler = "served"'),
                (('"served"', '"nvcc"'), "cuda.launch.grid is missing"),
                (('compiler_argv = [', 'compiler_argv = [] #'), "names no program"),
                (("BLOCK = [32, 64, 256]", 'BLOCK = { values = [32, 64], flag = "-DB={}" }'),
                 "parameter 'BLOCK' has a 'flag', which no served compiler is given")):
            problem = self.write("problem.toml", PROBLEM.replace(*change))
            done = self.run_nightshift("check", problem, codes=(USAGE,))
            self.assertIn(words, " ".join((done.stdout + done.stderr).split()))

    def test_check_shows_the_compiler(self):
        told = self.run_nightshift("check", self.write("problem.toml", PROBLEM), codes=(0,)).stdout
        self.assertIn("compiler.py", told)
        self.assertIn("launch scale: as the compiler says", told)


if __name__ == "__main__":
    main()
