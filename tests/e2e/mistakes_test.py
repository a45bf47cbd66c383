"""What the user got wrong: every mistake is named, with its place, and nothing is left behind."""

import re

import harness
from harness import Case, DEVICE, JOURNAL, STUDY_FAILED, USAGE

TEN_MISTAKES = """name = 42
constraint = ["A > 1"]
constraints = ["A >", "C == 1"]
[command]
mode = "sometimes"
argv = "run.sh"
[parameters]
A = [1, 2]
B = []
[budget]
time = "soon"
[search]
searcher = "patern"
seed = -1
[acceptance]
level = 2
[[objective]]
direction = "down"
"""


class Mistakes(Case):
    def wrong(self, *arguments, codes=(USAGE,)):
        done = self.run_nightshift(*arguments, codes=codes)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "studies").exists())
        return done.stderr

    def test_no_devices_are_not_all_devices(self):
        for devices in ("", " "):
            for command in (("tune", self.recorded_space()), ("noise", self.recorded_space()),
                            ("batch", "run", self.recorded_space()), ("agent",)):
                self.assertIn("--devices", self.wrong(*command, "--devices", devices))

    def test_all_mistakes_of_a_file_are_named_with_their_lines(self):
        self.write("ten.toml", TEN_MISTAKES)
        words = self.wrong("tune", "ten.toml")
        lines = {int(line) for line in re.findall(r"ten\.toml:(\d+)", words)}
        self.assertLessEqual({1, 2, 3, 5, 6, 9, 11, 13, 14, 16, 18}, lines, words)
        self.assertIn("'pattern'", words)      # did you mean
        self.assertIn("'constraints'", words)  # did you mean

    def test_arguments_beyond_the_memory_are_refused_before_anything_is_allocated(self):
        self.write("scale.cc", "void scale(float* x) { x[0] *= A; }\n")
        problem = self.write("large.toml", harness.host_scale("A = [1, 2]", sizes="N = 9999999999999"))
        words = (r"the arguments take 3\.725e\+04 GiB \('x' alone .*, with N=9999999999999\), and "
                 r"(this machine has|the control group of this process allows) \S+ GiB: make the "
                 r"sizes that they have smaller")
        checked = self.run_nightshift("check", problem, codes=(USAGE,))
        self.assertRegex(" ".join(checked.stdout.split()), "tune would not begin on this machine: " + words)
        for command in (("tune", problem, "--study", "s"), ("noise", problem),
                        ("compare", problem, "A=1", "A=2")):
            refused = self.run_nightshift(*command, codes=(DEVICE,))
            self.assertRegex(" ".join(refused.stderr.split()), words, command)
        self.assertFalse((self.folder / "s").exists())
        self.write("good.toml", harness.timed_program(["echo", "time {A}"], 2, name="good"))
        batch = self.run_nightshift("batch", "run", problem, self.folder / "good.toml", "--batch", "b",
                                    codes=(STUDY_FAILED,))
        self.assertRegex(" ".join(batch.stdout.split()), "large failed " + words)
        self.assertIn("good completed", " ".join(batch.stdout.split()))

    def test_arguments_beyond_the_memory_of_a_gpu_are_refused(self):
        self.write("scale.cu", harness.doubling_kernel(""))
        problem = self.write("large.toml", harness.CUDA_SCALE.replace("N = 1000", "N = 60000000000"))
        self.run_nightshift("check", problem, codes=(0,))
        refused = self.run_nightshift("tune", problem, "--study", "s", codes=(DEVICE,),
                                      env=harness.fake_gpus())
        self.assertRegex(" ".join(refused.stderr.split()),
                         r"the arguments take 447 GiB \('x' alone 223.5 GiB, with N=60000000000\), "
                         r"and .* has \S+ GiB: make the sizes")
        self.assertFalse((self.folder / "s").exists())

    def test_a_file_that_is_not_there(self):
        self.assertIn("nowhere.toml", self.wrong("tune", "nowhere.toml"))

    def test_a_file_that_is_no_problem(self):
        self.write("text.toml", "once upon a time")
        self.assertIn("text.toml:1", self.wrong("tune", "text.toml"))
        self.write("some.json", '{"a": 1}')
        self.assertIn("some.json", self.wrong("tune", "some.json"))
        self.write("cut.json", '{"cache": {"1": {')
        self.assertIn("cut.json", self.wrong("tune", "cut.json"))
        (self.folder / "cut.json.gz").write_bytes(b"\x1f\x8b\x08\x00nothing")
        self.assertIn("cut.json.gz", self.wrong("tune", "cut.json.gz"))

    def test_an_impossible_space(self):
        self.write("none.toml", """
name = "none"
constraints = ["A > 2"]
[command]
argv = ["true", "{A}"]
[parameters]
A = [1, 2]
""")
        self.assertIn("constraint", self.wrong("tune", "none.toml"))

    def test_wrong_overrides_are_named(self):
        space = self.recorded_space()
        words = self.wrong("tune", space, "--set", "measure.smaples=5", "--set",
                           "acceptance.max_pairs=many")
        self.assertIn("smaples", words)
        self.assertIn("max_pairs", words)

    def test_settings_that_can_never_accept_are_refused(self):
        space = self.recorded_space()  # which is one device
        for setting, words in (
                ('acceptance.consensus="fleet"', 'consensus = "fleet" needs 2 devices, not 1'),
                ("acceptance.devices_least=2", "devices_least = 2 needs 2 devices, not 1"),
                ('acceptance={consensus="majority", majority=3}',
                 "majority = 3 needs 3 devices, not 1"),
                ("acceptance={devices=2, devices_least=3}", "more than the 2 devices")):
            self.assertIn(words, self.wrong("tune", space, "--set", setting))

    def test_wrong_command_lines(self):
        space = self.recorded_space()
        self.assertIn("--help", self.wrong())
        self.assertIn("did you mean 'tune'", self.wrong("tunee", space))
        self.assertIn("budget", self.wrong("tune", space, "--budget", "often"))
        self.assertIn("searcher", self.wrong("tune", space, "--searcher", "genius"))
        self.assertIn("--format", self.wrong("export", "x", "--format", "xml"))

    def test_all_mistakes_of_a_command_line_are_named(self):
        words = self.wrong("tune", "--bugdet", "--seed", "x", "--set", "measure")
        self.assertIn("did you mean '--budget'", words)
        for what in ("--seed x", "--set measure", "PROBLEM is required", "`nightshift tune --help`"):
            self.assertIn(what, words)

    def test_there_is_no_study(self):
        for arguments in (("resume", "nothing"), ("report", "nothing"), ("explain", "nothing", "1"),
                          ("export", "nothing", "--format", "csv")):
            self.assertIn("nothing", self.wrong(*arguments, codes=(JOURNAL,)))


if __name__ == "__main__":
    harness.main()
