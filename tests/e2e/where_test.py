"""Each source is found in its tests at once: tests/PATH_test.cc is the mirror of PATH.cc, and
tests/where.txt names for every other source above 60 lines the test that would fail. That list may only
shrink: a source that has its mirror, or is gone, has no row."""

import unittest

from harness import SOURCE

ROOMS = ("base", "search", "ipc", "problems", "evaluator", "scheduler", "tools")
LONG = 60  # lines
MOST_ROWS = 287


def sources():
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.cc")):
            if not path.is_relative_to(SOURCE / "tools" / "bench"):
                yield path


def mirror_of(path):
    name = path.relative_to(SOURCE).with_suffix("")
    return SOURCE / "tests" / f"{name}_test.cc"


class Where(unittest.TestCase):
    def setUp(self):
        lines = (SOURCE / "tests" / "where.txt").read_text().splitlines()
        self.rows = dict(line.split() for line in lines)
        self.assertEqual(len(self.rows), len(lines), "a source has two rows")

    def test_every_long_source_has_its_mirror_or_a_row(self):
        lost = [str(path.relative_to(SOURCE)) for path in sources()
                if len(path.read_text().splitlines()) > LONG and not mirror_of(path).exists()]
        self.assertEqual([name for name in lost if name not in self.rows], [])
        self.assertEqual([name for name in self.rows if name not in lost], [],
                         "needs no row any more")

    def test_rows_name_tests_that_are_there(self):
        self.assertEqual([test for test in self.rows.values() if not (SOURCE / test).is_file()], [])

    def test_the_list_only_shrinks(self):
        self.assertLessEqual(len(self.rows), MOST_ROWS)


if __name__ == "__main__":
    unittest.main()
