#!/usr/bin/env python3
"""The Python module on a real GPU, in one call; no part of the tests, which need none.

    python3 tests/python/on_gpu.py [--configurations 60] [--builders 14] [--only tune,puzzles,times]

It starts `serve` as nightshift does, builds and measures random configurations of the examples, and
prints a table: configurations a minute, failures by kind, agreement of the timing with events, and
how long it is from a crash to the next answer's first phase and to the answer. Exit code 1 where an
example's baseline can't be measured, a wrong kernel passes, or a death costs more than a trial."""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))

ORDER = {"samples": [20, 60], "precision": 0.01, "max_seconds": 10, "cold_cache": True,
         "warm_up": {"runs": 3, "seconds": 0.01}, "min_sample_seconds": 5e-5}

PUZZLES = '''
import ctypes, os, signal, sys, threading
import torch, triton
import triton.language as tl
import nightshift as ns
from nightshift import benches

AFTER = {"breaks": False}
tidy = benches.GpuBench.tidy


def tidy_and_break(self):  # what is called after an answer
    tidy(self)
    if AFTER["breaks"]:
        x = torch.zeros(1024, device="cuda")
        kernel[(1,)](x, x, 1024, AT=1 << 44, BLOCK=1024)


benches.GpuBench.tidy = tidy_and_break


def shout():
    for _ in range(100):
        os.write(1, b'{"id": 1, "time": [1.0]}\\n')


def on_the_host(way):
    if way == "raise":
        raise ValueError("as it was told")
    if way == "sys_exit":
        sys.exit(7)
    if way == "exit":
        os._exit(3)
    if way == "segfault":
        ctypes.string_at(0)
    if way == "spin":
        ctypes.PyDLL(None).pause()  # holds the lock of the interpreter
    if way == "flood":
        for _ in range(200):
            print("x" * 1000)
    if way == "thread":
        thread = threading.Thread(target=shout)
        thread.start()
        thread.join()
    if way == "forks":
        for _ in range(3):
            if os.fork() == 0:
                while True:
                    signal.pause()
        os._exit(4)
    if way == "host_memory":
        bytearray(1 << 62)
    if way == "halves":
        for name in os.listdir("/proc/self/fd"):
            try:
                if int(name) > 2 and os.readlink("/proc/self/fd/" + name).startswith("pipe:"):
                    os.write(int(name), b'{"id": 1, "ti')
            except OSError:
                pass  # it is gone, or the end that is read from
        os._exit(5)


@triton.jit
def kernel(x, y, n, AT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at + AT, 2 * tl.load(x + at, mask=at < n), mask=at < n)

@triton.jit
def endless(flag):
    while tl.load(flag, volatile=True) == 0:
        pass

@ns.problem(space={"way": ["well", "illegal", "guard", "wrong", "nan", "endless", "memory", "syncs",
                           "later", "raise", "sys_exit", "exit", "segfault", "spin", "flood",
                           "thread", "forks", "host_memory", "halves"]})
def puzzle(case, config):
    n = 1 << 20
    x, y, flag = ns.normal(n), ns.output(n), ns.zeros(1, dtype="int32")

    def call():
        way = config.way
        AFTER["breaks"] = way == "later"
        on_the_host(way)
        if way == "memory":
            torch.empty(1 << 45, dtype=torch.uint8, device="cuda")
        if way == "endless":
            endless[(1,)](flag)
        at = {"illegal": 1 << 44, "guard": 1}.get(way, 0)
        kernel[(triton.cdiv(n, 1024),)](x, y, n, AT=at, BLOCK=1024)
        if way in ("wrong", "nan"):
            y[5] = 7.0 if way == "wrong" else float("nan")
        if way == "syncs":
            torch.cuda.synchronize()  # can't be captured

    return ns.Run(call, outputs=[y], reference=lambda: 2 * x.double(), bytes=4 * n)
'''

EXPECTED = {"illegal": "device_error", "guard": "wrong_result", "wrong": "wrong_result",
            "nan": "wrong_result", "memory": "out_of_memory", "host_memory": "out_of_memory",
            "raise": "launch_failed", "sys_exit": "died", "exit": "died", "segfault": "died",
            "forks": "died", "halves": "died"}
