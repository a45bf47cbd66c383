"""What a new user comes with: sources whose own names are those of sizes, other languages, programs
that are not there, files that are none. One message that says what to do, or it works."""

import gzip
import json
import os
import shutil

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, STUDY_FAILED, USAGE

# As products lie about in repositories: sizes and tiles are names of its own.
PRODUCT = """
template <int BM, int BN>
void gemm(const float* a, float* c, int M, int N) {
  for (int i = 0; i < M; i += BM)
    for (int j = 0; j < N; j += BN)
      for (int x = i; x < i + BM && x < M; x++)
        for (int y = j; y < j + BN && y < N; y++) c[x * N + y] = 2 * a[x * N + y];
}
"""

HOST = """
name = "p"
[host]
kernel = {{ file = "{file}", function = "{function}", flags = ["-O2"] }}
{more}
sizes = {{ M = 32, N = 48 }}
[[host.argument]]
name = "a"
type = "float32"
size = "M * N"
[[host.argument]]
name = "c"
type = "float32"
size = "M * N"
access = "out"
[[host.argument]]
name = "rows"
type = "int32"
value = "M"
[[host.argument]]
name = "columns"
type = "int32"
value = "N"
[parameters]
BM = [4, 8]
BN = [4, 8]
[measure]
samples = 3
precision = 0
"""

COMMAND = """
name = "p"
[command]
argv = {argv}
{more}
cores = 1
runs = 1
[parameters]
X = [1, 2, 3, 4]
"""

QUICK = ("--budget", "4t", "--set", "acceptance.confidence=quick")


