"""Studies and batches over nodes. The nodes are agents on this machine, one for each core, that are
started through a shell as they would be through ssh."""

import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import harness
from harness import (Case, DEVICE, IMPROVED, INTERRUPTED, NO_IMPROVEMENT, QUICK, TIMEOUT, USAGE, host_scale,
                     processes_with, timed_program)

DONE = (IMPROVED, NO_IMPROVEMENT)
PATIENCE = 60  # seconds in which something has to happen; more means that it never does
END = 5  # seconds that a node may take to end

PROGRAM = timed_program(["sh", "-c", "sleep 0.05; echo time $((100 + {A}))"], 400,
                        'baseline_argv = ["sh", "-c", "echo time 300"]\ncores = 1')

KERNEL = host_scale("A = [1, 2, 3, 4]", QUICK + "max_pairs = 8\n", '"-O1", "-Iinclude"', sizes="N = 64")

CORES = sorted(os.sched_getaffinity(0))

UNFINISHED = 75  # a study that could not begin


class Nodes(Case):
    def nodes(self, *lines):
        return self.write("nodes", "# of a test\n" + "\n".join(lines) + "\n")

    def agent(self, name, core=None, before=""):
        """A line for --nodes. Each agent says its process id on a line of NAME.pids."""
        devices = f"--devices cpu:{core}" if core is not None else ""
        return (f"sh -c '{before} echo $$ >> {self.folder}/{name}.pids; "
                f"exec nightshift agent --node {name} {devices}'")

    def of_kind(self, name, core):
        """A node whose processors are called so, in a mount namespace of its own."""
        if os.geteuid() != 0:
            self.skipTest("needs root, to give a node another /proc/cpuinfo")
        text = self.write(f"cpuinfo-{name}", f"model name\t: {name}\n")
        mount = f"mount --bind {text} /proc/cpuinfo"
        tried = subprocess.run(["unshare", "--mount", "sh", "-c", mount], capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest(f"nothing can be mounted here: {tried.stderr.strip()}")
        agent = self.agent(name.lower(), core, f"{mount} || exit 1;")
        return f"unshare --mount {agent}"

    def two(self):
        return self.nodes(self.agent("a", CORES[-1]), self.agent("b", CORES[-2]))

    def pids(self, name):
        path = self.folder / f"{name}.pids"
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []

    @staticmethod
    def warden_of(agent):
        for child in pathlib.Path(f"/proc/{agent}/task/{agent}/children").read_text().split():
            if b"--warden" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                return int(child)
        raise AssertionError("the agent has no warden")

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def measured_on(self, node, study="study"):
        done = self.run_nightshift("export", study, "--format", "csv")
        return sum(f"{node}/" in line for line in done.stdout.splitlines()[1:])

    def expect_each_once(self, count, study="study"):
        explored = [row for row in self.csv_rows(study) if row["job"] == "explore"]
        self.assertEqual(len({row["trial"] for row in explored}), len(explored))
        self.assertEqual(len({row["A"] for row in explored}), len(explored))
        self.assertEqual(len(explored), count)
        self.assertEqual({row["status"] for row in explored}, {"measured"})

    def expect_nobody(self, mark, seconds=END):
        deadline = time.monotonic() + seconds
        while processes_with(mark) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(processes_with(mark), [])


class NodesTest(Nodes):
    def test_a_recorded_study_is_as_it_is_here(self):
        self.recorded_space()
        here = self.tune("space.json", "--budget", "60t", "--seed", 3, study="here")
        nodes = self.nodes(self.agent("a", before="echo Welcome to a node;"))
        there = self.tune("space.json", "--budget", "60t", "--seed", 3, "--nodes", nodes,
                          study="there")
        self.assertEqual(here["trials"], there["trials"])
        for same in ("configuration", "objectives"):
            self.assertEqual(here["best"][same], there["best"][same])

    def test_both_nodes_measure(self):
        result = self.tune(self.write("p.toml", PROGRAM), "--budget", "30t", "--nodes", self.two())
        self.expect_each_once(30)
        devices = {row["device"] for row in self.csv_rows()}
        self.assertEqual(devices, {f"a/cpu:{CORES[-1]}", f"b/cpu:{CORES[-2]}"})
        self.assertEqual(set(result["devices"]), devices)
        self.assertEqual(set(result["nodes"]), {"a", "b"})
        self.assertEqual(min(place["baseline_over_fastest"] for place in result["nodes"].values()), 1)
        self.assertNotIn("kinds", result)  # the same processor
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertRegex(report, rf"Where the gain holds\n(.*\n)?.*a/cpu:{CORES[-1]} ")

    def test_a_kernel_goes_with_what_it_includes(self):
        (self.folder / "include").mkdir()
        self.write("include/by.h", "#define BY 2.0f\n")
        self.write("scale.cc", '#include "by.h"\n'
                   "void scale(float* x) { for (int i = 0; i < N; i += A) x[i] *= BY;"
                   " for (int i = 0; i < N; ++i) if (i % A) x[i] *= BY; }\n")
        result = self.tune(self.write("p.toml", KERNEL), "--nodes", self.two())
        self.assertEqual(result["trials"]["failed"], {})
        self.assertGreater(result["trials"]["measured"], 0)

    def compilers(self, **versions):
        """Two nodes with a compiler each that the head has not."""
        for node, version in versions.items():
            (self.folder / node).mkdir(exist_ok=True)
            compiler = self.write(f"{node}/cxx-of-test", "#!/bin/sh\n"
                                  f'[ "$1" != --version ] || {{ echo cxx {version}; exit; }}\nexec c++ "$@"\n')
            compiler.chmod(0o755)
        cores = dict(zip(versions, CORES[-2:]))
        return self.nodes(*(self.agent(node, cores[node], f"export PATH={self.folder}/{node}:$PATH;")
                            for node in versions))

    def test_what_differs_between_nodes_and_what_changes_there_is_told(self):
        self.write("scale.cc", "void scale(float* x) { for (int i = 0; i < N; i += A) x[i] *= 2;"
                   " for (int i = 0; i < N; ++i) if (i % A) x[i] *= 2; }\n")
        problem = self.write("p.toml", KERNEL.replace("[host]", '[host]\ncompiler = "cxx-of-test"')
                             .replace("[1, 2, 3, 4]", "{ range = [1, 40] }"))
        result = self.tune(problem, "--budget", "6t", "--nodes", self.compilers(a="1.0", b="2.0"))
        self.assertIn("the nodes of the study differ: compiler cxx-of-test cxx 1.0 on a, cxx 2.0 on b",
                      result["notices"])
        parts = {(part["kind"], part["name"]): part["value"] for part in result["made_of"]}
        self.assertEqual(parts["compiler", "cxx-of-test of b"], "cxx 2.0")
        self.assertNotIn("compiler-program", {kind for kind, _ in parts})
        self.assertIn(("device", f"a/cpu:{CORES[-2]}"), parts)
        same = self.run_nightshift("resume", "study", "--budget", "8t", "--json", "--nodes",
                                   self.compilers(a="1.0", b="2.0"), codes=DONE)
        self.assertNotIn("begins anew", same.stderr)
        anew = self.run_nightshift("resume", "study", "--budget", "10t", "--json", "--nodes",
                                   self.compilers(a="1.0", b="3.0"), codes=DONE)
        self.assertIn("the study begins anew, as since it was measured the compiler cxx-of-test of b was cxx 2.0 "
                      "and is cxx 3.0", anew.stderr)
        self.assertTrue((self.folder / "study" / "earlier" / "1").is_dir())

    def test_a_batch_has_the_devices_of_all_nodes(self):
        for name in ("one", "two"):
            self.write(f"{name}.toml", PROGRAM.replace('"program"', f'"{name}"'))
        self.run_nightshift("batch", "run", "one.toml", "two.toml", "--batch", "night", "--nodes",
                            self.two(), "--time", "8s", codes=DONE)
        for name in ("one", "two"):
            self.assertTrue(self.csv_rows(f"night/{name}"))

    def test_what_cannot_be_is_told(self):
        problem = self.write("p.toml", PROGRAM)
        for nodes, words, code in (
                ("nobody", "there is no such file", USAGE),
                (self.write("none", "# none"), "names no node", USAGE),
                ("nightshift agent --devices cpu:4000", "does not exist", DEVICE),
                ("echo what is this >&2; exit 3", "exit code 3: what is this", DEVICE)):
            done = self.run_nightshift("tune", problem, "--nodes", nodes, codes=(code,))
            self.assertIn(words, done.stderr)
        done = self.run_nightshift("tune", problem, "--nodes", self.two(), "--devices", "cpu:0",
                                   codes=(USAGE,))
        self.assertIn("give --devices to each agent", done.stderr)

    def test_another_version_is_refused(self):
        hello = '{"say":"hello","protocol":1,"program":"9.9","machine":"%s","layout":0}'
        self.write("other", hello % os.uname().machine + "\n")
        done = self.run_nightshift("tune", self.write("p.toml", PROGRAM), "--nodes",
                                   self.nodes(f"cat {self.folder}/other -"), codes=(DEVICE,))
        self.assertIn("install the same version on both", done.stderr)

    def test_hostile_agents_break_no_head(self):
        lines = [self.agent("a", CORES[-1]), "yes", "cat /dev/zero", "head -c 100000 /dev/urandom",
                 "cat"]
        self.tune(self.write("p.toml", PROGRAM), "--budget", "10t", "--nodes", self.nodes(*lines))
        self.expect_each_once(10)


class OptionsTest(Nodes):
    def devices(self, study="study"):
        return {row["device"] for row in self.csv_rows(study)}

    def test_a_study_that_goes_on_knows_its_nodes(self):
        problem = self.write("p.toml", PROGRAM)
        self.tune(problem, "--budget", "10t", "--nodes", self.two().name)  # relative to where that was
        both = {f"a/cpu:{CORES[-1]}", f"b/cpu:{CORES[-2]}"}
        for count, command in ((20, ("resume", "../study")),
                               (30, ("tune", problem, "--study", "../study", "--continue"))):
            (self.folder / "elsewhere").mkdir(exist_ok=True)
            before = {node: self.measured_on(node) for node in ("a", "b")}
            self.run_nightshift(*command, "--budget", f"{count}t", cwd=self.folder / "elsewhere", codes=DONE)
            self.expect_each_once(count)
            self.assertEqual(self.devices(), both)
            for node in ("a", "b"):
                self.assertGreater(self.measured_on(node), before[node])
        here = f"cpu:{CORES[-1]}"
        self.run_nightshift("resume", "study", "--budget", "34t", "--devices", here, codes=DONE)
        before = {node: self.measured_on(node) for node in ("a", "b")}
        self.run_nightshift("resume", "study", "--budget", "38t", codes=DONE)  # here, as before
        self.assertEqual({node: self.measured_on(node) for node in ("a", "b")}, before)
        self.run_nightshift("resume", "study", "--budget", "42t", "--nodes", "nodes", codes=DONE)
        (self.folder / "nodes").unlink()
        refused = self.run_nightshift("resume", "study", "--budget", "50t", codes=(USAGE,))
        self.assertIn("there is no such file", refused.stderr)
        self.assertIn("--nodes or --devices lets it go on elsewhere", refused.stderr)
        both_given = self.run_nightshift("resume", "study", "--nodes", "nodes", "--devices", here, codes=(USAGE,))
        self.assertIn("give --devices to each agent", both_given.stderr)

    def test_a_study_of_a_batch_goes_on_alone_with_its_nodes(self):
        problem = self.write("one.toml", PROGRAM.replace('"program"', '"one"') + "[budget]\ntrials = 10\n")
        self.run_nightshift("batch", "run", problem, "--batch", "night", "--nodes", self.two(), codes=DONE)
        before = {node: self.measured_on(node, "night/one") for node in ("a", "b")}
        self.run_nightshift("resume", "night/one", "--budget", "30t", codes=DONE)
        self.expect_each_once(30, "night/one")
        for node in ("a", "b"):
            self.assertGreater(self.measured_on(node, "night/one"), before[node])

    def test_a_batch_that_goes_on_knows_its_nodes(self):
        (self.folder / "elsewhere").mkdir()
        first, second, third = (self.write(f"{name}.toml", PROGRAM.replace('"program"', f'"{name}"') +
                                           "[budget]\ntrials = 10\n") for name in ("one", "two", "three"))
        nodes = self.two()
        here = f"cpu:{CORES[-1]}"

        def run(*options, codes=DONE):
            return self.run_nightshift("batch", "run", *options, "--batch", "../night", codes=codes,
                                       cwd=self.folder / "elsewhere")
        run(first, "--nodes", f"../{nodes.name}")  # relative to where that was
        both = {f"a/cpu:{CORES[-1]}", f"b/cpu:{CORES[-2]}"}
        self.assertEqual(self.devices("night/one"), both)
        run(first, second)
        self.assertEqual(self.devices("night/two"), both)
        self.expect_each_once(10, "night/two")
        refused = run(first, third, "--nodes", "nodes", "--devices", here, codes=(USAGE,))
        self.assertIn("give --devices to each agent", refused.stderr)
        nodes.rename(self.folder / "moved")
        refused = run(first, third, codes=(USAGE,))
        self.assertIn("there is no such file", refused.stderr)
        self.assertIn("--nodes or --devices lets it go on elsewhere", refused.stderr)
        run(first, third, "--devices", here)
        self.assertEqual({device.split("/")[1] for device in self.devices("night/three")}, {here})
        self.assertTrue(self.devices("night/three").isdisjoint(both))
        run(first, self.write("four.toml", third.read_text().replace('"three"', '"four"')))  # here, as before
        self.assertTrue(self.devices("night/four").isdisjoint(both))

    def test_a_node_whose_devices_others_have_at_first_joins_in_mid_run(self):
        problem = self.write("p.toml", PROGRAM)
        first = self.somebody_on(CORES[-2], problem)
        process = self.start("tune", problem, "--budget", "400t", "--nodes", self.two(), "--study", "study")
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        self.until(lambda: self.measured_on("a") >= 3, "a measures nothing")
        self.assertEqual(self.measured_on("b"), 0)
        first.kill()
        self.expect_joined(process, 400)

    def test_a_node_that_waits_for_its_devices_joins_in_mid_run(self):
        """GPUs: when cores are free depends on what else this machine does."""
        (self.folder / "nvml.json").write_text("{}")
        env = harness.fake_gpus(FAKE_GPU_COUNT="2", FAKE_NVML_STATE=str(self.folder / "nvml.json"))
        problem = self.write("p.toml", PROGRAM.replace("cores = 1", 'device = "gpu"'))
        first = self.somebody_on("gpu:1", problem, env=env)
        agents = (f"sh -c 'exec nightshift agent --node {node} --devices gpu:{i}'" for i, node in enumerate("ab"))
        process = self.start("tune", problem, "--budget", "200t", "--nodes", self.nodes(*agents), "--study", "study",
                             "--wait", env=env)
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        self.until(lambda: self.measured_on("a") >= 3, "a measures nothing")
        self.assertEqual(self.measured_on("b"), 0)
        first.kill()
        self.assertIn("waiting: another nightshift measures on", self.expect_joined(process, 200))

    def expect_joined(self, process, count):
        """With a baseline first."""
        self.until(lambda: self.measured_on("b") >= 3, "b does not join")
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, DONE, out + err)
        self.expect_each_once(count)
        there = [row for row in self.csv_rows() if row["device"].startswith("b/")]
        # Not the first proposed: what waited for another node when this one joined is run here as well.
        self.assertEqual(min(there, key=lambda row: float(row["started"]))["job"], "baseline")
        self.assertGreater(len({row["job"] for row in there}), 1)
        return err

    def somebody_on(self, device, problem, **options):
        """Another study that measures there; a number is that of a core."""
        device = f"cpu:{device}" if isinstance(device, int) else device
        first = self.start("tune", problem, "--budget", "400t", "--devices", device, "--study", "first", **options)
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        self.until(lambda: any((self.folder / "first").glob("journal*")), "no journal")
        return first

    def test_devices_of_nodes_are_waited_for_no_longer_than_was_said(self):
        problem = self.write("p.toml", PROGRAM)
        first = self.somebody_on(CORES[-2], problem)
        refused = self.run_nightshift("tune", problem, "--nodes", self.nodes(self.agent("b", CORES[-2])),
                                      "--wait=1s", codes=(DEVICE,))
        self.assertIn(f"another nightshift measures on cpu:{CORES[-2]}", refused.stderr)
        self.assertIn("it was waited for in vain", refused.stderr)
        first.kill()
        first.communicate()
        self.expect_nobody(self.mark)

    def test_a_head_that_ends_takes_those_along_who_wait(self):
        """When they would have their devices depends on what else this machine does."""
        problem = self.write("p.toml", PROGRAM)
        first = self.somebody_on(CORES[-2], problem)
        second = self.start("tune", problem, "--nodes", self.nodes(self.agent("b", CORES[-2])), "--wait")
        self.assertIn("waiting: another nightshift measures on", second.stderr.readline())
        second.kill()
        second.communicate()
        self.until(lambda: not os.path.exists(f"/proc/{self.pids('b')[0]}"), "the agent waits on")
        first.kill()
        first.communicate()
        self.expect_nobody(self.mark)

    def test_how_long_a_node_may_be_silent_is_said(self):
        for silence in ("0.5s", "soon", "25h"):
            refused = self.run_nightshift("tune", "p.toml", "--nodes", "nodes", "--node-silence", silence,
                                          codes=(USAGE,))
            self.assertIn("a time from 1s to 24h", refused.stderr)
        process = self.start("tune", self.write("p.toml", PROGRAM), "--budget", "200t", "--nodes", self.two(),
                             "--node-silence", "4s", "--study", "study")
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        self.until(lambda: self.measured_on("b") >= 3, "b measures nothing")
        agent = self.pids("b")[0]
        warden = self.warden_of(agent)
        for pid in (warden, agent):  # the one would continue the other
            os.kill(pid, signal.SIGSTOP)
        self.until(lambda: "it has been silent for too long" in self.run_nightshift("report", "study").stdout,
                   "nobody misses it")
        os.kill(warden, signal.SIGCONT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, DONE, out + err)
        self.expect_each_once(200)
        self.expect_nobody(self.mark)


