#!/usr/bin/env python3
"""What a C++ kernel is besides its source: what its flags name, what its call is given, what its linker says."""

import shutil
import subprocess

from harness import Case, DEVICE, IMPROVED, IN_SHORT, NO_IMPROVEMENT, STUDY_FAILED, host_scale, main, working_scale

# Twice x by help(), which the flags bring.
KERNEL = """
#include <two.h>
float help(float x);
void scale(float* x) {
  for (int i = 0; i < N; ++i) x[i] = help(x[i]) * TWO / TWO * WORK / WORK;
}
"""
# The work is a call's: the code of all configurations is equal.
CALLED = """
void scale(float* x, int work) {
  volatile float sink;
  float sum = 0;
  for (int r = 0; r < work * 8; ++r)
    for (int i = 0; i < 4096; ++i) sum += x[i] * r;
  sink = sum;
  for (int i = 0; i < 4096; ++i) x[i] *= 2;
}
"""
ENDED = (IMPROVED, NO_IMPROVEMENT)
SECOND_BETTER = 10  # of compare


class Flags(Case):
    def project(self, *flags, function="scale"):
        """A problem in a folder of its own: headers, an archive and a further source, with these flags."""
        folder = self.folder / "project"
        for name in ("inc", "lib"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "elsewhere").mkdir(exist_ok=True)
        self.write("project/scale.cc", KERNEL)
        self.write("project/inc/two.h", "#define TWO 2\n")
        self.help_with("2 * x")
        words = ", ".join(f'"{flag}"' for flag in ("-Iinc", *flags))
        problem = host_scale("WORK = [1, 2, 3, 4]", IN_SHORT, flags=words)
        self.write("project/problem.toml", problem.replace('function = "scale"', f'function = "{function}"'))
        return folder / "problem.toml"

    def help_with(self, answer):
        folder = self.folder / "project"
        self.write("project/help.cc", f"float help(float x) {{ return {answer}; }}\n")
        compiled = ["c++", "-O2", "-fPIC", "-c", "help.cc", "-o", "lib/help.o"]
        subprocess.run(compiled, cwd=folder, check=True)
        (folder / "lib/libhelp.a").unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", "lib/libhelp.a", "lib/help.o"], cwd=folder, check=True)

    def test_relative_paths_go_by_the_folder_of_the_problem_in_every_command(self):
        for flags in (["-Llib", "-lhelp"], ["help.cc"], ["lib/help.o"]):
            problem = self.project(*flags)
            for place in (".", "project", "elsewhere"):
                cwd = self.folder / place
                self.run_nightshift("check", problem, cwd=cwd, codes=(0,))
                self.tune(problem, "--budget", "2t", cwd=cwd, study=self.folder / "study", codes=ENDED)
                self.run_nightshift("recheck", self.folder / "study", cwd=cwd, codes=ENDED)
                shutil.rmtree(self.folder / "study")

    def test_what_flags_name_is_watched(self):
        for flags in (["-Llib", "-lhelp"], ["help.cc"], ["lib/help.o"], ["@lib/options"]):
            self.project(*flags)
            self.write("project/lib/options", "-Wl,lib/help.o")
            self.tune("project/problem.toml", "--budget", "1t")
            self.help_with("2 * x + (x > 1e30f)")
            again = self.run_nightshift("resume", "study", "--budget", "2t", codes=ENDED)
            self.assertIn("begins anew", again.stderr, flags)
            shutil.rmtree(self.folder / "study")

    def test_equal_code_is_measured_for_each_call(self):
        self.write("scale.cc", CALLED)
        argument = '[[host.argument]]\nname = "work"\ntype = "int32"\nvalue = "WORK"\n'
        problem = host_scale("WORK = [8, 4, 2, 1]", IN_SHORT, host='names = "none"')
        self.write("problem.toml", problem.replace("[parameters]", argument + "[parameters]"))
        result = self.tune("problem.toml", "--budget", "4t", codes=(IMPROVED,))
        self.assertEqual(result["best"]["configuration"], {"WORK": 1})
        self.assertEqual(result["trials"]["measured"], 3, "beside the baseline")
        self.run_nightshift("compare", "problem.toml", "WORK=8", "WORK=1", codes=(SECOND_BETTER,))

    def test_a_linker_is_heard_and_a_function_that_is_not_there_is_told(self):
        failed = (STUDY_FAILED, DEVICE)
        for problem, words in (
                (self.project, ["undefined reference to `help(float)'"]),
                (lambda: self.project("gone.o"), ["cannot find gone.o"]),
                (lambda: self.project("-lgone"), ["cannot find -lgone"]),
                (lambda: self.project("help.cc", function="scael"),
                 ["scale.cc has no function 'scael'", "it has scale"])):
            done = self.run_nightshift("tune", problem(), "--study", "study", codes=failed)
            told = " ".join(done.stderr.split())
            for word in words:
                self.assertIn(word, told)
            self.assertNotIn("collect2", told)
            shutil.rmtree(self.folder / "study", ignore_errors=True)

    def test_the_header_makes_what_was_measured(self):
        self.write("scale.cc", working_scale("static_assert(sizeof(LABEL) == 4 && FACTOR == 2.5, \"\");\n"
                                             "static TYPE REPEATS = 8;\n"))
        self.write("problem.toml", host_scale('WORK = [9, 1]\nTYPE = ["const int"]\nFACTOR = [2.5]\n'
                                              'LABEL = ["\\"a b\\""]', IN_SHORT))
        self.tune("problem.toml", "--budget", "2t", codes=(IMPROVED,))
        self.write("best.h", self.export("header"))
        subprocess.run(["c++", "-DN=4096", "-include", "best.h", "-c", "scale.cc", "-o", "scale.o"], cwd=self.folder,
                       check=True)


if __name__ == "__main__":
    main()
