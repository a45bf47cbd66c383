#!/usr/bin/env python3
"""GPUs as a user meets them, on fake ones: what there is, which are taken, and who is refused."""

import json
import signal
import time

from harness import CUDA_SCALE, DEVICE, IMPROVED, NO_IMPROVEMENT, Case, fake_gpus, main

KERNEL = """
extern "C" __global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
  fake_spend_us(4000.0 / BLOCK);
}
"""
PROBLEM = CUDA_SCALE + "[budget]\ntrials = 3\n"


class Gpus(Case):
    def setUp(self):
        super().setUp()
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.write("scale.cu", KERNEL)
        self.problem = self.write("problem.toml", PROBLEM)

    def gpus(self, count=2, **changes):
        return fake_gpus(FAKE_GPU_COUNT=str(count), XDG_RUNTIME_DIR=str(self.runtime), **changes)

    def listed_gpus(self, **changes):
        done = self.run_nightshift("devices", "--json", codes=(0,), env=self.gpus(**changes))
        return json.loads(done.stdout)["gpus"]

    def refusal(self, *arguments, **env):
        done = self.run_nightshift("tune", self.problem, *arguments, codes=(DEVICE,),
                                   env=self.gpus(**env))
        return done.stderr

    def test_devices_lists_gpus_beside_cores(self):
        done = self.run_nightshift("devices", "--json", codes=(0,), env=self.gpus())
        listed = json.loads(done.stdout)
        self.assertEqual([g["position"] for g in listed["gpus"]], ["gpu:0", "gpu:1"])
        self.assertTrue(listed["devices"][0]["id"].startswith("cpu:"))
        self.assertEqual(listed["nvrtc"], "12.8")
        text = self.run_nightshift("devices", codes=(0,), env=self.gpus()).stdout
        self.assertIn(listed["gpus"][1]["id"], text)

    def test_an_instance_of_a_gpu_is_tuned_on_by_its_name(self):
        env = self.gpus(count=1, FAKE_GPU_MIG="1")
        name = self.listed_gpus(count=1, FAKE_GPU_MIG="1")[0]["id"]
        self.assertTrue(name.startswith("MIG-"), name)
        result = self.tune(self.problem, "--devices", name, env=env)
        self.assertEqual(result["trials"]["measured"], 3)
        self.assertIn("MIG-none\" does not exist",
                      self.refusal("--devices", "MIG-none", FAKE_GPU_MIG="1"))

    def test_devices_says_why_there_is_no_gpu(self):
        env = {"NIGHTSHIFT_CUDA_DRIVER": "/nonexistent/libcuda.so.1"}
        text = self.run_nightshift("devices", codes=(0,), env=env).stdout
        self.assertIn("No GPU: ", text)
        self.assertIn("/nonexistent/libcuda.so.1", text)

    def test_a_kernel_is_tuned_on_the_gpu_that_is_named(self):
        result = self.tune(self.problem, "--devices", "gpu:1", env=self.gpus(),
                           codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["trials"]["measured"], 3)
        self.assertEqual({row["device"].split("/")[-1] for row in self.csv_rows()},
                         {"GPU-fa4e0000-0000-4000-8000-000000000001"})

    def test_a_process_goes_on_for_the_next_study_where_it_may(self):
        for trust, count in ("usual", 3), ("none", 2):
            batch = f"kept-{trust}"
            problems = []
            for number in range(count):
                folder = self.folder / f"{trust}-{number}"
                folder.mkdir()
                (folder / "scale.cu").write_text(KERNEL.replace("4000.0", f"{4000 + number}.0"))
                problems.append(folder / "problem.toml")
                problems[-1].write_text(PROBLEM + f'[measure]\ntrust = "{trust}"\n'
                                        "[acceptance]\nduels = false\nself_test_pairs = 0\n")
            done = self.run_nightshift("batch", "run", *problems, "--batch", batch, "--devices", "gpu:0",
                                       "--keep-processes", codes=(NO_IMPROVEMENT,), env=self.gpus())
            self.assertNotIn("left the study", done.stdout + done.stderr)
            status = json.loads(self.run_nightshift("status", batch, "--json", codes=(0,)).stdout)
            studies = status["batches"][0]["studies"]
            self.assertEqual([study["state"] for study in studies], ["completed"] * count)
            self.assertEqual([study["trials"]["measured"] for study in studies], [3] * count)

    def test_what_cannot_be_measured_on_is_refused_with_the_way_out(self):
        self.assertIn("--devices gpu:0  compute capability 9.0",
                      self.refusal(FAKE_GPU_ARCHITECTURES="90,80"))
        self.assertIn("gpu:1", self.refusal("--devices", "gpu:2"))
        self.assertIn("none can be used", self.refusal(count=0))
        self.assertIn("too old", self.refusal(FAKE_GPU_DRIVER_VERSION="11040"))

    def test_a_gpu_that_others_use_is_measured_on_and_told_for_good(self):
        uuid = self.listed_gpus()[1]["id"]
        state = self.write("nvml.json", json.dumps(
            {"devices": {uuid: {"processes": [{"pid": 4711, "bytes": 3 << 30}]}}}))
        env = self.gpus(FAKE_NVML_STATE=str(state))
        words = f"{uuid} is used by process 4711 (3.0 GiB), which may disturb"
        result = self.tune(self.problem, codes=(IMPROVED, NO_IMPROVEMENT), env=env)
        self.assertEqual([notice[:len(words)] for notice in result["notices"]], [words])
        for devices, told in (("all", True), ("gpu:0", False)):
            done = self.run_nightshift("noise", self.problem, "--visits", "16", "--devices", devices,
                                       codes=(0,), env=env)
            self.assertEqual(words in done.stderr, told, devices)

    def test_a_gpu_that_another_run_measures_on_is_refused(self):
        first = self.start("tune", self.problem, "--study", "first", "--devices", "gpu:0",
                           "--set", "budget.trials=0", "--budget", "10m", env=self.gpus())
        try:
            lock = self.runtime / "nightshift" / "GPU-fa4e0000-0000-4000-8000-000000000000.lock"
            deadline = time.monotonic() + 60
            while first.poll() is None and not (lock.exists() and lock.read_text()):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            self.assertRegex(self.refusal("--devices", "gpu:0"), rf"\(process {first.pid} on .*, scale\)")
            self.tune(self.problem, "--devices", "gpu:1", env=self.gpus(), study="second")
        finally:
            first.send_signal(signal.SIGKILL)
            first.communicate()
        # A lock that its holder was killed with is no lock.
        self.tune(self.problem, "--devices", "gpu:0", env=self.gpus(), study="third")


if __name__ == "__main__":
    main()