class LossTest(Nodes):
    def start_study(self, budget, nodes=None, **options):
        problem = self.write("p.toml", PROGRAM)
        return self.start("tune", problem, "--budget", budget, "--nodes", nodes or self.two(),
                          "--study", "study", "--json", **options)

    def finish(self, process, codes=DONE):
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, codes, out + err)
        return json.loads(out)

    def until_both_measure(self):
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        for node in ("a", "b"):
            self.until(lambda: self.measured_on(node) >= 3, f"{node} measures nothing")

    def test_an_agent_is_killed_and_comes_back(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        process = self.start_study("160t", env={"TMPDIR": str(temporary)})
        self.until_both_measure()
        os.kill(self.pids("b")[0], signal.SIGKILL)
        self.until(lambda: len(self.pids("b")) == 2, "the link is not opened again")
        back = self.measured_on("b")
        self.until(lambda: process.poll() is not None or self.measured_on("b") > back,
                   "what came back measures nothing")
        self.finish(process)
        self.expect_each_once(160)
        self.expect_nobody(self.mark)
        self.assertEqual(list(temporary.iterdir()), [])

    def test_a_confirmation_does_not_wait_for_a_node_that_is_gone(self):
        """Which comes back before it is given up, after more than a minute."""
        gone = self.folder / "gone"
        nodes = self.nodes(self.agent("a", CORES[-1]),
                           self.agent("b", CORES[-2], f"[ ! -e {gone} ] || exit 1;"))
        problem = self.write("p.toml", PROGRAM.replace("{ range = [1, 400] }", "{ range = [1, 4000] }"))
        process = self.start("tune", problem, "--budget", "3000t", "--nodes", nodes, "--study", "study", "--json")
        self.until_both_measure()

        def confirmed_on(node):
            return sum(row["job"] == "confirm" and row["device"].startswith(f"{node}/") and
                       row["status"] == "measured" for row in self.csv_rows())
        self.until(lambda: confirmed_on("b") >= 2, "b confirms nothing")
        gone.touch()
        os.kill(self.pids("b")[0], signal.SIGKILL)
        lost = "b/cpu:%d was lost" % CORES[-2]
        self.until(lambda: lost in self.run_nightshift("report", "study").stdout, "it waits for b")
        before = confirmed_on("a")
        self.until(lambda: confirmed_on("a") > before, "nothing is confirmed any more")
        gone.unlink()
        there = self.measured_on("b")
        self.until(lambda: self.measured_on("b") > there, "b does not come back")
        process.send_signal(signal.SIGTERM)
        self.finish(process, (INTERRUPTED,))
        self.expect_nobody(self.mark)

    def test_an_agent_that_is_told_to_stop_leaves_the_run_to_the_others(self):
        process = self.start_study("400t")
        self.until_both_measure()
        os.kill(self.pids("b")[0], signal.SIGTERM)
        self.until(lambda: "its agent was sent SIGTERM" in self.run_nightshift("report", "study").stdout,
                   "nobody says that b has left")
        there = self.measured_on("b")
        self.assertEqual(self.finish(process)["status"], "completed")
        self.assertEqual(self.measured_on("b"), there)
        self.assertEqual(len(self.pids("b")), 1)
        self.expect_each_once(400)
        self.expect_nobody(self.mark)

    def test_agents_that_are_all_told_to_stop_stop_the_run(self):
        process = self.start_study("400t")
        self.until_both_measure()
        for node in ("a", "b"):
            os.kill(self.pids(node)[0], signal.SIGTERM)
        self.assertEqual(self.finish(process, (INTERRUPTED,))["status"], "interrupted")
        self.expect_nobody(self.mark)

    def test_a_killed_head_leaves_nobody(self):
        process = self.start_study("400t")
        self.until_both_measure()
        process.kill()
        process.communicate()
        self.expect_nobody(self.mark)
        resumed = self.run_nightshift("resume", "study", "--budget", "60t", "--nodes",
                                      self.folder / "nodes", "--json", codes=DONE)
        self.assertGreaterEqual(json.loads(resumed.stdout)["trials"]["measured"], 6)

    def test_a_link_that_does_not_end_with_a_killed_head_is_ended(self):
        # As an ssh whose connection hangs, or an srun that waits.
        link = f"sh -c 'nightshift agent --node a --devices cpu:{CORES[-1]}; exec sleep 1000'"
        process = self.start("tune", self.write("p.toml", PROGRAM), "--nodes", self.nodes(link),
                             "--study", "study")
        self.until(lambda: (self.folder / "study/journal.sqlite").exists(), "it does not begin")
        with contextlib.closing(sqlite3.connect(self.folder / "study/journal.sqlite")) as journal:
            self.until(lambda: journal.execute("SELECT count(*) FROM outcomes").fetchone()[0] > 3,
                       "it does not measure")
        process.kill()
        process.communicate()
        self.expect_nobody(self.mark, PATIENCE)

    def test_far_nodes_measure_each_once_and_stop_in_good_order(self):
        link = harness.SOURCE / "tools" / "bench" / "slow_link.py"
        nodes = self.nodes(*(f"python3 {link} 0.05 " + self.agent(name, CORES[-1 - i])
                             for i, name in enumerate("ab")))
        process = self.start_study("60t", nodes=nodes)
        self.until_both_measure()
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process, (INTERRUPTED,))["status"], "interrupted")
        self.expect_nobody(self.mark)
        self.run_nightshift("resume", "study", codes=DONE)
        self.expect_each_once(60)

    def test_a_signal_while_nodes_are_waited_for(self):
        begun = self.folder / "begun"
        silent = f"sh -c 'touch {begun}; exec cat > {self.folder}/said'"
        process = self.start_study("400t", nodes=self.nodes(silent))
        self.until(begun.exists, "the node was not started")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertIn("stopped by SIGTERM while nodes were waited for", err)

    def test_a_signal_stops_in_good_order(self):
        process = self.start_study("400t")
        self.until_both_measure()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process, (INTERRUPTED,))["status"], "interrupted")
        self.expect_nobody(self.mark)


