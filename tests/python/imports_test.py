"""One process imports a file, and all that describe, build and measure are forked from it."""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

import harness
from harness import Case, Served

from nightshift import imports, processes

# Each import leaves a line; so does what the space depends on.
FILE = '''
import os, signal
import nightshift as ns

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "imports"), "a") as out:
    out.write(f"{os.getpid()}\\n")
os.environ["SET_BY_THE_FILE"] = "yes"


@ns.problem(device="cpu", space={"way": ["well", "spin", "waits", "exit", "environment", "cores"]})
def puzzle(case, config):
    x, y = ns.normal(10), ns.output(10)

    def call():
        if config.way == "spin":
            if os.fork() == 0:
                os.setsid()
                note("spinning")
                signal.pause()
            signal.pause()
        if config.way == "waits":
            note("waiting")
            signal.pause()
        if config.way == "exit":
            os._exit(9)
        if config.way == "environment":
            note(" ".join([os.environ["SET_BY_THE_FILE"], os.environ["OF_ONE"],
                           os.environ["TMPDIR"], os.environ["NIGHTSHIFT_RUN"],
                           open("/proc/self/environ").read().partition("NIGHTSHIFT_RUN=")[2][:32]]))
        if config.way == "cores":
            note(str(sorted(os.sched_getaffinity(0))))
        for i in range(10):
            y[i] = x[i] * 2

    return ns.Run(call, outputs=[y], reference=lambda: [2 * v for v in x])


def note(text):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes"), "a") as out:
        out.write(f"{os.getpid()} {text}\\n")
'''
MARK = "0123456789abcdef" * 2


