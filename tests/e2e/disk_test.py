"""Disks that are full or must not be written: one clear message, and a journal that stays good."""

import contextlib
import json
import os
import subprocess
import sys

import harness
from harness import Case, host_scale, IMPROVED, IN_SHORT, JOURNAL, NO_IMPROVEMENT

OUTPUT = 74


class Disk(Case):
    def test_a_full_disk_stops_the_run_and_keeps_the_journal(self):
        disk = self.small_disk("2m")
        space = self.recorded_space(sizes=(16, 16, 12))
        done = self.run_nightshift("tune", space, "--budget", "3000t", "--study", disk / "study",
                                   codes=(JOURNAL,))
        self.assertIn("study", done.stderr)
        self.assertRegex(done.stderr, "full|space")
        rows = self.csv_rows(disk / "study")
        self.assertGreater(len(rows), 1)
        # With room again it goes on where it was.
        subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
        resumed = self.run_nightshift("resume", disk / "study", "--json",
                                      codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(json.loads(resumed.stdout)["evaluations"], 3000)
        self.assertEqual(self.csv_rows(disk / "study")[:len(rows)], rows)

    def test_a_full_disk_interrupts_the_studies_of_a_batch_which_go_on(self):
        disk = self.small_disk("2m")
        spaces = [self.recorded_space(f"s{i}.json", sizes=(16, 16, 12)) for i in range(2)]
        batch = self.write("night.toml", '[defaults]\nbudget = "3000t"\n' + "".join(
            f'[[study]]\nproblem = "{space.name}"\n' for space in spaces))
        done = self.run_nightshift("batch", "run", batch, "--batch", disk / "night", codes=(75,))
        self.assertRegex(done.stdout, r"s0 +interrupted .*no space left")
        subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
        self.run_nightshift("batch", "run", batch, "--batch", disk / "night",
                            codes=(IMPROVED, NO_IMPROVEMENT))
        for name in ("s0", "s1"):
            explored = [row for row in self.csv_rows(disk / "night" / name)
                        if row["job"] == "explore"]
            self.assertEqual(len({(row["tile_x"], row["tile_y"], row["unroll"]) for row in explored}), 3000)
            self.assertEqual(len(explored), 3000)

    # Its machine code is more than a megabyte.
    LARGE = """
const float table[300000] = {1};
void scale(float* x) {
  for (int r = 0; r < 4 * WORK; ++r)
    for (int i = 0; i < N; ++i) asm volatile("" : : "r"(x[i]));
  for (int i = 0; i < N; ++i) x[i] = 2 * x[i] + table[300000 - 1 - i];
}
"""
    BUILDS = host_scale("WORK = [6, 5, 4, 3, 2, 1]", IN_SHORT,
                        host='reference = { file = "reference.cc", function = "scale" }')

    def write_large_kernel(self):
        self.write("scale.cc", self.LARGE)
        self.write("reference.cc", "void scale(double* x) { for (int i = 0; i < N; ++i) x[i] *= 2; }\n")
        return self.write("large.toml", self.BUILDS)

    def explored(self, study):
        return [row["status"] for row in self.csv_rows(study) if row["job"] == "explore"]

    def test_builds_that_find_no_room_are_no_failures_of_their_configurations(self):
        problem = self.write_large_kernel()
        disk = self.small_disk("4m")
        done = self.run_nightshift("tune", problem, "--study", disk / "study", "--budget", "6t", codes=(JOURNAL,))
        self.assertRegex(" ".join(done.stderr.split()), f"there is no space left in {disk}.*Free some")
        self.assertNotIn("build_failed", self.explored(disk / "study"))
        again = self.run_nightshift("resume", disk / "study", codes=(JOURNAL,))
        self.assertIn("no space left", again.stderr)
        subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
        self.run_nightshift("resume", disk / "study", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertLessEqual(set(self.explored(disk / "study")), {"measured", "skipped"})

    def test_a_batch_whose_builds_find_no_room_is_interrupted_and_goes_on(self):
        problem = self.write_large_kernel()
        disk = self.small_disk("4m")
        batch = self.write("night.toml", f'[[study]]\nproblem = "{problem.name}"\nname = "large"\nbudget = "6t"\n')
        done = self.run_nightshift("batch", "run", batch, "--batch", disk / "night", codes=(75,))
        self.assertRegex(done.stdout, "large +interrupted .*no space left")
        subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
        self.run_nightshift("batch", "run", batch, "--batch", disk / "night", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertLessEqual(set(self.explored(disk / "night" / "large")), {"measured", "skipped"})

    def full_disk(self):
        disk = self.small_disk("16k")
        with contextlib.suppress(OSError):
            (disk / "rest").write_bytes(b"x" * 16384)
        return disk

    def test_whatever_cannot_be_written_ends_with_one_message_and_leaves_nothing(self):
        problem = self.write_large_kernel()
        self.run_nightshift("tune", problem, "--study", "study", "--budget", "6t", codes=(IMPROVED,))
        disk = self.full_disk()
        before = sorted(path.name for path in disk.rglob("*"))
        temporary = {"TMPDIR": str(disk)}
        for words, environment in (
                (("export", "study", "--format", "bundle", "--output", disk / "bundle"), None),
                (("export", "study", "--format", "json", "--output", disk / "best.json"), None),
                (("init", "scale.cc", "--output", disk / "p.toml"), None),
                (("report", "study", "--html", disk / "r.html"), None),
                (("collect", "--output", disk, "--", "true"), None),
                (("code", "study", "best"), temporary),
                (("check", problem), temporary),
                (("judge", problem, "--candidate", "scale.cc"), temporary)):
            done = self.run_nightshift(*words, env=environment, codes=(OUTPUT,))
            self.assertRegex(done.stderr, "No space left on device", words)
            self.assertLess(len(done.stderr.splitlines()), 6, words)
            self.assertEqual(sorted(path.name for path in disk.rglob("*") if path.name != ".lock"), before, words)

    def test_a_merge_without_room_leaves_no_half_study_and_can_be_made_again(self):
        space = self.recorded_space(sizes=(8, 8, 8))
        disk = self.small_disk("40m")
        study = f'[[study]]\nproblem = "{space}"\nname = "NAME"\nbudget = "300t"\n'
        night = self.write("night.toml", study.replace("NAME", "one"))
        self.run_nightshift("batch", "run", night, "--batch", disk / "night", codes=(IMPROVED, NO_IMPROVEMENT))
        shard = self.write("shard.toml", study.replace("NAME", "two"))
        (disk / "night/shards/1").mkdir(parents=True)
        self.run_nightshift("batch", "run", shard, "--batch", disk / "night/shards/1",
                            codes=(IMPROVED, NO_IMPROVEMENT))
        used = os.statvfs(disk)
        used = (used.f_blocks - used.f_bfree) * used.f_frsize
        subprocess.run(["mount", "-o", f"remount,size={used + 64 * 1024}", disk], check=True)
        done = self.run_nightshift("merge", disk / "night", codes=(JOURNAL,))
        self.assertRegex(" ".join(done.stderr.split()), "shards/1/two cannot be copied to .*/night/two .*make sure that there is space")
        self.assertFalse((disk / "night/two.incoming").exists())
        subprocess.run(["mount", "-o", "remount,size=40m", disk], check=True)
        self.assertIn("1 studies taken over", self.run_nightshift("merge", disk / "night", codes=(0,)).stdout)

    def test_a_full_disk_leaves_no_half_line_in_the_history(self):
        disk = self.small_disk("8k")
        history = disk / "history.jsonl"
        kept = {"NIGHTSHIFT_HISTORY": str(history)}
        space = self.recorded_space()
        self.run_nightshift("tune", space, "--budget", "5t", "--study", "one", env=kept,
                            codes=(IMPROVED, NO_IMPROVEMENT))
        line = history.read_bytes()
        size = os.statvfs(disk).f_frsize
        history.write_bytes(line + b"\n" * (size - len(line) - 20))  # a page, and 20 bytes of it are left
        (disk / "rest").write_bytes(b"x" * size)
        before = history.read_bytes()
        done = self.run_nightshift("tune", space, "--budget", "5t", "--study", "two", env=kept, codes=(74,))
        self.assertIn("could not be written: No space left on device", " ".join(done.stderr.split()))
        self.assertEqual(history.read_bytes(), before)

    def test_no_room_for_a_study_at_all(self):
        disk = self.small_disk("16k")
        (disk / "rest").write_bytes(b"x" * 12288)
        done = self.run_nightshift("tune", self.recorded_space(), "--budget", "5t", "--study",
                                   disk / "study", codes=(JOURNAL,))
        self.assertIn("study", done.stderr)

    def test_a_read_only_disk(self):
        disk = self.small_disk("10m")
        space = self.recorded_space()
        self.tune(space, "--budget", "20t", study=disk / "study")
        before = self.export("csv", disk / "study")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        done = self.run_nightshift("tune", space, "--study", disk / "other", codes=(JOURNAL,))
        self.assertIn("other", done.stderr)
        # What is there can be asked about.
        self.assertEqual(self.export("csv", disk / "study"), before)
        self.run_nightshift("report", disk / "study", codes=(0,))

    def test_a_folder_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        self.addCleanup(closed.chmod, 0o700)
        done = self.run_nightshift("tune", self.recorded_space(), "--study", closed / "study",
                                   codes=(JOURNAL,))
        self.assertIn("closed", done.stderr)


if __name__ == "__main__":
    harness.main()
