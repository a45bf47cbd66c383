#!/usr/bin/env python3
"""Clocks are held as long as somebody measures, and restored however that ends. On fake GPUs: no
clock of a real one is ever touched here."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

from harness import (DEVICE, IMPROVED, INTERRUPTED, NIGHTSHIFT, NO_IMPROVEMENT, SOURCE, STUDY_FAILED, USAGE,
                     Case, fake_gpus, main, processes_with)

FAKE_SMI = SOURCE / "tests" / "fakes" / "gpu" / "fake_nvidia_smi.py"
GPU = ["GPU-fa4e0000-0000-4000-8000-00000000000" + str(i) for i in range(2)]
PATIENCE = 60  # seconds for what takes a fraction of one; only for ever is wrong

KERNEL = """
extern "C" __global__ void twice(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
  fake_spend_us(4000.0 / BLOCK);
}
"""
PROBLEM = """
name = "twice"
[parameters]
BLOCK = [32, 64]
[baseline]
BLOCK = 32
[cuda]
source = "twice.cu"
sizes = { N = 32 }
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[[cuda.launch]]
kernel = "twice"
grid = 1
block = "N"
arguments = ["x", "y"]
[budget]
trials = 1
"""


class LockClocks(Case):
    def setUp(self):
        super().setUp()
        self.state_file = self.folder / "nvml.json"
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.set_state()

    def environment(self, **changes):
        fakes = fake_gpus(NIGHTSHIFT_NVIDIA_SMI="/nonexistent/nvidia-smi", FAKE_GPU_COUNT="2",
                          FAKE_NVML_STATE=str(self.state_file), XDG_RUNTIME_DIR=str(self.runtime))
        return super().environment(**dict(fakes, **changes))

    def set_state(self, **state):
        self.state_file.write_text(json.dumps(state))

    def state(self):
        return json.loads(self.state_file.read_text())

    def figures(self, gpu=0):
        return self.state().get("devices", {}).get(GPU[gpu], {})

    def calls(self):
        return self.state().get("calls", [])

    def expect_restored(self):
        for gpu in range(2):
            self.assertNotIn("locked_sm", self.figures(gpu))
            self.assertNotIn("locked_memory", self.figures(gpu))
            self.assertEqual(self.figures(gpu).get("power_limit_mw", 700000), 700000)
        for file in (self.runtime / "nightshift").glob("clocks-*"):
            self.assertEqual(file.read_text(), "")

    def lock_clocks(self, *options, command, codes, **more):
        return self.run_nightshift("lock-clocks", *options, "--", *command, codes=codes, **more)

    def seen_by(self, *options, **more):
        """The state as the command sees it, and what was said to standard error."""
        done = self.lock_clocks(*options, command=("cat", self.state_file), codes=(0,), **more)
        return json.loads(done.stdout), done.stderr

    def start_held(self, *options):
        """A running lock-clocks whose command waits, once the command runs."""
        process = self.start("lock-clocks", *(options or ("--clock", "1500")), "--", sys.executable,
                             "-c", "import time; print('up', flush=True); time.sleep(600)")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.assertEqual(process.stdout.readline(), "up\n")
        return process

    def keeper_of(self, gpu=0):
        return int((self.runtime / "nightshift" / f"clocks-{GPU[gpu]}").read_text().split()[2])

    def kill_commands(self):
        """What a killed lock-clocks leaves running is not its own."""
        for pid in processes_with(self.mark):
            try:
                if "time.sleep(600)" in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # ended meanwhile

    def wait_until(self, holds):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_clocks_are_held_while_the_command_runs(self):
        seen, words = self.seen_by("--clock", 1500, "--mem-clock", 2000, "--power", 350.5)
        for gpu in GPU:
            self.assertEqual(seen["devices"][gpu], {"locked_sm": 1500, "locked_memory": 2000,
                                                    "power_limit_mw": 350500})
        self.assertEqual(words, "")
        self.expect_restored()

    def test_only_what_was_asked_for_is_changed(self):
        self.seen_by("--power", "400", "--devices", "gpu:1")
        self.assertEqual(self.calls(), [f"{GPU[1]} set power 400000", f"{GPU[1]} set power 700000"])

    def test_the_exit_code_is_that_of_the_command(self):
        command = (sys.executable, "-c", "import sys; sys.exit(int(sys.argv[1]))", "--", "9")
        self.lock_clocks("--clock", 1500, command=command[:3] + ("9",), codes=(9,))
        self.lock_clocks("--clock", 1500, command=("/nonexistent/program",), codes=(USAGE,))
        self.expect_restored()

    def test_a_signal_reaches_the_command_and_clocks_are_restored(self):
        process = self.start_held()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
        self.expect_restored()

    def test_clocks_are_restored_when_the_parent_is_killed(self):
        process = self.start_held("--clock", "1500", "--power", "300")
        self.assertEqual(self.figures()["locked_sm"], 1500)
        process.kill()
        process.wait(PATIENCE)
        self.wait_until(lambda: len(self.calls()) == 8)
        self.kill_commands()
        self.expect_no_process_left()
        self.expect_restored()

    def test_a_killed_keeper_is_told_at_once_and_clocks_are_restored_at_the_end(self):
        process = self.start_held()
        os.kill(self.keeper_of(), signal.SIGKILL)
        self.assertTrue(select.select([process.stderr], [], [], PATIENCE)[0])
        self.assertIn("the process that holds the clocks has ended: killed by SIGKILL (9)",
                      process.stderr.readline())
        self.assertIsNone(process.poll())
        self.assertEqual(self.figures()["locked_sm"], 1500)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
        self.expect_restored()

    def test_strict_ends_the_command_when_the_keeper_was_killed(self):
        process = self.start_held("--clock", "1500", "--strict")
        os.kill(self.keeper_of(), signal.SIGKILL)
        self.assertEqual(process.wait(PATIENCE), DEVICE)
        self.assertIn("the clocks were not held until the command ended", process.stderr.read())
        self.assertEqual(processes_with(self.mark), [])
        self.expect_restored()

    def start_study(self, strict):
        """A study at its clocks that goes on for as long as a test may take."""
        self.write("twice.cu", KERNEL)
        text = PROBLEM.replace("[32, 64]", str(list(range(32, 5000))))
        text = text.replace("trials = 1", 'time = "10m"')
        text += f"[device]\nclock_mhz = 1500\nstrict = {strict}\n"
        process = self.start("tune", self.write("problem.toml", text), "--study",
                             self.folder / "study", "--devices", "gpu:0", "--json")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        while "measuring the baseline" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        self.assertEqual(self.figures()["locked_sm"], 1500)
        return process

    def test_a_study_tells_at_once_that_its_clocks_are_held_no_longer(self):
        process = self.start_study("false")
        os.kill(self.keeper_of(), signal.SIGKILL)
        while "what is measured from now on may be at other clocks" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        self.assertIn("may be at other clocks", json.loads(process.stdout.read())["notices"][0])
        self.assertEqual(process.wait(PATIENCE), INTERRUPTED)
        report = self.run_nightshift("report", self.folder / "study", codes=(0,)).stdout
        self.assertIn("may be at other clocks", report)
        self.expect_restored()

    def test_a_study_with_strict_clocks_ends_when_they_are_held_no_longer(self):
        process = self.start_study("true")
        os.kill(self.keeper_of(), signal.SIGKILL)
        words = process.stderr.read()
        self.assertEqual(process.wait(PATIENCE), STUDY_FAILED)
        self.assertIn("the process that holds the clocks has ended: nothing more is measured", words)
        self.expect_restored()

    def test_strict_lets_a_command_end_by_itself(self):
        command = (sys.executable, "-c", "import sys; sys.exit(9)")
        done = self.lock_clocks("--clock", 1500, "--strict", command=command, codes=(9,))
        self.assertEqual(done.stderr, "")
        self.expect_restored()

    def leave_locked(self):
        """A run and its keeper are killed together."""
        process = self.start_held("--clock", "1500", "--power", "300")
        os.kill(self.keeper_of(), signal.SIGSTOP)  # so that it cannot restore
        process.kill()
        os.kill(self.keeper_of(), signal.SIGKILL)
        process.wait(PATIENCE)
        self.kill_commands()
        self.expect_no_process_left()
        self.assertEqual(self.figures()["locked_sm"], 1500)
        return len(self.calls())

    def test_what_was_left_locked_is_restored_before_it_is_locked_again(self):
        before = self.leave_locked()
        seen, _ = self.seen_by("--clock", 1200, "--devices", "gpu:0")
        self.assertEqual(self.calls()[before:], [f"{GPU[0]} reset sm", f"{GPU[0]} set power 700000",
                                                 f"{GPU[0]} set sm 1200", f"{GPU[0]} reset sm"])
        self.assertEqual(seen["devices"][GPU[0]]["power_limit_mw"], 700000)

    def test_what_was_left_locked_is_restored_before_anything_is_measured(self):
        before = self.leave_locked()
        self.write("twice.cu", KERNEL)
        self.tune(self.write("problem.toml", PROBLEM), codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(sorted(self.calls()[before:]),
                         sorted(f"{gpu} {call}" for gpu in GPU
                                for call in ("reset sm", "set power 700000")))
        self.expect_restored()

    def expect_refused(self, *options, words, command=("touch", "started"), **more):
        done = self.lock_clocks(*options, "--strict", command=command, codes=(DEVICE,), **more)
        self.assertIn(words, done.stderr)
        self.assertFalse((self.folder / "started").exists())

    def test_strict_starts_nothing_unless_all_is_as_asked_for(self):
        self.expect_refused("--clock", 2500, words="the clock 2500 MHz is beyond 1980 MHz")
        self.expect_refused("--power", 100, words="the power limit 100 W is below 200 W")
        self.assertEqual(self.calls(), [])
        self.set_state(permission=False)
        self.expect_refused("--clock", 1500, words="Insufficient Permissions")
        self.set_state(deaf=True)
        self.expect_refused("--clock", 1500, words="the clock is 1755 MHz instead of 1500 MHz")
        self.assertIn(f"{GPU[0]} reset sm", self.calls())
        self.expect_restored()

    def test_one_gpu_that_cannot_leaves_none_changed_when_strict(self):
        self.set_state(devices={GPU[1]: {"most_sm_clock": 1400}})
        self.expect_refused("--clock", 1500, words=GPU[1])
        self.assertEqual(self.calls(), [f"{GPU[0]} set sm 1500", f"{GPU[0]} reset sm"])

    def test_lenient_warns_and_goes_on(self):
        self.set_state(permission=False)
        seen, words = self.seen_by("--clock", 1500)
        self.assertEqual(seen, {"permission": False})
        self.assertEqual(words.count("nightshift: warning: GPU-"), 2, words)
        self.assertIn("Insufficient Permissions", words)
        self.expect_restored()

    def test_nvidia_smi_does_what_nvml_may_not(self):
        self.set_state(permission=False)
        seen, words = self.seen_by("--clock", 1500, "--mem-clock", 2000, "--power", 350,
                                   "--devices", "gpu:0", "--strict",
                                   env={"NIGHTSHIFT_NVIDIA_SMI": str(FAKE_SMI)})
        self.assertEqual(seen["devices"][GPU[0]], {"locked_sm": 1500, "locked_memory": 2000,
                                                   "power_limit_mw": 350000})
        self.assertEqual(words, "")
        self.assertEqual(len(self.calls()), 6)
        self.assertTrue(all(" smi --" in call for call in self.calls()))
        self.expect_restored()

    def test_what_nvidia_smi_says_is_told(self):
        self.set_state(permission=False)
        env = {"NIGHTSHIFT_NVIDIA_SMI": str(FAKE_SMI), "FAKE_SMI_REFUSES": "1",
               "PATH": os.path.dirname(sys.executable) + ":/usr/bin:/bin"}
        self.expect_refused("--clock", 1500, words="does not have permission to change", env=env)

    def test_clocks_that_somebody_else_has_set_are_left_alone(self):
        self.set_state(devices={GPU[0]: {"locked_sm": 900}})
        self.expect_refused("--clock", 1500, words="somebody else has set its clocks")
        self.seen_by("--clock", 1500, "--devices", "gpu:0")
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.figures()["locked_sm"], 900)

    def test_two_do_not_hold_one_gpu(self):
        process = self.start_held()
        words = f"another nightshift holds its clocks (process {self.keeper_of()})"
        self.expect_refused("--clock", 1200, "--devices", "gpu:0", words=words)
        self.assertEqual(self.figures()["locked_sm"], 1500)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)

    def test_a_study_holds_the_clocks_of_its_problem_file(self):
        self.write("twice.cu", KERNEL)
        problem = self.write("problem.toml", PROBLEM + "[device]\nclock_mhz = 1410\nstrict = true\n")
        result = self.tune(problem, "--devices", "gpu:1", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(result["status"], "completed")
        self.assertEqual(self.calls(), [f"{GPU[1]} set sm 1410", f"{GPU[1]} reset sm"])
        self.expect_restored()

    def test_without_a_gpu_the_command_runs_with_a_word(self):
        done = self.lock_clocks("--clock", 1500, command=("echo", "run"), codes=(0,),
                                env={"FAKE_GPU_COUNT": "0"})
        self.assertEqual(done.stdout, "run\n")
        self.assertIn("warning: nothing is held: no GPU can be used", done.stderr)
        done = self.lock_clocks("--clock", 1500, "--strict", command=("echo", "run"), codes=(DEVICE,),
                                env={"FAKE_GPU_COUNT": "0"})
        self.assertEqual(done.stdout, "")

    def in_python(self, body, code=0, **changes):
        """What a program with `body` behind the import of nightshift prints, and its errors."""
        changes.setdefault("PATH", f"{pathlib.Path(NIGHTSHIFT).parent}:{os.environ['PATH']}")
        changes.setdefault("PYTHONPATH", str(SOURCE / "python"))
        script = "import json, os, sys\nimport nightshift as ns\nstate = os.environ['FAKE_NVML_STATE']\n" + body
        done = subprocess.run([sys.executable, "-c", script], env=self.environment(**changes), text=True,
                              capture_output=True, timeout=PATIENCE, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def test_a_block_of_python_holds_them(self):
        seen, words = self.in_python(
            "with ns.gpu_benchmark_mode(clock_mhz=1500, power_watts=350.5, devices=[0]):\n"
            "    print(open(state).read())")
        self.assertEqual(json.loads(seen)["devices"], {GPU[0]: {"locked_sm": 1500, "power_limit_mw": 350500}})
        self.assertEqual(words, "")
        self.expect_restored()

    def test_a_block_of_python_that_fails_or_dies_leaves_them_restored(self):
        _, words = self.in_python("with ns.gpu_benchmark_mode(clock_mhz=1500):\n    raise KeyError('mine')", 1)
        self.assertIn("KeyError: 'mine'", words)
        self.expect_restored()
        self.in_python("with ns.gpu_benchmark_mode(clock_mhz=1500):\n    os.kill(os.getpid(), 9)", -9)
        self.wait_until(lambda: "locked_sm" not in self.figures())

    def test_a_block_of_python_that_cannot_have_them_raises_or_warns(self):
        self.set_state(permission=False)
        hold = "with ns.gpu_benchmark_mode(clock_mhz=1500, raise_on_failure=%s):\n    print('run')"
        out, words = self.in_python(hold % True, 1)
        self.assertEqual(out, "")
        self.assertIn("UserError: the clocks that were asked for cannot be had", words)
        out, words = self.in_python(hold % False)
        self.assertEqual(out, "run\n")
        self.assertIn("Insufficient Permissions", words)
        out, words = self.in_python(hold % False, PATH="/nonexistent")
        self.assertEqual(out, "run\n")
        self.assertIn("needs the program nightshift", words)
        _, words = self.in_python("with ns.gpu_benchmark_mode():\n    pass", 1)
        self.assertIn("UserError: gpu_benchmark_mode needs clock_mhz", words)

    def test_a_study_without_settings_sets_nothing(self):
        self.write("twice.cu", KERNEL)
        self.tune(self.write("problem.toml", PROBLEM), codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(self.calls(), [])

    def test_a_strict_study_that_cannot_have_its_clocks_measures_nothing(self):
        self.write("twice.cu", KERNEL)
        self.set_state(permission=False)
        problem = self.write("problem.toml", PROBLEM + "[device]\nclock_mhz = 1410\nstrict = true\n")
        done = self.run_nightshift("tune", problem, "--study", "study", codes=(DEVICE,))
        self.assertIn("Insufficient Permissions", done.stderr)
        self.assertFalse((self.folder / "study").exists())

    def test_a_lenient_study_that_cannot_have_its_clocks_says_so_for_good(self):
        self.write("twice.cu", KERNEL)
        self.set_state(permission=False)
        problem = self.write("problem.toml", PROBLEM + "[device]\nclock_mhz = 1410\n")
        result = self.tune(problem, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("Insufficient Permissions", result["notices"][0])
        for command, code in ((("noise", problem, "--visits", "16"), 0),
                              (("compare", problem, "baseline", "BLOCK=64"), 10)):
            done = self.run_nightshift(*command, codes=(code,))
            self.assertEqual(done.stderr.count("nightshift: warning: the clocks are not"),
                             len(result["notices"]))

    def test_mistakes_of_the_command_line(self):
        for arguments, words in ((("--clock", "0", "--", "true"), "expected a clock in MHz"),
                                 (("--clock", "fast", "--", "true"), "expected a clock in MHz"),
                                 (("--power", "-5", "--", "true"), "expected a limit in watts"),
                                 (("--", "true"), "needs --clock, --mem-clock or --power"),
                                 (("--clock", "1500"), "needs a command behind `--`")):
            done = self.run_nightshift("lock-clocks", *arguments, codes=(USAGE,))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()
