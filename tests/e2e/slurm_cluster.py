"""What the tests and the chaos run on a real Slurm share: a Slurm of several pretend nodes on this machine
(tests/slurm/slurm_local.sh), and a batch over some of its nodes to which something happens."""

import csv
import fcntl
import io
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import harness
from harness import BUILD, NIGHTSHIFT, SOURCE

LOCAL = SOURCE / "tests" / "slurm" / "slurm_local.sh"
PROGRAMS = ("sbatch", "squeue", "scontrol", "slurmctld", "slurmd", "munged", "ip")
MISSING = [program for program in PROGRAMS if shutil.which(program) is None]


def _why_not():
    if os.geteuid() != 0:
        return "needs root"
    if MISSING:
        return "needs " + ", ".join(MISSING)
    if BUILD.resolve().is_relative_to("/tmp"):
        return f"pretend nodes have a /tmp of their own, and {BUILD} lies in this one"
    return ""


WHY_NOT = _why_not()
STATE = pathlib.Path("/run/slurm_local")
CONF = STATE / "etc" / "slurm.conf"
NO_CONTROLLER = "Unable to contact slurm controller"
ENDED = ("", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
END = 5  # seconds that nodes have to be empty after a job


class Cluster:
    """A Slurm, of which a host has one at a time."""

    def __init__(self, nodes, gpus=1, **settings):
        self.changes = threading.Lock()  # what the controller loses where it is killed before it has written it down
        self.submitted = 0
        self.lock = open("/run/slurm_local.lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.local("down")
        self.local("up", "netns", nodes, gpus, env=dict(os.environ, **settings))

    def down(self):
        self.local("down")
        self.lock.close()

    @staticmethod
    def local(*words, env=None):
        done = subprocess.run([str(LOCAL), *map(str, words)], env=env, text=True, capture_output=True)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    @staticmethod
    def command(*words):
        """Once there is a controller."""
        while True:
            done = subprocess.run([*map(str, words)], env=dict(os.environ, SLURM_CONF=str(CONF)), text=True,
                                  capture_output=True, timeout=harness.TIMEOUT)
            if NO_CONTROLLER not in done.stderr:
                return done.stdout.strip()

    @staticmethod
    def daemon(name):
        return int((STATE / "run" / f"{name}.pid").read_text())

    def on_node(self, node, *words):
        """In the mount namespace of a node, in which its jobs run."""
        subprocess.run(["nsenter", "--mount", "--target", str(self.daemon(f"slurmd.{node}")),
                        *map(str, words)], check=True, capture_output=True)

    def processes(self, node):
        """What runs on a node beside its slurmd: {id: words}."""
        found = {}
        for pid in map(int, self.local("pids", node).split()):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if not words[0].endswith(b"slurmd"):
                found[pid] = [word.decode(errors="replace") for word in words]
        return found

    def kill_controller(self):
        os.kill(self.daemon("slurmctld"), signal.SIGKILL)

    def start_controller(self):
        subprocess.run(["slurmctld", "-f", str(CONF)], env=dict(os.environ, SLURM_CONF=str(CONF)), check=True)


def until(holds, what, patience=200, pause=0.1):
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() >= deadline:
            raise AssertionError(f"it never happened: {what() if callable(what) else what}")
        time.sleep(pause)


class Night:
    """A batch of one study over several nodes. An evaluation takes as long as the file `pause` says at that
    moment, and what it measures depends on the configuration alone, so that what comes out does not
    depend on what happens meanwhile."""

    def __init__(self, cluster, nodes, mark="", pause=0.15, points=60):
        self.cluster, self.nodes, self.job, self.points = cluster, nodes, None, points
        # Each node has a /tmp of its own.
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=BUILD, prefix="night-"))
        self.environment = {harness.MARK: mark, "SLURM_CONF": str(CONF), "XDG_RUNTIME_DIR": ""}
        self.write("pause", str(pause))
        self.write("work.sh", "sleep $(cat pause); [ ! -e /tmp/slow ] || sleep 0.5\n"
                   "echo '{\"time\": '$(( 100 + 3 * $1 ))'}'\n")
        self.write("slow.toml", f"""
name = "slow"
[command]
argv = ["sh", "work.sh", "{{x}}"]
cores = 1
runs = 1
[parameters]
x = {{ range = [1, {self.points}] }}
[[objective]]
name = "time"
unit = "ms"
[baseline]
x = {self.points}
[acceptance]
confidence = "quick"
""")
        self.batch = self.write("night.toml", f'[[study]]\nproblem = "slow.toml"\nbudget = "{self.points}t"\n')

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run(self, *words):
        return subprocess.run([str(NIGHTSHIFT), *map(str, words)], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=harness.TIMEOUT,
                              env=dict(os.environ, **self.environment))

    def submit(self, *flags):
        with self.cluster.changes:
            done = self.run("submit", self.batch, "--nodes", len(self.nodes), "--time", 5, *flags, "--",
                            "-w", ",".join(self.nodes))
            assert done.returncode == 0 and done.stdout.strip().isdigit(), done
            self.cluster.submitted = time.time() + 1
        self.job = done.stdout.strip()

    def state(self):
        return self.cluster.command("squeue", "-h", "-j", self.job, "-o", "%T", "--states=all")

    def log(self):
        return "\n".join(path.read_text() for path in self.folder.glob("batches/night/slurm-*.log"))

    def standing(self):
        done = self.run("status", "batches/night", "--json")
        return json.loads(done.stdout)["batches"][0] if done.returncode == 0 else None

    def rows(self):
        done = self.run("export", "batches/night/slow", "--format", "csv")
        return list(csv.DictReader(io.StringIO(done.stdout))) if done.returncode == 0 else []

    def measured_on(self, node):
        return sum(row["device"].startswith(node + "/") for row in self.rows())

    def agents(self, node):
        return [pid for pid, words in self.cluster.processes(node).items()
                if words[0].endswith("nightshift") and words[1] == "agent"]

    def head(self):
        return next(pid for pid, words in self.cluster.processes(self.nodes[0]).items()
                    if words[0].endswith("nightshift") and words[1:3] == ["batch", "run"])

    def until_all_measure(self):
        """With agents of this run: what was measured before a job was queued again does not count."""
        until(lambda: all(self.agents(node) for node in self.nodes), self.log)
        before = {node: self.measured_on(node) for node in self.nodes}
        until(lambda: self.state() in ENDED or
              all(self.measured_on(node) >= before[node] + 2 for node in self.nodes), self.log)

    def hurry(self):
        self.write("pause", "0.01")

    def release(self):
        """See slurm_test.py."""
        until(lambda: self.state() == "PENDING", lambda: self.state() + self.log())
        self.cluster.command("scontrol", "update", f"jobid={self.job}", "StartTime=now+3")

    def until_ended(self):
        until(lambda: self.state() in ENDED, lambda: self.state() + self.log())
        return self.state()

    def expect_nobody(self, nodes=None):
        left = {}

        def gone():
            left.update({node: self.cluster.processes(node) for node in nodes or self.nodes})
            return not any(left.values())
        until(gone, lambda: f"left on nodes: {left}", END)

    def finish(self):
        """It completes, each evaluation is there once, and nobody is left. What came out."""
        self.hurry()
        state = self.until_ended()
        assert state == "COMPLETED", state + self.log()
        self.expect_nobody()
        explored = [row for row in self.rows() if row["job"] == "explore"]
        points = sorted(int(row["x"]) for row in explored)
        assert points == list(range(1, self.points + 1)), f"{points}\n{self.log()}"
        assert len({row["trial"] for row in explored}) == len(explored)
        others = [row for row in explored if int(row["x"]) != self.points]  # which is the baseline
        assert {row["status"] for row in others} == {"measured"}, explored
        claim = self.standing()["studies"][0]["claim"]
        return {"x": self.best(), "ratio": claim["ratio"], "joint": claim["joint"]}

    def best(self):
        done = self.run("export", "batches/night/slow", "--format", "json")
        return json.loads(done.stdout)["configuration"]["x"]

    def remove(self):
        if self.job:
            self.cluster.command("scancel", self.job)
            until(lambda: self.state() in ENDED, self.state, 60)
        shutil.rmtree(self.folder, ignore_errors=True)


