"""`nightshift code`: the machine code of trials of a host study, and how two differ."""

import json
import os
import shutil

import harness
from harness import Case, USAGE, host_scale

KERNEL = """
#if TWICE
void scale(float* x) { for (int i = 0; i < N; ++i) x[i] = x[i] * 2.0f + 1.0f; }
#else
void scale(float* x) { for (int i = 0; i < N; ++i) x[i] = 3.0f / x[i]; }
#endif
"""

REFERENCE = """
void scale(double* x) { for (int i = 0; i < N; ++i) x[i] = 0; }
"""

PROBLEM = host_scale(
    "TWICE = [0, 1]\nUNUSED = [0, 1]", flags='"-O3"', sizes="N = 1024",
    host="""reference = { file = "reference.cc", function = "scale" }
tolerance = { relative = 1e9, absolute = 1e9 }""")


class Code(Case):
    def setUp(self):
        super().setUp()
        self.write("scale.cc", KERNEL)
        self.write("reference.cc", REFERENCE)
        self.tune(self.write("problem.toml", PROBLEM), "--budget", "4t")
        self.trials = {(row["TWICE"], row["UNUSED"]): row["trial"] for row in self.csv_rows()
                       if row["job"] == "explore"}

    def code(self, *arguments, **options):
        return self.run_nightshift("code", "study", *arguments, codes=(0,), **options).stdout

    def test_a_disassembler_that_is_killed_from_outside_is_started_again(self):
        real = shutil.which("objdump")
        if not real:
            self.skipTest("no objdump on PATH")
        (self.folder / "bin").mkdir()
        fake = self.folder / "bin/objdump"
        fake.write_text(f"#!/bin/sh\n"
                        f"echo call >> {self.folder}/calls\n"
                        f"[ $(wc -l < {self.folder}/calls) -gt $KILLS ] || kill -TERM $$\n"
                        f"exec {real} \"$@\"\n")
        fake.chmod(0o755)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        listing = self.code(self.trials["1", "0"], env={"PATH": path, "KILLS": "1"})
        self.assertIn("scale(float*)", listing)
        self.assertEqual((self.folder / "calls").read_text(), "call\n" * 2)
        (self.folder / "calls").unlink()
        told = self.run_nightshift("code", "study", self.trials["1", "0"], codes=(70,),
                                   env={"PATH": path, "KILLS": "9"})
        self.assertIn("killed from outside 3 times", told.stderr)

    def test_the_listing_and_the_mix_of_one(self):
        if not shutil.which("objdump"):
            self.skipTest("no objdump on PATH")
        result = json.loads(self.code(self.trials["1", "0"], "--json"))
        side, = result["sides"]
        self.assertEqual(side["configuration"], {"TWICE": 1, "UNUSED": 0})
        self.assertEqual(side["hash"], side["measured_hash"])
        part, = side["parts"]
        functions = {f["name"]: f["instructions"] for f in part["functions"]}
        self.assertIn("scale(float*)", functions)
        self.assertNotIn("frame_dummy", functions)
        self.assertEqual(sum(part["mix"].values()), sum(map(len, functions.values())))
        text = self.code(self.trials["1", "0"])
        for instruction in functions["scale(float*)"]:
            self.assertIn(instruction, text)

    def test_the_difference_of_two(self):
        if not shutil.which("objdump"):
            self.skipTest("no objdump on PATH")
        arguments = (self.trials["1", "0"], "--against", self.trials["0", "0"])
        result = json.loads(self.code(*arguments, "--json"))
        self.assertFalse(result["same_machine_code"])
        scale, = [d for d in result["difference"] if d["second"] == "scale(float*)"]
        self.assertGreater(scale["added"], 0)
        self.assertGreater(scale["removed"], 0)
        lines = self.code(*arguments).splitlines()
        self.assertTrue(any(line.startswith("  - ") and "div" in line for line in lines), lines)
        self.assertTrue(any(line.startswith("  + ") and "add" in line for line in lines), lines)

    def test_equal_code_is_said_to_be_equal(self):
        arguments = (self.trials["1", "0"], "--against", self.trials["1", "1"])
        self.assertIn("Both are one machine code, since what differs between them", self.code(*arguments))
        self.assertTrue(json.loads(self.code(*arguments, "--json"))["same_machine_code"])

    def test_other_data_under_equal_instructions_are_said(self):
        before = json.loads(self.code(self.trials["1", "0"], "--json"))["sides"][0]["hash"]
        self.write("scale.cc", KERNEL.replace("i] * 2.0f + 1.0f", "i] + (TWICE + UNUSED + 4.0f)"))
        text = self.code(self.trials["1", "0"], "--against", self.trials["1", "1"])
        self.assertNotIn(before, text.split("the study measured")[0])
        if shutil.which("objdump"):
            self.assertIn("instructions are equal", text)

    def test_a_source_that_has_changed_is_noticed(self):
        self.write("scale.cc", KERNEL.replace("1.0f", "5.0f"))
        self.assertIn("the study measured other code", self.code(self.trials["1", "0"]))

    def test_without_a_disassembler_there_are_hashes_and_a_reason(self):
        # The compiler's own programs, and no objdump.
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("c++", "g++", "as", "ld", "collect2"):
            if found := shutil.which(name):
                (tools / name).symlink_to(found)
        text = self.code(self.trials["1", "0"], env={"PATH": str(tools)})
        self.assertIn("there is no objdump on PATH", text)

    def test_mistakes(self):
        def wrong(*arguments, codes=(USAGE,)):
            return self.run_nightshift("code", *arguments, codes=codes).stderr
        self.assertIn("there is no trial 99", wrong("study", "99"))
        self.assertIn("there is no trial bets", wrong("study", "bets"))
        self.tune(self.recorded_space(), "--budget", "2t", study="recorded")
        self.assertIn("no machine code", wrong("recorded", "best"))
        self.write("scale.cc", "#error gone")
        self.assertIn("cannot be built", wrong("study", "best", codes=(harness.STUDY_FAILED,)))

    def test_nothing_is_left_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.code("best", "--against", "baseline", env={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])


