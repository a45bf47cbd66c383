"""What tests of `nightshift serve` share: a problem, candidates that are faster by as much as they are
asked to be, and the lines of a client."""

import json
import os
import select
import socket
import subprocess
import time

from harness import Case, TIMEOUT

PROBLEM = """
name = "double"
[host]
kernel = { file = "double.cc", function = "twice", flags = ["-O1"] }
sizes = { N = 4096 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
[[host.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[parameters]
UNROLL = [1, 2]
[measure]
samples = 5
[acceptance]
confidence = "quick"
hold_out_least = 8
"""
# `work` steps an element, so that whoever has fewer is faster by as much.
KERNEL = """
void twice(const float* x, float* y) {{
  for (int i = 0; i < N; ++i) {{
    for (int s = 0; s < {work}; ++s) asm volatile("" ::: "memory");
    y[i] = {factor} * x[i];
  }}
}}
"""


def kernel(work, factor="2"):
    return KERNEL.format(work=work, factor=factor)


class Lines:
    """One end of a stream of JSON lines."""

    def __init__(self, case, reads, write):
        self.case, self.reads, self.write = case, reads, write
        self.rest, self.said = b"", []

    def send(self, *requests):
        self.write("".join(json.dumps(request) + "\n" for request in requests).encode())

    def next(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\n" not in self.rest:
            if not select.select([self.reads], [], [], max(0, deadline - time.monotonic()))[0]:
                self.case.fail("no answer came")
            more = os.read(self.reads, 65536)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def has_more(self, seconds):
        return b"\n" in self.rest or bool(select.select([self.reads], [], [], seconds)[0])

    def ask(self, request):
        self.send(request)
        return self.next()

    def answers(self, count):
        """By id."""
        got = [self.next() for _ in range(count)]
        return {answer["id"]: answer for answer in got}


class Serving(Case):
    def setUp(self):
        super().setUp()
        self.write("double.cc", kernel(40))
        self.problem = self.write("problem.toml", PROBLEM)

    def serve(self, *options, problem=None, where=("--devices", "cpu:1"), night="night"):
        """The process, and its standard streams after the greeting."""
        process = self.start("serve", problem or self.problem, "--night", night, *where, *options,
                             stdin=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def write(data):
            process.stdin.buffer.write(data)
            process.stdin.buffer.flush()
        lines = Lines(self, process.stdout.fileno(), write)
        hello = lines.next()
        self.assertIsNotNone(hello, "" if process.poll() is None else process.stderr.read())
        self.assertEqual((hello["protocol"], hello["problems"]), (1, ["double"]))
        return process, lines

    def end(self, process, lines):
        """What is told once nobody asks any more."""
        process.stdin.close()
        left = []
        while (line := lines.next()) is not None:
            left.append(line)
        self.assertEqual(process.wait(TIMEOUT), 0, process.stderr.read())
        return left

    def serve_at(self, path):
        """The process of a service that listens there."""
        process = self.start("serve", self.problem, "--night", "night", "--devices", "cpu:1",
                             "--socket", path)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.client_of(process, path).close()
        return process

    def client_of(self, process, path):
        """A connected socket."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            one = socket.socket(socket.AF_UNIX)
            self.addCleanup(one.close)
            try:
                one.connect(str(path))
                return one
            except OSError:
                one.close()
                self.assertIsNone(process.poll(), "the service has ended")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
