"""`export --format cubin` and `table --format cubin`: what is tuned on a fake GPU is launched by the loaders
of packaging/include/ and python/, without the evaluator."""

import ctypes
import os
import shutil
import subprocess
import sys
import textwrap
import unittest

import harness
from harness import BUILD, Case, SOURCE, fake_gpus

sys.path.insert(0, str(SOURCE / "python"))
from nightshift.kernel_file import KernelError, KernelFile  # noqa: E402

SCALE = """
extern "C" __global__ void scale(const float* x, float factor, int n, float* y, unsigned* calls) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
  if (i == 0) calls[0] = BLOCK;
  fake_spend_us(4000.0 / BLOCK);
}
"""
# The size is an argument, and BLOCK takes the place of a definition.
PROBLEM = """
name = "scale"
[cuda]
source = "scale.cu"
names = "definitions"
sizes = { n = 1000 }
[[cuda.argument]]
name = "x"
type = "float32"
size = "n"
[[cuda.argument]]
name = "factor"
type = "float32"
value = 2.5
[[cuda.argument]]
name = "n"
type = "int32"
value = "n"
[[cuda.argument]]
name = "y"
type = "float32"
size = "n"
access = "out"
[[cuda.argument]]
name = "calls"
type = "uint32"
size = 1
access = "work"
[[cuda.launch]]
kernel = "scale"
grid = "ceil(n / BLOCK)"
block = "BLOCK"
arguments = ["x", "factor", "n", "y", "calls"]
[parameters]
BLOCK = [32, 64, 128, 256]
[baseline]
BLOCK = 32
"""

# Vectors as torch's are, in memory of the fake GPU, which the CPU sees.
FAKE_TENSORS = """
import ctypes, os
import nightshift
from nightshift.kernel_file import KernelError

cuda = ctypes.CDLL(os.environ["NIGHTSHIFT_CUDA_DRIVER"])
cuda.cuInit(0)
context = ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)

class Tensor:
    class device: type, index = "cuda", 0
    def __init__(self, values, dtype="float32"):
        self.values, self.dtype, self.contiguous = values, "torch." + dtype, True
        self.memory = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.memory), ctypes.c_size_t(4 * len(values))) == 0
        data = (ctypes.c_float * len(values))(*values)
        assert cuda.cuMemcpyHtoD_v2(self.memory, data, ctypes.c_size_t(4 * len(values))) == 0
    def data_ptr(self): return self.memory.value
    def numel(self): return len(self.values)
    def is_contiguous(self): return self.contiguous
    def read(self):
        data = (ctypes.c_float * len(self.values))()
        assert cuda.cuMemcpyDtoH_v2(data, self.memory, ctypes.c_size_t(4 * len(self.values))) == 0
        return list(data)

def says(words, call):
    try:
        call()
    except KernelError as error:
        assert words in str(error), (words, str(error))
        return
    raise AssertionError("no error: " + words)
"""


