#!/usr/bin/env python3
"""Programs of the user's that run on GPUs, on fake ones: `[command] device = "gpu"`."""

import json
import os
import signal
import sys
import time

from harness import (DEVICE, IMPROVED, NO_IMPROVEMENT, USAGE, Case, fake_gpus, main)

GPU = ["GPU-fa4e0000-0000-4000-8000-00000000000" + str(i) for i in range(2)]

# What every program below notes: the GPUs that the driver shows it, and the cores that it may use.
SEES = """
import ctypes, json, os, sys
driver = ctypes.CDLL(os.environ["NIGHTSHIFT_CUDA_DRIVER"])
assert driver.cuInit(0) == 0
count = ctypes.c_int()
assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0
uuid = (ctypes.c_ubyte * 16)()
assert driver.cuDeviceGetUuid_v2(uuid, 0) == 0
digits = bytes(uuid).hex()
cuts = (0, 8, 12, 16, 20, 32)
name = "GPU-" + "-".join(digits[a:b] for a, b in zip(cuts, cuts[1:]))
with open("seen.jsonl", "a") as seen:
    seen.write(json.dumps({"count": count.value, "uuid": name, "pid": os.getpid(),
                           "visible": os.environ["CUDA_VISIBLE_DEVICES"],
                           "cores": sorted(os.sched_getaffinity(0))}) + "\\n")
"""

SERVER = SEES + """
for line in sys.stdin:
    tile = json.loads(line).get("TILE", 1)
    if tile == 16:
        print("out of registers", file=sys.stderr)
        sys.exit(3)
    if tile == 32:
        print(json.dumps({"error": "no such tile"}), flush=True)
        continue
    time = 10.0 / tile
    print(json.dumps({"time": [time, time * 1.001, time * 0.999]}), flush=True)
"""

PER_TRIAL = SEES + """
tile = int(sys.argv[1])
if tile == 16:
    os.abort()
print(json.dumps({"time": [10.0 / tile, 10.01 / tile]}))
"""

PROBLEM = """
name = "on-gpus"
[command]
device = "gpu"
{command}
[parameters]
TILE = [1, 2, 4, 8, 16, 32]
[limits]
measure = 20
[acceptance]
confidence = "quick"
"""
SERVED = PROBLEM.format(command=f'mode = "server"\nargv = ["{sys.executable}", "server.py"]')
STARTED = PROBLEM.format(command=f'argv = ["{sys.executable}", "bench.py", "{{TILE}}"]\nruns = 1'
                         ).replace(", 32]", "]")


