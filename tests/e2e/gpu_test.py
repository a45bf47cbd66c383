"""CUDA kernels from the problem file to the verdict, deaths included. On the fake GPU of
tests/fakes/gpu; with NIGHTSHIFT_TEST_GPU=1 on the GPUs of this machine."""

import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest

import harness
from harness import Case, DEVICE, IMPROVED, NO_IMPROVEMENT, SOURCE, STUDY_FAILED, USAGE, fake_gpus

REAL = os.environ.get("NIGHTSHIFT_TEST_GPU") == "1"
PUZZLES = SOURCE / "tests" / "puzzles"
# What the driver reports of each death, and how the study tells it.
DEATHS = {
    "illegal_address": ("crashed", "CUDA error 700"),
    "misaligned_address": ("crashed", "CUDA error 716"),
    "device_assert": ("crashed", "CUDA error 710"),
    "trap": ("crashed", "CUDA error 719"),
    "endless": ("timed_out", "exceeded 2 s while checking"),
    "wrong": ("wrong_result", "y[5]"),
    "no_memory": ("launch_failed", "'memory'"),
}
# How a kernel fails whose figure is better than its work, where nobody is trusted.
CHEATS = {
    "leaves_what_is_right": ("launch_failed", "where its outputs do not hold the answer yet"),
    "honest_when_doubted": ("launch_failed", "a moment after the samples"),
    "half_when_timed": ("wrong_result", "y["),
    "leaves_every_third": ("wrong_result", "y["),
    "remembers_answers": ("wrong_result", "y["),
    "remembers_inputs": ("launch_failed", "where it has not seen the inputs"),
    "answers_at_an_address": ("wrong_result launch_failed", ""),
    "writes_inputs": ("launch_failed", "wrote to argument 'x'"),
    "writes_far_behind": ("launch_failed crashed", ""),  # what it hits is ours, or nobody's
    "writes_far_before": ("launch_failed crashed", ""),
}
MORE_CHEATS = {
    "leaves_where_not_poisoned": ("launch_failed", "where its outputs do not hold the answer yet"),
    "leaves_known_inputs": ("wrong_result", "y["),
    "leaves_the_tail": ("wrong_result", "y["),
    "leaves_odd_blocks": ("wrong_result", "y["),
    "few_launches_are_honest": ("wrong_result launch_failed", ""),
    "does_nothing": ("wrong_result", "y["),
    "remembers_two_inputs": ("launch_failed", "where it has not seen the inputs"),
    "remembers_by_one_element": ("launch_failed", "where it has not seen the inputs"),
    "answers_one_launch_late": ("wrong_result", "y["),
    "lower_precision": ("wrong_result", "y["),
    "computes_samples": ("wrong_result", "y["),
    "mean_of_all": ("wrong_result", "y["),
    "not_a_number": ("wrong_result", "] is nan where"),
    "infinite": ("wrong_result", "] is inf where"),
    "makes_inputs_easy": ("wrong_result launch_failed", ""),
    "writes_just_behind": ("launch_failed", "outside of argument 'y'"),
    "writes_just_before": ("launch_failed", "outside of argument 'y'"),
}
# Of them, what an author who is trusted may write too.
REMEMBERS = {cheat: {**CHEATS, **MORE_CHEATS}[cheat] for cheat in (
    "remembers_inputs", "remembers_two_inputs", "remembers_by_one_element")}
# Of tests/puzzles/gpu_answers: what only rounds, and what is wrong.
ROUNDS = ("reordered", "welford", "one_pass", "rounds_to_bfloat16")
FACTORS = {"divides_by_n_minus_1": "% too large in each of 24 draws", "scales_variances": "% too large in each of 24 draws"}
WRONG_WAYS = {**FACTORS, "zeroes_variances": "of the smallest have lost half of themselves",
              "zeroes_small_products": "of the smallest have lost half of themselves"}