class LateTest(Nodes):
    """What comes to a batch while it runs over nodes."""

    def start_batch(self, nodes, *files):
        process = self.start("batch", "run", *files, "--batch", "night", "--nodes", nodes)
        name = files[0].stem
        self.until(lambda: any((self.folder / "night" / name).glob("journal*")), "no journal")
        self.until(lambda: self.measured_on("a", f"night/{name}") >= 3, "nothing is measured")
        return process

    def finish(self, process, codes=DONE):
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, codes, out + err)
        return out

    def programs(self, budget, *names):
        return [self.write(f"{name}.toml", PROGRAM.replace('"program"', f'"{name}"') +
                           f'[budget]\ntrials = {budget}\n') for name in names]

    def test_a_node_that_comes_late_serves_a_batch_that_runs(self):
        awake = self.folder / "awake"
        nodes = self.nodes(self.agent("a", CORES[-1]),
                           self.agent("b", CORES[-2], f"[ -e {awake} ] || exit 1;"))
        process = self.start_batch(nodes, *self.programs(120, "one", "two", "three"))
        awake.touch()
        out = self.finish(process)
        self.assertIn(f"b/cpu:{CORES[-2]} joins", out)
        late = 0
        for name in ("one", "two", "three"):
            self.expect_each_once(120, f"night/{name}")
            there = [row for row in self.csv_rows(f"night/{name}") if row["device"].startswith("b/")]
            late += len(there)
            if there:
                self.assertEqual(min(there, key=lambda row: float(row["started"]))["job"], "baseline")
        self.assertGreater(late, 60)
        self.expect_nobody(self.mark)

    def test_an_agent_that_comes_back_serves_its_batch_again(self):
        process = self.start_batch(self.two(), *self.programs(150, "one", "two"))
        self.until(lambda: self.measured_on("b", "night/two") >= 3, "b measures nothing")
        os.kill(self.pids("b")[0], signal.SIGKILL)
        self.until(lambda: len(self.pids("b")) == 2, "the link is not opened again")
        before = sum(self.measured_on("b", f"night/{name}") for name in ("one", "two"))
        self.finish(process)
        self.assertGreater(sum(self.measured_on("b", f"night/{name}") for name in ("one", "two")), before)
        for name in ("one", "two"):
            self.expect_each_once(150, f"night/{name}")

    def test_a_study_that_is_added_goes_to_the_nodes_with_its_files(self):
        (self.folder / "include").mkdir()
        self.write("include/by.h", "#define BY 2.0f\n")
        self.write("scale.cc", '#include "by.h"\n'
                   "void scale(float* x) { for (int i = 0; i < N; i += A) x[i] *= BY;"
                   " for (int i = 0; i < N; ++i) if (i % A) x[i] *= BY; }\n")
        self.write("scale.toml", KERNEL)
        # The pool of a node begins with a problem that needs no builder.
        process = self.start_batch(self.two(), *self.programs(150, "one"))
        asked = self.run_nightshift("batch", "add", "night", "scale.toml", codes=(0,))
        self.assertEqual(asked.stdout, "scale waits for its turn\n")
        space = self.recorded_space("more.json", (6, 8, 6))  # the batch has cores
        asked = self.run_nightshift("batch", "add", "night", space, "--budget", "60t", codes=(0,))
        self.assertIn("more: no node has a device for it: ", asked.stdout)
        self.assertIn("a recorded space is its own and only device", asked.stdout)
        self.assertIn("2 of 3 studies are done", self.finish(process, codes=(UNFINISHED,)))
        self.expect_each_once(150, "night/one")
        explored = [row for row in self.csv_rows("night/scale") if row["job"] == "explore"]
        self.assertEqual(sorted(int(row["A"]) for row in explored), [1, 2, 3, 4])
        self.assertLessEqual({row["status"] for row in explored}, {"measured", "skipped"})
        self.expect_nobody(self.mark)

    def test_a_paused_study_that_no_node_was_asked_about_goes_on(self):
        files = self.programs(100, "one", "two")
        process = self.start_batch(self.two(), *files)
        self.run_nightshift("batch", "pause", "night", "two", codes=(0,))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
        process = self.start("batch", "run", *files, "--batch", "night", "--nodes", self.folder / "nodes")
        before = self.measured_on("a", "night/one")
        self.until(lambda: self.measured_on("a", "night/one") > before, "it does not go on")
        asked = self.run_nightshift("batch", "resume", "night", "two", codes=(0,))
        self.assertEqual(asked.stdout, "two waits for its turn\n")
        self.finish(process)
        for name in ("one", "two"):
            self.expect_each_once(100, f"night/{name}")


