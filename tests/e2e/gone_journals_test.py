"""A batch one of whose journals is gone, empty or cut: recheck, table and merge name it, and look at the others."""

import json
import shutil

import harness
from harness import Case, IMPROVED, JOURNAL, USAGE

PROBLEM = """
name = "p"
[command]
argv = ["sh", "-c", "echo time {A}.$(( $(od -An -N2 -tu2 /dev/urandom) % 10 ))"]
runs = 1
[[command.figure]]
source = "regex"
key = "time ([0-9.]+)"
[parameters]
A = [60, 30, 80]
[acceptance]
confidence = "quick"
"""
BATCH = """
[[study]]
name = "a"
problem = "p.toml"
shape = { N = 64 }
set = { search.seed = 3 }
[[study]]
name = "b"
problem = "p.toml"
shape = { N = 128 }
set = { search.seed = 4 }
"""
GONE = "the journal {}/journal.sqlite is gone, and with it what a measured"


def cut(study):
    """To what every SQLite file begins with."""
    for beside in study.glob("journal.sqlite-*"):
        beside.unlink()
    journal = study / "journal.sqlite"
    journal.write_bytes(journal.read_bytes()[:100])


def empty(study):
    for beside in study.glob("journal.sqlite-*"):
        beside.unlink()
    (study / "journal.sqlite").write_bytes(b"")


def remove(study):
    for file in study.glob("journal.sqlite*"):
        file.unlink()


DAMAGES = ((remove, GONE), (shutil.rmtree, GONE), (empty, "{}/journal.sqlite is damaged: the file is empty"),
           (cut, "{}/journal.sqlite cannot be read"))


class GoneJournals(Case):
    def setUp(self):
        super().setUp()
        self.write("p.toml", PROBLEM)
        self.night = self.write("night.toml", BATCH)

    def run_batch(self, folder):
        self.run_nightshift("batch", "run", self.night, "--batch", folder, codes=(IMPROVED,))
        shutil.copytree(self.folder / folder, self.folder / "kept")

    def damaged(self, folder):
        """What to expect of each way in which the journal of a is harmed, once it is."""
        for damage, words in DAMAGES:
            damage(self.folder / folder / "a")
            yield words.format(f"{folder}/a")
            shutil.rmtree(self.folder / folder)
            shutil.copytree(self.folder / "kept", self.folder / folder)

    def test_recheck_has_the_verdicts_of_the_others_and_ends_with_the_journals_code(self):
        self.run_batch("batches/night")
        for words in self.damaged("batches/night"):
            done = self.run_nightshift("recheck", "batches/night", codes=(JOURNAL,))
            text = " ".join(done.stdout.split())
            self.assertIn("1 winner: 1 unchanged", text)
            self.assertIn("batches/night/b", text)
            self.assertIn(words, text)
            found = json.loads(self.run_nightshift("recheck", "batches/night", "--json", codes=(JOURNAL,)).stdout)
            self.assertIn(words, " ".join(found["notices"]))
            alone = self.run_nightshift("recheck", "batches/night/a", codes=(USAGE, JOURNAL))
            self.assertEqual(alone.stdout, "")
        self.run_nightshift("recheck", "batches/night", codes=(0,))

    def test_a_table_is_made_of_the_others(self):
        self.run_batch("batches/night")
        for words in self.damaged("batches/night"):
            text = " ".join(self.run_nightshift("table", "batches/night", codes=(0,)).stdout.split())
            self.assertIn("a is left out: ", text)
            self.assertIn(words, text)
            table = json.loads((self.folder / "batches/night/table/table.json").read_text())
            self.assertEqual([row["sizes"] for row in table["rows"]], [{"N": 128}])

    def test_shards_are_merged_without_it_and_with_it_once_it_is_back(self):
        self.run_nightshift("batch", "run", "p.toml", "--batch", "night", codes=(IMPROVED,))
        shutil.copytree(self.folder / "night", self.folder / "without")
        self.run_batch("night/shards/1")
        for words in self.damaged("night/shards/1"):
            merged = self.run_nightshift("merge", "night", codes=(JOURNAL,))
            text = " ".join(merged.stdout.split())
            self.assertIn("1 shard joined: 1 studies taken over, 0 left as they are", text)
            self.assertIn(words, text)
            self.assertIn("a: ", text)
            self.assertIn(words, " ".join(self.run_nightshift("report", "night", codes=(0,)).stdout.split()))
            self.assertIn("night/a/journal.sqlite is gone", self.run_nightshift("status", "night", codes=(0,)).stdout)
            again = self.put_back_and_merge()
            self.assertIn("1 shard joined: 1 studies taken over, 1 left as they are", again)
            shutil.rmtree(self.folder / "night")
            shutil.copytree(self.folder / "without", self.folder / "night")
            shutil.copytree(self.folder / "kept", self.folder / "night/shards/1")

    def test_a_journal_in_the_place_of_anothers_is_refused_by_all_who_read_it(self):
        self.run_batch("batches/night")
        shutil.rmtree(self.folder / "batches/night/b")
        shutil.copytree(self.folder / "batches/night/a", self.folder / "batches/night/b")
        words = "batches/night/b/journal.sqlite is damaged: it is that of the study a, not of b"
        done = self.run_nightshift("recheck", "batches/night", codes=(JOURNAL,))
        text = " ".join(done.stdout.split())
        self.assertIn("1 winner: 1 unchanged", text)
        self.assertIn(words, text)
        text = " ".join(self.run_nightshift("table", "batches/night", codes=(0,)).stdout.split())
        self.assertIn("b is left out: ", text)
        self.assertIn(words, text)
        study = "batches/night/b"
        for command in (("recheck", study), ("export", study, "--format", "json"), ("report", study),
                        ("explain", study, "--parameters"), ("explain", study, "best"),
                        ("compare", study), ("compare", "p.toml", study), ("resume", study)):
            refused = self.run_nightshift(*command, codes=(JOURNAL,))
            self.assertEqual(refused.stdout, "", command)
            self.assertIn(words, " ".join(refused.stderr.split()), command)
        self.run_nightshift("export", "batches/night/a", "--format", "json", codes=(0,))
        (self.folder / "batches/night/batch.sqlite").rename(self.folder / "aside")
        self.run_nightshift("export", study, "--format", "json", codes=(0,))  # in no batch any more

    def test_a_shards_journal_in_the_place_of_anothers_is_not_taken(self):
        self.run_nightshift("batch", "run", "p.toml", "--batch", "night", codes=(IMPROVED,))
        self.run_batch("night/shards/1")
        shutil.rmtree(self.folder / "night/shards/1/b")
        shutil.copytree(self.folder / "night/shards/1/a", self.folder / "night/shards/1/b")
        text = " ".join(self.run_nightshift("merge", "night", codes=(JOURNAL,)).stdout.split())
        self.assertIn("1 shard joined: 1 studies taken over, 0 left as they are", text)
        self.assertIn("night/shards/1/b/journal.sqlite is damaged: it is that of the study a, not of b", text)

    def put_back_and_merge(self):
        shutil.rmtree(self.folder / "night/shards/1")
        shutil.copytree(self.folder / "kept", self.folder / "night/shards/1")
        return self.run_nightshift("merge", "night", codes=(0,)).stdout


if __name__ == "__main__":
    harness.main()