# Of tests/puzzles/gpu_exploits.
NEW_INPUTS = ("launch_failed", "where it has not seen the inputs")
WRONG, OUTSIDE = ("wrong_result", "y["), ("launch_failed crashed wrong_result", "")
EXPLOITS = {
    "remembers_every_64th": NEW_INPUTS,
    "remembers_a_checksum": NEW_INPUTS,
    "remembers_four_inputs": NEW_INPUTS,
    "remembers_by_last_bits": ("wrong_result launch_failed", ""),
    "works_less_on_known_inputs": NEW_INPUTS,
    "works_less_where_right": ("launch_failed", "where its outputs do not hold the answer yet"),
    "answers_two_launches_late": WRONG,
    "answers_of_the_first_inputs": WRONG,
    "rests_every_other_launch": WRONG,
    "rests_after_many": ("wrong_result launch_failed", ""),
    "rests_two_of_three": WRONG,
    "computes_one_half_each": WRONG,
    "blocks_take_turns": WRONG,
    "rests_by_chance": WRONG,
    "leaves_the_first_element": WRONG,
    "leaves_the_last_element": WRONG,
    "leaves_one_in_a_thousand": WRONG,
    "leaves_the_second_half": WRONG,
    "shifted_by_one": WRONG,
    "interpolates": WRONG,
    "copies_inputs": WRONG,
    "negates": WRONG,
    "answers_one": WRONG,
    "reversed": WRONG,
    "loses_signs": WRONG,
    "rounds_to_bfloat16": WRONG,
    "rounds_to_tf32": WRONG,
    "drops_eight_bits": WRONG,
    "rounds_when_timed": WRONG,
    "huge": WRONG,
    "answers_poison": WRONG,
    "zeroes_inputs_after_use": ("launch_failed", "wrote to argument 'x'"),
    "makes_inputs_easy_when_timed": ("wrong_result launch_failed", ""),
    "takes_what_lies_behind": OUTSIDE,
    "takes_what_lies_before": OUTSIDE,
    "writes_behind_inputs": ("launch_failed", "outside of argument 'x'"),
    "writes_before_inputs": ("launch_failed", "outside of argument 'x'"),
    "writes_a_page_behind": OUTSIDE,
    "keeps_answers_behind": OUTSIDE,
    "hangs_when_timed": ("timed_out", ""),
    "traps_when_timed": ("crashed", "CUDA error 719"),
    "reads_nowhere_when_timed": ("crashed", "CUDA error 700"),
}
CHEATS_THAT_ARE_ALWAYS_SEEN = ["leaves_what_is_right", "honest_when_doubted", "half_when_timed", "writes_inputs"]


SECOND_BETTER = 10


