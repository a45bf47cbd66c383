"""tools/check_layers.py finds every kind of offence."""

import subprocess
import sys

import harness
from harness import Case

CHECK = harness.SOURCE / "tools" / "check_layers.py"


class Layers(Case):
    def check(self, files):
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, "-B", CHECK, self.folder], capture_output=True, text=True)

    def test_downwards_is_fine(self):
        done = self.check({"search/a.h": "#include <vector>\n", "ipc/messages.h": '#include "search/a.h"\n',
                           "scheduler/b.cc": '#include "ipc/messages.h"\n#include "scheduler/c.h"\n',
                           "tools/d.cc": '#include "scheduler/c.h"\n',
                           "tools/bench/e.cc": '#include "tests/fakes/f.h"\n'})
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_offences_are_named_by_file_and_line(self):
        done = self.check({"search/a.h": '#pragma once\n#include "ipc/messages.h"\n',
                           "ipc/unique_fd.h": '#include "search/a.h"\n',
                           "scheduler/b.cc": '#include "problems/problem_file.h"\n',
                           "problems/c/d.cc": '# include "evaluator/serve.h"\n',
                           "evaluator/e.cc": '#include "tools/text/format.h"\n',
                           "tools/f.cc": '#include "tests/fakes/f.h"\n',
                           "tools/bench/g.cc": '#include "tests/ipc/roles.h"\n'})
        self.assertEqual(done.returncode, 1)
        for place in ("search/a.h:2", "ipc/unique_fd.h:1", "scheduler/b.cc:1", "problems/c/d.cc:1",
                      "evaluator/e.cc:1", "tools/f.cc:1", "tools/bench/g.cc:1"):
            self.assertIn(place, done.stdout)
        self.assertIn("7 offences", done.stdout)

    def test_a_folder_that_grows_into_a_sheet_is_an_offence(self):
        files = {f"tools/feature/{i}.h": "" for i in range(31)}
        self.assertEqual(self.check(dict(list(files.items())[:30])).returncode, 0)
        done = self.check(files)
        self.assertEqual(done.returncode, 1)
        self.assertIn("tools/feature/: 31 headers and sources, 30 at most", done.stdout)

    def test_a_file_that_grows_past_its_idea_is_an_offence(self):
        self.assertEqual(self.check({"tools/a.h": "\n" * 150, "tools/a.cc": "\n" * 400}).returncode, 0)
        done = self.check({"tools/a.h": "\n" * 151, "tools/a.cc": "\n" * 401,
                           "tests/tools/a_test.cc": "\n" * 900})
        self.assertEqual(done.returncode, 1)
        self.assertIn("tools/a.h: 151 lines, 150 at most", done.stdout)
        self.assertIn("tools/a.cc: 401 lines, 400 at most", done.stdout)
        self.assertIn("2 offences", done.stdout)

    def test_an_empty_folder_is_no_success(self):
        self.assertEqual(self.check({}).returncode, 1)


if __name__ == "__main__":
    harness.main()