class OfCuda(Case):
    KERNEL = """extern "C" __global__ void scale(const float* x, float* y) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
    #if BLOCK == 64
      if (i < N) y[i] = 2 * x[i];
    #else
      if (i < N) y[i] = x[i] + x[i];
    #endif
    }"""

    def environment(self, **changes):
        return super().environment(**harness.fake_gpus(NIGHTSHIFT_BUILD_CACHE=str(self.folder / "cache")), **changes)

    def setUp(self):
        super().setUp()
        self.write("scale.cu", self.KERNEL)
        self.tune(self.write("p.toml", harness.CUDA_SCALE), "--budget", "3t",
                  codes=(harness.IMPROVED, harness.NO_IMPROVEMENT))

    def test_the_ptx_of_a_kernel_and_of_two(self):
        told = self.run_nightshift("code", "study", "baseline", "--ptx").stdout
        self.assertIn("scale", told)
        self.assertIn("ret", told)
        trial = next(row["trial"] for row in self.csv_rows() if row["BLOCK"] == "64")
        both = json.loads(self.run_nightshift("code", "study", trial, "--against", "baseline", "--ptx",
                                              "--json").stdout)
        self.assertEqual(both["kind"], "ptx")
        (part,) = both["sides"][1]["parts"]
        self.assertGreater(part["mix"]["fp32"], both["sides"][0]["parts"][0]["mix"].get("fp32", 0))
        self.assertEqual(part["mix"]["control"], 1)

    def test_a_host_has_none(self):
        self.write("scale.cc", KERNEL), self.write("reference.cc", REFERENCE)
        self.tune(self.write("host.toml", PROBLEM), "--budget", "1t", study="host",
                  codes=(harness.IMPROVED, harness.NO_IMPROVEMENT))
        done = self.run_nightshift("code", "host", "baseline", "--ptx", codes=(USAGE,))
        self.assertIn("no study of CUDA kernels, which alone have PTX", done.stderr)


if __name__ == "__main__":
    harness.main()
