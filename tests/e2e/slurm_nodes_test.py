"""A batch over several nodes of a real Slurm, and what happens to nodes, head, network and Slurm meanwhile. All
of it happens at once, to a batch with nodes of its own each."""

import concurrent.futures
import pathlib
import unittest
import uuid

import harness
import slurm_cluster as slurm
from harness import processes_with
from slurm_cluster import Cluster, Night, WHY_NOT

FAULTS = {"calm": (slurm.nothing, 2), "agent": (slurm.kill_agent, 2), "node": (slurm.kill_node, 3),
          "link": (slurm.cut_link, 2), "head": (slurm.kill_head, 2), "requeue": (slurm.requeue, 2),
          "time": (slurm.end_of_time, 2), "preempt": (slurm.preempt, 2), "drain": (slurm.drain, 2)}
ODD_NODES = 4  # one slow, one with another version, one with a full disk

KERNEL = """
name = "slow"
[host]
kernel = { file = "scale.cc", function = "scale", flags = ["-O1"] }
sizes = { N = 64 }
[[host.argument]]
name = "v"
type = "float32"
size = "N"
access = "inout"
[parameters]
x = [1, 2, 3, 4]
[acceptance]
confidence = "quick"
max_pairs = 8
"""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class SlurmNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        count = sum(nodes for _, nodes in FAULTS.values()) + ODD_NODES + 2 + 2
        cls.cluster = Cluster(count)
        cls.addClassCleanup(cls.cluster.down)
        cls.mark = uuid.uuid4().hex
        cls.nights, cls.results = {}, {}
        free = iter(range(1, count + 1))

        def night(name, nodes, run):
            made = Night(cls.cluster, [f"node{next(free)}" for _ in range(nodes)], cls.mark)
            cls.nights[name] = made
            cls.addClassCleanup(made.remove)
            cls.results[name] = pool.submit(run, made)

        pool = concurrent.futures.ThreadPoolExecutor(32)
        cls.addClassCleanup(pool.shutdown)
        for name, (fault, nodes) in FAULTS.items():
            night(name, nodes, lambda made, fault=fault: cls.under(made, fault))
        night("odd", ODD_NODES, cls.odd)
        night("builds", 2, cls.builds)
        night("controller", 2, cls.controller)

    @staticmethod
    def under(night, fault):
        night.submit()
        if fault is not slurm.end_of_time:  # its duel may come before
            night.until_all_measure()
        fault(night)
        return night.finish()

    @staticmethod
    def odd(night):
        _, slow, version, full = night.nodes
        slurm.be_slow(night, slow)
        slurm.have_another_version(night, version)
        slurm.have_a_full_disk(night, full)
        night.submit()
        slurm.until(lambda: night.measured_on(slow) >= 2, night.log)
        return night.finish()

    @staticmethod
    def builds(night):
        slurm.be_of_another_kind(night, night.nodes[1])
        night.write("slow.toml", KERNEL)
        night.write("scale.cc", "#include <cstdio>\n"
                    "extern \"C\" long write(int, const void*, unsigned long);\n"
                    "void scale(float* v) { for (int i = 0; i < N; i += x) v[i] *= 2;\n"
                    "  for (int i = 0; i < N; ++i) if (i % x) v[i] *= 2;\n"
                    "  (void)!write(1, \"{\\\"noise\\\"\\n\", 9); std::puts(\"noise\"); }\n")
        night.submit()
        night.until_ended()
        night.expect_nobody()
        return [row for row in night.rows() if row["job"] == "explore"]

    @classmethod
    def controller(cls, night):
        """Is killed once nobody else needs it."""
        night.write("pause", "2")
        night.submit()
        night.until_all_measure()
        concurrent.futures.wait([result for name, result in list(cls.results.items()) if name != "controller"])
        night.write("pause", "0.15")
        slurm.kill_controller(night)
        return night.finish()

    def outcome(self, name):
        return self.results[name].result()

    def expect_as_undisturbed(self, name):
        self.assertEqual(self.outcome(name), self.outcome("calm"))

    def test_an_undisturbed_batch_finds_the_best(self):
        self.assertEqual(self.outcome("calm")["x"], 1)
        self.assertTrue(self.outcome("calm")["joint"])

    def test_an_agent_is_killed(self):
        self.expect_as_undisturbed("agent")

    def test_a_node_is_killed_with_all_on_it(self):
        self.expect_as_undisturbed("node")

    def test_a_link_is_cut_and_comes_back(self):
        self.expect_as_undisturbed("link")
        self.assertNotIn("is lost", self.nights["link"].log())

    def test_the_head_is_killed(self):
        self.expect_as_undisturbed("head")

    def test_the_controller_is_killed(self):
        self.expect_as_undisturbed("controller")

    def test_the_job_is_queued_again_by_hand(self):
        self.expect_as_undisturbed("requeue")
        self.assertIn("restart 1", self.nights["requeue"].log())

    def test_the_time_is_over_in_a_duel(self):
        self.expect_as_undisturbed("time")
        self.assertIn("restart 1", self.nights["time"].log())

    def test_a_more_urgent_job_preempts_it(self):
        self.expect_as_undisturbed("preempt")
        self.assertIn("stopped by SIGTERM", self.nights["preempt"].log())
        self.assertIn("restart 1", self.nights["preempt"].log())

    def test_a_drained_node_ends_what_it_has(self):
        self.expect_as_undisturbed("drain")

    def test_nodes_that_are_odd_harm_nobody(self):
        self.expect_as_undisturbed("odd")
        _, slow, version, full = self.nights["odd"].nodes
        log = self.nights["odd"].log()
        self.assertIn(f"{version} has nightshift 0.0.1 and this is ", log)
        self.assertIn(f"{full} ", log)
        self.assertEqual(self.nights["odd"].measured_on(version), 0)
        self.assertEqual(self.nights["odd"].measured_on(full), 0)

    def test_what_a_kernel_prints_and_a_node_of_another_kind(self):
        explored = self.outcome("builds")
        self.assertEqual({row["status"] for row in explored} - {"measured", "skipped"}, set())
        self.assertEqual(sorted(int(row["x"]) for row in explored), [1, 2, 3, 4])
        self.assertEqual(len({row["device"].split("/")[0] for row in explored if row["device"]}), 1)

    def test_nobody_is_left(self):
        concurrent.futures.wait(self.results.values())
        self.assertEqual(processes_with(self.mark), [])