class Gpu(Case):
    def environment(self, **changes):
        fake = {} if REAL else fake_gpus()
        changes = dict(fake, NIGHTSHIFT_BUILD_CACHE=str(self.folder / "cache"), **changes)
        return super().environment(**changes)

    def puzzles(self, folder="gpu"):
        for file in (PUZZLES / folder).iterdir():
            shutil.copy(file, self.folder)
        return self.folder / "problem.toml"

    def test_every_death_is_an_outcome_and_the_study_goes_on(self):
        result = self.tune(self.puzzles(), codes=(IMPROVED,))
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["evaluations"], 24)
        self.assertEqual(result["best"]["configuration"], {"BLOCK": 128, "DEATH": "none"})
        told = collections.defaultdict(set)
        for row in self.csv_rows():
            if row["job"] == "explore":
                told[row["DEATH"]].add((row["status"], row["reason"]))
        self.assertEqual({status for status, _ in told.pop("none")},
                         {"measured", "skipped"})  # one is the baseline
        for death, (status, words) in DEATHS.items():
            for seen, reason in told[death]:
                self.assertEqual(seen, status, f"{death}: {reason}")
                self.assertIn(words, reason, death)
        self.expect_baselines_after_deaths()

    def expect_baselines_after_deaths(self):
        """The device proves itself before it measures anything else."""
        measured = [row for row in self.csv_rows() if row["started"]]
        after, deaths = {}, 0
        for row in sorted(measured, key=lambda row: float(row["started"])):
            before = after.get(row["device"])
            if before and before["status"] in ("crashed", "timed_out"):
                self.assertEqual(row["job"], "rebaseline", f"{before} was followed by {row}")
                deaths += 1
            after[row["device"]] = row
        self.assertGreaterEqual(deaths, 3 * len([s for s, _ in DEATHS.values()
                                                 if s in ("crashed", "timed_out")]) - 1)

    def test_equal_code_is_measured_once_and_builds_are_kept(self):
        problem = self.puzzles()
        self.write("problem.toml", problem.read_text().replace(
            'DEATH = ["none", ', 'SAME = [1, 2]\nDEATH = ["none"]\nOTHERS = ["none", ').replace(
                "[baseline]", "[baseline]\nSAME = 1\nOTHERS = 'none'"))
        result = self.tune(problem, "--budget", "12t")
        self.assertEqual(result["status"], "completed")
        self.assertGreater(result["trials"]["skipped"], 0)
        self.assertGreater(len(list((self.folder / "cache").iterdir())), 0)

    def outcomes_of_cheats(self, trust, cheats, folder="gpu_cheats", parameter="CHEAT", codes=(NO_IMPROVEMENT,),
                           options=()):
        """The study, and how each cheat ended in it."""
        problem = self.puzzles(folder)
        text = re.sub(rf"\b{parameter} = \[.*?\]", f"{parameter} = {json.dumps(['none', *cheats])}",
                      problem.read_text(), flags=re.DOTALL)
        self.write("problem.toml", text + f'trust = "{trust}"\n')
        result = self.tune(problem, *options, codes=codes)
        self.assertEqual(result["status"], "completed")
        return result, {row[parameter]: (row["status"], row["reason"]) for row in self.csv_rows()
                        if row["job"] == "explore"}

    def test_a_figure_that_is_better_than_the_work_is_no_improvement(self):
        result, _ = self.outcomes_of_cheats("usual", CHEATS_THAT_ARE_ALWAYS_SEEN)
        self.assertIsNone(result["best"])

    def confirmed(self, parameter):
        """What evaluations of confirmations, of all but the baseline, were like: (value, status, reason)."""
        return [(row[parameter], row["status"], row["reason"]) for row in self.csv_rows()
                if row["job"] == "confirm" and row[parameter] != "none"]

    def test_what_remembers_its_answers_is_not_claimed(self):
        # Time for pairs on a machine that is busy.
        result, explored = self.outcomes_of_cheats("usual", REMEMBERS, options=("--set", "limits.measure=60"))
        self.assertIsNone(result["best"])
        self.assertEqual({explored[cheat][0] for cheat in REMEMBERS}, {"measured"})
        failed = {cheat: (status, words) for cheat, status, words in self.confirmed("CHEAT") if status != "measured"}
        self.assertTrue(failed)
        for cheat, (status, words) in failed.items():
            self.assertIn(status, REMEMBERS[cheat][0], words)
            self.assertIn(REMEMBERS[cheat][1], words, cheat)

    def test_small_elements_are_not_let_pass_by_large_ones(self):
        _, seen = self.outcomes_of_cheats("none", [*ROUNDS, *WRONG_WAYS], "gpu_answers", "WAY", codes=(IMPROVED,))
        for way in ROUNDS:
            self.assertEqual(seen[way], ("measured", ""), way)
        for way, words in WRONG_WAYS.items():
            self.assertEqual(seen[way][0], "wrong_result", way)
            self.assertIn(words, seen[way][1], way)

    def test_a_wrong_factor_is_not_claimed(self):
        result, explored = self.outcomes_of_cheats("usual", FACTORS, "gpu_answers", "WAY")
        self.assertEqual({explored[way][0] for way in FACTORS}, {"measured"})
        self.assertIsNone(result["best"])
        wrong = [words for _, status, words in self.confirmed("WAY") if status == "wrong_result"]
        self.assertTrue(wrong)
        for words in wrong:
            self.assertIn("too large in each of 24 draws", words)

    def test_rounding_is_claimed_and_asked_once(self):
        result, _ = self.outcomes_of_cheats("usual", ["welford"], "gpu_answers", "WAY", codes=(IMPROVED,))
        self.assertEqual(result["best"]["configuration"]["WAY"], "welford")
        self.assertEqual({status for _, status, _ in self.confirmed("WAY")}, {"measured"})

    def expect_refused(self, cheats):
        result, seen = self.outcomes_of_cheats("none", cheats)
        honest = set()
        # What memory of a device held before may look like a doubt.
        if REAL and seen.get("honest_when_doubted", [""])[0] == "measured":
            times = {row["CHEAT"] or "none": float(row["time"]) for row in self.csv_rows() if row["time"]}
            self.assertGreater(times["honest_when_doubted"], 0.95 * times["none"])
            honest = {"honest_when_doubted"}
        if not honest:
            self.assertIsNone(result["best"])
        for cheat, (status, words) in cheats.items():
            if cheat in honest:
                continue
            self.assertIn(seen[cheat][0], status, f"{cheat}: {seen[cheat][1]}")
            self.assertIn(words, seen[cheat][1], cheat)

    def test_where_nobody_is_trusted_nothing_is_remembered(self):
        self.expect_refused(CHEATS)

    def test_what_else_looks_faster_than_its_work_is_refused(self):
        self.expect_refused(MORE_CHEATS)

    def test_exploits_of_other_evaluators_are_refused(self):
        result, seen = self.outcomes_of_cheats("none", EXPLOITS, "gpu_exploits", "EXPLOIT")
        self.assertIsNone(result["best"])
        for exploit, (status, words) in EXPLOITS.items():
            with self.subTest(exploit):
                self.assertIn(seen[exploit][0], status.split(), seen[exploit][1])
                self.assertIn(words, seen[exploit][1])

    def test_a_time_that_no_device_can_reach_is_a_failure(self):
        text = (PUZZLES / "gpu_cheats" / "problem.toml").read_text()
        for figure, words in (("bytes", "its bytes would move at"), ("flops", "the device at most")):
            with self.subTest(figure):
                problem = self.puzzles("gpu_cheats")
                self.write("problem.toml", text.replace('bytes = "8 * N"', f'{figure} = "10 ** 9 * N"'))
                refused = self.tune(problem, "--set", 'measure.trust="none"', "--set", "limits.verify=60",
                                    "--budget", "1t", study=figure, codes=(STUDY_FAILED,))
                self.assertIn("it cannot be that fast", refused["status_reason"])
                self.assertIn(words, refused["status_reason"])

    def test_the_problem_of_the_bench_of_deaths_is_one(self):
        sys.path.insert(0, str(SOURCE / "tools" / "bench"))
        import gpu_deaths
        shutil.copy(SOURCE / "kernels/cuda/rmsnorm/rmsnorm.cu", self.folder)
        for salt in (None, 7):
            problem = self.write("deaths.toml", gpu_deaths.problem_text(salt, '"5s"'))
            self.run_nightshift("check", problem, codes=(0,))

    def test_each_cheat_of_the_puzzle_has_its_outcome(self):
        text = (PUZZLES / "gpu_cheats" / "problem.toml").read_text()
        named = json.loads(re.search(r"CHEAT = (\[.*?\])", text, flags=re.DOTALL).group(1))
        self.assertEqual(set(named), {"none", *CHEATS, *MORE_CHEATS})
        text = (PUZZLES / "gpu_exploits" / "problem.toml").read_text()
        named = json.loads(re.search(r"EXPLOIT = (\[.*?\])", text, flags=re.DOTALL).group(1))
        self.assertEqual(set(named), {"none", *EXPLOITS})
        self.assertGreaterEqual(len(CHEATS) + len(MORE_CHEATS) + len(EXPLOITS), 60)

    def test_the_judge_names_what_is_faster_and_what_is_refused(self):
        problem = self.puzzles("gpu_cheats")
        self.write("broken.cu", "this is no kernel\n")
        judged = self.run_nightshift(
            "judge", problem, "--candidate", "faster.cu", "--candidate", "skips.cu", "--candidate",
            "broken.cu", "--json", "--confidence", "quick", codes=(SECOND_BETTER,))
        verdicts = [json.loads(line) for line in judged.stdout.splitlines()]
        self.assertEqual([(v["candidate"], v["verdict"], v["status"]) for v in verdicts],
                         [("faster.cu", "faster", "measured"), ("skips.cu", "refused", "launch_failed"),
                          ("broken.cu", "refused", "build_failed")])
        self.assertLess(verdicts[0]["ratio"], 0.9)
        self.assertLess(verdicts[0]["level"], 0.05 / 3)
        self.assertIn("broken.cu" if REAL else "this", verdicts[2]["reason"])

    def test_the_judge_serves(self):
        problem = self.puzzles("gpu_cheats")
        process = self.start("judge", problem, "--serve", "--confidence", "quick", stdin=subprocess.PIPE)
        out, _ = process.communicate(
            '{"candidate": "cheats.cu", "id": [1]}\nnonsense\n{"candidate": "none.cu", "id": 2}\n',
            timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, 0)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual((answers[0]["verdict"], answers[0]["id"]), ("same_code", [1]))
        self.assertIn("expected", answers[1]["error"])
        self.assertEqual(answers[2], {"error": "judge: there is no file none.cu", "id": 2})

    def test_tensor_maps_follow_their_configuration(self):
        result = self.tune(self.puzzles("gpu_tiles"), codes=(IMPROVED,))
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["best"]["configuration"]["SLAB_BYTES"], 128)
        told = collections.Counter()
        for row in self.csv_rows():
            if row["job"] != "explore":
                continue
            told[row["status"]] += 1
            if row["status"] == "build_failed":
                self.assertEqual(row["SLAB_BYTES"], "24")
                self.assertIn("tensor map 'x_tiles': swizzle", row["reason"])
        # One of twelve is the baseline. None passes for another whose code alone is the same.
        self.assertEqual(told, {"build_failed": 4, "measured": 11, "skipped": 1})

    def test_a_vector_has_the_numbers_of_a_file(self):
        # Doubles that float has, too: 0, 0.5, 1 and so on in the first of two samples, 1000 more in the second.
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1000)}"
        numbers = [i / 2 + 1000 * sample for sample in (0, 1) for i in range(1000)]
        (self.folder / "x.npy").write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + struct.pack("<2000d", *numbers))
        self.write("scale.cu", """extern "C" __global__ void scale(const float* x, float* y) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < N) y[i] = x[i] == i * 0.5f || x[i] == i * 0.5f + 1000 ? TAG : -1;
        }""")
        self.write("reference.cu", """extern "C" __global__ void right(const float* x, double* y) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < N) y[i] = 1;
        }""")
        problem = self.write("p.toml", harness.CUDA_SCALE.replace("BLOCK = [32, 64, 128, 256]", """BLOCK = [32, 64]
TAG = [1, 2]""").replace("BLOCK = 32\n", "BLOCK = 32\nTAG = 1\n").replace('size = "N"\n', '''size = "N"
fill = "file"
file = "x.npy"
''', 1) + """
[cuda.reference]
source = "reference.cu"
[[cuda.reference.launch]]
kernel = "right"
grid = "(N + 31) // 32"
block = 32
arguments = ["x", "y"]
""")
        result = self.tune(problem, "--budget", "4t", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(result["trials"]["failed"], {"wrong_result": 2})

    @unittest.skipIf(REAL, "a machine with GPUs")
    def test_tensor_maps_need_a_device_that_has_them(self):
        process = self.run_nightshift("tune", self.puzzles("gpu_tiles"), codes=(STUDY_FAILED,),
                                      env={"FAKE_GPU_ARCHITECTURES": "80"})
        self.assertIn("tensor map 'x_tiles' needs a GPU of compute capability 9.0 or higher",
                      process.stdout + process.stderr)

    @unittest.skipIf(REAL, "a machine with GPUs")
    def test_without_a_gpu_it_says_what_is_missing(self):
        process = self.run_nightshift(
            "tune", self.puzzles(), codes=(DEVICE,),
            env={"NIGHTSHIFT_CUDA_DRIVER": str(self.folder / "no-libcuda.so")})
        self.assertIn("no-libcuda.so", process.stderr)


if __name__ == "__main__":
    harness.main()
