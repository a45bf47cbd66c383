"""Studies and batches over four pretend nodes, for so many minutes, under faults that are drawn at random: kind, node,
instant and length. Each run goes on with the same command until it is done, and has to come out as an undisturbed one.
Prints what happens, and at the end its counts.

    python3 tests/e2e/nodes_chaos.py [MINUTES [SEED [FIRST]]]      (NIGHTSHIFT_BUILD_DIR: another build)

FIRST is the number of the first run: what is drawn depends on the seed and that number alone. The folder of a run that
fails is kept.
"""

import collections
import contextlib
import csv
import dataclasses
import io
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

import harness
from harness import DEVICE, IMPROVED, INTERRUPTED, NIGHTSHIFT, NO_IMPROVEMENT, TIMEOUT, processes_with
from pretend_nodes import Node, identity, processes_of

NAMES = "abcd"
SILENCE = 3  # seconds, after which a node is lost
END = 5  # seconds that nodes have to be empty once a head has gone
UNFINISHED = 75  # exit code of a batch
WINDOW = 15  # seconds of a run in which faults happen
BETWEEN = 1.2  # seconds between faults, on average
POINTS = 240  # of a study
GIVEN_UP = "devices were lost while they measured it"  # a suspect that was lost once more: see trials/retry.h

PROBLEM = """
name = "{name}"
[command]
argv = ["sh", "{folder}/work.sh", "{{x}}"]
cores = 1
runs = 1
[parameters]
x = {{ range = [1, {points}] }}
[[objective]]
name = "time"
unit = "ms"
[baseline]
x = {points}
[acceptance]
confidence = "quick"
[budget]
trials = {points}
"""

WORK = """cd {folder}
read pause < pause
echo noise '{{"time": 1'
sleep $pause
[ ! -e slow-$NAME_OF_PRETEND_NODE ] || sleep 0.4
echo '{{"time": '$(( 100 + 3 * $1 ))'}}'
"""


@dataclasses.dataclass
class Fault:
    at: float  # seconds after the run's beginning
    kind: str
    node: str
    seconds: float  # that it lasts, of those that end


def drawn(chance, window):
    """What happens in a run, in order."""
    faults, at = [], chance.expovariate(1 / BETWEEN)
    while at < window:
        kind = chance.choice(list(Run.FAULTS))
        faults.append(Fault(at, kind, chance.choice(NAMES), chance.uniform(0.2, 3 * SILENCE)))
        at += chance.expovariate(1 / BETWEEN)
    return faults


def described(process):
    texts = []
    for name in ("cmdline", "status", "wchan"):
        with contextlib.suppress(OSError):
            texts.append(pathlib.Path(f"/proc/{process[0]}/{name}").read_text()[:200])
    return f"{process} {texts}"