NO_CGROUP = "" if all(pathlib.Path("/sys/fs/cgroup", name).is_dir() for name in ("devices", "freezer")) else (
    "needs cgroup v1, devices and freezer")


@unittest.skipIf(WHY_NOT or NO_CGROUP, WHY_NOT or NO_CGROUP)
class SlurmGpus(unittest.TestCase):
    """Where Slurm hides the GPUs of others, the second one of a node is number 0 to who has it."""

    def test_an_agent_has_the_gpus_of_its_job(self):
        cluster = Cluster(2, 2, SLURM_LOCAL_CGROUP="1")
        self.addCleanup(cluster.down)
        night = Night(cluster, ["node1", "node2"])
        self.addCleanup(night.remove)
        night.write("work.sh", f"""
echo "$(hostname) $CUDA_VISIBLE_DEVICES $(cat {slurm.STATE}/dev/fakegpu0 2>&1) $(cat {slurm.STATE}/dev/fakegpu1 2>&1)" \\
  >> {night.folder}/seen
echo '{{"time": '$(( 100 + $1 ))'}}'
""")
        other = cluster.command("sbatch", "--parsable", "--gres=gpu:1", "-w", "node1", "-D", "/", "-o",
                                "/dev/null", "--wrap", "sleep 600")
        slurm.until(lambda: cluster.command("squeue", "-h", "-j", other, "-o", "%T") == "RUNNING", other)
        night.submit("--gpus-per-node", 1)
        night.until_ended()
        cluster.command("scancel", other)
        slurm.until(lambda: not cluster.processes("node1"), "the other job does not end")
        night.finish()
        mine, theirs = "No such device or address", "Operation not permitted"  # none is behind it
        for line in set((night.folder / "seen").read_text().splitlines()):
            first, second = (theirs, mine) if line.startswith("node1 ") else (mine, theirs)
            self.assertRegex(line, f"^node[12] 0 .*fakegpu0: {first} .*fakegpu1: {second}$")


if __name__ == "__main__":
    harness.main()
