"""libnightshift.so and its header, from an installed folder, by a program outside the tree."""

import os
import pathlib
import subprocess
import tempfile

import harness
from harness import Case, SOURCE

# A program with a tuned function whose faults its first argument names.
PROGRAM = r"""
#include <nightshift/tuner.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

using namespace nightshift;

int main(int, char** argv) {
  const std::string fault = argv[1];
  const Space space({{"n", {std::int64_t{4}, std::int64_t{2}, std::int64_t{1}, std::int64_t{3}}}});
  const auto times = [&](const Configuration& c) {
    const auto n = std::get<std::int64_t>(c.at("n"));
    std::puts("printed by the function");  // no answer
    if (n == 3 && fault == "crash") raise(SIGSEGV);
    if (n == 3 && fault == "throw") throw std::runtime_error("three is no good");
    if (n == 4 && fault == "baseline") throw std::runtime_error("four is no good");
    std::vector<double> figures;
    for (int i = 0; i < 9; ++i) figures.push_back(static_cast<double>(n) * (1 + 0.001 * (i % 3)));
    return figures;
  };
  TuneOptions options;
  options.name = "numbers";
  options.seconds = 20;
  options.trials = 4;
  if (fault == "option") options.searcher = "nobody";
  TuneOptions before = options;
  before.name = "before";
  before.folder = std::string(argv[2]) + "/before";
  before.trials = 1;
  try {
    if (fault == "two") {
      const Tuned first = tune(space, times, before);
      if (std::get<std::int64_t>(first.best.at("n")) == 0) return 9;
    }
    if (std::strlen(argv[2]) > 0) options.folder = std::string(argv[2]) + "/numbers";
    const Tuned tuned = tune(space, times, options);
    std::printf("%d %lld %.3f %llu %llu\n", tuned.accepted,
                static_cast<long long>(std::get<std::int64_t>(tuned.best.at("n"))), tuned.ratio,
                static_cast<unsigned long long>(tuned.measured),
                static_cast<unsigned long long>(tuned.failed));
  } catch (const Error& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
"""

LISTS = """
cmake_minimum_required(VERSION 3.16)
project(mine LANGUAGES CXX)
find_package(nightshift 0.1 REQUIRED)
add_executable(mine main.cc)
target_compile_features(mine PRIVATE cxx_std_17)
target_link_libraries(mine PRIVATE nightshift::nightshift)
"""


class Library(Case):
    """One install and one build for all tests: each takes seconds."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="nightshift-library-")
        cls.addClassCleanup(scratch.cleanup)
        cls.root = pathlib.Path(scratch.name) / "installed and moved"
        first = cls.root.parent / "first"
        subprocess.run(["cmake", "--install", harness.BUILD, "--prefix", first, "--strip"],
                       check=True, capture_output=True)
        first.rename(cls.root)
        sources = cls.root.parent / "sources"
        sources.mkdir()
        (sources / "main.cc").write_text(PROGRAM)
        (sources / "CMakeLists.txt").write_text(LISTS)
        cls.program = cls.built(sources) / "mine"

    @classmethod
    def built(cls, sources):
        build = cls.root.parent / f"build-{sources.name}"
        for command in (["cmake", "-S", sources, "-B", build, f"-DCMAKE_PREFIX_PATH={cls.root}",
                         "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", build]):
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
        return build

    def run_mine(self, fault, folder=""):
        environment = {k: v for k, v in os.environ.items() if k not in ("NIGHTSHIFT", "LD_LIBRARY_PATH")}
        done = subprocess.run([self.program, fault, folder], capture_output=True, text=True,
                              env=environment, cwd=self.folder, timeout=200)
        return done.stdout.strip()

    def test_a_function_is_tuned_and_the_claim_is_a_hold_outs(self):
        accepted, best, ratio, measured, failed = self.run_mine("none").split()
        self.assertEqual((accepted, best, measured, failed), ("1", "1", "4", "0"))  # all of the space, the baseline with it
        self.assertAlmostEqual(float(ratio), 0.25, delta=0.01)
        self.assertEqual(list(self.folder.iterdir()), [], "nothing is kept unless a folder is named")

    def test_a_crash_and_an_exception_cost_their_trial(self):
        for fault in ("crash", "throw"):
            self.assertEqual(self.run_mine(fault).split()[:2], ["1", "1"], fault)
        self.assertEqual(self.run_mine("throw").split()[4], "1")

    def test_a_program_with_two_of_them_and_a_study_that_stays(self):
        self.assertEqual(self.run_mine("two", str(self.folder)).split()[:2], ["1", "1"])
        told = self.run_nightshift("report", self.folder / "numbers/study", codes=(0,)).stdout
        self.assertIn("Improvement accepted", told)
        self.assertTrue((self.folder / "before/study").is_dir())

    def test_what_is_wrong_is_said(self):
        self.assertIn("four is no good", self.run_mine("baseline"))
        self.assertIn("nobody", self.run_mine("option"))

    def test_the_example_builds_and_nothing_but_the_header_is_to_be_seen(self):
        self.assertTrue((self.built(SOURCE / "packaging/example") / "blocked_sum").exists())
        shown = subprocess.run(["nm", "-DC", "--defined-only", self.root / "lib/libnightshift.so"],
                               check=True, capture_output=True, text=True).stdout
        names = [line.split(" ", 2)[2] for line in shown.splitlines()]
        others = [n for n in names if "nightshift::" in n and
                  any(inner in n for inner in ("nightshift::search", "nightshift::ipc", "nightshift::problems"))]
        self.assertEqual(others, [])


if __name__ == "__main__":
    harness.main()
