#!/usr/bin/env python3
"""A night of `nightshift serve`: scripted clients propose mutations of problems' own kernels.

    python3 tools/bench/serve_night.py kernels/host/sgemm/problem.toml [--clients 1] [--proposals 100]
        [--broken 0.2] [--stage claim] [--kills 0] [--devices LIST] [--seed 1] [--work FOLDER]

A proposal takes the client's best source so far and changes a parameter, which the source reads as a
macro, to another value of its list; a share of them is broken: does not compile, crashes, hangs, or is
wrong. With --kills the server is killed by SIGKILL that often and started again. Prints how many
verdicts an hour, how long answers took, what share of the time devices measured, what was kept, and
whether any candidate was lost or answered in two ways."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from nightshift.errors import UserError  # noqa: E402
from nightshift.service import Service  # noqa: E402

MEASURED = "SELECT total(finished - started) FROM trials WHERE finished IS NOT NULL AND device != ''"
BREAKS = ("#error nothing\n", "this is no source\n", "}\n")


def values_of(one):
    values = one.get("values", one) if isinstance(one, dict) else one
    if isinstance(one, dict) and ("flag" in one or not isinstance(values, list)):
        return []
    return [value for value in values if isinstance(value, int) and not isinstance(value, bool)]


class Kernel:
    """A problem's own source, and what may be changed in it."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        problem = tomllib.loads(self.path.read_text())
        self.name = problem["name"]
        table = problem.get("host", problem.get("cuda"))
        kernel = table.get("kernel", table.get("source"))
        source = kernel["file"] if isinstance(kernel, dict) else kernel
        self.source = (self.path.parent / source).read_text()
        self.lists = {name: values for name, one in problem["parameters"].items()
                      if len(values := values_of(one)) > 1 and re.search(rf"\b{name}\b", self.source)}

    def text(self, chosen):
        head = "".join(f"#undef {name}\n#define {name} {value}\n" for name, value in chosen.items())
        return head + self.source

    def broken(self, chosen, rng):
        text = self.text(chosen)
        kind = rng.randrange(4)
        if kind == 0:
            return rng.choice(BREAKS) + text
        lines = [m for m in re.finditer(r";\n", text)]
        at = rng.choice(lines[len(lines) // 2:])
        if kind == 1:
            return text[:at.start()] + text[at.end():]  # a lost semicolon
        statements = [m for m in re.finditer(r"\n[^\n#/]*\+=[^\n]*;", text)]
        if not statements:
            return "#error nothing\n" + text
        one = rng.choice(statements)
        return text[:one.start()] + text[one.start():one.end()].replace("+=", "-=") + text[one.end():]


class Server:
    """The service, which is started again after each kill."""

    def __init__(self, options, work):
        self.options, self.work, self.kills, self.over = options, work, 0, False
        self.socket = work / "socket"
        self.up = threading.Condition()
        self.process = None
        self.start()

    def start(self):
        command = [self.options.nightshift, "serve", *self.options.problems, "--night",
                   str(self.work / "night"), "--socket", str(self.socket), "--expected",
                   str(self.options.proposals)]
        if self.options.devices:
            command += ["--devices", self.options.devices]
        for one in self.options.set or []:
            command += ["--set", one]
        log = open(self.work / "log", "a")
        self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def connect(self):
        while not self.over:
            try:
                return Service(self.socket)
            except (UserError, ValueError):
                if self.process.poll() is not None:
                    sys.exit(f"the service has ended: {(self.work / 'log').read_text()[-2000:]}")
                time.sleep(0.05)
        return None

    def kill_now_and_then(self, count, rng):
        for _ in range(count):
            time.sleep(rng.uniform(0.5, 6))
            if self.over:
                return
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.kills += 1
            self.start()

    def end(self):
        self.over = True
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Client(threading.Thread):
    def __init__(self, number, server, kernel, options):
        super().__init__()
        self.number, self.server, self.kernel, self.options = number, server, kernel, options
        self.rng = random.Random(f"{options.seed}-{number}")
        self.asked, self.answers, self.seconds = {}, {}, {}
        self.settled, self.differ = None, 0

    def ask(self, request):
        """The answer, whatever happens to the server meanwhile."""
        while True:
            try:
                with self.server.connect() as service:
                    return service.ask(request)
            except ConnectionError:
                time.sleep(0.1)

    def run(self):
        best = {}
        for number in range(self.options.proposals // self.options.clients):
            chosen = dict(best)
            name = self.rng.choice(list(self.kernel.lists))
            chosen[name] = self.rng.choice(self.kernel.lists[name])
            is_broken = self.rng.random() < self.options.broken
            source = self.kernel.broken(chosen, self.rng) if is_broken else self.kernel.text(chosen)
            request = {"id": str(number), "client": f"client-{self.number}",
                       "problem": self.kernel.name, "source": source, "stage": self.options.stage}
            began = time.monotonic()
            answer = self.ask(request)
            self.seconds[number] = time.monotonic() - began
            self.asked[number], self.answers[number] = (request, is_broken), answer
            if answer.get("kept"):
                best = chosen
        if self.options.stage == "claim":
            self.settled = self.ask({"ask": "settle", "client": f"client-{self.number}",
                                     "problem": self.kernel.name, "id": "settle"})
        for number, (request, _) in self.asked.items():  # what was said once is said again
            self.differ += self.ask(request) != self.answers[number]


def measuring(night):
    total = 0
    for journal in night.glob("*/journal.sqlite"):
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            total += database.execute(MEASURED).fetchone()[0]
    return total


def quantiles(values):
    values = sorted(values) or [float("nan")]
    return f"median {statistics.median(values):.2f} s, 95 % {values[int(0.95 * (len(values) - 1))]:.2f} s"


def report(clients, server, seconds, devices, night):
    answers = [(client, n, a) for client in clients for n, a in client.answers.items()]
    verdicts = collections.Counter(a.get("verdict", "error") for _, _, a in answers)
    print(f"{len(clients)} clients, {len(answers)} candidates in {seconds:.0f} s: "
          f"{3600 * len(answers) / seconds:.0f} verdicts an hour")
    print("  " + ", ".join(f"{count} {name}" for name, count in verdicts.most_common()))
    refused = [client.seconds[n] for client, n, a in answers if a.get("verdict") == "refused"]
    by_kind = collections.Counter(a["status"] for _, _, a in answers if a.get("verdict") == "refused")
    print(f"  refusals after {quantiles(refused)}: " +
          ", ".join(f"{count} {name}" for name, count in by_kind.most_common()))
    honest = [client.seconds[n] for client, n, a in answers if a.get("verdict") != "refused"]
    print(f"  others after {quantiles(honest)}")
    print(f"  devices measured {100 * measuring(night) / seconds / devices:.1f} % of the time")
    wrong = sum(a.get("kept", False) and client.asked[n][1] for client, n, a in answers)
    print(f"  kept {sum(a.get('kept', False) for _, _, a in answers)}, of which broken {wrong}; "
          f"killed {server.kills} times, {sum(client.differ for client in clients)} answers differ "
          f"when asked again")
    for client in clients:
        if client.settled and "ratio_kept" in client.settled:
            told, settled = client.settled["ratio_kept"], client.settled.get("ratio")
            print(f"  client {client.number}, {client.kernel.name}: {client.settled['verdict']}, "
                  f"{settled:.4f} of the first time; the product of what was kept is {told:.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--proposals", type=int, default=100, help="of all clients together")
    parser.add_argument("--broken", type=float, default=0.2)
    parser.add_argument("--stage", default="claim")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--devices")
    parser.add_argument("--device-count", type=int, default=1, help="that share the work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append")
    parser.add_argument("--work")
    parser.add_argument("--nightshift", default=os.environ.get("NIGHTSHIFT", "nightshift"))
    options = parser.parse_args()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="serve-night-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    kernels = [Kernel(problem) for problem in options.problems]
    server = Server(options, work)
    server.connect().close()
    began = time.monotonic()
    clients = [Client(n, server, kernels[n % len(kernels)], options) for n in range(options.clients)]
    for client in clients:
        client.start()
    killer = threading.Thread(target=server.kill_now_and_then,
                              args=(options.kills, random.Random(options.seed)))
    killer.start()
    for client in clients:
        client.join()
    seconds = time.monotonic() - began
    server.end()
    killer.join()
    report(clients, server, seconds, options.device_count, work / "night")


if __name__ == "__main__":
    main()
