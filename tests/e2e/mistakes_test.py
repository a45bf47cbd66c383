"""What the user got wrong: every mistake is named, with its place, and nothing is left behind."""

import re

import harness
from harness import Case, JOURNAL, USAGE

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

    def test_all_mistakes_of_a_file_are_named_with_their_lines(self):
        self.write("ten.toml", TEN_MISTAKES)
        words = self.wrong("tune", "ten.toml")
        lines = {int(line) for line in re.findall(r"ten\.toml:(\d+)", words)}
        self.assertLessEqual({1, 2, 3, 5, 6, 9, 11, 13, 14, 16, 18}, lines, words)
        self.assertIn("'pattern'", words)      # did you mean
        self.assertIn("'constraints'", words)  # did you mean

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
