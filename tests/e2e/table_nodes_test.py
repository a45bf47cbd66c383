"""`nightshift table` of a batch that nodes measured: on the same nodes, also where one is lost on the way."""

import json
import os
import signal

import harness
from harness import DEVICE, JOURNAL, QUICK, USAGE, host_scale
from nodes_test import CORES, Nodes

BOTH = [f"a/cpu:{CORES[-1]}", f"b/cpu:{CORES[-2]}"]
SHAPES = (1, 3)

# The larger A the faster, with a little noise. Once a table has measured something, it waits while there is a
# file `hold`, so that what is to happen meanwhile does.
SCRIPT = """
measured=FOLDER/batches/night/table/measured.jsonl
while [ -e FOLDER/hold ] && [ -e $measured ] && [ $(wc -l < $measured) -ge 2 ]; do sleep 0.02; done
echo time $((1000000 * M / (1 + $1) + RANDOM % 2000))
"""

# The larger A the less is done.
SOURCE = ("void scale(float* x) { for (int k = 0; k < 400 / A; ++k) for (int i = 0; i < N; ++i) {"
          " x[i] *= k == 0 ? 2.0f : 1.0f; __asm__ volatile(\"\" ::: \"memory\"); } }\n")


class TableOverNodes(Nodes):
    def programs(self):
        argv = ["bash", "-c", SCRIPT.replace("FOLDER", str(self.folder)), "program", "{A}"]
        self.write("p.toml", harness.timed_program(argv, 4, "cores = 1") +
                   "[limits]\nmeasure = 200\ntrial = 200\n")
        self.write("night.toml", "".join(
            f"[[study]]\nproblem = \"p.toml\"\nname = \"m{m}\"\nbudget = \"4t\"\nshape = {{ M = {m} }}\n"
            f"set = {{ command.environment.M = \"{m}\" }}\n" for m in SHAPES))
        self.run_nightshift("batch", "run", "night.toml", "--nodes", self.two(), codes=(0, 3))

    def table(self, *words, codes=(0,)):
        return json.loads(self.run_nightshift("table", "night", "--json", *words, codes=codes).stdout)

    def devices(self, table):
        return sorted(device.split(" ")[0] for device in table["devices"])

    def measured(self):
        return self.folder / "batches/night/table/measured.jsonl"

    def begun(self):
        """A run of which something is measured, and that waits with the rest."""
        self.write("hold", "")
        run = self.start("table", "night", "--json")
        self.until(lambda: self.measured().exists() and self.measured().read_text().count("\n") >= 2,
                   "nothing is measured")
        self.assertIsNone(run.poll())
        return run

    def test_a_kernel_is_built_and_measured_where_the_batch_was(self):
        self.write("scale.cc", SOURCE)
        self.write("p.toml", host_scale("A = [1, 2, 4, 8]", QUICK, '"-O1"', sizes="N = 64"))
        self.write("night.toml", "[[study]]\nproblem = \"p.toml\"\nname = \"scale\"\nbudget = \"4t\"\n"
                   "shapes = [{ N = 512 }, { N = 2048 }]\n")
        self.run_nightshift("batch", "run", "night.toml", "--nodes", self.two(), codes=(0, 3))
        table = self.table(codes=(0, 3))
        self.assertEqual(self.devices(table), BOTH)
        self.assertEqual(len(table["rows"]), 2)
        self.assertIn("processor nodes", table["made_of"])
        again = self.table("--devices", f"cpu:{CORES[-1]}", "--blocks", "2", "--pairs", "8", codes=(0, 3))
        self.assertGreater(again["evaluations"], 0)
        self.assertTrue(all(not device.startswith(("a/", "b/")) for device in again["devices"]))
        self.expect_nobody(str(self.folder))

    def test_what_is_lost_is_measured_elsewhere_and_a_kill_loses_nothing(self):
        self.programs()
        run = self.begun()
        os.kill(self.pids("b")[-1], signal.SIGKILL)
        self.until(lambda: len(self.pids("b")) == 3, "the link is not opened again")
        refused = self.run_nightshift("table", "night", codes=(JOURNAL,))
        self.assertIn("another run is measuring the table in", refused.stderr)
        self.assertIn(f"(process {run.pid} on ", refused.stderr)
        run.kill()
        run.communicate()
        (self.folder / "hold").unlink()
        kept = self.measured().read_text()
        table = self.table()
        self.assertTrue(self.measured().read_text().startswith(kept[:kept.rindex("\n") + 1]))
        self.assertGreater(table["reused"], 0)
        self.assertEqual(self.devices(table), BOTH)
        self.assertEqual({table["configurations"][row["choice"]]["A"] for row in table["rows"]}, {4})
        self.one_node_is_enough(table)

    def one_node_is_enough(self, before):
        """Of the same kind: nothing is measured again, and the rows hold there."""
        words = ("--nodes", self.nodes(self.agent("a", CORES[-1])))
        table = self.table(*words)
        self.assertEqual(table["evaluations"], 0)
        self.assertEqual(table["rows"], before["rows"])
        recheck = self.table("--recheck", *words)
        self.assertEqual({row["verdict"] for row in recheck["rows"]}, {"holds"})
        self.assertEqual(recheck["changed"], [])

    def test_each_kind_of_device_has_a_table(self):
        """What is best on one kind is slower than the default on the other."""
        both = self.nodes(self.of_kind("Large", CORES[-1]), self.of_kind("Small", CORES[-2]))
        self.write("work.sh", """speeds=(0 2 1 3 4)  # by A, of which 1 is the default
grep -q Large /proc/cpuinfo || speeds=(0 2 4 3 1)
echo time $(( 1000000 * $1 / (1 + ${speeds[$2]}) + RANDOM % 2000 ))
""")
        argv = ["bash", "work.sh", "1", "{A}"]
        self.write("p.toml", harness.timed_program(argv, 4, "cores = 1"))
        self.write("night.toml", "".join(
            f"[[study]]\nproblem = \"p.toml\"\nname = \"m{m}\"\nbudget = \"4t\"\nshape = {{ M = {m} }}\n"
            f"set = {{ command.argv = [\"bash\", \"{self.folder}/work.sh\", \"{m}\", \"{{A}}\"] }}\n" for m in SHAPES))
        self.run_nightshift("batch", "run", "night.toml", "--nodes", both, codes=(0, 3))
        report = self.table("--kinds", codes=(0, 3))
        self.assertEqual([table["kinds"] for table in report["tables"]], [["Large"], ["Small"]])
        self.assertEqual([self.devices(table) for table in report["tables"]], [[device] for device in
                         (f"large/cpu:{CORES[-1]}", f"small/cpu:{CORES[-2]}")])
        self.assertEqual([{table["configurations"][row["choice"]]["A"] for row in table["rows"]}
                          for table in report["tables"]], [{4}, {2}])
        self.assertEqual([table["carried_over"][0]["kind"] for table in report["tables"]], ["Small", "Large"])
        again = self.table("--kinds", codes=(0, 3))
        self.assertEqual([table["evaluations"] for table in again["tables"]], [0, 0])
        small = report["tables"][1]["file"]
        recheck = json.loads(self.run_nightshift("recheck", small, "--json", codes=(0,)).stdout)
        self.assertEqual({row["verdict"] for row in recheck["rows"]}, {"holds"})
        refused = self.run_nightshift("recheck", small, "--devices", f"cpu:{CORES[-1]}", codes=(USAGE,))
        self.assertIn("no device at hand is a Small", refused.stderr)

    def test_what_cannot_be_is_told(self):
        self.programs()
        for words, code, told in (
                (("--nodes", "x y", "--devices", "cpu:0"), USAGE, "--devices"),
                (("--nodes", "echo what is this >&2; exit 3"), DEVICE, "exit code 3: what is this")):
            done = self.run_nightshift("table", "night", *words, codes=(code,))
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    harness.main()