class GpuPrograms(Case):
    def setUp(self):
        super().setUp()
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.state_file = self.folder / "nvml.json"
        self.state_file.write_text("{}")
        self.write("server.py", SERVER)
        self.write("bench.py", PER_TRIAL)

    def environment(self, **changes):
        fakes = fake_gpus(FAKE_GPU_COUNT="2", FAKE_NVML_STATE=str(self.state_file),
                          NIGHTSHIFT_NVIDIA_SMI="/nonexistent/nvidia-smi",
                          XDG_RUNTIME_DIR=str(self.runtime))
        return super().environment(**dict(fakes, **changes))

    def expect_each_program_saw_its_gpu_alone(self, gpus):
        seen = [json.loads(line) for line in (self.folder / "seen.jsonl").read_text().splitlines()]
        self.assertEqual({program["uuid"] for program in seen}, set(gpus))
        for program in seen:
            self.assertEqual(program["count"], 1, program)
            self.assertEqual(program["visible"], program["uuid"])
            self.assertEqual(program["cores"], sorted(os.sched_getaffinity(0)))

    def expect_an_accepted_duel_on_both(self, result):
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["best"]["configuration"], {"TILE": 8})
        self.assertTrue(result["improvement"]["accepted"], result["improvement"])
        self.assertAlmostEqual(result["improvement"]["ratio"], 1 / 8, delta=0.01)
        devices = {}
        for row in self.csv_rows():
            devices.setdefault(row["job"], set()).add(row["device"].split("/")[-1])
        self.assertEqual(devices["baseline"], set(GPU))
        self.assertEqual(devices["confirm"], set(GPU))

    def test_a_server_is_tuned_on_two_gpus(self):
        self.state_file.write_text(json.dumps({"devices": {
            uuid: {"sm_clock": 1410, "temperature": 61, "clock_events": 4} for uuid in GPU}}))
        result = self.tune(self.write("served.toml", SERVED), "--budget", "6t")
        self.expect_an_accepted_duel_on_both(result)
        self.expect_each_program_saw_its_gpu_alone(GPU)
        rows = {row["TILE"]: row for row in self.csv_rows() if row["job"] == "explore"}
        self.assertEqual(rows["16"]["status"], "crashed")
        self.assertIn("exited with code 3", rows["16"]["reason"])
        self.assertIn("out of registers", rows["16"]["reason"])
        self.assertEqual(rows["32"]["status"], "launch_failed")
        story = self.run_nightshift("explain", "study", rows["8"]["trial"], codes=(0,)).stdout
        told = " ".join(story.split())
        self.assertIn("clock 1410.0 MHz", told)
        self.assertIn("temperature 61.0 C", told)
        self.assertIn("clock limited by power cap", told)
        self.assertNotIn("cores ", told[told.index("Conditions:"):])

    def test_a_program_is_started_for_each_trial_on_two_gpus(self):
        result = self.tune(self.write("started.toml", STARTED), "--budget", "5t")
        self.expect_an_accepted_duel_on_both(result)
        self.expect_each_program_saw_its_gpu_alone(GPU)
        rows = {row["TILE"]: row for row in self.csv_rows() if row["job"] == "explore"}
        self.assertEqual(rows["16"]["status"], "crashed")
        self.assertIn("SIGABRT", rows["16"]["reason"])

    def test_spares_and_later_processes_see_the_same_gpu(self):
        problem = self.write("served.toml", SERVED)
        self.tune(problem, "--budget", "6t", "--devices", "gpu:1", "--set", "schedule.hot_spares=2",
                  "--set", 'schedule.isolation="per-trial"')
        self.expect_each_program_saw_its_gpu_alone(GPU[1:])

    def test_what_is_measured_in_heat_is_disturbed(self):
        self.state_file.write_text(json.dumps({"devices": {GPU[0]: {"clock_events": 0x40}}}))
        done = self.run_nightshift("noise", self.write("served.toml", SERVED), "--visits", "16",
                                   "--devices", "gpu:0", "--json", codes=(0,))
        self.assertEqual(json.loads(done.stdout)["devices"][0]["disturbed"], 16)

    def test_a_gpu_that_another_run_measures_on_is_refused(self):
        text = SERVED.replace("[1, 2, 4, 8, 16, 32]", str(list(range(1000, 9000))))
        problem = self.write("served.toml", text)
        first = self.start("tune", problem, "--study", "first", "--devices", "gpu:0",
                           "--budget", "10m")
        try:
            lock = self.runtime / "nightshift" / f"{GPU[0]}.lock"
            deadline = time.monotonic() + 60
            while first.poll() is None and not (lock.exists() and lock.read_text()):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            done = self.run_nightshift("tune", problem, "--devices", "gpu:0", codes=(DEVICE,))
            self.assertIn(f"(process {first.pid} on ", done.stderr)
        finally:
            first.send_signal(signal.SIGKILL)
            first.communicate()

    def test_its_clocks_are_held_as_a_kernel_s_are(self):
        problem = self.write("served.toml",
                             SERVED + "[device]\nclock_mhz = 1410\nstrict = true\n")
        self.tune(problem, "--budget", "2t", "--devices", "gpu:1")
        calls = json.loads(self.state_file.read_text())["calls"]
        self.assertEqual(calls, [f"{GPU[1]} set sm 1410", f"{GPU[1]} reset sm"])

    def test_a_study_is_resumed_on_the_gpu_that_it_ran_on(self):
        problem = self.write("served.toml", SERVED)
        self.tune(problem, "--budget", "2t", "--devices", "gpu:0")
        done = self.run_nightshift("resume", "study", "--budget", "4t", "--json",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(json.loads(done.stdout)["evaluations"], 4)
        self.expect_each_program_saw_its_gpu_alone(GPU[:1])

    def test_what_cannot_be_is_refused_with_the_way_out(self):
        problem = self.write("served.toml", SERVED)
        done = self.run_nightshift("tune", problem, codes=(DEVICE,), env={"FAKE_GPU_COUNT": "0"})
        self.assertIn("the problem needs a GPU", done.stderr)
        self.assertIn("cpu:0", self.run_nightshift("tune", problem, "--devices", "cpu:0",
                                                   codes=(DEVICE,)).stderr)
        for change in (("device = \"gpu\"", "device = \"cpu\""), ("device = \"gpu\"\n", "")):
            text = SERVED.replace(*change) + "[device]\nclock_mhz = 1410\n"
            done = self.run_nightshift("tune", self.write("refused.toml", text), codes=(USAGE,))
            self.assertIn("belongs to problems that run on GPUs", done.stderr)


if __name__ == "__main__":
    main()
