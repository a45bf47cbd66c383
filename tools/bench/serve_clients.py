#!/usr/bin/env python3
"""Many clients of one `nightshift serve` at once, on a GPU or on cores, with kills of the server.

    python3 tools/bench/serve_clients.py [PROBLEM.toml ...] [--host] [--clients 32] [--seconds 200]
        [--kills 4] [--broken 0.2] [--stage claim] [--open 1] [--devices LIST] [--set KEY=VALUE]
        [--keep-processes] [--seed 1] [--work FOLDER] [--json FILE]

Without problems it serves eight row and column kernels of kernels/cuda, with --host those of
kernels/host. Each client has a name, and so a night, of its own. It takes the best source that it
has so far and changes values of macros, within the problem's constraints and to the same launch, and
how far loops are unrolled. A share of the candidates is broken: it has a syntax error, a wrong
answer, an access out of bounds, or a loop without an end. The server is killed by SIGKILL at --kills
moments and started again by the same command; clients that lost their connection ask the same ids
again. After --seconds nobody proposes any more; what is open is waited for, for at most --drain
seconds, and then cancelled. At last every id is asked once more: an answer that differs from what was
told before, or that does not come, is counted.

What it prints is of the time until nobody proposes any more, in Markdown: verdicts an hour by kind,
how long clients waited, what a duel cost in pairs, and the share of the time in which each device checked or measured, from the
journals' trials. A trial that a kill cut off is in no journal, and so does not count as measuring."""

import argparse
import atexit
import collections
import concurrent.futures
import json
import math
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

from duel_cost import duels_of, told as duels_told
from serve_night import values_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from nightshift.errors import UserError  # noqa: E402
from nightshift.service import Service  # noqa: E402

CUDA = ("rmsnorm", "layernorm", "softmax", "add_rmsnorm", "row_sum", "rope", "masked_softmax",
        "transpose")
HOST = ("rmsnorm", "sgemm", "conv2d")
BREAKS = {"syntax": 4, "wrong": 3, "crash": 2, "hang": 1}  # kinds of what is broken, by weight
FUNCTIONS = {**{name: getattr(math, name) for name in dir(math) if name[0] != "_"}, "pow": pow,
             "abs": abs, "min": min, "max": max, "sum": sum, "any": any, "all": all, "len": len,
             "range": range, "round": round, "int": int, "float": float, "bool": bool,
             "__builtins__": {}}
ELEMENT_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
SAID = {"hang": "for (volatile int hold = 1; hold;) {}", "crash": "*(volatile int*)8 = 1;"}
# Of a lease of devices, from being handed to an evaluator to the reply.
TRIALS = "SELECT device, started, finished FROM trials WHERE finished IS NOT NULL AND device != ''"


class Names(dict):
    """Names of expressions; derived ones are computed when they are asked for."""

    def __init__(self, values, derived):
        super().__init__(values)
        self._derived = derived

    def __missing__(self, name):
        if name not in self._derived:
            raise KeyError(name)
        self[name] = evaluate(self._derived[name], self)
        return self[name]


def evaluate(expression, names):
    return eval(expression, FUNCTIONS, names) if isinstance(expression, str) else expression


