"""tools/bench/programs.py: its inputs, its builds and its figures, on a program of our own."""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE

sys.path.insert(0, str(SOURCE / "tools/bench"))
import programs  # noqa: E402

# Counts letters; what it says depends on the flag that a wrong build would have.
COUNT = """
#include <stdio.h>
int main(int argc, char** argv) {
  FILE* file = fopen(argv[argc - 1], "rb");
  unsigned long sum = 0;
  for (int c; file && (c = fgetc(file)) != EOF;) sum += c > 'm' ? 3 : c;
#ifdef WRONG
  ++sum;
#endif
  printf("%lu\\n", sum);
  return !file;
}
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.source = self.folder / "sources" / "count-1.0"
        (self.source / "lib").mkdir(parents=True)
        (self.source / "count.c").write_text(COUNT)
        (self.source / "test.c").write_text("int main(void) { return 1; }\n")
        (self.source / "README.md").write_text("It counts.\n")
        self.program = programs.Program("count", "count", "{input}", ("*.c",), ("test.c",))

    def made(self):
        folder = self.folder / "into"
        programs.prepare(self.program, self.source, self.source.parent, folder, 400)
        return folder

    def test_the_newest_source_of_the_package_is_taken(self):
        (self.folder / "sources" / "count-1.1").mkdir()
        (self.folder / "sources" / "count-tools-7").mkdir()
        self.assertEqual(programs.source_of(self.program, self.folder / "sources").name, "count-1.1")
        self.assertIsNone(programs.source_of(programs.CATALOGUE[0], self.folder / "sources"))

    def test_files_are_those_of_the_program(self):
        self.assertEqual(programs.files_of(self.program, self.source), ["count.c"])

    def test_no_input_is_another_and_each_is_the_same_again(self):
        for language in ("", "lua", "js", "sql", "wav"):
            inputs = programs.inputs_of(language, self.source.parent, 400)
            self.assertEqual(list(inputs), ["train", "tune", *programs.UNSEEN], language)
            self.assertEqual(len(set(inputs.values())), 5, language)
            self.assertEqual(inputs, programs.inputs_of(language, self.source.parent, 400), language)

    def test_every_name_is_there_once(self):
        names = [program.name for program in programs.CATALOGUE]
        self.assertEqual(len(names), 10)
        self.assertEqual(len(set(names)), 10)

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_a_build_is_held_to_what_the_plain_one_prints(self):
        folder = self.made()
        self.assertGreater(int((folder / "expected").read_text()), 0)
        trained = programs.build(folder, folder / "best", "trained", "-O2")
        plain = programs.build(folder, folder / "other", "plain", "-O2")
        self.assertNotEqual(trained.read_bytes(), plain.read_bytes())
        with self.assertRaises(subprocess.CalledProcessError):
            programs.build(folder, folder / "wrong", "plain", "-O2", "-DWRONG")

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_what_was_prepared_is_left_as_it_is(self):
        folder = self.made()
        (folder / "expected").write_text("kept")
        self.made()
        self.assertEqual((folder / "expected").read_text(), "kept")
        (folder / "problem.toml").unlink()  # stopped before the end
        self.made()
        self.assertNotEqual((folder / "expected").read_text(), "kept")

    def test_what_was_measured_is_not_measured_again(self):
        (self.folder / "result.json").write_text(json.dumps({"program": "count"}))
        self.assertEqual(programs.measured("no program", self.program, self.folder, None), {"program": "count"})

    def test_a_configuration_becomes_arguments(self):
        self.assertEqual(programs.arguments_of({}), ["plain", "-O3", "-march=native"])
        self.assertEqual(programs.arguments_of({"GCC_LEVEL": "-O2", "TRAINING": "trained", "GCC_PEEL": "",
                                                "GCC_A": "-fa -fb"}),
                         ["trained", "-O3", "-march=native", "-O2", "-fa", "-fb"])

    def test_a_mean_knows_the_errors_of_its_parts(self):
        mean, low, high = programs.geometric([(math.log(0.5), 0.02), (math.log(2), 0.02)])
        self.assertAlmostEqual(mean, 1)
        self.assertAlmostEqual(math.log(high), 1.96 * 0.02 / math.sqrt(2))
        self.assertAlmostEqual(math.log(low), -math.log(high))

    def test_the_table_has_a_row_for_each_and_the_mean(self):
        effects = {name: (math.log(0.9), 0.0) for name in programs.UNSEEN}
        lines = programs.table([{"program": "a", "configuration": {"TRAINING": "trained"}, "effects": effects},
                                {"program": "b", "configuration": {}, "effects": effects}]).splitlines()
        self.assertEqual(lines[2], "| a | yes | 0.900 [0.900, 0.900] | 0.900 | 0.900 | 0.900 |")
        self.assertIn("| b | no |", lines[3])
        self.assertIn("| geometric mean of 2 | | 0.900 [0.900, 0.900] |", lines[4])
        self.assertEqual({line.count("|") for line in lines}, {7})


if __name__ == "__main__":
    unittest.main(verbosity=2)