SHIFTED_CLOCK = harness.BUILD / "fakes" / "libshiftedclock.so"


class OddNodesTest(Nodes):
    def shifted(self, seconds):
        return f"export LD_PRELOAD={SHIFTED_CLOCK} FAKE_CLOCK_SHIFT={seconds};"

    def test_clocks_that_are_minutes_apart_order_nothing(self):
        try_out = self.run_nightshift("--version", env={"LD_PRELOAD": str(SHIFTED_CLOCK)})
        if try_out.returncode != 0:
            self.skipTest(f"this build takes no preloaded library: {try_out.stderr.strip()[:200]}")
        dates = self.folder / "dates"
        problem = self.write("p.toml", PROGRAM.replace("sleep 0.05;", f"sleep 0.02; date +%s >> {dates};"))
        nodes = self.nodes(self.agent("a", CORES[-1], self.shifted(-400)),
                           self.agent("b", CORES[-2], self.shifted(400)))
        began = time.time()
        self.tune(problem, "--budget", "40t", "--nodes", nodes)
        ended = time.time()
        seen = [int(line) for line in dates.read_text().split()]
        self.assertGreater(max(seen) - min(seen), 700)  # on the nodes
        self.expect_each_once(40)
        rows = self.csv_rows()
        self.assertEqual({row["device"].split("/")[0] for row in rows}, {"a", "b"})
        finished = [float(row["finished"]) for row in rows]
        self.assertEqual(finished, sorted(finished))
        for row in rows:
            self.assertLessEqual(float(row["started"]), float(row["finished"]))
            self.assertTrue(began <= float(row["started"]) and float(row["finished"]) <= ended, row)

    def test_each_kind_of_device_has_a_best(self):
        """What is good on one kind is bad on the other. Each explores a good part: one that begins late, or is kept by
        duels, would else find little left."""
        nodes = self.nodes(self.of_kind("Large", CORES[-1]), self.of_kind("Small", CORES[-2]))
        self.write("work.sh", f"""cd {self.folder}
kind=Large; other=Small
grep -q Large /proc/cpuinfo || {{ kind=Small; other=Large; }}
seen() {{ ls -d $1-* 2>/dev/null | wc -l; }}
if mkdir $kind-$1 2>/dev/null; then  # with 60 to explore there are some left for the other
    while [ $(seen $kind) -gt 31 ] && [ $(seen $other) -lt 25 ]; do sleep 0.01; done
fi
a=$1
[ $kind = Large ] || a=$(( 61 - a ))
[ $1 = 0 ] && a=40
echo time $(( 10000 + 200 * a + $(od -An -N2 -tu2 /dev/urandom) % 60 ))
""")
        problem = self.write("p.toml", PROGRAM.split("[parameters]")[0]
                             .replace('argv = ["sh", "-c", "sleep 0.05; echo time $((100 + {A}))"]',
                                      'argv = ["sh", "work.sh", "{A}"]')
                             .replace('["sh", "-c", "echo time 300"]', '["sh", "work.sh", "0"]') +
                             "[parameters]\nA = { range = [1, 60] }\n")
        result = self.tune(problem, "--nodes", nodes, "--set", "acceptance.min_improvement=0.01")
        self.assertEqual(set(result["kinds"]), {"Large", "Small"})
        told = self.run_nightshift("report", "study").stdout
        self.assertTrue(all(kind["confirmed"] for kind in result["kinds"].values()), told)
        confirmed = {name: kind["confirmed"] for name, kind in result["kinds"].items()}
        self.assertLess(confirmed["Large"]["configuration"]["A"], 30)
        self.assertGreater(confirmed["Small"]["configuration"]["A"], 30)
        self.assertNotEqual(result["good_on_all_kinds"], "yes")
        text = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn("Is one configuration good on all kinds of device?", text)

    def full_disk(self):
        """A folder that can be filled, and what fills it."""
        if os.geteuid() != 0:
            self.skipTest("needs root, to mount a small disk")
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(disk)],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no disk can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(disk)], check=False)

        def fill():
            try:
                with open(disk / "filler", "ab", buffering=0) as filler:
                    while True:
                        filler.write(bytes(4096))
            except OSError:
                pass
        return disk, fill

    def test_a_scratch_disk_that_fills_later_harms_nobody(self):
        disk, fill = self.full_disk()
        self.write("scale.cc", "void scale(float* x) { for (int i = 0; i < N; i += A) x[i] *= 2;"
                   " for (int i = 0; i < N; ++i) if (i % A) x[i] *= 2; }\n")
        full = self.folder / "full"
        # Half of the configurations are compiled once the disk is full: the study cannot end before.
        compiler = self.write("compiler", f"""#!/bin/sh
case "$*" in *-DA=[23]?*|*-DA=40*) until [ -e {full} ]; do sleep 0.02; done ;; esac
exec c++ "$@"
""")
        compiler.chmod(0o755)
        problem = self.write("p.toml", KERNEL.replace("[1, 2, 3, 4]", "{ range = [1, 40] }")
                             .replace("[host]", f'[host]\ncompiler = "{compiler}"', 1))
        nodes = self.nodes(self.agent("a", CORES[-1]),
                           self.agent("b", CORES[-2], f"export TMPDIR={disk};"))
        process = self.start("tune", problem, "--nodes", nodes, "--study", "study", "--json")
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        self.until(lambda: self.measured_on("b") >= 1, "b measures nothing")
        fill()
        full.touch()
        # It is a build that finds no room, or a file that the head sends.
        self.until(lambda: re.search("no space (is )?left", self.run_nightshift("report", "study").stdout, re.I),
                   "nobody says that the disk is full")
        (disk / "filler").unlink()  # b comes back
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, DONE, out + err)
        result = json.loads(out)
        self.assertEqual(result["status"], "completed", result)
        self.assertEqual(result["trials"]["failed"], {}, result)
        explored = [row for row in self.csv_rows() if row["job"] == "explore"]
        self.assertEqual(sorted(int(row["A"]) for row in explored), list(range(1, 41)))
        self.expect_nobody(self.mark)


if __name__ == "__main__":
    harness.main()