class Doors(Case):
    def host(self, function, more="", file="p.cc", source=PRODUCT):
        self.write(file, source)
        return self.write("p.toml", HOST.format(file=file, function=function, more=more))

    def command(self, argv, more=""):
        return self.write("p.toml", COMMAND.format(argv=json.dumps(argv), more=more))

    def test_sizes_and_parameters_are_template_arguments(self):
        result = self.tune(self.host("gemm<BM, BN>", 'names = "none"'), *QUICK)
        self.assertEqual(result["evaluations"], 4)
        self.assertEqual({row["status"] for row in self.csv_rows()} - {"measured", "skipped"}, set())

    def test_constants_may_be_shadowed(self):
        source = PRODUCT.replace("template <int BM, int BN>\n", "")
        result = self.tune(self.host("gemm", 'names = "constants"', source=source), *QUICK)
        self.assertEqual(result["evaluations"], 4)

    def test_the_cause_of_a_broken_build_is_named(self):
        done = self.run_nightshift("tune", self.host("gemm<BM, BN>"), *QUICK, codes=(STUDY_FAILED,))
        self.assertRegex(done.stdout + done.stderr, r"(BM|M) is a macro with the value")
        self.assertIn("p.cc:", done.stdout + done.stderr)
        self.assertIn('names = "constants"', done.stdout + done.stderr)

    def test_a_macro_that_breaks_a_header_is_named(self):
        source = "#include <vector>\n" + PRODUCT.replace("template <int BM, int BN>\n", "").replace(
            "int M, int N", "int m, int n")
        problem = self.host("gemm", source=source)
        problem.write_text(problem.read_text().replace("BN = ", "vector = ", 1))
        done = self.run_nightshift("tune", problem, *QUICK, codes=(STUDY_FAILED,))
        self.assertIn("vector is a macro with the value", done.stdout + done.stderr)

    def test_sources_in_place_of_problems_are_told(self):
        self.write("b.f90", 'subroutine f(x) bind(C, name="f")\nend subroutine\n')
        for command in ("check", "tune", "init"):
            done = self.run_nightshift(command, "b.f90", codes=(USAGE,))
            told = " ".join((done.stdout + done.stderr).split())
            self.assertIn("b.f90", told)
            self.assertIn('kernel = { file = "b.f90", function = "NAME" }', told)
        self.write("p.cc", PRODUCT)
        self.assertIn("nightshift init p.cc",
                      self.run_nightshift("tune", "p.cc", codes=(USAGE,)).stderr)

    def test_cuda_templates_have_arguments_by_name(self):
        self.write("scale.cu", "template <int BLOCK> __global__ void scale(const float* x, float* y, int N) {\n"
                   "  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;\n"
                   "  if (i < N) y[i] = 2 * x[i];\n  fake_spend_us(1000.0 / BLOCK);\n}\n")
        text = harness.CUDA_SCALE.replace('kernel = "scale"', 'kernel = "scale<BLOCK>"')
        text = text.replace("[[cuda.argument]]", 'names = "none"\n[[cuda.argument]]', 1)
        text = text.replace('arguments = ["x", "y"]', 'arguments = ["x", "y", "n"]')
        text += '[[cuda.argument]]\nname = "n"\ntype = "int32"\nvalue = "N"\n'
        problem = self.write("p.toml", text)
        result = self.tune(problem, *QUICK, env=harness.fake_gpus())
        self.assertEqual(result["evaluations"], 4)
        # What is the baseline's has its code, and is not measured again.
        others = [row for row in self.csv_rows() if row["job"] == "explore" and row["BLOCK"] != "32"]
        self.assertEqual([row["status"] for row in others], ["measured"] * 3)

    def test_other_languages(self):
        source = PRODUCT.replace("template <int BM, int BN>\n", "")
        for names in ("macros", "constants"):
            own = source.replace("int M, int N", "int m, int n").replace("< M", "< m").replace(
                "* N", "* n").replace("< N", "< n").replace("* a[", "* (float)a[")
            problem = self.host("gemm", f'names = "{names}"', "p.c", own)
            self.assertEqual(self.tune(problem, *QUICK, study=names)["evaluations"], 4)
        if shutil.which("gfortran"):
            problem = self.host("gemm", "", "p.f90",
                                'subroutine gemm(a, c, rows, columns) bind(C, name="gemm")\n'
                                "use iso_c_binding\ninteger(c_int), value :: rows, columns\n"
                                "real(c_float) :: a(rows * columns), c(rows * columns)\n"
                                "c = 2 * a + (BM + BN) * 0\nend subroutine\n")
            self.assertEqual(self.tune(problem, *QUICK, study="fortran")["evaluations"], 4)

    def check(self, problem, *words):
        done = self.run_nightshift("check", problem, codes=(2,))
        said = " ".join((done.stdout + done.stderr).split())  # lines are folded anywhere
        for word in ("would not begin on this machine", *words):
            self.assertIn(word, said)

    def test_check_finds_what_is_not_there(self):
        self.write("prog", "#!/bin/sh\n")
        self.check(self.command(["nosuchprog", "{X}"]), "command.argv", "no program 'nosuchprog' on PATH")
        self.check(self.command(["prog", "{X}"]), "write './prog'")
        self.check(self.command(["./prog", "{X}"]), "chmod +x")
        for launcher in (["env", "Y=1"], ["taskset", "1"], ["nice"], ["timeout", "9"]):
            self.check(self.command([*launcher, "nosuchprog", "{X}"]), "no program 'nosuchprog'")
        self.check(self.command(["{X}"]), "command.argv", "there is no program '")
        self.check(self.command(["./gone", "{X}"]), "there is no program", "/gone")
        self.check(self.command(["bash", "gone.sh", "{X}"]), "there is no script", "gone.sh")
        self.check(self.command(["{artifact}/p", "{X}"], 'build = ["nocc", "-o", "{artifact}/p"]'),
                   "command.build", "nocc")
        self.check(self.command(["{artifact}/p", "{X}"],
                                'build = ["cc", "-O2", "gone.c", "-o", "{artifact}/p"]'),
                   "there is no source", "gone.c")
        for line, words in (("#!/nope/python\n", "started by /nope/python"),
                            ("#!/bin/sh\r\n", "carriage return")):
            script = self.folder / "script"
            script.write_bytes(line.encode())
            script.chmod(0o755)
            self.check(self.command(["./script", "{X}"]), words)
        self.check(self.host("gemm<BM, BN>", 'names = "none"\ncompiler = "nosuch-c++"'), "nosuch-c++")

    def test_check_is_content_with_what_is_there(self):
        self.write("prog.sh", "")
        for argv in (["bash", "prog.sh", "{X}"], ["bash", "-c", "echo {X}"], ["/bin/echo", "{X}"],
                     ["env", "Y=1", "nice", "/bin/echo", "{X}"]):
            done = self.run_nightshift("check", self.command(argv), codes=(0,))
            self.assertNotIn("would not begin", done.stdout)

    def test_a_folder_that_has_moved_is_named(self):
        (self.folder / "a").mkdir()
        self.write("a/prog.sh", 'echo "{\\"time\\": $((100 + $1))}"\n')
        problem = self.write("a/p.toml", COMMAND.format(argv='["bash", "prog.sh", "{X}"]', more=""))
        self.run_nightshift("tune", problem, "--study", "s", "--budget", "2t", *QUICK[2:],
                            codes=(IMPROVED, NO_IMPROVEMENT))
        (self.folder / "a").rename(self.folder / "b")
        done = self.run_nightshift("resume", "s", "--budget", "4t", codes=(USAGE,))
        self.assertIn(f"{self.folder}/a, which is no folder any more", done.stderr)
        self.run_nightshift("report", "s", codes=(0,))

    def test_files_that_never_end_or_are_too_deep_are_refused(self):
        fifo = self.folder / "fifo.toml"
        os.mkfifo(fifo)
        for path in (fifo, "/dev/zero"):
            done = self.run_nightshift("tune", path, codes=(USAGE,))
            self.assertIn("is no regular file", done.stderr)
        for name in ("fifo.cc", "fifo.py", "fifo.h", "history"):
            os.mkfifo(self.folder / name)
        (self.folder / "zero.py").symlink_to("/dev/zero")
        for words in (("init", "fifo.cc"), ("check", "fifo.cc"), ("init", "fifo.py"), ("init", "zero.py")):
            done = self.run_nightshift(*words, codes=(USAGE,))
            self.assertIn("is no regular file", done.stderr, words)
        self.assertIn("is no regular file", self.run_nightshift(
            "history", env={"NIGHTSHIFT_HISTORY": str(self.folder / "history")}, codes=(USAGE,)).stderr)
        with gzip.open(self.folder / "bomb.gz", "wb", compresslevel=9) as bomb:
            for _ in range(300):
                bomb.write(b" " * (1 << 20))
        self.assertIn("times its size",
                      self.run_nightshift("tune", "bomb.gz", codes=(USAGE,)).stderr)
        deep = 50_000
        for text in ("a = " + "[" * deep + "]" * deep, "a = " + "{a = " * deep + "1" + "}" * deep,
                     ".".join(["a"] * deep) + " = 1", "[" + ".".join(["a"] * deep) + "]",
                     '"a" . ' * deep + "a = 1", '{"ConfigurationSpace": ' + "[" * deep + "]" * deep + "}",
                     '{"results": "configuration", "x": ' + '{"a": ' * deep + "1" + "}" * deep + "}"):
            self.run_nightshift("check", self.write("deep.toml", text), codes=(USAGE,))
            self.run_nightshift("batch", "run", self.write("deep.toml", text), codes=(USAGE,))


if __name__ == "__main__":
    harness.main()
