"""A table gives no size a configuration that the problem's constraints forbid, in no form of it; and
what it has measured stays its own where the project moves."""

import json
import subprocess
import sys

import harness
from harness import BIN, Case

KERNEL = """template <int V> void add(const float* x, float* y, long n) {
  for (long i = 0; i < n; i += V)
#pragma GCC unroll 64
    for (int j = 0; j < V; ++j) { y[i + j] = 2 * x[i + j]; if (V < 16) asm volatile("" ::: "memory"); }
}
"""
PROBLEM = """
name = "add"
constraints = ["N % V == 0"]
[host]
kernel = { file = "k.cc", function = "add<V>", flags = ["-std=c++20", "-O3"] }
names = "none"
sizes = { N = 960 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
[[host.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[[host.argument]]
name = "n"
type = "int64"
value = "N"
[parameters]
V = [1, 24, 48]
[acceptance]
confidence = "quick"
"""
BATCH = """
[[study]]
problem = "p.toml"
shapes = [%s]
budget = "4t"
"""


class Guards(Case):
    def project(self, sizes, more=""):
        project = self.folder / "one"
        project.mkdir()
        (project / "k.cc").write_text(KERNEL)
        (project / "p.toml").write_text(PROBLEM + more)
        (project / "b.toml").write_text(BATCH % ", ".join("{ N = %d }" % n for n in sizes))
        self.nightshift(project, "batch", "run", "b.toml")
        return project

    def nightshift(self, project, *words, codes=(0, 3)):
        done = subprocess.run([BIN / "nightshift", *words], cwd=project, env=self.environment(),
                              capture_output=True, text=True, timeout=600)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return done.stdout

    def test_sizes_that_nobody_tuned_have_no_starts_of_those_that_were(self):
        project = self.project([960, 2880], "[search]\nstarts = [{ V = 48 }]\n")
        report = json.loads(self.nightshift(project, "table", "b", "--unseen", "1", "--blocks", "2", "--json"))
        self.assertEqual(len(report["judged_on_others"]["shapes"]), 1, report)
        self.assertNotEqual(report["judged_on_others"]["shapes"][0]["sizes"]["N"] % 48, 0)

    def test_no_size_gets_what_a_constraint_forbids(self):
        project = self.project([960, 1920, 4800, 9600])
        report = json.loads(self.nightshift(project, "table", "b", "--json"))
        for values, asked in zip(report["configurations"], report["unseen"]["constraints"]):
            expected = [f"N % {values['V']} == 0"] if values else []
            self.assertEqual([one["holds"] for one in asked], expected)
        self.nightshift(project, "table", "b", "--format", "python", "--output", "table.py")
        self.nightshift(project, "table", "b", "--format", "header", "--output", "table.h")
        script = "import table; print(*[table.choose(n) for n in range(1, 10001)])"
        module = subprocess.run([sys.executable, "-B", "-c", script], cwd=project, check=True,
                                capture_output=True, text=True).stdout.split()
        (project / "ask.cc").write_text(
            '#include <cstdio>\n#include "table.h"\nint main() {\n  for (int n = 1; n <= 10000; ++n)'
            ' std::printf("%d\\n", nightshift_table::add::choose(n));\n}\n')
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", "ask", "ask.cc"],
                       cwd=project, check=True)
        header = subprocess.run(["./ask"], cwd=project, check=True, capture_output=True,
                                text=True).stdout.split()
        self.assertEqual(header, module)
        for n, choice in enumerate(module, 1):
            self.assertEqual(n % report["configurations"][int(choice)].get("V", 1), 0, n)
        for n in (1024, 1152, 1600, 3840):
            looked = json.loads(self.nightshift(project, "table", "b", "--look-up", f"N={n}", "--json"))
            self.assertEqual(looked["choice"], int(module[n - 1]), looked)

    def test_a_shape_that_cannot_have_a_choice_leaves_figures_finite(self):
        project = self.project([960, 1024, 4800])
        text = self.nightshift(project, "table", "b")
        self.assertNotIn("inf of", text)
        for error in json.loads(self.nightshift(project, "table", "b", "--json"))["choosing"]["left_out"]:
            self.assertIsNotNone(error["geometric_mean"], error)
            self.assertIsNotNone(error["worst"], error)

    def test_a_moved_project_goes_on_with_its_table(self):
        project = self.project([960, 1920])
        first = json.loads(self.nightshift(project, "table", "b", "--candidates", "2", "--json"))
        moved = project.rename(self.folder / "two")
        again = json.loads(self.nightshift(moved, "table", "b", "--candidates", "2", "--json"))
        self.assertEqual(again["evaluations"], 0)
        self.assertEqual(again["rows"], first["rows"])
        self.assertEqual(again["made_of"], first["made_of"])
        self.assertNotIn(str(self.folder), json.dumps(first["made_of"]))
        recheck = json.loads(self.nightshift(moved, "table", "b", "--recheck", "--json",
                                             codes=(0, 3, 11, 75)))
        self.assertEqual(recheck["changed"], [])


if __name__ == "__main__":
    harness.main()