class Imports(Case):
    def setUp(self):
        super().setUp()
        self.file = self.write("puzzle.py", FILE)
        self.host()

    def host(self, kept=None):
        """Started as nightshift does it. kept: how many importers are."""
        self.name = f"nightshift-test-{os.getpid()}-{id(self)}"
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listening.bind("\0" + self.name)
        listening.listen(64)
        number = listening.fileno()
        changes = {"NIGHTSHIFT_RUN": "0" * 32}
        self.process = subprocess.Popen(
            [sys.executable, "-c", "import os, runpy, sys\nos.dup2(int(sys.argv[1]), 3)\n"
             "sys.argv[1:2] = []\n" + (
                 "runpy.run_module('nightshift.imports', run_name='__main__')" if kept is None else
                 "from nightshift import imports\n"
                 f"imports.most_importers = lambda: {kept}\nimports.main()"),
             str(number), str(os.getpid())], pass_fds=[number], stdin=subprocess.DEVNULL,
            env=harness.environment(**changes))
        listening.close()
        self.addCleanup(self.end_host)

    def end_host(self):
        self.process.kill()
        self.process.wait()

    def served(self, role="measure", **changes):
        return Served(self, self.file, role=role, **{"NIGHTSHIFT_IMPORTS": self.name,
                                                     "OF_ONE": "1", **changes})

    def imports(self):
        return len((self.folder / "imports").read_text().split())

    def notes(self, lines=1):
        path = self.folder / "notes"
        deadline = time.monotonic() + harness.TIMEOUT
        while not (path.exists() and len(path.read_text().splitlines()) >= lines):
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()
        return [line.split(" ", 1) for line in path.read_text().splitlines()]

    def until_gone(self, process):
        deadline = time.monotonic() + harness.TIMEOUT
        while harness.is_alive(process):
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()

    def test_who_describes_builds_and_measures_have_one_import(self):
        for _ in range(2):
            described = self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
            self.assertIn('way = { values = ["well"', described.stdout)
        served = [self.served(), self.served(), self.served()]
        for number, one in enumerate(served):
            self.assertEqual(len(one.measured(number + 1)["time"]), 3)
        self.assertEqual(self.imports(), 1)

    def test_a_death_costs_a_fork(self):
        served = self.served()
        self.assertEqual(served.measured(1, way="exit")["died"], {"exit": 9})
        self.assertIn("time", served.measured(2))
        self.assertEqual(self.imports(), 1)

    def test_each_has_its_own_environment_and_mark(self):
        (self.folder / "own").mkdir()
        changes = {"NIGHTSHIFT_RUN": MARK, "TMPDIR": str(self.folder / "own")}
        self.assertIn("time", self.served(**changes).measured(1, way="environment"))
        [[_, found], *_] = self.notes()
        self.assertEqual(found, f"yes 1 {self.folder / 'own'} {MARK} {MARK}")

    def test_another_environment_is_another_import(self):
        self.served().measured(1)
        self.served(OF_ONE="2").measured(1)
        self.served(OF_ONE="2").measured(1)
        self.assertEqual(self.imports(), 2)

    def test_what_a_shim_of_pyenv_adds_is_no_other_environment(self):
        from nightshift import elsewhere
        plain = {"HOME": "/home/me", "PATH": "/usr/bin:/bin", "PYENV_ROOT": "/home/me/.pyenv"}
        shim = {**plain, "PYENV_VERSION": "3.11.7", "_PYENV_INSTALL_PREFIX": "/home/me/.pyenv",
                "PATH": "/home/me/.pyenv/versions/3.11.7/bin:/home/me/.pyenv/libexec:/usr/bin:/bin"}
        other = {**plain, "PATH": "/opt/cuda/bin:/usr/bin:/bin"}
        self.assertEqual(elsewhere.what_imports_see(plain), elsewhere.what_imports_see(shim))
        self.assertNotEqual(elsewhere.what_imports_see(plain), elsewhere.what_imports_see(other))

    def test_what_is_killed_takes_with_it_all_that_it_started(self):
        served = self.served()
        served.measure(1, way="spin")
        [[process, _], *_] = self.notes()
        self.assertTrue(harness.is_alive(process))
        os.kill(served.process.pid, signal.SIGKILL)
        self.until_gone(process)
        self.assertIn("time", self.served().measured(2))
        self.assertEqual(self.imports(), 1)

    def test_the_end_of_the_host_is_that_of_all(self):
        served = self.served()
        served.measure(1, way="waits")
        [[process, _]] = self.notes()
        self.end_host()
        self.until_gone(process)
        self.assertNotEqual(served.process.wait(harness.TIMEOUT), 0)

    def test_the_death_of_an_importer_is_no_exit_code_of_the_file(self):
        served = self.served()
        served.measure(1, way="waits")
        [[process, _]] = self.notes()
        os.kill(int((self.folder / "imports").read_text()), signal.SIGKILL)
        self.until_gone(process)
        self.assertEqual(served.process.wait(harness.TIMEOUT), -signal.SIGKILL)
        self.assertIn("time", self.served().measured(2))
        self.assertEqual(self.imports(), 2)

    def test_without_its_host_a_file_is_imported_by_each(self):
        self.end_host()
        self.assertIn("time", self.served().measured(1))
        self.assertIn("time", self.served().measured(1))
        self.assertEqual(self.imports(), 2)

    def test_it_stays_on_the_cores_of_who_asked(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("there is one core")
        served = self.served()
        served.measured(1, way="cores")
        os.sched_setaffinity(served.process.pid, cores[:1])
        served.measured(2, way="cores")
        found = [text for _, text in self.notes(2)]
        self.assertEqual((found[0], found[-1]), (str(cores), str(cores[:1])))

    def test_a_file_that_changed_is_imported_anew_for_who_describes(self):
        self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        old = self.served()
        self.file.write_text(FILE.replace('"well"', '"changed", "well"'))
        described = self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        self.assertIn('"changed"', described.stdout)
        self.assertIn("time", old.measured(1))
        self.assertIn("time", self.served().measured(1, way="changed"))
        self.assertEqual(self.imports(), 2)

    def test_what_cannot_be_forked_is_imported_by_each(self):
        self.file.write_text(FILE + "\nimport threading\nthreading.Thread("
                             "target=threading.Event().wait, daemon=True).start()")
        described = self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        self.assertIn("way = ", described.stdout)
        served = self.served()
        self.assertIn("time", served.measured(1))
        self.assertIn("has started 1 threads", served.printed())
        # One tried for all, and whoever describes does so in its own process.
        before = self.imports()
        again = self.served()
        self.assertEqual(again.hello, served.hello)
        self.assertIn("time", again.measured(1))
        self.assertEqual(self.imports() - before, 1, "its worker, and no server")
        self.assertIn("died", again.measured(2, way="exit"))
        self.assertIn("time", again.measured(3))
        self.assertIn("has started 1 threads", again.printed())

    def test_what_a_thread_prints_is_no_part_of_what_is_described(self):
        self.file.write_text(FILE + "\nimport threading\ndef prints():\n    while True:\n"
                             "        print('seed = 5', flush=True)\n"
                             "threading.Thread(target=prints, daemon=True).start()")
        for host in {}, {"NIGHTSHIFT_IMPORTS": self.name}:
            described = self.module("describe", self.file, OF_ONE="1", **host)
            self.assertTrue(described.stdout.startswith("name = "), described.stdout[:200])
            self.assertNotIn("seed = 5", described.stdout)

    def test_mistakes_of_what_cannot_be_forked_are_told_as_ever(self):
        self.file.write_text(FILE + "\nimport threading\nthreading.Thread("
                             "target=threading.Event().wait, daemon=True).start()")
        described = self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        [space] = [line for line in described.stdout.splitlines() if line.startswith("argv")]
        space = json.loads(space.partition(" = ")[2])[-1]
        for head, more, code, words in (
                ("1 / 0", [], 2, "ZeroDivisionError"), ("import os; os._exit(7)", [], 7, ""),
                ("import os, signal; os.kill(os.getpid(), 9)", [], -9, ""),
                ("", ["--space", space.replace("spin", "other")], 2, "not the same in each process")):
            with self.subTest(head):
                self.file.write_text(head + self.file.read_text())
                asked = subprocess.run(
                    [sys.executable, "-m", "nightshift", "serve", str(self.file), *more],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=harness.TIMEOUT,
                    env=harness.environment(NIGHTSHIFT_PROTOCOL="2", NIGHTSHIFT_ROLE="measure",
                                            NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1"))
                self.file.write_text(self.file.read_text()[len(head):])
                self.assertIn(words, asked.stderr)
                self.assertEqual(asked.returncode, code)
                self.assertEqual(asked.stdout, "")

    def test_builders_have_one_import_where_cuda_hinders_those_who_measure(self):
        thread = ("\nimport threading\nif os.environ.get('NIGHTSHIFT_ROLE') != 'build':\n    "
                  "threading.Thread(target=threading.Event().wait, daemon=True).start()")
        self.file.write_text(FILE + thread)
        self.module("describe", self.file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        for _ in range(3):
            self.served(role="build", CUDA_VISIBLE_DEVICES="", OPENBLAS_NUM_THREADS="1")
        self.assertEqual(self.imports(), 2)

    def test_more_files_than_are_kept_may_be_imported_at_once(self):
        kept, many = 2, 6
        self.end_host()
        self.host(kept)
        # None is done before all have begun.
        wait = (f"\nimport time\nopen(__file__ + '.begun', 'w').close()\n"
                f"while len([one for one in os.listdir('.') if one.endswith('.begun')]) < {many}:\n"
                "    os.sched_yield()\n")
        files = [self.write(f"puzzle{number}.py", FILE + wait) for number in range(many)]
        asking = [subprocess.Popen([sys.executable, "-m", "nightshift", "describe", str(file)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                   env=harness.environment(NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1"))
                  for file in files]
        for one in asking:
            self.addCleanup(one.kill)
        for one in asking:
            told, _ = one.communicate(timeout=harness.TIMEOUT)
            self.assertEqual(one.returncode, 0)
            self.assertIn("way = ", told)
        self.assertEqual(self.imports(), many)
        deadline = time.monotonic() + harness.TIMEOUT
        while len(processes.children_of(self.process.pid)) > kept:
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()

    def test_what_a_batch_begins_next_is_kept(self):
        self.end_host()
        self.host(2)
        files = [self.write(f"puzzle{number}.py", FILE) for number in range(4)]
        for file in files:
            self.module("describe", file, NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
        self.assertEqual(self.imports(), 4)
        for number, imported in ((0, 4), (1, 4), (2, 5), (3, 6), (3, 6), (2, 6)):
            served = Served(self, files[number], NIGHTSHIFT_IMPORTS=self.name, OF_ONE="1")
            self.assertIn("time", served.measured(1))
            served.close()
            self.assertEqual(self.imports(), imported, number)

    def test_as_many_are_kept_as_memory_has_room_for(self):
        for text, kept in (("MemTotal: 9 kB\nMemAvailable:   67108864 kB\n", 81),
                           ("MemAvailable: 1024 kB\n", 8), ("MemTotal: 67108864 kB\n", 8)):
            self.assertEqual(imports.most_importers(self.write("meminfo", text)), kept)
        self.assertEqual(imports.most_importers(self.folder / "none"), 8)

    def test_mistakes_are_told_as_ever(self):
        for head, code, words in [("1 / 0", 2, "ZeroDivisionError"),
                                  ("import os; os._exit(7)", 7, ""),
                                  ("import sys; sys.exit('no')", 2, "ends the program"),
                                  ("import os, signal; os.kill(os.getpid(), 11)", -11, "Fatal")]:
            with self.subTest(head):
                self.file.write_text(head + FILE)
                done = self.module("describe", self.file, code=code, NIGHTSHIFT_IMPORTS=self.name,
                                   OF_ONE="1")
                self.assertIn(words, done.stderr)

    def test_who_gives_up_an_import_ends_it(self):
        self.file.write_text(FILE + "\nimport time; time.sleep(600)")
        asking = subprocess.Popen([sys.executable, "-m", "nightshift", "describe", str(self.file)],
                                  env=harness.environment(NIGHTSHIFT_IMPORTS=self.name),
                                  stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + harness.TIMEOUT
        process, path = "", self.folder / "imports"
        while not process:
            self.assertLess(time.monotonic(), deadline)
            process = path.read_text().strip() if path.exists() else ""
        asking.kill()
        asking.wait()
        self.until_gone(process)


# torch, as it is on a machine whose GPU must not be touched.
TORCH_CUDA = """
def touched(*_, **__):
    raise RuntimeError("No CUDA GPUs are available")

get_device_properties = get_device_capability = get_device_name = current_device = touched
is_available = device_count = touched
"""
ASKS = """
import nightshift as ns
import torch.cuda
from torch.cuda import get_device_properties

SIZES = [get_device_properties(0).multi_processor_count, 2 * torch.cuda.get_device_capability()[0]]

@ns.problem(device="cpu", space={"size": SIZES})
def asks(case, config):
    y = ns.output(1)
    def call():
        y[0] = 2
    return ns.Run(call, outputs=[y], reference=lambda: [2])
"""

class AsksForTheGpu(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "torch").mkdir()
        self.write("torch/__init__.py", "")
        self.write("torch/cuda.py", TORCH_CUDA)
        self.file = self.write("asks.py", ASKS)

    def test_a_file_that_asks_for_the_gpu_is_read_without_one(self):
        done = self.module("describe", self.file)
        self.assertRegex(done.stdout, r"size = \{ values = \[\d+, \d+\]")
        self.assertIn("without starting CUDA", done.stderr)
        if not os.path.exists("/dev/nvidiactl"):
            self.assertIn("size = { values = [132, 18]", done.stdout)
            self.assertIn("NVIDIA H100", done.stderr)

    def test_once_it_is_imported_torch_answers_itself(self):
        import_gpu = importlib.import_module("nightshift.import_gpu")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        for name in ("torch", "torch.cuda"):
            self.addCleanup(sys.modules.pop, name, None)
        with import_gpu.answering():
            cuda = importlib.import_module("torch.cuda")
            self.assertEqual(cuda.get_device_properties(0).warp_size, 32)
            self.assertIn(cuda.is_available(), (True, False))
        with self.assertRaisesRegex(RuntimeError, "No CUDA GPUs"):
            cuda.get_device_properties(0)
        for name in ("torch", "torch.cuda"):
            del sys.modules[name]
        with import_gpu.answering():
            pass
        with self.assertRaisesRegex(RuntimeError, "No CUDA GPUs"):
            importlib.import_module("torch.cuda").is_available()

    def test_a_file_that_asks_nothing_is_told_nothing(self):
        file = self.write("asks_not.py", ASKS.replace("get_device_properties(0)"
                                                      ".multi_processor_count", "3").replace(
            "torch.cuda.get_device_capability()[0]", "3"))
        self.assertNotIn("CUDA", self.module("describe", file).stderr)


if __name__ == "__main__":
    harness.main()
