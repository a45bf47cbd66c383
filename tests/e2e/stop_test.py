"""Runs that are stopped as batch systems, service managers and shells stop them, and that go on by the
same command."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

import harness
from harness import (Case, DEVICE, IMPROVED, INTERRUPTED, NO_IMPROVEMENT, USAGE, processes_with,
                     timed_program)

DONE = (IMPROVED, NO_IMPROVEMENT)

# Programs and kernels of which every configuration is healthy.
PER_TRIAL = timed_program(
    [sys.executable, "-c", "import sys, time; time.sleep(0.03); print('time', 100 + int(sys.argv[1]))", "{A}"],
    "COUNT", f"""baseline_argv = ["{sys.executable}", "-c", "print('time', 300)"]""", name="per-trial")

SERVER = """
import json, sys, time
for line in sys.stdin:
    c = json.loads(line)
    time.sleep(0.02)
    print(json.dumps({"time": 100.0 + c.get("A", 200)}), flush=True)
"""

SERVED = """
name = "served"
[command]
mode = "server"
argv = ["{python}", "server.py"]
[parameters]
A = {{ range = [1, {count}] }}
[[objective]]
name = "time"
unit = "ms"
[acceptance]
confidence = "quick"
"""

KERNEL = """
#include <cstdint>
extern "C" void scale(float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += WIDTH)
    for (std::int64_t j = i; j < i + WIDTH && j < n; ++j) x[j] = 2 * x[j] + SHIFT - SHIFT;
}
"""

HOST = """
name = "scale"
[host]
kernel = {{ file = "scale.cc", function = "scale", flags = ["-std=c++20", "-O1"] }}
baseline = {{ file = "plain.cc", function = "scale", flags = ["-std=c++20", "-O1"] }}
sizes = {{ N = 4096 }}
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "inout"
[[host.argument]]
name = "n"
type = "int64"
value = "N"
[parameters]
WIDTH = [1, 2, 4, 8]
SHIFT = {{ range = [0, {last}] }}
[measure]
samples = 5
warm_up_seconds = 0.001
max_seconds = 1
[acceptance]
confidence = "quick"
"""


class Stops(Case):
    def problem(self, kind, count):
        if kind == "host":
            self.write("scale.cc", KERNEL)
            self.write("plain.cc", KERNEL.replace("WIDTH", "1").replace("SHIFT", "0"))
            return self.write("host.toml", HOST.format(last=count // 4 - 1))
        self.write("server.py", SERVER)
        text = SERVED.format(python=sys.executable, count=count) if kind == "server" else \
            PER_TRIAL.replace("COUNT", str(count))
        return self.write(f"{kind}.toml", text)

    def rows(self, query, study="study"):
        with sqlite3.connect(self.folder / study / "journal.sqlite") as journal:
            return journal.execute(query).fetchall()

    def wait_until(self, ready, process, what):
        deadline = time.monotonic() + harness.TIMEOUT
        while not ready():
            if process.poll() is not None:
                return False
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)
        return True


class WholeJob(Stops):
    """Every process of the run gets the signal, in any order and twice, as from Slurm or systemd."""

    STOPS = int(os.environ.get("NIGHTSHIFT_E2E_STOPS", "5"))  # of each kind

    def stop_all(self, number, moments):
        pids = processes_with(self.mark)
        moments.shuffle(pids)
        for _ in range(2):
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def storm(self, kind, count):
        moments = random.Random(os.environ.get("NIGHTSHIFT_E2E_SEED", kind))
        command = ("tune", self.problem(kind, count), "--study", "study", "--continue", "--budget",
                   f"{count}t")
        stopped = 0
        for _ in range(self.STOPS):
            process = self.start(*command)
            begun = (self.folder / "study" / "journal.sqlite").exists
            if self.wait_until(begun, process, "it begins"):
                time.sleep(moments.uniform(0, 1.5))
                self.stop_all(moments.choice((signal.SIGTERM, signal.SIGINT)), moments)
            out, err = process.communicate(timeout=harness.TIMEOUT)
            if process.returncode in DONE:
                break
            # A signal before it watches for any ends it as it would any program.
            self.assertIn(process.returncode, (INTERRUPTED, -signal.SIGTERM, -signal.SIGINT), out + err)
            stopped += process.returncode == INTERRUPTED
        self.assertGreater(stopped, 0)
        done = self.run_nightshift(*command, "--json", codes=DONE)
        result = json.loads(done.stdout)
        self.assertEqual((result["status"], result["evaluations"]), ("completed", count))
        self.assertEqual(result["trials"]["failed"], {}, done.stderr)
        self.assertEqual(self.rows("select * from failures"), [])
        print(f"{kind}: {stopped} stops of the whole job", file=sys.stderr)

    def test_commands(self):
        self.storm("per-trial", 60)

    def test_servers(self):
        self.storm("server", 60)

    def test_kernels(self):
        self.storm("host", 24)


class OneProcess(Stops):
    def running(self, *options, until="baseline on", **more):
        """A study that has said that, and what it prints from then on."""
        count = 4000
        process = self.start("tune", self.problem("server", count), "--study", "study", "--budget",
                             f"{count}t", *options, stderr=subprocess.STDOUT, **more)
        self.addCleanup(process.stdout.close)
        for line in process.stdout:
            if until in line:
                return process
        self.fail(f"it ended before it said so, with {process.wait()}")

    def test_signals_that_stop(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2, signal.SIGXCPU):
            with self.subTest(signal=number.name):
                process = self.running()
                process.send_signal(number)
                process.send_signal(number)  # the same one
                out, _ = process.communicate(timeout=harness.TIMEOUT)
                self.assertEqual(process.returncode, INTERRUPTED, out)
                self.assertIn(f"stopping after {number.name}", out)
                self.assertEqual(self.rows("select status, reason from status"),
                                 [("interrupted", f"stopped by {number.name}")])
                os.rename(self.folder / "study", self.folder / number.name)

    def test_what_was_ignored_stays_ignored(self):
        for number in (signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number.name):
                process = self.running(preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
                process.send_signal(number)
                before, = self.rows("select count(*) from outcomes")
                self.assertTrue(self.wait_until(
                    lambda: self.rows("select count(*) from outcomes")[0] > before, process, "it goes on"))
                process.send_signal(signal.SIGTERM)
                out, _ = process.communicate(timeout=harness.TIMEOUT)
                self.assertEqual(process.returncode, INTERRUPTED, out)
                self.assertIn("stopping after SIGTERM", out)
                os.rename(self.folder / "study", self.folder / number.name)

    def test_usr1_ends_the_exploration_with_duels_and_hold_out(self):
        process = self.running(until="duel of")
        # Every process gets it, as from `scancel --full -s USR1`.
        for pid in processes_with(self.mark):
            with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, signal.SIGUSR1)
        out, _ = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED, out)
        self.assertIn("SIGUSR1: nothing more is explored", out)
        self.assertEqual(self.rows("select purpose from confirmations order by seq desc limit 1"),
                         [("hold-out",)])
        self.assertEqual(self.rows("select count(*) from failures"), [(0,)])
        self.assertIn("Improvement accepted", out)

    def test_a_running_study_is_called_running(self):
        process = self.running()
        out = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertRegex(out, rf"status +running: process {process.pid} on ")
        self.assertNotIn("interrupted", out)
        process.kill()
        process.communicate()
        out = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertRegex(out, "status +interrupted: .*killed")

    def test_two_studies_do_not_share_a_core(self):
        core = max(os.sched_getaffinity(0))
        process = self.running("--devices", f"cpu:{core}")
        refused = self.run_nightshift("tune", self.problem("per-trial", 4), "--study", "other",
                                      "--devices", f"cpu:{core}", codes=(DEVICE,))
        self.assertRegex(refused.stderr, rf"core {core} \(process {process.pid} on .*, served\)")
        self.assertFalse((self.folder / "other").exists())
        held = json.loads(self.run_nightshift("devices", "--json", codes=(0,)).stdout)["held"]
        self.assertEqual([h["device"] for h in held], [f"cpu:{core}"])
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=harness.TIMEOUT)
        self.tune(self.problem("per-trial", 4), "--budget", "4t", "--devices", f"cpu:{core}",
                  study="other")

    def test_a_reader_that_leaves_does_not_change_the_exit_code(self):
        process = self.start("tune", self.recorded_space(), "--study", "study", "--budget", "50t")
        process.stdout.readline()
        process.stdout.close()
        self.assertIn(process.wait(timeout=harness.TIMEOUT), DONE)
        process.stderr.close()


class SameCommand(Stops):
    def test_it_starts_goes_on_and_says_that_it_is_done(self):
        command = ("tune", self.problem("server", 60), "--study", "study", "--budget", "60t",
                   "--continue", "--json")
        # Killed so early that its folder is no study yet, too.
        moments = random.Random(5)
        for i in range(8):
            process = self.start(*command)
            time.sleep(0.004 * i + moments.uniform(0, 0.01) if i < 6 else 0.6)
            process.kill()
            process.communicate()
        first = self.run_nightshift(*command, codes=DONE)
        self.assertEqual(json.loads(first.stdout)["evaluations"], 60)
        runs = self.rows("select count(*) from runs")
        again = self.run_nightshift(*command, codes=(first.returncode,))
        self.assertEqual(json.loads(again.stdout)["best"], json.loads(first.stdout)["best"])
        self.assertEqual(self.rows("select count(*) from runs"), runs, "nothing ran")
        # A larger budget of the same command counts.
        more = tuple("70t" if word == "60t" else word for word in command)
        self.problem("server", 60)
        self.assertEqual(json.loads(self.run_nightshift(*more, codes=DONE).stdout)["evaluations"], 60)

    def test_what_has_changed_is_said(self):
        space = self.problem("per-trial", 4)
        command = ("tune", space, "--study", "study", "--continue", "--budget", "4t")
        self.run_nightshift(*command, "--seed", "1", codes=DONE)
        space.write_text(space.read_text() + "# another\n")
        done = self.run_nightshift(*command, "--seed", "2", "--json", codes=DONE)
        self.assertIn("per-trial.toml has changed since the study was begun", done.stderr)
        self.assertIn("search.seed = 2 is not what the study was begun with (1)", done.stderr)
        other = self.problem("server", 4)
        refused = self.run_nightshift("tune", other, "--study", "study", "--continue", codes=(USAGE,))
        self.assertIn("holds a study of per-trial", refused.stderr)
        refused = self.run_nightshift("tune", space, "--study", "study", codes=(USAGE,))
        self.assertIn("--continue", refused.stderr)
        refused = self.run_nightshift("tune", space, "--continue", codes=(USAGE,))
        self.assertIn("--continue needs --study", refused.stderr)

    def test_it_goes_on_elsewhere(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("there is one core")
        first, last = cores[0], cores[-1]
        self.tune(self.problem("per-trial", 6), "--devices", f"cpu:{first}", "--budget", "2t")
        on_last = {"preexec_fn": lambda: os.sched_setaffinity(0, {last})}
        refused = self.run_nightshift("resume", "study", "--budget", "4t", codes=(DEVICE,), **on_last)
        self.assertIn("--devices", refused.stderr)
        for devices in (("--devices", f"cpu:{last}"), ()):  # and it stays there
            done = self.run_nightshift("resume", "study", "--budget", "4t" if devices else "6t", "--json",
                                       *devices, codes=DONE, **on_last)
        self.assertEqual(json.loads(done.stdout)["evaluations"], 6)
        used = {device for device, in self.rows("select device from outcomes")}
        self.assertEqual({re.sub(".*/", "", device) for device in used}, {f"cpu:{first}", f"cpu:{last}"})


SLOW_COMPILER = """#!/bin/sh
case " $* " in *" -o "*) if [ -e {0}/slow ]; then sleep 60 & touch {0}/started; wait; fi;; esac
exec g++ "$@"
"""
SLOW_FILE = """
import pathlib, subprocess
child = subprocess.Popen(["sleep", "60"])
pathlib.Path("{0}/started").touch()
child.wait()
"""


class WithoutAPool(Stops):
    """Commands that start compilers and interpreters themselves, and are ended meanwhile."""

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.started = self.folder / "started"

    def expect_nothing_left(self, *words, **variables):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            self.started.unlink(missing_ok=True)
            process = self.start(*words, env={"TMPDIR": str(self.temporary), **variables})
            begun = self.wait_until(self.started.exists, process, f"{words}: nothing was started")
            process.send_signal(number)
            _, err = process.communicate(timeout=harness.TIMEOUT)
            self.assertTrue(begun, err)
            self.assertEqual(process.returncode, -number, err)
            self.expect_no_process_left()
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_compilers_end_with_check_and_code(self):
        compiler = self.write("compiler", SLOW_COMPILER.format(self.folder))
        compiler.chmod(0o755)
        problem = self.problem("host", 16)
        problem.write_text(problem.read_text().replace("[host]\n", f'[host]\ncompiler = "{compiler}"\n'))
        batch = self.write("night.toml", '[[study]]\nproblem = "host.toml"\n')
        self.tune(problem, "--budget", "2t")
        slow = self.write("slow", "")
        for words in (("check", problem), ("check", batch), ("code", "study", "baseline")):
            self.expect_nothing_left(*words)
        slow.unlink()
        self.run_nightshift("check", problem, codes=(0,))

    def test_interpreters_end_with_who_reads_a_file(self):
        file = self.write("slow.py", SLOW_FILE.format(self.folder))
        python = {"NIGHTSHIFT_PYTHON": sys.executable}
        self.expect_nothing_left("check", file, **python)
        self.expect_nothing_left("check", file, NIGHTSHIFT_IMPORTS="", **python)
        self.expect_nothing_left("tune", file, **python)


class Names(Stops):
    def test_runs_that_start_together_have_folders_of_their_own(self):
        space = self.recorded_space()
        for _ in range(3):
            runs = [self.start("tune", space, "--budget", "2t") for _ in range(6)]
            for run in runs:
                out, err = run.communicate(timeout=harness.TIMEOUT)
                self.assertIn(run.returncode, DONE, out + err)
        self.assertEqual(len(list((self.folder / "studies").iterdir())), 18)


if __name__ == "__main__":
    harness.main()