class Kernel:
    """A problem's own source, and what may be changed in it."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        problem = self._read()
        self.name = problem["name"]
        self.is_cuda = "cuda" in problem
        table = problem["cuda" if self.is_cuda else "host"]
        kernel = table["source"] if self.is_cuda else table["kernel"]
        self.source = (self.path.parent / (kernel if self.is_cuda else kernel["file"])).read_text()
        launches = table.get("launch", [])
        self.functions = [launch["kernel"] for launch in launches] or [kernel["function"]]
        # What the problem computes from parameters stays as it is.
        self.fixed = [launch[key] for launch in launches + table.get("prepare", [])
                      for key in ("grid", "block", "cluster", "shared_bytes", "when")
                      if key in launch]
        self.fixed += [one["size"] for one in table.get("argument", []) if "size" in one]
        self.constraints = problem.get("constraints", [])
        self.derived = table.get("derived", {})
        self.constants = dict(table.get("sizes", {}), SM_COUNT=132, MAX_SHARED_BYTES=227 * 1024,
                              ELEMENT_BYTES=ELEMENT_BYTES.get(table.get("dtype"), 4))
        used = self.source + "".join(
            one.read_text() for one in (self.path.parent.parent / "common").glob("*.cuh"))
        parameters = problem["parameters"]
        self.lists = {name: values for name, one in parameters.items()
                      if len(values := values_of(one) or self._texts(one)) > 1 and
                      re.search(rf"\b{name}\b", used)}
        self.own = {name: self._first(one) for name, one in parameters.items()}
        for name, value in problem.get("baseline", {}).items():
            is_expression = isinstance(value, str) and value not in self._texts(parameters[name])
            self.own[name] = evaluate(value, Names(self.constants, {})) if is_expression else value
        self.launched = self._launch(self.own)

    def _read(self):
        """The problem's file with those that it includes, whose entries it goes before."""
        problem = tomllib.loads(self.path.read_text())
        for name in problem.get("include", []):
            if "/" not in name and "." not in name:
                continue  # a set of compiler options
            more = tomllib.loads((self.path.parent / name).read_text())
            problem.setdefault("constraints", []).extend(more.get("constraints", []))
            for into, table in ((problem.setdefault("parameters", {}), more.get("parameters", {})),
                                (problem.setdefault("baseline", {}), more.get("baseline", {})),
                                (problem.get("cuda", {}).setdefault("derived", {}),
                                 more.get("cuda", {}).get("derived", {}))):
                into.update({key: value for key, value in table.items() if key not in into})
        return problem

    @staticmethod
    def _texts(one):
        values = one.get("values", []) if isinstance(one, dict) else one
        if isinstance(one, dict) and "flag" in one or not isinstance(values, list):
            return []
        return [value for value in values if isinstance(value, str) and value.isidentifier()]

    @staticmethod
    def _first(one):
        if isinstance(one, dict) and "powers_of_two" in one:
            return one["powers_of_two"][0]
        return (one["values"] if isinstance(one, dict) else one)[0]

    def _launch(self, values):
        names = Names({**self.constants, **values}, self.derived)
        return [[evaluate(part, names) for part in one] if isinstance(one, list)
                else evaluate(one, names) for one in self.fixed]

    def is_feasible(self, chosen):
        values = {**self.own, **chosen}
        try:
            return (all(evaluate(one, Names({**self.constants, **values}, self.derived))
                        for one in self.constraints) and self._launch(values) == self.launched)
        except (ArithmeticError, KeyError, NameError, TypeError, ValueError):
            return False

    def loops(self):
        """Where a loop begins that says nothing of being unrolled, or says so without a number."""
        plain = [m.start(1) for m in re.finditer(r"[{;}]\n( *)for \(", self.source)]
        said = [m.start() for m in re.finditer(r"#pragma unroll\n", self.source)]
        return plain, said

    def text(self, chosen, unrolled):
        """chosen: values of macros. unrolled: by place of loops(), how far."""
        text, (plain, said) = self.source, self.loops()
        word = "#pragma unroll" if self.is_cuda else "#pragma GCC unroll"
        for at in sorted(unrolled, reverse=True):
            line = f"{word} {unrolled[at]}\n"
            behind = at + len("#pragma unroll\n") if at in said else at
            text = text[:at] + line + text[behind:]
        head = "".join(f"#undef {name}\n#define {name} {value}\n" for name, value in chosen.items())
        return head + text

    def broken(self, text, kind, rng):
        if kind == "syntax":
            ends = [m.start() for m in re.finditer(r";\n", text)]
            at = rng.choice(ends[len(ends) // 2:])
            return text[:at] + rng.choice([" +", ")", " 7 x", "}"]) + text[at:]
        if kind == "wrong":
            said = "if (blockIdx.x == 0) return;" if self.is_cuda else "return;"
        else:
            said = SAID[kind]
        for function in self.functions:
            text = self._begin_with(text, function, said)
        return text

    @staticmethod
    def _begin_with(text, function, said):
        for match in re.finditer(rf"\b{function}\s*\(", text):
            depth, at = 1, match.end()
            while depth and at < len(text):
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
            if text[at:].lstrip().startswith("{"):
                at = text.index("{", at) + 1
                return text[:at] + said + text[at:]
        raise SystemExit(f"serve_clients: there is no body of {function} in the source")


class Server:
    """The service, which is started again after each kill. `down` are the times, of time.monotonic(),
    between a kill and the next greeting."""

    def __init__(self, options, problems, work):
        self.options, self.problems, self.work = options, problems, work
        self.socket, self.kills, self.over, self.down = work / "socket", 0, False, []
        self.lock = threading.Lock()
        self.process = self.start()
        self.connect().close()

    def start(self):
        command = [self.options.nightshift, "serve", *map(str, self.problems), "--night",
                   str(self.work / "night"), "--socket", str(self.socket)]
        if self.options.devices:
            command += ["--devices", self.options.devices]
        for one in self.options.set or []:
            command += ["--set", one]
        if self.options.keep_processes:
            command += ["--keep-processes"]
        with open(self.work / "log", "a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def connect(self):
        """A client, once it serves; None when all is over."""
        while not self.over:
            try:
                return Service(self.socket)
            except (OSError, UserError, ValueError):
                with self.lock:  # not between a kill and its start
                    if self.process.poll() is not None:
                        said = (self.work / "log").read_text()[-2000:]
                        print(f"the service has ended:\n{said}", file=sys.stderr)
                        os._exit(1)
                time.sleep(0.02)
        return None

    def kill_at(self, moments):
        for moment in moments:
            time.sleep(max(0.0, moment - time.monotonic()))
            if self.over:
                return
            began = time.monotonic()
            with self.lock:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()
                self.kills += 1
                self.process = self.start()
            self.connect().close()
            self.down.append((began, time.monotonic()))

    def end(self):
        self.over = True
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Asked:
    """A candidate, and what became of it."""

    def __init__(self, request, kind, chosen, unrolled):
        self.request, self.kind, self.chosen, self.unrolled = request, kind, chosen, unrolled
        self.began, self.ended, self.answer, self.differs = time.monotonic(), None, None, False


class Client(threading.Thread):
    """Has `--open` candidates open at any time, until `stop`."""

    def __init__(self, number, server, kernel, options, seen, stop):
        super().__init__()
        self.server, self.kernel, self.options = server, kernel, options
        self.name_, self.stop, self.seen = f"client-{number}", stop, seen
        self.rng = random.Random(f"{options.seed}-{number}")
        self.all, self.best, self.service = [], ({}, {}), None

    def mutated(self):
        """Values and unrolled loops that nobody has proposed yet, where some are found."""
        places = [at for part in self.kernel.loops() for at in part]
        for _ in range(300):
            chosen, unrolled = dict(self.best[0]), dict(self.best[1])
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                if places and (not self.kernel.lists or self.rng.random() < 0.3):
                    unrolled[self.rng.choice(places)] = self.rng.choice((1, 2, 4, 8))
                else:
                    name = self.rng.choice(list(self.kernel.lists))
                    chosen[name] = self.rng.choice(self.kernel.lists[name])
            chosen = {name: value for name, value in chosen.items() if value != self.kernel.own[name]}
            if not self.kernel.is_feasible(chosen):
                continue
            key = (self.kernel.name, *sorted(chosen.items()), *sorted(unrolled.items()))
            if key not in self.seen:
                self.seen.add(key)
                break
        return chosen, unrolled

    def proposal(self):
        chosen, unrolled = self.mutated()
        text, kind = self.kernel.text(chosen, unrolled), "honest"
        if self.rng.random() < self.options.broken:
            kind = self.rng.choices(list(BREAKS), BREAKS.values())[0]
            text = self.kernel.broken(text, kind, self.rng)
        request = {"id": str(len(self.all)), "client": self.name_, "problem": self.kernel.name,
                   "source": text, "stage": self.options.stage}
        self.all.append(Asked(request, kind, chosen, unrolled))
        return self.all[-1]

    def submit(self, request):
        """A future of the answer; asked again where the server goes before it is there."""
        while True:
            if self.service is None:
                self.service = self.server.connect()
            if self.service is None:
                return None
            try:
                return self.service.submit(request)
            except OSError:
                self.reconnect()

    def cancel(self, one):
        """By a connection of its own: what is said to a cancellation has the candidate's id."""
        try:
            with self.server.connect() as service:
                service.ask({"ask": "cancel", "id": one.request["id"], "client": self.name_}, 30)
        except (OSError, concurrent.futures.TimeoutError):
            pass  # the answer says what became of it

    def reconnect(self):
        self.service.close()
        self.service = None

    def run(self):
        open_ones, drained, cancels = {}, None, set()
        while True:
            now = time.monotonic()
            if now >= self.stop:
                drained = drained or now + self.options.drain
                if not open_ones or now >= drained + 60:
                    break
                if now >= drained:
                    for one in open_ones.values():
                        if one not in cancels:
                            cancels.add(one)
                            self.cancel(one)
            while now < self.stop and len(open_ones) < self.options.open:
                one = self.proposal()
                open_ones[self.submit(one.request)] = one
            done, _ = concurrent.futures.wait(open_ones, 0.5,
                                              concurrent.futures.FIRST_COMPLETED)
            for future in done:
                one = open_ones.pop(future)
                try:
                    self.take(one, future.result())
                except OSError:  # the server has gone: the same id again
                    self.reconnect()
                    open_ones[self.submit(one.request)] = one

    def take(self, one, answer):
        if "verdict" not in answer and "error" not in answer:
            answer = {"error": f"this is no answer: {answer}"}
        one.ended, one.answer = time.monotonic(), answer
        if answer.get("kept"):
            self.best = one.chosen, one.unrolled

    def ask_again(self):
        """What was said once is said again."""
        for one in self.all:
            if one.answer is not None:
                try:
                    one.differs = self.submit(one.request).result(60) != one.answer
                except (OSError, concurrent.futures.TimeoutError):
                    one.answer = None  # lost


def union_of(intervals, began, ended):
    """Seconds that any of the intervals covers, of those from began to ended."""
    total, reached = 0.0, began
    for start, end in sorted(intervals):
        start, end = max(start, reached), min(end, ended)
        if end > start:
            total, reached = total + end - start, end
    return total


def measuring(night, began, ended):
    """By device, the seconds with a trial on it, in Unix seconds from began to ended."""
    spans = collections.defaultdict(list)
    for journal in night.glob("*/journal.sqlite"):
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            for device, start, end in database.execute(TRIALS):
                spans[device].append((start, end))
    return {device: union_of(one, began, ended) for device, one in spans.items()}


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(share * len(values)) - 1)] if values else None


def kind_of(answer):
    if "error" in answer:
        return "error"
    return f"refused: {answer['status']}" if answer["verdict"] == "refused" else answer["verdict"]


def times_of(all_of):
    seconds = [one.ended - one.began for one in all_of]
    return {"count": len(all_of), "median": statistics.median(seconds) if seconds else None,
            "p95": quantile(seconds, 0.95)}


def figures(clients, server, options, began, ended, unix_began):
    """All that is told, as a JSON object; of what was answered until `ended`."""
    window = ended - began
    everyone = [one for client in clients for one in client.all]
    there = [one for one in everyone if one.answer is not None]
    ours = [one for one in there if one.ended <= ended]
    verdicts = [one for one in ours if kind_of(one.answer) not in ("error", "cancelled", "late")]
    refused = [one for one in verdicts if one.answer["verdict"] == "refused"]
    by_kind = collections.defaultdict(list)
    for one in ours:
        by_kind[kind_of(one.answer)].append(one)
    busy = measuring(server.work / "night", unix_began, unix_began + window)
    down = sum(min(end, ended) - begin for begin, end in server.down if begin < ended)
    kept = [one for one in there if one.answer.get("kept")]
    surprises = collections.Counter(
        (one.kind, kind_of(one.answer)) for one in there
        if (one.kind == "honest") == kind_of(one.answer).startswith("refused"))
    return {
        "problems": sorted({client.kernel.name for client in clients}), "clients": len(clients),
        "seconds": window, "stage": options.stage, "proposed": len(everyone),
        "broken": sum(one.kind != "honest" for one in everyone),
        "verdicts": len(verdicts), "verdicts_an_hour": 3600 * len(verdicts) / window,
        "of_equal_text": sum("same_as" in one.answer for one in verdicts),
        "by_kind": {kind: dict(times_of(some), an_hour=3600 * len(some) / window)
                    for kind, some in sorted(by_kind.items(), key=lambda item: -len(item[1]))},
        "refusals": times_of(refused),
        "refusals_without_hangs": times_of([one for one in refused if one.kind != "hang"]),
        "others": times_of([one for one in verdicts if one.answer["verdict"] != "refused"]),
        "devices": {device: {"measuring_seconds": some, "share": some / window,
                             "share_while_up": some / max(window - down, 1e-9)}
                    for device, some in sorted(busy.items())},
        "kills": server.kills, "down_seconds": down,
        "duels": dict(zip(("count", "pairs"),
                          duels_of((server.work / "night").glob("*/journal.sqlite")))),
        "kept": len(kept), "kept_broken": sum(one.kind != "honest" for one in kept),
        "lost": len(everyone) - len(there), "changed": sum(one.differs for one in there),
        "errors": sorted({one.answer["error"] for one in there if "error" in one.answer}),
        "surprises": [{"proposed": kind, "answered": answered, "count": count}
                      for (kind, answered), count in surprises.most_common()],
        "reasons": sorted({f"{one.kind}: {one.answer.get('reason', '')[:200]}" for one in there
                           if one.kind == "honest" and kind_of(one.answer).startswith("refused")})[:20],
    }


def seconds_text(value):
    return "-" if value is None else f"{value:.2f} s"


def report(told):
    print(f"{told['clients']} clients with {', '.join(told['problems'])}; {told['proposed']} candidates, "
          f"{told['broken']} of them broken, in {told['seconds']:.0f} s; {told['kills']} SIGKILLs, after "
          f"which it served again {told['down_seconds']:.1f} s later, all together\n")
    print("| answers | count | an hour | median | 95 % |\n|---|---|---|---|---|")
    rows = [("**all verdicts**", dict(count=told["verdicts"], an_hour=told["verdicts_an_hour"]))]
    for name in ("refusals", "refusals_without_hangs", "others"):
        one = told[name]
        rows.append((f"**{name.replace('_', ' ')}**",
                     dict(one, an_hour=3600 * one["count"] / told["seconds"])))
    for name, one in rows + list(told["by_kind"].items()):
        print(f"| {name} | {one['count']} | {one['an_hour']:.0f} | {seconds_text(one.get('median'))} | "
              f"{seconds_text(one.get('p95'))} |")
    print("\n| device | measured of the time | while the server was up |\n|---|---|---|")
    for device, one in told["devices"].items():
        print(f"| {device} | {100 * one['share']:.1f} % | {100 * one['share_while_up']:.1f} % |")
    print(f"\n{duels_told(told['duels']['count'], told['duels']['pairs'])}.")
    print(f"\nLost {told['lost']}, answered in two ways {told['changed']}; kept {told['kept']}, of which "
          f"broken {told['kept_broken']}; {told['of_equal_text']} verdicts are those of an equal text.")
    for one in told["surprises"]:
        print(f"  {one['count']} that were {one['proposed']}: {one['answered']}")
    for one in told["reasons"] + told["errors"]:
        print(f"  {one}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", help="of kernels/cuda where absent")
    parser.add_argument("--host", action="store_true", help="those of kernels/host")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=200, help="that clients propose")
    parser.add_argument("--drain", type=float, default=30, help="seconds for what is open then")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--broken", type=float, default=0.2, help="share of the candidates")
    parser.add_argument("--stage", default="claim")
    parser.add_argument("--open", type=int, default=1, help="candidates of a client at once")
    parser.add_argument("--devices")
    parser.add_argument("--keep-processes", action="store_true", help="of the service")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append")
    parser.add_argument("--work")
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--nightshift", default=os.environ.get("NIGHTSHIFT", "nightshift"))
    options = parser.parse_args()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="serve-clients-")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    named = options.problems or [ROOT / "kernels" / ("host" if options.host else "cuda") / name /
                                 "problem.toml" for name in (HOST if options.host else CUDA)]
    kernels = [Kernel(problem) for problem in named]
    server = Server(options, [kernel.path for kernel in kernels], work)
    began, unix_began, seen = time.monotonic(), time.time(), set()
    stop = began + options.seconds
    clients = [Client(n, server, kernels[n % len(kernels)], options, seen, stop)
               for n in range(options.clients)]
    atexit.register(server.end)
    for client in clients:
        client.start()
    moments = [began + options.seconds * (n + 1) / (options.kills + 1) for n in range(options.kills)]
    killer = threading.Thread(target=server.kill_at, args=(moments,), daemon=True)
    killer.start()
    for client in clients:
        client.join()
    for client in clients:
        client.ask_again()
    server.end()
    told = figures(clients, server, options, began, stop, unix_began)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(told, indent=1) + "\n")
    report(told)
    sys.exit(1 if told["lost"] or told["changed"] or told["kept_broken"] else 0)


if __name__ == "__main__":
    main()