# --- What happens to a night once it measures. Each ends so that the night can finish. ---

def nothing(night):
    pass


def kill_agent(night):
    node = night.nodes[-1]
    before = night.agents(node)
    os.kill(before[0], signal.SIGKILL)
    until(lambda: set(night.agents(node)) - set(before), "another agent")
    count = night.measured_on(node)
    until(lambda: night.measured_on(node) > count, night.log)


def stall_agent(night, seconds=4):
    """For a while that nobody takes for a loss."""
    agent = night.agents(night.nodes[-1])[0]
    os.kill(agent, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(agent, signal.SIGCONT)


def print_noise(night):
    """Where a kernel of the agent would print."""
    for node in night.nodes:
        for agent in night.agents(node):
            with open(f"/proc/{agent}/fd/1", "wb", buffering=0) as output:
                output.write(b'{"say":"noise"}\nnoise without an end')


def kill_node(night):
    """With all that runs on it; not the head's."""
    night.cluster.local("kill-node", night.nodes[-1])
    until(lambda: f"{night.nodes[-1]} is lost" in night.log(), night.log)
    night.cluster.local("join-node", night.nodes[-1])  # not to this job, which has lost it for good


def cut_link(night, seconds=6, comes_back=True):
    """For a while, in which nobody gives the other up where it is short. comes_back: the node is to measure again,
    or else the batch is to have ended meanwhile."""
    night.cluster.local("cut-node", night.nodes[-1])
    time.sleep(seconds)  # of a network, which has no other
    night.cluster.local("join-node", night.nodes[-1])
    count = night.measured_on(night.nodes[-1])
    until(lambda: night.measured_on(night.nodes[-1]) > count or (not comes_back and night.state() in ENDED), night.log)


def kill_head(night):
    os.kill(night.head(), signal.SIGKILL)
    night.until_ended()
    night.expect_nobody()
    night.submit()


def requeue(night):
    night.cluster.command("scontrol", "requeue", night.job)
    night.release()


def end_of_time(night):
    """What Slurm sends before the job's time is over, in the middle of a duel or hold-out."""
    def activity():
        studies = (night.standing() or {}).get("studies") or [{}]
        return studies[0].get("activity") or ""
    until(lambda: "duel" in activity() or "hold-out" in activity(), lambda: activity() + night.log())
    night.cluster.command("scancel", "--batch", "--signal=USR2", night.job)
    until(lambda: "the job is queued again" in night.log(), night.log)
    night.release()


def preempt(night):
    night.cluster.command("sbatch", "-p", "urgent", "--exclusive", "-w", night.nodes[-1], "-D", "/", "-o",
                          "/dev/null", "--wrap", "true")
    night.release()


def drain(night):
    night.cluster.command("scontrol", "update", f"nodename={night.nodes[-1]}", "state=drain", "reason=test")
    night.hurry()
    night.until_ended()
    night.cluster.command("scontrol", "update", f"nodename={night.nodes[-1]}", "state=resume")


def kill_controller(night):
    """Once it has written down that there is a job, which takes it some seconds."""
    with night.cluster.changes:
        until(lambda: (STATE / "state" / "job_state").stat().st_mtime > night.cluster.submitted, "no state is saved")
        night.cluster.kill_controller()
        count = len(night.rows())
        until(lambda: len(night.rows()) >= count + 5, night.log)
        night.cluster.start_controller()
    until(lambda: night.state() == "RUNNING", night.state)


def lose_heads_node(night):
    """As by a power failure: nobody on it says a word more."""
    first = night.nodes[0]
    night.cluster.local("cut-node", first)
    night.cluster.local("kill-node", first)
    until(lambda: night.state() == "PENDING", lambda: night.state() + night.log())
    night.cluster.local("join-node", first)
    night.release()


def shell_program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def have_another_version(night, node):
    """The node has a nightshift of its own."""
    real = night.folder / "bin" / "nightshift"
    shutil.copytree(NIGHTSHIFT.parent, real.parent, ignore=lambda _, names: [
        name for name in names if not name.startswith("nightshift")])
    other = shell_program(night.folder / "other", f"{shlex.quote(str(real))} \"$@\" | "
                          "sed -u 's/\"program\":\"[^\"]*\"/\"program\":\"0.0.1\"/'\n")
    night.cluster.on_node(node, "mount", "--bind", other, NIGHTSHIFT)


def have_a_full_disk(night, node):
    """On which not even a folder can be made."""
    night.cluster.on_node(node, "mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=1", "none", "/tmp")


def be_slow(night, node):
    (STATE / "tmp" / node / "slow").write_text("")


def be_of_another_kind(night, node):
    text = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    changed = ["model name\t: Another CPU" if line.startswith("model name") else line for line in text]
    night.cluster.on_node(node, "mount", "--bind", night.write("cpuinfo", "\n".join(changed) + "\n"),
                          "/proc/cpuinfo")
