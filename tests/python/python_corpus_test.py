"""What tools/bench/python_corpus.py makes of studies: what counts as a verdict, what is compared again,
and how a batch ends in the time that it is given."""

import contextlib
import io
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import types
import unittest

from harness import SOURCE

sys.path.insert(0, str(SOURCE / "tools/bench"))
import python_corpus as corpus  # noqa: E402


def improvement(reason, accepted=False):
    return {"reason": reason, "accepted": accepted, "ratio": 0.9}


class PythonCorpus(unittest.TestCase):
    def test_a_verdict_says_yes_or_no_of_all_that_it_takes(self):
        for reason, expected in [
                ("no trial beat the baseline", True),
                ("no trial beat the baseline by acceptance.min_improvement, 0.5 %: the best one, trial 4, "
                 "looks 0.04 % better", True),
                ("the hold-out did not confirm it: candidate 1.5 % better than the baseline after 12 pairs, "
                 "which may be chance: p = 0.1", True),
                ("the hold-out did not confirm it: 4 pairs are too few to claim by", False),
                ("no candidate was confirmed: the best one, trial 4, was rejected: too little time is left "
                 "to show a gain", False),
                ("no candidate was confirmed: the time budget was used up", False),
                ("trial 4 looks better than the baseline but was not confirmed", False)]:
            with self.subTest(reason):
                self.assertIs(corpus.has_verdict(improvement(reason)), expected)
        self.assertTrue(corpus.has_verdict(improvement("confirmed on new data", True)))

    def test_what_has_a_best_and_no_comparison_is_compared(self):
        self.assertTrue(corpus.is_to_compare({"best": {"way": "1"}}))
        self.assertFalse(corpus.is_to_compare({"best": {"way": "1"}, "side_by_side": {"ours": 1}}))
        self.assertFalse(corpus.is_to_compare({"error": "it was not begun"}))

    def test_a_batch_whose_time_is_over_is_interrupted(self):
        batch = subprocess.Popen(
            [sys.executable, "-c", "import signal\n"
             "def end(*_): raise SystemExit(7)\n"
             "signal.signal(signal.SIGINT, end)\nprint(flush=True)\nwhile True: signal.pause()"],
            stdout=subprocess.PIPE)
        batch.stdout.readline()
        corpus.await_end(batch, -1)
        batch.stdout.close()
        self.assertEqual(batch.returncode, 7)

    def test_a_batch_that_ends_by_itself_is_left_alone(self):
        batch = subprocess.Popen([sys.executable, "-c", ""])
        corpus.await_end(batch, float("inf"))
        self.assertEqual(batch.returncode, 0)

    def test_a_study_that_did_not_complete_is_not_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.closing(sqlite3.connect(f"{folder}/journal.sqlite")) as journal, journal:
                journal.execute("CREATE TABLE runs(run INTEGER PRIMARY KEY, status TEXT, reason TEXT)")
                journal.execute("INSERT INTO runs VALUES(1, 'interrupted', 'a signal stopped it')")
            nobody = types.SimpleNamespace(nightshift="/nonexistent")
            self.assertEqual(corpus.studied(nobody, pathlib.Path(folder)),
                             {"error": "interrupted: a signal stopped it"})

    def test_a_row_of_the_table_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "rows.json")
            file.write_text(json.dumps({"one": {"error": "failed: no device is left:\n  wrong result"}}))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                corpus.table([file])
        self.assertIn("| `one` | no | failed: no device is left: wrong result | | | | | |\n",
                      printed.getvalue())


if __name__ == "__main__":
    unittest.main()
