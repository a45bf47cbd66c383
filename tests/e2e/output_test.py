"""What comes out goes to standard output or into files that are asked for; where these take nothing
that is told, by every command."""

import os
import resource
import subprocess

import harness
from harness import Case, IMPROVED, JOURNAL, NO_IMPROVEMENT

OUTPUT = 74
TUNED = (IMPROVED, NO_IMPROVEMENT)


class Output(Case):
    def study(self):
        self.run_nightshift("tune", self.recorded_space(), "--budget", "40t", "--study", "study",
                            codes=TUNED)

    def full(self, *arguments, codes=(OUTPUT,)):
        with open("/dev/full", "w") as full:
            done = self.run_nightshift(*arguments, stdout=full, codes=codes)
        self.assertIn("standard output could not be written", done.stderr,
                      arguments)
        return done

    def test_help_of_every_command(self):
        commands = self.run_nightshift("commands", codes=(0,)).stdout.split()
        self.assertGreater(len(commands), 20)
        for command in commands:
            self.full(command, "--help")
        for words in (["--help"], ["-V"], ["commands"], ["help", "problem"], ["help", "--man"],
                      ["help", "--completion", "bash"]):
            self.full(*words)

    def test_commands_that_tell_of_a_study(self):
        self.study()
        for words in (["report", "study"], ["report", "study", "--markdown"], ["status", "study"],
                      ["status", "study", "--json"], ["explain", "study", "1"],
                      ["export", "study", "--format", "csv"], ["export", "study", "--format", "header"],
                      ["check", "space.json"], ["check", "space.json", "--json"], ["devices"]):
            self.full(*words)

    def test_the_work_of_a_run_is_done_and_kept(self):
        self.full("tune", self.recorded_space(), "--budget", "40t", "--study", "study", "--json")
        self.assertEqual(len([row for row in self.csv_rows() if row["job"] == "explore"]), 40)
        self.full("resume", "study", "--json")

    def test_what_failed_keeps_its_own_code(self):
        with open("/dev/full", "w") as full:
            self.run_nightshift("report", "nowhere", stdout=full, codes=(2, JOURNAL))
            self.run_nightshift("tune", "--wrong", stdout=full, codes=(2,))

    def test_a_reader_who_has_left_is_no_error(self):
        self.study()
        for words in (["export", "study", "--format", "csv"], ["report", "study"], ["help", "problem"]):
            read, write = os.pipe()
            os.close(read)
            try:
                done = self.run_nightshift(*words, stdout=write, codes=(0,))
            finally:
                os.close(write)
            self.assertEqual(done.stderr, "", words)

    def test_a_closed_output_is_told_and_no_file_takes_its_place(self):
        done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", harness.NIGHTSHIFT, "tune",
                               self.recorded_space(), "--budget", "40t", "--study", "study", "--json"],
                              cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, OUTPUT, done.stderr)
        self.assertIn("standard output could not be written", done.stderr)
        self.assertEqual(len([row for row in self.csv_rows() if row["job"] == "explore"]), 40)

    def test_files_that_are_asked_for(self):
        self.study()
        for words in (["report", "study", "--html"], ["export", "study", "--format", "csv", "--output"]):
            done = self.run_nightshift(*words, "/dev/full", codes=(OUTPUT,))
            self.assertIn("/dev/full could not be written: No space left on device", done.stderr)

    def test_a_limit_of_file_sizes_is_told(self):
        self.study()
        limit = 4096
        done = self.run_nightshift("export", "study", "--format", "csv", "--output", "out.csv",
                                   codes=(OUTPUT,), preexec_fn=lambda: resource.setrlimit(
                                       resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertIn("out.csv could not be written: File too large", done.stderr)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_a_limit_of_file_sizes_below_what_is_shared_with_an_evaluator(self):
        problem = self.write("p.toml", harness.json_program("p", 12))
        self.write("work.sh", "echo '{\"time\": 100}'\n")
        limit = 2 << 20
        done = self.run_nightshift("tune", problem, "--budget", "3t", "--study", "study", codes=(OUTPUT,),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        told = " ".join(done.stderr.split())
        self.assertIn("a file may have 2048 KiB here (`ulimit -f`)", told)
        self.assertIn("`ulimit -f unlimited`", told)
        self.run_nightshift("resume", "study", codes=(IMPROVED, NO_IMPROVEMENT))

    def test_a_history_that_takes_nothing_more(self):
        for study, history, words in (
                ("one", "/dev/full", "/dev/full could not be written: No space left on device"),
                ("two", self.folder / "space.json" / "history.jsonl",
                 "history.jsonl could not be written: Not a directory")):
            done = self.run_nightshift("tune", self.recorded_space(), "--budget", "40t", "--study", study, "--json",
                                       env={"NIGHTSHIFT_HISTORY": str(history)}, codes=(OUTPUT,))
            self.assertIn(words, " ".join(done.stderr.split()))
            self.assertEqual(len([row for row in self.csv_rows(study) if row["job"] == "explore"]), 40)

    def test_a_home_without_a_place_for_the_history_costs_nothing(self):
        done = self.run_nightshift("tune", self.recorded_space(), "--budget", "40t", "--study", "study",
                                   env={"NIGHTSHIFT_HISTORY": "", "XDG_STATE_HOME": str(self.folder / "space.json")},
                                   codes=TUNED)
        self.assertIn("no history is kept", " ".join(done.stderr.split()))

    def test_what_a_study_keeps_beside_its_journal(self):
        self.study()
        report = self.folder / "study" / "report.txt"
        report.unlink()
        report.mkdir()
        done = self.run_nightshift("resume", "study", "--budget", "50t", codes=(OUTPUT,))
        self.assertIn("report.txt cannot be written: it is a folder", " ".join(done.stderr.split()))

    def test_a_spreadsheet_computes_nothing(self):
        space = harness.recorded_space((4, 4, 2))
        values = ["=1+1", "+a", "-O2", "@x"]
        space["tune_params"]["tile_x"] = values
        cache = {}
        for key, entry in space["cache"].items():
            x, rest = key.split(",", 1)
            cache[f"{values[int(x) - 1]},{rest}"] = dict(entry, tile_x=values[int(x) - 1])
        space["cache"] = cache
        problem = self.write("words.json", harness.json.dumps(space))
        self.run_nightshift("tune", problem, "--budget", "32t", "--study", "study", codes=TUNED)
        cells = {row["tile_x"] for row in self.csv_rows()}
        self.assertLessEqual(cells, {f"'{value}" for value in values})

    def test_what_is_no_file_in_the_place_of_a_report_is_left_as_it_is(self):
        self.study()
        report = self.folder / "study" / "report.txt"
        for trials, make in ((50, os.mkfifo), (60, os.mkdir), (70, lambda path: path.symlink_to("/dev/zero"))):
            report.unlink()
            make(report)
            done = self.run_nightshift("resume", "study", "--budget", f"{trials}t", codes=(OUTPUT,))
            self.assertIn("report.txt cannot be written: it is", done.stderr)
            self.assertIn("remove it", done.stderr)
            self.assertFalse(report.is_file())
            if report.is_dir():
                report.rmdir()
                report.touch()
        report.unlink()
        self.run_nightshift("resume", "study", "--budget", "80t", codes=TUNED)
        self.assertTrue(report.is_file())

    def test_a_page_of_a_study_that_is_no_file_is_left_out_of_its_batch(self):
        batch = self.write("night.toml", f'[[study]]\nproblem = "{self.recorded_space().name}"\nbudget = "40t"\n')
        self.run_nightshift("batch", "run", batch, codes=TUNED)
        page = self.folder / "batches" / "night" / "space" / "report.html"
        os.mkfifo(page)
        done = self.run_nightshift("report", "batches/night", "--html", "night.html", codes=(OUTPUT,))
        self.assertIn("report.html cannot be written: it is no regular file", done.stderr)
        self.assertTrue((self.folder / "night.html").is_file())
        page.unlink()
        self.run_nightshift("report", "batches/night", "--html", "night.html", codes=(0,))


if __name__ == "__main__":
    harness.main()
