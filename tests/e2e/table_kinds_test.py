"""`nightshift table --kinds` and `--join` on fake GPUs of two kinds, and `recheck` of a table by its folder."""

import json
import subprocess
import sys

import harness
from harness import CUDA_SCALE, Case, fake_gpus

# A block of 256 is best on the first kind, and slower than the default on the second, which wants 64.
KERNEL = """
extern "C" __global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
#if __CUDA_ARCH__ >= 900
  fake_spend_us(4000.0 / BLOCK);
#else
  fake_spend_us(BLOCK == 32 ? 100.0 : BLOCK == 64 ? 60.0 : 150.0);
#endif
}
"""


class TableKinds(Case):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)
        self.write("problem.toml", CUDA_SCALE)
        self.write("night.toml", "[[study]]\nproblem = \"problem.toml\"\nname = \"scale\"\nbudget = \"4t\"\n"
                   "shapes = [{ N = 1000 }, { N = 4000, count = 2 }]\n")
        self.env = self.machine("90,80")
        self.run_nightshift("batch", "run", "night.toml", "--devices", "gpu:0", codes=(0, 3), env=self.env)

    def machine(self, architectures):
        return fake_gpus(FAKE_GPU_COUNT=str(architectures.count(",") + 1), XDG_RUNTIME_DIR=str(self.folder),
                         FAKE_GPU_ARCHITECTURES=architectures)

    def table(self, *words, codes=(0,), env=None):
        return self.run_nightshift("table", "night", *words, codes=codes, env=env or self.env).stdout

    def test_a_table_for_each_kind_and_one_of_both(self):
        report = json.loads(self.table("--kinds", "--json"))
        kinds = [table["kinds"][0] for table in report["tables"]]
        self.assertEqual([kind.split(", ")[1] for kind in kinds],
                         ["compute capability 90", "compute capability 80"])
        self.assertEqual([{t["configurations"][r["choice"]].get("BLOCK") for r in t["rows"]}
                          for t in report["tables"]], [{256}, {64}])
        big, small = [table["carried_over"] for table in report["tables"]]
        self.assertEqual([one["kind"] for one in big + small], kinds[::-1])
        self.assertEqual((small[0]["shapes"], small[0]["as_good"]), (2, 0))
        self.assertAlmostEqual(small[0]["of_default"], 1.5, delta=0.05)
        self.assertAlmostEqual(small[0]["worst"], 2.5, delta=0.1)
        self.assertAlmostEqual(big[0]["of_default"], 0.5, delta=0.02)
        self.forms(report["file"], kinds)
        self.recheck(report)

    def forms(self, file, kinds):
        self.table("--kinds", "--format", "header", "--output", "scale_table.h")
        self.run_nightshift("table", file, "--format", "python", "--output", "scale_table.py", codes=(0,))
        calls = [(kind, n) for kind in [*kinds, "another"] for n in (1000, 2000, 4000, 9000)]
        source = '#include <cstdio>\n#include "scale_table.h"\nnamespace t = nightshift_table::scale;\nint main() {\n'
        for kind, n in calls:
            source += f'  std::printf("%d\\n", t::choose(t::kind_of("{kind}"), {n}));\n'
        self.write("ask.cc", source + "  static_assert(t::kind_of(\"no such\") == -1);\n}\n")
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", "ask", "ask.cc"],
                       cwd=self.folder, check=True)
        of_header = subprocess.run(["./ask"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        script = f"import scale_table as t; print(*[t.choose(k, n) for k, n in {calls}], sep='\\n')"
        of_module = subprocess.run([sys.executable, "-B", "-c", script], cwd=self.folder, check=True,
                                   capture_output=True, text=True).stdout
        self.assertEqual(of_header, of_module)
        looked = json.loads(self.table("--kinds", "--look-up", "N=1000", "--json"))
        self.assertEqual([looked[kind]["configuration"]["BLOCK"] for kind in kinds], [256, 64])
        self.assertEqual(set(of_header.split()[8:]), {"0"})

    def recheck(self, report):
        folder = report["tables"][1]["file"].rsplit("/", 1)[0]
        done = json.loads(self.run_nightshift("recheck", folder, "--json", codes=(0,), env=self.env).stdout)
        self.assertEqual([row["verdict"] for row in done["rows"]], ["holds"] * 2)
        refused = self.run_nightshift("recheck", folder, codes=(harness.USAGE,), env=self.machine("90"))
        self.assertIn("no device at hand is a ", refused.stderr)

    def test_tables_of_two_machines_are_joined(self):
        here, there = self.machine("90"), self.machine("80")
        (self.folder / "there.toml").write_text((self.folder / "night.toml").read_text())
        self.run_nightshift("batch", "run", "there.toml", codes=(0, 3), env=there)
        self.run_nightshift("table", "there", codes=(0,), env=there)
        file = self.folder / "batches/there/table/table.json"
        report = json.loads(self.table("--join", file, "--json", env=here))
        self.assertEqual(len(report["tables"]), 1)
        self.assertEqual(report["tables"][0]["carried_over"][0]["shapes"], 2)
        kinds = json.loads((self.folder / "batches/night/table/kinds.json").read_text())
        self.assertEqual([one["kind"].split(", ")[1] for one in kinds["tables"]],
                         ["compute capability 90", "compute capability 80"])
        header = self.table("--join", file, "--format", "header", env=here)
        self.assertIn("constexpr int choose(int kind, long long N)", header)
        refused = self.run_nightshift("table", "night", "--join", "batches/night/table/table.json", "--format",
                                      "header", codes=(harness.USAGE,), env=here)
        self.assertIn("are both of ", refused.stderr)


class RecheckedTable(Case):
    def test_a_table_is_rechecked_by_its_folder_and_never_changed_silently(self):
        self.write("scale.cu", KERNEL)
        self.write("problem.toml", CUDA_SCALE)
        self.write("night.toml", "[[study]]\nproblem = \"problem.toml\"\nname = \"scale\"\nbudget = \"4t\"\n"
                   "shapes = [{ N = 1000 }, { N = 4000 }]\n")
        env = fake_gpus(XDG_RUNTIME_DIR=str(self.folder))
        self.run_nightshift("batch", "run", "night.toml", codes=(0, 3), env=env)
        self.run_nightshift("table", "night", codes=(0,), env=env)
        table = self.folder / "batches/night/table/table.json"
        before = table.read_text()
        self.run_nightshift("recheck", table.parent, codes=(0,), env=env)
        self.write("scale.cu", KERNEL.replace("4000.0 / BLOCK", "BLOCK"))
        done = self.run_nightshift("recheck", table, "--junit", "r.xml", "--markdown", "r.md", codes=(11,), env=env)
        self.assertIn("2 worse", done.stdout)
        self.assertIn("nightshift table ", done.stdout)
        self.assertIn('failures="2"', (self.folder / "r.xml").read_text())
        self.assertEqual(table.read_text(), before)
        made = self.run_nightshift("table", "night", codes=(3,), env=env).stdout
        self.assertIn("2 rows have another choice now", made)
        self.assertEqual((table.parent / "table.json.1").read_text(), before)
        self.assertEqual([row["choice"] for row in json.loads(table.read_text())["rows"]], [0, 0])
        refused = self.run_nightshift("recheck", table, "studies/x", codes=(harness.USAGE,), env=env)
        self.assertIn("a table is rechecked alone", refused.stderr)


if __name__ == "__main__":
    harness.main()
