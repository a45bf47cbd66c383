"""Gates look at what changed last: tools/check_sources.py finds it in a repository, the latest first."""

import os
import subprocess
import sys

import harness
from harness import Case, SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import check_sources  # noqa: E402

HOUR = 3600


class Recent(Case):
    def setUp(self):
        super().setUp()
        self.git("init", "-q")
        self.root, check_sources.ROOT = check_sources.ROOT, self.folder

    def tearDown(self):
        check_sources.ROOT = self.root
        super().tearDown()

    def git(self, *words, hours=0):
        when = f"{1_700_000_000 + hours * HOUR} +0000"
        names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True,
                       env=os.environ | names | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when})

    def commit(self, name, hours):
        (self.folder / name).write_text(f"{hours}\n")
        self.git("add", name)
        self.git("commit", "-q", "-m", name, hours=hours)

    def test_the_latest_of_a_day_come_first(self):
        for name, hours in (("begun.cc", 0), ("old.cc", 1), ("first.cc", 30), ("twice.cc", 31), ("second.h", 40),
                            ("twice.cc", 50)):
            self.commit(name, hours)
        self.assertEqual(check_sources.recent(), ["twice.cc", "second.h", "first.cc"])
        (self.folder / "old.cc").write_text("edited\n")
        (self.folder / "new.cc").write_text("untracked\n")
        self.assertEqual(check_sources.recent(), ["old.cc", "new.cc", "twice.cc", "second.h", "first.cc"])

    def test_a_clone_of_one_commit_has_nothing(self):
        self.commit("whole.cc", 5)
        self.assertEqual(check_sources.recent(), [])


if __name__ == "__main__":
    harness.main()