class Run:
    """A study, or a batch of two, until it is done."""

    def __init__(self, chaos, studies, faults=(), label="undisturbed"):
        self.chaos, self.label = chaos, label
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nightshift-e2e-"))
        self.environment = dict(os.environ, **{harness.MARK: chaos.mark, "XDG_RUNTIME_DIR": str(self.folder)})
        cores = sorted(os.sched_getaffinity(0))
        self.nodes = {name: Node(name, cores[i % len(cores)], self.folder / f"node-{name}", self.environment)
                      for i, name in enumerate(NAMES)}
        self.write("nodes", "".join(node.command() + "\n" for node in self.nodes.values()))
        self.write("work.sh", WORK.format(folder=self.folder))
        self.write("pause", "0.2\n" if faults else "0.005\n")
        self.names = [f"study{i}" for i in range(studies)]
        for name in self.names:
            self.write(f"{name}.toml", PROBLEM.format(name=name, folder=self.folder, points=POINTS // studies))
        self.is_batch = studies > 1
        over = ("--nodes", "nodes", "--node-silence", f"{SILENCE}s")
        if self.is_batch:
            self.command = ("batch", "run", *(f"{name}.toml" for name in self.names), "--batch", "night", *over)
        else:
            self.command = ("tune", "study0.toml", "--study", "night/study0", "--continue", *over)
        self.began = time.monotonic()
        self.actions = [(fault.at, lambda fault=fault: self.begin(fault)) for fault in faults]
        if faults:
            self.actions.append((chaos.window, lambda: self.write("pause", "0.005\n")))
        self.busy = {}  # what is disturbed now, until when
        self.gone = []  # (when, who has to have ended by then, why)
        self.known = {name: {} for name in self.names}  # rows of the journal when a head was killed
        self.killed_nodes = set()
        self.head, self.stopping, self.starts_at = None, False, None

    def write(self, name, text):
        path = self.folder / name
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").replace(path)

    def now(self):
        return time.monotonic() - self.began

    def later(self, seconds, action):
        self.actions.append((self.now() + seconds, action))

    # --- The head ---

    def start(self):
        """Once those of the head before have ended where they can have heard of it: they have the devices."""
        self.stopping, self.starts_at = False, None
        with open(self.folder / "log", "a") as log:
            self.head = subprocess.Popen([str(NIGHTSHIFT), *self.command], cwd=self.folder, env=self.environment,
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ask(self, *words):
        done = subprocess.run([str(NIGHTSHIFT), *words], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def rows(self, name):
        if not any((self.folder / "night" / name).glob("journal*")):
            return []
        return list(csv.DictReader(io.StringIO(self.ask("export", f"night/{name}", "--format", "csv"))))

    def finished(self, name):
        """What the journal says of each trial that has ended, and may never be said otherwise."""
        kept = ("job", "device", "status", "x", "time", "started", "finished")
        return {row["trial"]: [row[key] for key in kept] for row in self.rows(name)}

    def head_has_gone(self, why):
        """Whoever cannot have heard of it ends by itself."""
        now = self.now()
        for name, node in self.nodes.items():
            disturbed = max((until for (_, n), until in self.busy.items() if n == name), default=now)
            allowed = END if disturbed <= now else max(2 * SILENCE, disturbed - now) + END
            self.gone.append((now + allowed, processes_of(self.nodes[name]), f"{why}, node {node.name}"))
        self.starts_at = now + END

    def may_start(self):
        soon = [until for until, _, _ in self.gone if until <= self.starts_at]
        return not soon or self.now() > self.starts_at

    # --- Faults. Each returns whether it did anything. ---

    def begin(self, fault):
        key = (fault.kind, fault.node)
        if key in self.busy or self.head.poll() is not None:
            return
        if self.FAULTS[fault.kind](self, self.nodes[fault.node], fault):
            self.chaos.count(fault.kind)
            self.chaos.say(f"{self.label} {self.now():6.2f} s: {fault.kind}, {fault.node}, {fault.seconds:.1f} s")

    def lasting(self, fault, undo):
        key = (fault.kind, fault.node)
        self.busy[key] = self.now() + fault.seconds

        def end():
            undo()
            del self.busy[key]
        self.later(fault.seconds, end)
        return True

    def kill_agent(self, node, fault):
        link = node.agent()
        if link:
            link.agent.kill()
        return bool(link)

    def kill_node(self, node, fault):
        self.killed_nodes.add(node.name)
        node.kill()
        return True

    def is_cut(self, node):
        return not node.network.is_set()

    def cut_link(self, node, fault):
        if self.is_cut(node):
            return False
        node.network.clear()
        return self.lasting(fault, node.network.set)

    def fail_power(self, node, fault):
        return self.cut_link(node, fault) and self.kill_node(node, fault)

    def stall_agent(self, node, fault):
        link = node.agent()
        if not link:
            return False
        os.kill(link.agent.pid, signal.SIGSTOP)

        def go_on():
            with contextlib.suppress(ProcessLookupError):
                if link.agent.poll() is None:
                    os.kill(link.agent.pid, signal.SIGCONT)
        return self.lasting(fault, go_on)

    def slow_down(self, node, fault):
        slow = self.folder / f"slow-{node.name}"
        slow.touch()
        return self.lasting(fault, slow.unlink)

    def print_noise(self, node, fault):
        """Where a kernel of the agent would print."""
        link = node.agent()
        try:
            with open(f"/proc/{link.agent.pid}/fd/1", "wb", buffering=0) as output:
                output.write(b'{"say":"noise"}\nnoise without an end')
        except (AttributeError, OSError):
            return False
        return True

    def print_banner(self, node, fault):
        """From now on, at each login."""
        node.greets = not node.greets
        return True

    def garble_line(self, node, fault):
        link = node.agent()
        if link:
            link.garbage = True
        return bool(link)

    def kill_head(self, node, fault):
        self.head.kill()
        self.head.wait()
        self.head_has_gone("killed head")
        for name in self.names:
            self.known[name].update(self.finished(name))
        return True

    def stop_head(self, node, fault):
        self.head.send_signal(signal.SIGTERM)
        self.stopping = True
        return True

    FAULTS = {"agent killed": kill_agent, "node killed": kill_node, "node without power": fail_power,
              "link cut": cut_link, "agent stalled": stall_agent, "node slow": slow_down,
              "noise on standard output": print_noise, "banner before the greeting": print_banner,
              "garbled line": garble_line, "head killed": kill_head, "head told to stop": stop_head}

    # --- To the end ---

    def carry_out(self):
        self.start()
        while True:
            now = self.now()
            due = [action for at, action in self.actions if at <= now]
            self.actions = [(at, action) for at, action in self.actions if at > now]
            for action in due:
                action()
            self.expect_gone()
            code = self.head.poll()
            if self.starts_at is not None:
                if self.may_start():
                    self.start()
            elif code == DEVICE and (self.busy or self.stopping):
                self.chaos.count("runs that no node was there for, begun again")
                self.head_has_gone("head without a node")
            elif code in (INTERRUPTED, UNFINISHED) and self.stopping:
                self.head_has_gone("stopped head")
            elif code is not None:
                break
            if now > self.chaos.window + TIMEOUT:
                raise AssertionError("it does not end")
            time.sleep(0.02)
        if code not in (IMPROVED, NO_IMPROVEMENT):
            raise AssertionError(f"exit code {code}")
        self.head_has_gone("end")
        self.starts_at = None
        while self.gone or self.actions:  # what is cut comes back
            for _, action in self.actions:
                action()
            self.actions = []
            self.expect_gone()
            time.sleep(0.02)
        # A link that was being opened when the head ended has had an agent since.
        deadline = self.now() + END
        while any(map(processes_of, self.nodes.values())) and self.now() < deadline:
            time.sleep(0.02)
        for name in self.nodes:
            self.gone.append((deadline, processes_of(self.nodes[name]), f"end, node {name}"))
        self.expect_gone()
        return self.result()

    def expect_gone(self):
        left = []
        for until, who, why in self.gone:
            there = {one for one in who if identity(one[0]) == one}
            if there and self.now() > until:
                raise AssertionError(f"left {self.now() - until + END:.1f} s after the {why}: " +
                                     ", ".join(map(described, there)))
            if there:
                left.append((until, there, why))
        self.gone = left

    def result(self):
        came_out = {}
        for name in self.names:
            self.expect_each_once(name)
            study = json.loads(self.ask("status", f"night/{name}", "--json"))["studies"][0]
            best = json.loads(self.ask("export", f"night/{name}", "--format", "json"))["configuration"]
            verdict = study["hold_out"]
            came_out[name] = (study["state"], best, verdict["accepted"], verdict["ratio"])
        for name, node in self.nodes.items():
            # An agent that is killed before it has a warden leaves its folder, in which nothing is yet.
            left = [path for path in node.temporary.rglob("*") if path.is_file()]
            if left and name not in self.killed_nodes:
                raise AssertionError(f"left on the disk of {name}: {left}")
        return came_out

    def is_the_baseline(self, row):
        """The last point stands for it, and is not measured again."""
        return row["status"] == "skipped" and int(row["x"]) == POINTS // len(self.names)

    def expect_each_once(self, name):
        rows = self.rows(name)
        if len({row["trial"] for row in rows}) != len(rows):
            raise AssertionError(f"trials are there twice: {rows}")
        explored = [row for row in rows if row["job"] == "explore"]
        if sorted(int(row["x"]) for row in explored) != list(range(1, POINTS // len(self.names) + 1)):
            raise AssertionError(f"not each once: {explored}")
        for row in explored:
            if row["status"] == "device_lost" and GIVEN_UP in row["reason"]:
                self.chaos.count("configurations lost three times with their nodes, a result by then")
            elif row["status"] != "measured" and not self.is_the_baseline(row):
                raise AssertionError(f"not measured: {row}")
        finished = self.finished(name)
        for trial, row in self.known[name].items():
            if finished.get(trial) != row:
                raise AssertionError(f"trial {trial} was {row} when a head was killed, and is {finished.get(trial)}")
        with contextlib.closing(sqlite3.connect(self.folder / "night" / name / "journal.sqlite")) as journal:
            if journal.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise AssertionError("the journal is damaged")
        self.chaos.count("evaluations, each once", len(rows))

    def remove(self):
        if self.head:
            self.head.kill()
            self.head.wait()
        for node in self.nodes.values():
            node.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


class Chaos:
    def __init__(self, seed, say=lambda line: None, window=WINDOW):
        self.seed, self.say, self.window = seed, say, window
        self.mark = uuid.uuid4().hex
        self.counts, self.failures, self.expected = collections.Counter(), [], {}

    def count(self, what, number=1):
        self.counts[what] += number

    def run(self, studies, faults=(), label="undisturbed"):
        run = Run(self, studies, faults, label)
        try:
            result = run.carry_out()
            if result != self.expected.setdefault(studies, result):
                raise AssertionError(f"{result} instead of {self.expected[studies]}")
            self.count("runs that came out as undisturbed ones" if faults else "undisturbed runs")
            self.say(f"{label} {run.now():6.2f} s: as it should")
        except Exception:
            shutil.copytree(run.folder, f"{run.folder}-failed", ignore_dangling_symlinks=True,
                            ignore=lambda _, names: [name for name in names if name == "link"])
            log = (run.folder / "log").read_text()[-4000:]
            self.failures.append(f"{label} ({run.folder}-failed): {traceback.format_exc()[-2000:]}\n{log}")
            self.say(f"FAILED {self.failures[-1]}")
        finally:
            run.remove()

    def storm(self, seconds, least=1, first=0):
        """A study and a batch in turn; `least` of both together however long they take."""
        end, number = time.monotonic() + seconds, first
        for studies in (1, 2):
            self.run(studies)
        while number < first + least or time.monotonic() < end:
            self.run(1 + number % 2, drawn(random.Random(f"{self.seed} {number}"), self.window), f"run {number}")
            number += 1
        left = processes_with(self.mark)
        if left:
            self.failures.append(f"processes are left: {left}")
        return not self.failures


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    began = time.monotonic()
    chaos = Chaos(int(given[1]) if len(given) > 1 else 1, lambda line: print(line, flush=True))
    ok = chaos.storm(60 * (given[0] if given else 30), first=int(given[2]) if len(given) > 2 else 0)
    for what, number in sorted(chaos.counts.items()):
        print(f"{number:6} {what}")
    print(f"{len(chaos.failures):6} failures\n{time.monotonic() - began:6.0f} seconds")
    sys.exit(0 if ok else 1)
