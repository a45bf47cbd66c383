"""`nightshift bisect`: a kernel in a real git repository, and real compilers."""

import json
import pathlib
import shutil
import subprocess
import unittest

import harness
from harness import STEPPED, STEPPED_REFERENCE, STUDY_FAILED, USAGE, stepped_scale

NO_DIFFERENCE, BETTER, WORSE = 0, 10, 11

PROBLEM = STEPPED + "STEPS = [2, 4]\n"

SOURCE = '#include "work.h"' + stepped_scale("WORK")


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Bisect(harness.Case):
    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.kernel = self.repository / "kernels"
        self.kernel.mkdir(parents=True)
        self.git("init", "-q")
        self.files(**{"scale.toml": PROBLEM, "scale.cc": SOURCE, "reference.cc": STEPPED_REFERENCE,
                      "work.h": "#define WORK 1\n"})
        self.commit("begin")

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.repository), "-c", "user.name=a", "-c", "user.email=a@b.c",
                               "-c", "commit.gpgsign=false", *words], check=True, capture_output=True,
                              text=True).stdout

    def files(self, **contents):
        for name, text in contents.items():
            (self.kernel / name).write_text(text)

    def commit(self, title):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", title)

    def history(self):
        """Six times the work from "slower" on; one commit does not build, one changes a comment alone."""
        self.files(**{"notes": "one"})
        self.commit("a note")
        self.files(**{"scale.cc": SOURCE + "// a remark\n"})
        self.commit("a remark")
        self.files(**{"work.h": "#error no\n"})
        self.commit("broken")
        self.files(**{"work.h": "#define WORK 1\n"})
        self.commit("mended")
        self.files(**{"work.h": "#define WORK 6\n"})
        self.commit("slower")
        self.files(**{"notes": "two"})
        self.commit("another note")

    def bisect(self, *words, codes):
        done = self.run_nightshift("bisect", self.kernel / "scale.toml", *words, "--devices", "cpu:0", codes=codes)
        return json.loads(done.stdout) if "--json" in words else done

    def test_the_commit_that_made_it_slower(self):
        self.history()
        before = self.git("status", "--porcelain", "--branch"), self.git("worktree", "list")
        told = self.bisect("--good", "HEAD~6", "--json", codes=[WORSE])
        titles = {point["name"]: point["title"] for point in told["looked_at"]}
        self.assertEqual(titles[told["first_bad"]], "slower")
        self.assertEqual(titles[told["last_good"]], "mended")
        self.assertGreater(told["step"]["interval"][0], 1)
        self.assertEqual(told["points"], 7)
        measured = [point["title"] for point in told["looked_at"] if point["against_first"]]
        self.assertEqual(measured, ["another note"], "equal machine code is measured once")
        self.assertEqual((self.git("status", "--porcelain", "--branch"), self.git("worktree", "list")), before)
        text = self.bisect("--good", "HEAD~6", "STEPS=4", codes=[WORSE]).stdout
        self.assertRegex(text, r"The first commit that is worse: \w+ \(slower\)")

    def test_commits_that_do_not_build_are_skipped_and_may_be_it(self):
        self.files(**{"work.h": "#error no\n"})
        self.commit("broken")
        self.files(**{"work.h": "#define WORK 3\n"})
        self.commit("slower")
        told = self.bisect("--good", "HEAD~2", "--json", codes=[WORSE])
        titles = {point["name"]: point["title"] for point in told["looked_at"]}
        self.assertEqual([titles[name] for name in told["suspects"]], ["broken"])
        self.assertIn("Worse from one of these commits on: ", self.bisect("--good", "HEAD~2", codes=[WORSE]).stdout)

    def test_another_call_of_the_kernel_is_skipped(self):
        self.files(**{"scale.toml": PROBLEM.replace("n = 1024", "n = 2048")})
        self.commit("twice as many")
        self.files(**{"scale.toml": PROBLEM, "work.h": "#define WORK 3\n"})
        self.commit("slower")
        told = self.bisect("--good", "HEAD~2", "--json", codes=[WORSE])
        skipped = [point for point in told["looked_at"] if point["finding"] == "skipped"]
        self.assertEqual([point["title"] for point in skipped], ["twice as many"])
        self.assertIn("sizes", skipped[0]["reason"])

    def test_ends_that_leave_nothing_to_find(self):
        self.history()
        self.assertIn("Both ends are one machine code, since what differs", self.bisect("--good", "HEAD~6", "--bad", "HEAD~2",
                                                           codes=[NO_DIFFERENCE]).stdout)
        self.files(**{"work.h": "#define WORK 1\n"})
        self.commit("faster")
        self.assertIn("The last is better", self.bisect("--good", "HEAD~1", codes=[BETTER]).stdout)
        broken = self.bisect("--good", "HEAD~7", "--bad", "HEAD~4", codes=[STUDY_FAILED])
        self.assertIn("#error no", broken.stdout)

    def test_mistakes_are_told(self):
        self.history()
        for words, expected in [
                (["--good", "HEAD", "--bad", "HEAD~2"], "--good HEAD is no ancestor of --bad HEAD~2"),
                (["--good", "nonsense"], "has no commit 'nonsense'"),
                (["--good", "--upload-pack=x"], "has no commit '--upload-pack=x'"),
                (["--good", "HEAD", "--bad", "HEAD"], "are the same commit"),
                ([], "expected --good COMMIT, or --compilers LIST"),
                (["--good", "HEAD~1", "--compilers", "g++"], "expected --good COMMIT, or --compilers LIST"),
                (["--compilers", "c++"], "expected two compilers"),
                (["--compilers", "c++,no-such-compiler"], "no-such-compiler: there is no such compiler")]:
            with self.subTest(words):
                self.assertIn(expected, self.bisect(*words, codes=[USAGE]).stderr)
        shutil.copytree(self.kernel, self.folder / "alone")
        alone = self.run_nightshift("bisect", "alone/scale.toml", "--good", "HEAD", codes=[USAGE],
                                    env={"GIT_CEILING_DIRECTORIES": str(self.folder)})
        self.assertIn("is in no git repository", alone.stderr)

    def test_compilers_in_their_order(self):
        folder = self.folder / "compilers"
        folder.mkdir()
        for name, work in (("one", 1), ("two", 1), ("three", 3), ("four", 3)):
            program = folder / name
            program.write_text(f'#!/bin/sh\nexec c++ -DFACTOR={work} "$@"\n')
            program.chmod(0o755)
        self.files(**{"work.h": "#define WORK FACTOR\n"})
        told = self.bisect("--compilers", ",".join(str(folder / name) for name in ("one", "two", "three", "four")),
                           "--json", codes=[WORSE])
        self.assertEqual((told["kind"], pathlib.Path(told["first_bad"]).name), ("compiler", "three"))
        self.assertEqual(pathlib.Path(told["last_good"]).name, "two")

    def test_a_disk_that_takes_no_more_is_no_commits_fault(self):
        """However far it gets: to the files of a commit, to its builds."""
        self.history()
        disk = self.small_disk("4k")
        for size in ("4k", "16k", "32k", "48k"):
            subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
            with self.subTest(size):
                done = self.run_nightshift("bisect", self.kernel / "scale.toml", "--good", "HEAD~6", "--devices",
                                           "cpu:0", env={"TMPDIR": str(disk)}, codes=[harness.JOURNAL, 74])
                self.assertRegex(" ".join(done.stderr.split()), "(?i)no space left")
                self.assertNotIn("skipped", done.stdout)
                self.assertEqual(list(disk.glob("nightshift-??????")), [])

    def test_files_that_git_could_not_write_are_not_taken_for_the_commits(self):
        """By a filter that fails. A commit without all of its files may well build."""
        self.history()
        (self.repository / ".git" / "info" / "attributes").write_text("notes filter=broken\n")
        self.git("config", "filter.broken.smudge", "false")
        self.git("config", "filter.broken.required", "true")
        told = self.bisect("--good", "HEAD~6", codes=[STUDY_FAILED]).stdout
        self.assertRegex(" ".join(told.split()), "Nothing can be found: .* git checkout-index failed: .*filter")


if __name__ == "__main__":
    harness.main()
