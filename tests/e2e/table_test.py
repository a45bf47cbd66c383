"""`nightshift table` on a real batch of host kernels: shapes in, a table, its forms, a kill, and the
shipped demo's program."""

import fcntl
import json
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import BIN, CUDA_SCALE, Case, SOURCE, fake_gpus

SHAPES = [(64, 64, 3), (256, 256, 1), (512, 512, 2)]


class Table(Case):
    def setUp(self):
        super().setUp()
        self.kernel = self.folder / "transpose"
        shutil.copytree(SOURCE / "kernels/host/transpose", self.kernel)
        rows = "".join(f"{r},{c},{n}\n" for r, c, n in SHAPES)
        (self.kernel / "shapes.csv").write_text("ROWS,COLUMNS,count\n" + rows)
        text = (self.kernel / "shapes.toml").read_text()
        text = text.replace('"10s"', '"3s"').replace('"3s" ', '"12t" ').replace("full_shapes = 6", "full_shapes = 2")
        (self.kernel / "shapes.toml").write_text(text)

    def nightshift(self, *words, codes=(0, 3)):
        done = subprocess.run([BIN / "nightshift", *words], cwd=self.folder, env=self.environment(),
                              capture_output=True, text=True, timeout=600)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return done.stdout

    def refusal(self, *words):
        done = subprocess.run([BIN / "nightshift", "table", "transpose-shapes", *words], cwd=self.folder,
                              env=self.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, harness.USAGE)
        return done.stderr

    def batch(self):
        self.nightshift("batch", "run", str(self.kernel / "shapes.toml"))

    def table(self):
        return json.loads((self.folder / "batches/transpose-shapes/table/table.json").read_text())

    def test_from_shapes_to_a_program_that_uses_the_table(self):
        self.batch()
        self.assertIn("has no table yet", self.refusal("--format", "json"))
        still_there = self.kill_one()
        report = json.loads(self.nightshift("table", "transpose-shapes", "--unseen", "1", "--json",
                                            "--html", "page.html"))
        self.assertTrue(still_there())
        self.assertGreaterEqual(report["reused"], 2)
        self.assertEqual(len(report["judged_on_others"]["shapes"]), 1)
        table = self.table()
        self.assertEqual(table["format"], "nightshift-table/1")
        self.assertEqual(sorted(tuple(r["sizes"].values()) + (r["weight"],) for r in table["rows"]),
                         sorted(SHAPES))
        self.assertTrue(report["claim"]["accepted"], report)
        self.assertLess(report["claim"]["ratio"], 0.95)
        self.assertIn("<rect", (self.folder / "page.html").read_text())
        for row in table["rows"]:
            if row["choice"]:
                self.assertLess(row["interval"][0], 1.01)
        self.again(report)
        self.forms(table)

    def again(self, report):
        """What was measured is not measured again, and the table stays as it is."""
        second = json.loads(self.nightshift("table", "transpose-shapes", "--unseen", "1", "--json"))
        self.assertEqual(second["evaluations"], 0)
        self.assertEqual(second["claim"], report["claim"])
        self.assertEqual(second["rows"], report["rows"])

    def forms(self, table):
        name = "transpose-shapes"
        header = self.folder / "transpose_table.h"
        self.nightshift("table", name, "--format", "header", "--output", str(header))
        self.nightshift("table", name, "--format", "python", "--output", "transpose_table.py")
        self.assertEqual(json.loads(self.nightshift("table", name, "--format", "json"))["rows"], table["rows"])
        # The table, its header and its module have one answer.
        calls = [(r, c) for r in (63, 64, 96, 200, 256, 512, 1000, 1024) for c in (64, 100, 128, 512, 600)]
        source = '#include <cstdio>\n#include "transpose_table.h"\nint main() {\n'
        for r, c in calls:
            source += f'  std::printf("%d\\n", nightshift_table::transpose::choose({r}, {c}));\n'
        (self.folder / "ask.cc").write_text(source + "}\n")
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", "ask", "ask.cc"],
                       cwd=self.folder, check=True)
        of_header = [int(n) for n in subprocess.run(["./ask"], cwd=self.folder, check=True,
                                                    capture_output=True, text=True).stdout.split()]
        script = f"import transpose_table as t; print(*[t.choose(r, c) for r, c in {calls}])"
        of_module = [int(n) for n in subprocess.run([sys.executable, "-B", "-c", script], cwd=self.folder,
                                                    check=True, capture_output=True, text=True).stdout.split()]
        self.assertEqual(of_header, of_module)
        for (r, c), choice in list(zip(calls, of_header))[::7]:
            looked = json.loads(self.nightshift("table", name, "--look-up", f"ROWS={r},COLUMNS={c}", "--json"))
            self.assertEqual(looked["choice"], choice, looked)
        self.assertIn("outside of what was measured",
                      self.nightshift("table", name, "--look-up", "ROWS=5000,COLUMNS=64"))
        self.assertIn("expected each of ROWS and COLUMNS", self.refusal("--look-up", "M=1"))
        self.dispatch()

    def dispatch(self):
        """The shipped program compiles with the header, and is right also of sizes that nobody measured."""
        subprocess.run(["c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-o", "dispatch",
                        str(self.kernel / "dispatch.cc"), "-I."], cwd=self.folder, check=True)
        for rows, columns in ((256, 256), (512, 512), (333, 77), (2000, 64)):
            done = subprocess.run(["./dispatch", str(rows), str(columns)], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("right; ", done.stdout)

    def kill_one(self):
        """A kill loses no block: the same command goes on."""
        measured = self.folder / "batches/transpose-shapes/table/measured.jsonl"
        run = subprocess.Popen([BIN / "nightshift", "table", "transpose-shapes"], cwd=self.folder,
                               env=self.environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        while not measured.exists() or measured.read_text().count("\n") < 2:
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
        run.wait()
        kept = measured.read_text()
        return lambda: measured.read_text().startswith(kept[:kept.rindex("\n") + 1])


KERNEL = """
extern "C" __global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
  fake_spend_us(4000.0 / BLOCK);
}
"""


ONE_SIZE = """
#if N != EXPECTED
#error not the size of the shape
#endif
"""


class TableOnGpus(Case):
    """The same by the same code on two GPUs, which are fake."""

    def test_blocks_and_pairs_are_measured_on_both(self):
        self.write("scale.cu", KERNEL)
        self.write("problem.toml", CUDA_SCALE)
        self.write("night.toml", "[[study]]\nproblem = \"problem.toml\"\nname = \"scale\"\nbudget = \"4t\"\n"
                   "shapes = [{ N = 1000 }, { N = 4000, count = 2 }]\n")
        env = fake_gpus(FAKE_GPU_COUNT="2", XDG_RUNTIME_DIR=str(self.folder))
        self.run_nightshift("batch", "run", "night.toml", codes=(0, 3), env=env)
        done = self.run_nightshift("table", "night", "--json", codes=(0,), env=env)
        table = json.loads(done.stdout)
        self.assertLess(table["claim"]["ratio"], 0.9)
        self.assertEqual(len(table["devices"]), 2)
        best = table["configurations"][table["rows"][0]["choice"]]
        self.assertGreaterEqual(best["BLOCK"], 128)
        self.assertEqual([row["weight"] for row in table["rows"]], [1, 2])

    def growing(self, *sizes):
        """A batch with a problem file for each size, which `shape` sets: at the file's own 1000 none compiles."""
        text = ""
        for n in sizes:
            self.write(f"scale{n}.toml", CUDA_SCALE.replace(
                'source = "scale.cu"', f'source = "scale.cu"\nflags = ["-DEXPECTED={n}"]', 1))
            text += (f"[[study]]\nproblem = \"scale{n}.toml\"\nname = \"scale{n}\"\nbudget = \"4t\"\n"
                     f"shape = {{ N = {n} }}\n")
        self.write("night.toml", text)
        self.run_nightshift("batch", "run", "night.toml", codes=(0, 3), env=self.env)

    def test_a_shape_sets_its_size_and_a_table_grows(self):
        self.write("scale.cu", ONE_SIZE + KERNEL)
        self.env = fake_gpus(FAKE_GPU_COUNT="1", XDG_RUNTIME_DIR=str(self.folder))
        self.growing(2000, 4000)
        words = ("table", "night", "--problem", "scale")
        first = json.loads(self.held_all_the_time(*words, "--json"))
        self.assertEqual([r["sizes"]["N"] for r in first["rows"]], [2000, 4000])
        measured = self.folder / "batches/night/table-scale/measured.jsonl"
        before = measured.read_text()
        self.growing(2000, 4000, 16000)
        second = json.loads(self.run_nightshift(*words, "--json", codes=(0,), env=self.env).stdout)
        self.assertEqual(len(second["rows"]), 3)
        new = [json.loads(line) for line in measured.read_text()[len(before):].splitlines()]
        for kind in ("block", "trial"):
            self.assertEqual({m["shape"] for m in new if m["is"] == kind}, {"N=16000"}, kind)
        self.forms_and_recheck(words, second)

    def forms_and_recheck(self, words, table):
        printed = json.loads(self.run_nightshift(*words, "--format", "json", env=self.env).stdout)
        for member in ("choosing", "judged_on_others", "rows", "unseen"):
            self.assertEqual(printed[member], table[member], member)
        wisdom = self.run_nightshift(*words, "--format", "wisdom", env=self.env).stdout.splitlines()
        self.assertEqual(json.loads(wisdom[0])["tunable_parameters"], ["BLOCK"])
        self.assertEqual(len(wisdom), 4)
        self.assertNotIn("gpu:", json.loads(wisdom[1])["environment"]["device_name"])
        recheck = json.loads(self.run_nightshift(*words, "--recheck", "--json", env=self.env).stdout)
        self.assertEqual([r["verdict"] for r in recheck["rows"]], ["holds"] * 3)
        self.assertEqual(recheck["changed"], [])
        # Another kernel, in which no block is faster than the default's any more.
        self.write("scale.cu", ONE_SIZE + KERNEL.replace("4000.0 / BLOCK", "BLOCK"))
        recheck = json.loads(self.run_nightshift(*words, "--recheck", "--json", codes=(11,),
                                                 env=self.env).stdout)
        self.assertEqual({r["verdict"] for r in recheck["rows"]}, {"worse"})
        self.assertIn("scale.cu", " ".join(recheck["changed"]))

    def held_all_the_time(self, *words):
        """Runs it, while another one tries to take the device: where that comes to it, nothing is measured after."""
        measured = self.folder / "batches/night/table-scale/measured.jsonl"
        run = subprocess.Popen([BIN / "nightshift", *words], cwd=self.folder, env=self.environment(**self.env),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not measured.exists() or "\n" not in measured.read_text():
            self.assertIsNone(run.poll())
        taken = None
        while run.poll() is None and taken is None:
            for lock in (self.folder / "nightshift").glob("*.lock"):
                with open(lock, "rb") as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        taken = measured.read_text()
                    except OSError:
                        pass
        out, err = run.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(run.returncode, 0, out + err)
        self.assertIn(taken, (None, measured.read_text()))
        return out


class TableOfPrograms(Case):
    """A problem without sizes of its own: `shape` is a name, and `set` says what it changes."""

    def test_the_environment_has_the_sizes(self):
        # The larger A the faster, with a little noise.
        argv = ["bash", "-c", "echo time $((1000000 * M / (1 + $1) + RANDOM % 2000))", "program", "{A}"]
        self.write("problem.toml", harness.timed_program(argv, 4))
        study = "[[study]]\nproblem = \"problem.toml\"\nname = \"m%d\"\nbudget = \"4t\"\nshape = { M = %d }\n"
        settings = "set = { command.environment.M = \"%d\" }\n"
        self.write("night.toml", study % (1, 1) + study % (3, 3))
        refused = self.run_nightshift("batch", "run", "night.toml", codes=(harness.USAGE,))
        self.assertIn("'m1' and 'm3' have different shapes and measure the same", refused.stderr)
        self.write("night.toml", "".join(study % (m, m) + settings % m for m in (1, 3)))
        self.run_nightshift("batch", "run", "night.toml", codes=(0, 3))
        table = json.loads(self.run_nightshift("table", "night", "--json", codes=(0,)).stdout)
        self.assertEqual([r["sizes"] for r in table["rows"]], [{"M": 1}, {"M": 3}])
        self.assertEqual({table["configurations"][r["choice"]]["A"] for r in table["rows"]}, {4})

    def test_what_failed_in_the_night_was_not_measured(self):
        # Fails where M is 1, and everywhere once there is a file "broken".
        script = "test -e broken -o $M = 1 && exit 7; echo time $((1000000 * M / (1 + $1) + RANDOM % 2000))"
        self.write("problem.toml", harness.timed_program(["bash", "-c", script, "program", "{A}"], 4))
        study = "[[study]]\nproblem = \"problem.toml\"\nname = \"m%d\"\nbudget = \"4t\"\nshape = { M = %d }\n" \
            "set = { command.environment.M = \"%d\" }\n"
        self.write("night.toml", "".join(study % (m, m, m) for m in (1, 3)))
        self.run_nightshift("batch", "run", "night.toml", codes=(harness.STUDY_FAILED,))
        table = json.loads(self.run_nightshift("table", "night", "--json", codes=(0, 3)).stdout)
        self.assertEqual([r["measured"] for r in table["rows"]], [False, True])
        self.assertIn("failed", table["rows"][0]["reason"])
        looked_up = self.run_nightshift("table", "night", "--look-up", "M=1", codes=(0,)).stdout
        self.assertIn("these sizes were not measured", looked_up)
        # Where that is so of every shape there is no table.
        self.write("broken", "")
        self.write("morning.toml", "".join(study % (m, m, m) for m in (2, 3)))
        self.run_nightshift("batch", "run", "morning.toml", codes=(harness.STUDY_FAILED,))
        none = self.run_nightshift("table", "morning", codes=(harness.STUDY_FAILED,)).stdout
        self.assertIn("No table of 2 shapes: nothing is known: m2: the baseline failed", none)
        self.assertIn("M=3: nothing is known: m3: the baseline failed", none)
        refused = self.run_nightshift("table", "morning", "--format", "header", codes=(harness.USAGE,))
        self.assertIn("has no table yet", refused.stderr)


if __name__ == "__main__":
    harness.main()
