"""What the tests of the Python module share: the module itself, files of a test's own, and a client
that speaks protocol 2 to a real `serve`."""

import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODULE = SOURCE / "python"
SKIPPED = 77  # ctest shows it as skipped
TIMEOUT = 120  # seconds; what takes so long has hung

if sys.version_info < (3, 9):
    print(f"SKIPPED: the module needs Python 3.9, this is {sys.version.split()[0]}")
    sys.exit(SKIPPED)
sys.path.insert(0, str(MODULE))
os.environ["NIGHTSHIFT_HISTORY"] = "off"

ORDER = {"seed": 5, "samples": [3, 3], "precision": 0, "max_seconds": 10,
         "warm_up": {"runs": 1, "seconds": 0}, "min_sample_seconds": 0, "cold_cache": False}


def is_alive(process):
    """Whether a process works, and is neither gone nor a zombie."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def environment(**changes):
    return dict(os.environ, PYTHONPATH=str(MODULE), **changes)


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nightshift-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(textwrap.dedent(text))
        return path

    def module(self, *arguments, code=0, **changes):
        """python3 -m nightshift ..., to its end."""
        done = subprocess.run([sys.executable, "-m", "nightshift", *map(str, arguments)],
                              cwd=self.folder, env=environment(**changes), text=True,
                              capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Building(Case):
    """A test that asks builders for artifacts, in folders of its own."""

    def setUp(self):
        super().setUp()
        self.built = 0

    def build(self, served, target, **configuration):
        """(the answer, {name: text} of the artifact's files)."""
        answer, folder = self.ask_to_build(served, target, configuration=configuration)
        return answer, {file.name: file.read_text() for file in folder.iterdir()}

    def ask_to_build(self, served, target, **members):
        """(the answer, the artifact's folder)."""
        self.built += 1
        folder = self.folder / f"artifact{self.built}"
        folder.mkdir()
        served.send(id=self.built, do="build", target=target, artifact=str(folder), **members)
        return served.answer(self.built), folder


class Served:
    """A `serve` of a file, and its answers in order. Closed by the test that made it."""

    def __init__(self, test, file, *arguments, role="measure", **changes):
        self.test = test
        self.errors = open(test.folder / f"errors-{id(self)}", "w+b")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nightshift", "serve", str(file), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env=environment(NIGHTSHIFT_PROTOCOL="2", NIGHTSHIFT_ROLE=role, **changes))
        self.rest = b""
        test.addCleanup(self.close)
        self.hello = self.frame()

    def frame(self):
        """The next object. Every line of standard output must be one."""
        deadline = time.monotonic() + TIMEOUT
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.test.fail("no answer: " + self.printed())
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                self.test.fail("it has ended: " + self.printed())
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def send(self, **request):
        self.process.stdin.write((json.dumps(request) + "\n").encode())
        self.process.stdin.flush()

    def measure(self, number, **configuration):
        self.send(id=number, do="measure", configuration=configuration, **ORDER)

    def answer(self, number):
        """What ends request `number`; its phases are kept in `phases`."""
        self.phases = []
        while True:
            frame = self.frame()
            self.test.assertEqual(frame.get("id"), number, frame)
            if "phase" not in frame:
                return frame
            self.phases.append(frame["phase"])

    def measured(self, number, **configuration):
        self.measure(number, **configuration)
        return self.answer(number)

    def until_phase(self, number, phase):
        while True:
            frame = self.frame()
            if frame == {"id": number, "phase": phase}:
                return
            self.test.assertIn("phase", frame)

    def printed(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.errors.close()


def main():
    unittest.main()
