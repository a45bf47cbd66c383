"""The program itself: what it links, what it says of itself and of the machine."""

import json
import pathlib
import re
import subprocess

import harness
from harness import Case, USAGE


class Binary(Case):
    def test_nothing_of_cuda_is_linked(self):
        for program in ("nightshift", "nightshift-evaluator"):
            out = subprocess.run(["readelf", "-d", harness.BIN / program], check=True,
                                 capture_output=True, text=True).stdout
            self.assertIn("NEEDED", out)
            self.assertIsNone(re.search(r"libcu|libnv|nvidia", out, re.IGNORECASE), out)

    def test_version(self):
        done = self.run_nightshift("--version", codes=(0,))
        self.assertRegex(done.stdout, r"^nightshift \d+\.\d+\.\d+\n$")

    def test_help_names_every_exit_code(self):
        text = self.run_nightshift("--help", codes=(0,)).stdout
        for code in (0, 2, 3, 4, 5, 6, 7, 70):
            self.assertRegex(text, rf"\n  {code} ")

    def test_names_of_commands_are_those_of_the_help(self):
        names = self.run_nightshift("commands", codes=(0,)).stdout.splitlines()
        text = self.run_nightshift("help", codes=(0,)).stdout
        self.assertEqual(names, re.findall(r"^  ([a-z-]+) {2,}", text.split("Subcommands:")[1], re.M))
        for name in names:
            self.assertEqual(self.run_nightshift("help", name, codes=(0,)).stdout,
                             self.run_nightshift(name, "--help", codes=(0,)).stdout)

    def test_help_has_the_keys_of_a_problem_file(self):
        text = self.run_nightshift("help", "problem", codes=(0,)).stdout
        measure = self.run_nightshift("help", "problem", "measure", codes=(0,)).stdout
        self.assertIn(measure, text)
        self.assertRegex(measure, r"\n  samples +=")
        wrong = self.run_nightshift("help", "problem", "measur", codes=(USAGE,)).stderr
        self.assertIn("did you mean 'measure'?", wrong)

    def test_nothing_is_a_mistake(self):
        self.assertIn("--help", self.run_nightshift(codes=(USAGE,)).stderr)

    def test_devices(self):
        listed = json.loads(self.run_nightshift("devices", "--json", codes=(0,)).stdout)
        self.assertTrue(listed["devices"])
        for device in listed["devices"]:
            self.assertTrue(device["id"].startswith("cpu:"), device)
            self.assertTrue(set(device["cores"]) <= set(listed["cores"]), listed)
        text = self.run_nightshift("devices", codes=(0,)).stdout
        self.assertIn(listed["devices"][0]["id"], text)

    def test_it_needs_its_evaluator_beside_it(self):
        lonely = pathlib.Path(self.folder / "nightshift")
        lonely.write_bytes(harness.NIGHTSHIFT.read_bytes())
        lonely.chmod(0o755)
        done = self.run_nightshift("tune", self.recorded_space(), program=lonely, codes=(70,))
        self.assertIn("nightshift-evaluator", done.stderr)
        self.assertFalse((self.folder / "studies").exists())


if __name__ == "__main__":
    harness.main()