@unittest.skipUnless(shutil.which("c++"), "no c++")
class Kernels(Case):
    def setUp(self):
        super().setUp()
        self.gpu = fake_gpus(XDG_RUNTIME_DIR=str(self.folder), NIGHTSHIFT_BUILD_CACHE="off")

    def tuned(self, problem=PROBLEM, kernel=SCALE):
        self.write("scale.cu", "#define BLOCK 1\n" + kernel if "definitions" in problem else kernel)
        self.write("problem.toml", problem + harness.FEW_PAIRS)
        result = self.tune("problem.toml", "--budget", "4t", env=self.gpu)
        self.assertEqual(result["best"]["configuration"]["BLOCK"], 256, result)
        return result

    def exported(self, *options, codes=(0,), **more):
        return self.run_nightshift("export", "study", "--format", "cubin", "--output", "scale.kernels", *options,
                                   codes=codes, env=dict(self.gpu, **more))

    def python(self, script, **more):
        env = self.environment(**dict(self.gpu, PYTHONPATH=str(SOURCE / "python"), **more))
        done = subprocess.run([sys.executable, "-B", "-c", FAKE_TENSORS + textwrap.dedent(script)], cwd=self.folder,
                              env=env, capture_output=True, text=True, timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def cpp(self, body, arguments=()):
        """Compiles and runs a program of users with the fake driver in the place of libcuda."""
        self.write("use.cc", '#include <cstdio>\n#include <vector>\n#include "nightshift/kernels.h"\n' + body)
        fakes = BUILD / "fakes"
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "packaging/include", "-I",
                        SOURCE / "tests/fakes/gpu/driver_api", "-o", "use", "use.cc", fakes / "libfakecuda.so",
                        f"-Wl,-rpath,{fakes}"], cwd=self.folder, check=True)
        return subprocess.run(["./use", *arguments], cwd=self.folder, env=self.environment(**self.gpu),
                              capture_output=True, text=True, timeout=harness.TIMEOUT)

    def test_a_winner_is_launched_from_python(self):
        self.tuned()
        self.exported()
        file = KernelFile(self.folder / "scale.kernels")
        self.assertEqual([v.role for v in file.variants], ["best", "default"])
        self.assertEqual(file.variants[0].configuration, {"BLOCK": "256"})
        self.assertIn("against the default", dict(file.notes)["claim"])
        self.python("""
            scale = nightshift.load_kernels("scale.kernels")
            for n in (1000, 1000, 37):  # one that was measured, and one that was not
                x, y = Tensor([float(i) for i in range(n)]), Tensor([0.0] * n)
                scale(x, y, n=n)
                assert y.read() == [2.5 * i for i in range(n)], y.read()
                scale(x=x, y=y, n=n, factor=0.5)
                assert y.read() == [0.5 * i for i in range(n)], y.read()
            assert scale.choose(n=1000) == {"role": "best", "configuration": {"BLOCK": "256"}}
            assert scale.choose(n=37) == {"role": "default", "configuration": {"BLOCK": "32"}}
            says("n is not given", lambda: scale(x, y))
            says("has 37 elements, and for these sizes the kernel takes 38", lambda: scale(x, y, n=38))
            says("overlaps", lambda: scale(x, x, n=37))
            says("m: the kernel has no such size or scalar; it has factor, n", lambda: scale(x, y, n=37, m=1))
            says("the vector y is not given", lambda: scale(x, n=37))
            says("3 vectors are given", lambda: scale(x, y, y, n=37))
            says("elements of float16, and the kernel takes float32", lambda: scale(Tensor([0.0] * 37, "float16"), y, n=37))
            says("no vector on a GPU", lambda: scale([1.0], y, n=37))
            says("multiple of 16 bytes", lambda: scale(x.data_ptr() + 4, y, n=37))
            x.contiguous = False
            says("not contiguous", lambda: scale(x, y, n=37))
            x.device = type("cpu", (), {"type": "cpu", "index": None})
            says("is not on a GPU", lambda: scale(x, y, n=37))
            """)

    def test_calls_are_captured_in_a_graph(self):
        self.tuned()
        self.exported()
        self.python("""
            scale = nightshift.load_kernels("scale.kernels")
            x, y = Tensor([1.0, 2.0, 3.0]), Tensor([0.0] * 3)
            stream, graph, exec_ = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
            assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0
            scale(x, y, n=3, stream=stream.value)
            assert cuda.cuStreamBeginCapture_v2(stream, 2) == 0
            scale(x, y, n=3, stream=stream.value, factor=7)
            assert cuda.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
            assert y.read() == [2.5, 5.0, 7.5]  # what is captured has not run
            assert cuda.cuGraphInstantiateWithFlags(ctypes.byref(exec_), graph, ctypes.c_ulonglong(0)) == 0
            assert cuda.cuGraphLaunch(exec_, stream) == 0
            assert y.read() == [7.0, 14.0, 21.0], y.read()
            """)

    def test_a_winner_is_launched_from_cpp(self):
        self.tuned()
        self.exported()
        program = """
int main(int, char** argv) {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  try {
    nightshift::Kernels scale(argv[1]);
    const double n = std::stod(argv[2]);
    std::vector<float> host(100);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i);
    CUdeviceptr x = 0, y = 0;
    cuMemAlloc(&x, 400);
    cuMemAlloc(&y, 400);
    cuMemcpyHtoD(x, host.data(), 400);
    scale.launch({{"n", n}}, {x, y}, nullptr);
    scale.launch({{"n", n}, {"factor", 3}}, {x, y}, nullptr);
    cuMemcpyDtoH(host.data(), y, 400);
    std::printf("%g %g\\n", host[1], host[int(n) - 1]);
    if (argv[3] != nullptr) scale.launch({{"n", n}}, {x}, nullptr);
  } catch (const nightshift::KernelError& error) {
    std::printf("%s\\n", error.what());
    return 1;
  }
}
"""
        done = self.cpp(program, ["scale.kernels", "100"])
        self.assertEqual((done.returncode, done.stdout), (0, "3 297\n"), done)
        for words, arguments in (("too few vectors", ["scale.kernels", "100", "few"]),
                                 ("no whole number", ["scale.kernels", "0"]),
                                 ("cannot be read", ["other.kernels", "1"])):
            done = subprocess.run(["./use", *arguments], cwd=self.folder, env=self.environment(**self.gpu),
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stdout)

    def test_tensor_maps_are_made_for_each_call(self):
        """Both loaders encode them over the vectors that they are given."""
        shutil.copytree(SOURCE / "tests/puzzles/gpu_tiles", self.folder / "tiles")
        self.tune("tiles/problem.toml", "--budget", "20t", env=self.gpu)
        self.exported()
        self.assertEqual(KernelFile(self.folder / "scale.kernels").variants[0].configuration["SLAB_BYTES"], "128")
        self.python("""
            tiles = nightshift.load_kernels("scale.kernels")
            for first in (0.0, 1000.0):
                x, y = Tensor([first + i for i in range(880)]), Tensor([0.0] * 800)
                tiles(x, y, M=20, N=40, PITCH=44)
                assert y.read() == [2 * (first + r * 44 + c) for r in range(20) for c in range(40)], y.read()
            """)
        done = self.cpp("""
int main() {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  std::vector<float> host(880);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i);
  CUdeviceptr x = 0, y = 0;
  cuMemAlloc(&x, 880 * 4);
  cuMemAlloc(&y, 800 * 4);
  cuMemcpyHtoD(x, host.data(), 880 * 4);
  nightshift::Kernels tiles("scale.kernels");
  tiles.launch({{"M", 20}, {"N", 40}, {"PITCH", 44}}, {x, y}, nullptr);
  cuMemcpyDtoH(host.data(), y, 800 * 4);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 40; ++c)
      if (host[std::size_t(r * 40 + c)] != 2 * float(r * 44 + c)) return 1;
}
""")
        self.assertEqual(done.returncode, 0, done)

    def test_sizes_that_are_compiled_in_are_the_only_ones(self):
        problem = PROBLEM.replace('names = "definitions"\n', "").replace("n = 1000", "N = 1000")
        problem = problem.replace('"n"', '"N"').replace("ceil(n", "ceil(N").replace('name = "N"', 'name = "n"')
        self.tuned(problem.replace('["x", "factor", "N"', '["x", "factor", "n"'))
        self.exported()
        self.assertEqual(KernelFile(self.folder / "scale.kernels").otherwise, "-1")
        self.python("""
            scale = nightshift.load_kernels("scale.kernels")
            x, y = Tensor([float(i) for i in range(1000)]), Tensor([0.0] * 1000)
            scale(x, y, N=1000)
            assert y.read() == [2.5 * i for i in range(1000)]
            says("has no kernel for N=999: tune these sizes as well", lambda: scale(x, y, N=999))
            """)

    def test_another_architecture_is_refused(self):
        self.tuned()
        done = self.exported("--architecture", "80")
        self.assertEqual(done.stderr.count("nightshift:"), 0, done.stderr)
        self.python('says("is for compute capability 8.0, and this device has 9.0",\n'
                    '     lambda: nightshift.load_kernels("scale.kernels")(Tensor([1.0]), Tensor([1.0]), n=1))')
        self.python('says("driver cannot be opened", lambda: nightshift.load_kernels("scale.kernels"))\n'
                    .replace("says", 'os.environ["NIGHTSHIFT_CUDA_DRIVER"] = "/nowhere/libcuda.so"\nsays'))
        self.assertIn("expected the file to write as --output",
                      self.run_nightshift("export", "study", "--format", "cubin", codes=(harness.USAGE,)).stderr)

    def test_without_a_gpu_what_was_measured_is_written(self):
        """The same bytes, also where the study's machine code has gone and the compiler makes it again."""
        self.tuned()
        self.exported()
        first = (self.folder / "scale.kernels").read_bytes()
        shutil.rmtree(self.folder / "study" / "artifacts")
        done = self.exported(NIGHTSHIFT_CUDA_DRIVER="/nowhere/libcuda.so")
        self.assertEqual((self.folder / "scale.kernels").read_bytes(), first)
        self.assertEqual(done.stderr, "")
        kernel = self.folder / "scale.cu"
        kernel.write_text(kernel.read_text().replace("factor * x[i]", "factor * x[i] + 0"))
        self.assertIn("not what was measured: `nightshift recheck study`", self.exported().stderr)

    def test_a_damaged_file_is_refused(self):
        self.tuned()
        self.exported()
        path = self.folder / "scale.kernels"
        whole = path.read_bytes()
        lines = whole[:whole.index(b"\nend\n")].count(b"\n")
        for damaged in [whole[:n] for n in range(0, len(whole), 97)] + [b"", b"what\n"]:
            path.write_bytes(damaged)
            self.assertRaises(KernelError, KernelFile, path)
        for number in range(1, lines):
            text = whole.split(b"\n", number)
            text[number - 1] = b"9" * len(text[number - 1])
            path.write_bytes(b"\n".join(text))
            self.assertRaises(KernelError, KernelFile, path)

    def test_a_table_is_launched_by_sizes(self):
        self.write("scale.cu", "#define BLOCK 1\n" + SCALE)
        self.write("problem.toml", PROBLEM + harness.QUICK)
        self.write("night.toml", "[[study]]\nproblem = \"problem.toml\"\nname = \"scale\"\nbudget = \"4t\"\n"
                   "shapes = [{ n = 1000 }, { n = 4000, count = 2 }, { n = 16000 }]\n")
        self.run_nightshift("batch", "run", "night.toml", codes=(0, 3), env=self.gpu)
        self.run_nightshift("table", "night", "--json", codes=(0,), env=self.gpu)
        self.run_nightshift("table", "night", "--format", "cubin", "--output", "scale.kernels", codes=(0,),
                            env=dict(self.gpu, NIGHTSHIFT_CUDA_DRIVER="/nowhere/libcuda.so"))
        file = KernelFile(self.folder / "scale.kernels")
        self.assertEqual(set(file.rows), {(1000,), (4000,), (16000,)})
        looked = lambda n: self.run_nightshift("table", "night", "--look-up", f"n={n}", "--json", codes=(0,)).stdout
        for n in (1, 999, 1000, 2000, 4000, 8000, 16000, 20000):
            choice = harness.json.loads(looked(n))["choice"]
            role = file.variants[file.choose({"n": n})].role
            self.assertEqual(role, f"choice-{choice}" if choice else "default", n)
        self.python("""
            scale = nightshift.load_kernels("scale.kernels")
            for n in (1000, 2000, 16000, 20000):
                x, y = Tensor([float(i) for i in range(n)]), Tensor([0.0] * n)
                scale(x, y, n=n)
                assert y.read() == [2.5 * i for i in range(n)]
            """)


if __name__ == "__main__":
    harness.main()