ENDLESS = ("endless", "spin")


class Served:
    """One `serve`, and its frames with the times at which they came."""

    def __init__(self, file, role, **changes):
        began = time.perf_counter()
        environment = dict(os.environ, PYTHONPATH=str(SOURCE / "python"), NIGHTSHIFT_PROTOCOL="2",
                           NIGHTSHIFT_ROLE=role, OPENBLAS_NUM_THREADS="1",
                           PYTORCH_NVML_BASED_CUDA_CHECK="1", **changes)
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, "-m", "nightshift", "serve", str(file)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=environment, text=True)
        self.number, self.lock = 0, threading.Lock()
        self.hello = self.frame()
        self.boot = time.perf_counter() - began

    def frame(self):
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            sys.exit("serve has ended:\n" + self.log.read()[-3000:])
        return json.loads(line)

    def send(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def ask(self, do, configuration, **more):
        """(the answer, seconds until its first frame, seconds until the answer)."""
        with self.lock:
            self.number += 1
            began, first = time.perf_counter(), None
            self.send({"id": self.number, "do": do, "configuration": configuration, **more})
            while True:
                frame = self.frame()
                first = first or time.perf_counter() - began
                if frame.get("id") == self.number and "phase" not in frame:
                    return frame, first, time.perf_counter() - began

    def measure(self, configuration, **more):
        return self.ask("measure", configuration, **{**ORDER, "seed": self.number, **more})

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def random_configurations(file, count):
    from nightshift.loading import load
    problem = load(file)
    case = problem.pick(None)[0]
    conditions = problem.space.constraints(case._sizes())
    every = [dict(zip(problem.space.parameters, values)) for values in itertools.product(
        *(p.labels for p in problem.space.parameters.values()))]
    right = [c for c in every if all(eval(text, {}, dict(c)) for text in conditions)]
    random.Random(1).shuffle(right)
    return right[:count]


def tune(file, count, builders, target):
    """Builds ahead and measures; prints one row. Returns whether the baseline could be measured."""
    measurer = Served(file, "measure")
    pool = [Served(file, "build", CUDA_VISIBLE_DEVICES="") for _ in range(builders)]
    kinds, times, contents, busy = collections.Counter(), [], {}, 0.0
    baseline, _, _ = measurer.measure({})
    if "time" not in baseline:
        print(file.name, "baseline:", baseline)
        return False
    configurations = random_configurations(file, count)
    free = list(pool)
    lock = threading.Lock()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(
            builders) as executor:
        def build(number):
            with lock:
                builder = free.pop()
            artifact = pathlib.Path(folder) / str(number)
            artifact.mkdir()
            answer = builder.ask("build", configurations[number], target=target,
                                 artifact=str(artifact))[0]
            with lock:
                free.append(builder)
            return number, answer, b"".join(f.read_bytes() for f in sorted(artifact.iterdir()))

        for done in concurrent.futures.as_completed(
                [executor.submit(build, n) for n in range(len(configurations))]):
            number, answer, content = done.result()
            if "failure" in answer or "died" in answer:
                kinds[answer.get("failure", "died")] += 1
            elif content in contents:
                kinds["same code"] += 1
            else:
                contents[content] = number
                answer, _, took = measurer.measure(configurations[number])
                busy += took
                kinds["measured" if "time" in answer else answer.get("failure", "died")] += 1
                if "time" in answer:
                    times.append((sorted(answer["time"])[len(answer["time"]) // 2],
                                  configurations[number]))
    seconds = time.perf_counter() - began
    best = min(times, key=lambda pair: pair[0]) if times else (float("nan"), {})
    middle = sorted(baseline["time"])[len(baseline["time"]) // 2]
    print(f"{file.name:20} {len(configurations) / seconds * 60:6.0f} a minute, device busy "
          f"{busy / seconds:4.0%}, baseline {middle:8.2f} us, best {best[0]:8.2f} us, "
          f"boot {measurer.boot:.2f} s, {dict(kinds)}")
    print(f"{'':20} best {best[1]}, conditions {baseline['conditions']}")
    for served in (measurer, *pool):
        served.close()
    return True


def against_triton(file):
    """The baseline's time beside triton.testing.do_bench_cudagraph, with warm caches."""
    import torch
    import triton.testing
    from nightshift import factories
    from nightshift.loading import load
    from nightshift.torch_arrays import TorchWorkshop
    from nightshift.triton_import import use_real_driver
    served = Served(file, "measure")
    answer, _, _ = served.measure({}, cold_cache=False)
    served.close()
    problem = load(file)
    use_real_driver()
    with factories.use(TorchWorkshop(1, "cuda")):
        run = problem.run(problem.pick(None)[0], problem.space.baseline())
    run.call()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        theirs = triton.testing.do_bench_cudagraph(run.call) * 1e3
    ours = sum(answer["time"]) / len(answer["time"])
    print(f"{file.name:20} ours {ours:.2f} us, do_bench_cudagraph {theirs:.2f} us, "
          f"ratio {ours / theirs:.4f}")


def puzzles(folder):
    """What misbehaves, and how long until the next one answers. Returns whether all is right."""
    file = pathlib.Path(folder) / "puzzle.py"
    file.write_text(PUZZLES)
    served, right = Served(file, "measure"), True
    for way in ("well", "illegal", "guard", "wrong", "nan", "memory", "exit", "illegal", "syncs",
                "later", "raise", "sys_exit", "segfault", "flood", "thread", "forks",
                "host_memory", "halves", *ENDLESS):
        if way in ENDLESS:
            served.number += 1
            served.send({"id": served.number, "do": "measure", "configuration": {"way": way},
                         **ORDER})
            while served.frame().get("phase") != "prepare":
                pass
            time.sleep(1)  # it has begun by then, and never ends by itself
            served.send({"do": "drop", "id": served.number})
            began = time.perf_counter()
            answer = served.frame()
            print(f"{way:10} {answer} after {time.perf_counter() - began:.3f} s")
            right = right and "dropped" in answer
        else:
            answer, _, took = served.measure({"way": way})
            kind = answer.get("failure") or ("died" if "died" in answer else "measured")
            expected = EXPECTED.get(way, "measured")
            said = answer.get("words") or answer.get("conditions")
            print(f"{way:10} {kind:14} {took:6.3f} s  {said}")
            right = right and kind == expected
        after, first, took = served.measure({})
        print(f"{'':10} next: first frame {first:.3f} s, answer {took:.3f} s"
              f"{'' if 'time' in after else '  ' + str(after)}")
        right = right and "time" in after
    served.close()
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configurations", type=int, default=60)
    parser.add_argument("--builders", type=int, default=max(1, (os.cpu_count() or 4) - 2))
    parser.add_argument("--only", default="tune,puzzles,times")
    arguments = parser.parse_args()
    only, right = arguments.only.split(","), True
    # Asked of a process of its own: the examples are imported here, and CUDA stays untouched until
    # the servers have been started.
    code = ("import torch, json; p = torch.cuda.get_device_properties(0); print(json.dumps(["
            "p.name, p.major * 10 + p.minor, p.multi_processor_count]))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        sys.exit("no GPU that torch can use: " + done.stderr.strip().splitlines()[-1])
    name, architecture, multiprocessors = json.loads(done.stdout)
    print(f"{name}, sm_{architecture}, {multiprocessors} multiprocessors, "
          f"{arguments.builders} builders")
    target = {"architecture": architecture, "multiprocessors": multiprocessors}
    examples = SOURCE / "python" / "examples"
    files = [examples / "softmax_triton.py", examples / "matmul_triton.py"]
    if "tune" in only:
        right = all([tune(file, arguments.configurations, arguments.builders, target)
                     for file in files])
    if "puzzles" in only:
        with tempfile.TemporaryDirectory() as folder:
            right = puzzles(folder) and right
    for file in files if "times" in only else []:
        against_triton(file)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
