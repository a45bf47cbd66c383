#!/usr/bin/env python3
"""Problems of other benchmarks, imported and served on cores: tasks of kernelbot without a library,
and, where torch is, files of KernelBench and definitions of flashinfer-bench with POST /evaluate.
They are written here anew, in the forms of these benchmarks."""

import http.client
import importlib.util
import json
import re
import subprocess
import sys
import unittest

from harness import Case, SOURCE, TIMEOUT, main

sys.path.insert(0, str(SOURCE / "python"))
from nightshift.service import Service  # noqa: E402

HAS_TORCH = importlib.util.find_spec("torch") is not None
if not HAS_TORCH:
    print(f"SKIPPED: KernelBench and flashinfer-bench, since {sys.executable} has no torch",
          file=sys.stderr)
SETTINGS = ("--set", "measure.samples=5", "--set", "measure.max_seconds=0.2",
            "--confidence", "quick", "--devices", "cpu:1")


class Imports(Case):
    def environment(self, **changes):
        changes.setdefault("PYTHONPATH", str(SOURCE / "python"))
        changes.setdefault("NIGHTSHIFT_PYTHON", sys.executable)
        return super().environment(OMP_NUM_THREADS="1", **changes)

    def module(self, *arguments):
        done = subprocess.run([sys.executable, "-B", "-m", "nightshift", *map(str, arguments)],
                              cwd=self.folder, env=self.environment(), capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def serve(self, *problems):
        """A client of a service of these problems."""
        path = self.folder / "socket"
        process = self.start("serve", *problems, "--night", "night", "--socket", path, *SETTINGS)
        for stream in (process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        while not path.exists():
            if process.poll() is not None:
                self.fail(process.stderr.read())
        service = Service(path)
        self.addCleanup(service.close)
        return service

    def judged(self, service, name, sources, **members):
        """{key: (status or verdict, reason)} of candidates for one file."""
        waiting = {key: service.submit({"id": key, "files": {name: text}, **members})
                   for key, text in sources.items()}
        told = {key: one.result(TIMEOUT) for key, one in waiting.items()}
        for answer in told.values():
            self.assertNotIn("error", answer)
        return {key: (one["verdict"] if one["verdict"] != "refused" else one["status"],
                      one.get("reason", "")) for key, one in told.items()}


REFERENCE = """
import random
from array import array
from itertools import accumulate


def generate_input(size, seed):
    dice = random.Random(seed)
    return array("q", [dice.randrange(1000) for _ in range(size)])


def ref_kernel(data):
    return array("q", accumulate(data))


def check_implementation(data, output):
    return list(output) == list(accumulate(data)), "they are no sums"
"""
TASK = {"lang": "py", "tests": [{"size": 7, "seed": 1}, {"size": 64, "seed": 2}],
        "benchmarks": [{"size": 20000, "seed": 3}, {"size": 10000, "seed": 4}],
        "files": [{"name": "reference.py", "source": "reference.py"}]}
HEAD = """
from array import array
from itertools import accumulate

known = {}


def custom_kernel(data):
    """
SUMS = {
    "right": "return array('q', accumulate(data))",
    "wrong": "return array('q', data)",
    "wrong when it is small": "return array('q', accumulate(data) if len(data) > 64 else data)",
    "in place": "made = array('q', accumulate(data))\n    data[0] += 1\n    return made",
    "no array": "return 7",
    "raises": "raise ValueError('as it was told')",
    "remembers": "if bytes(data) not in known:\n"
                 "        known[bytes(data)] = array('q', accumulate(data))\n"
                 "    return known[bytes(data)]"}


class Kernelbot(Imports):
    def test_a_task_is_served(self):
        folder = self.folder / "sums"
        folder.mkdir()
        (folder / "task.yml").write_text(json.dumps(TASK))
        (folder / "reference.py").write_text(REFERENCE)
        self.module("import", "kernelbot", folder, "--device", "cpu", "--output", "out")
        told = self.judged(self.serve("out/problem.py"), "submission.py",
                           {key: HEAD + text + "\n" for key, text in SUMS.items()}, stage="check")
        self.assertEqual({key: verdict for key, (verdict, _) in told.items()}, {
            "right": "right", "wrong": "wrong_result", "wrong when it is small": "wrong_result",
            "in place": "wrong_result", "no array": "wrong_result", "raises": "launch_failed",
            "remembers": "launch_failed"}, told)
        self.assertIn("test with size = 7, seed = 1: they are no sums",
                      told["wrong when it is small"][1])
        self.assertIn("is an input and was written", told["in place"][1])
        self.assertIn("as it was told", told["raises"][1])
        self.assertIn("its time is not that of its work", told["remembers"][1])


MODEL = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        for _ in range(3):
            y = torch.relu(self.linear(x))
        return y

rows = 64


def get_inputs():
    return [torch.rand(rows, 128)]


def get_init_inputs():
    return [128]
"""
NEW = """
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return {answer}
"""


@unittest.skipUnless(HAS_TORCH, "no torch")
class KernelBench(Imports):
    def test_a_file_is_served(self):
        self.write("8_Relu.py", MODEL)
        self.module("import", "kernelbench", "8_Relu.py", "--device", "cpu")
        service = self.serve("8_Relu/problem.py")
        told = self.judged(service, "solution.py", {
            "right": NEW.format(answer="torch.relu(self.linear(x))"),
            "less": NEW.format(answer="self.linear(x)"),
            "rounded": NEW.format(answer="torch.relu(self.linear(x)).bfloat16()"),
            "another shape": NEW.format(answer="torch.relu(self.linear(x))[:1]"),
            "no class": "x = 1\n"}, stage="check")
        self.assertEqual({key: verdict for key, (verdict, _) in told.items()}, {
            "right": "right", "less": "wrong_result", "rounded": "wrong_result",
            "another shape": "wrong_result", "no class": "build_failed"})
        [request] = [json.loads(self.module("import", "kernelbench", self.write(
            "new.py", NEW.format(answer="torch.relu(self.linear(x) + 0)")), "--candidate",
            "--id", "claimed"))]
        answer = service.ask(request, TIMEOUT)
        self.assertEqual((answer["verdict"], answer["kept"]), ("faster", True), answer)


DEFINITION = {
    "name": "scale_n64", "op_type": "scale", "description": "y = x * factor", "axes": {
        "m": {"type": "var"}, "n": {"type": "const", "value": 64}},
    "inputs": {"x": {"shape": ["m", "n"], "dtype": "bfloat16"},
               "factor": {"shape": None, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["m", "n"], "dtype": "bfloat16"}},
    "reference": "import torch\n\ndef run(x, factor):\n    return (x.float() * factor).bfloat16()\n"}
WORKLOADS = [{"definition": "scale_n64", "solution": None, "evaluation": None, "workload": {
    "uuid": f"{name}-0000", "axes": {"m": m}, "inputs": {
        "x": {"type": "random"}, "factor": {"type": "scalar", "value": 2.5}}}}
    for name, m in (("aaaa", 16), ("bbbb", 32))]


def solution(text, **spec):
    return {"name": "mine", "definition": "scale_n64", "author": "nobody", "spec": {
        "language": "python", "target_hardware": ["cpu"], "entry_point": "pkg/main.py::kernel",
        "destination_passing_style": False, **spec},
        "sources": [{"path": "pkg/main.py", "content": "from .more import twice\n\n" + text},
                    {"path": "pkg/more.py", "content": "def twice(x):\n    return x * 2\n"}]}


@unittest.skipUnless(HAS_TORCH, "no torch")
class FlashInferBench(Imports):
    def ask(self, port, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode())
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def test_solutions_are_evaluated(self):
        self.write("scale.json", json.dumps(DEFINITION))
        self.write("scale.jsonl", "".join(json.dumps(one) + "\n" for one in WORKLOADS))
        self.module("import", "flashinfer-bench", "scale.json", "--workloads", "scale.jsonl",
                    "--device", "cpu", "--output", "out")
        self.serve("out")
        door = self.start("-B", "-m", "nightshift", "http", "--socket", "socket", "--port", "0",
                          "--definitions", "out", program=sys.executable)
        for stream in (door.stdout, door.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(door.wait)
        self.addCleanup(door.kill)
        port = int(re.match(r"http://127\.0\.0\.1:(\d+) ", door.stderr.readline()).group(1))
        self.assertEqual(self.ask(port, "GET", "/definitions/scale_n64"), (200, DEFINITION))
        right = "def kernel(x, factor):\n    return twice(x) + x * (factor - 2)\n"
        into = "def kernel(x, factor, y):\n    y.copy_(x * factor)\n"
        asked = {
            "right": solution(right),
            "into": solution(into, destination_passing_style=True),
            "wrong": solution("def kernel(x, factor):\n    return twice(x)\n"),
            "type": solution("def kernel(x, factor):\n    return x.float() * factor\n"),
            "shape": solution("def kernel(x, factor):\n    return x[:1] * factor\n"),
            "raises": solution("def kernel(x, factor):\n    return 1 / 0\n"),
            "no module": solution("import nothing_is_called_so\n")}
        tasks = {}
        for key, one in asked.items():
            code, told = self.ask(port, "POST", "/evaluate", {"solution": one})
            self.assertEqual(code, 200, told)
            tasks[key] = told["task_id"]
        code, told = self.ask(port, "POST", "/tasks/batch",
                              {"task_ids": list(tasks.values()), "timeout": TIMEOUT})
        self.assertEqual(code, 200, told)
        self.assertEqual([(one["status"], one["error"]) for one in told],
                         [("completed", None)] * len(asked))
        self.assertEqual({key: [trace["evaluation"]["status"] for trace in one["traces"]]
                          for key, one in zip(asked, told)}, {
            "right": ["PASSED"] * 2, "into": ["PASSED"] * 2, "wrong": ["INCORRECT_NUMERICAL"] * 2,
            "type": ["INCORRECT_DTYPE"] * 2, "shape": ["INCORRECT_SHAPE"] * 2,
            "raises": ["RUNTIME_ERROR"] * 2, "no module": ["COMPILE_ERROR"] * 2})
        performance = told[0]["traces"][1]["evaluation"]["performance"]
        self.assertGreater(performance["latency_ms"], 0)
        self.assertAlmostEqual(performance["speedup_factor"],
                               performance["reference_latency_ms"] / performance["latency_ms"])
        self.assertEqual(self.ask(port, "GET", "/tasks/none")[0], 404)
        self.assertEqual(self.ask(port, "POST", "/evaluate", {"solution": 7})[0], 422)


if __name__ == "__main__":
    main()
