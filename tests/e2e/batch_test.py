"""Several studies in one queue: alone and together they come out the same, and what was cut off goes on."""

import json
import random
import signal
import time

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, USAGE

UNFINISHED = 75


class Batch(Case):
    def spaces(self, count):
        return [self.recorded_space(f"space{i}.json", (6 + i % 3, 8, 6)) for i in range(count)]

    def batch_of(self, spaces, **settings):
        lines = ["[defaults]", 'budget = "60t"', 'set = { search.seed = 3 }']
        for space in spaces:
            lines += ["[[study]]", f'problem = "{space.name}"']
            lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        return self.write("night.toml", "\n".join(lines) + "\n")

    def outcome(self, name):
        done = self.run_nightshift("resume", f"batches/night/{name}", "--json",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        result = json.loads(done.stdout)
        for key in ("study", "seconds"):
            del result[key]
        return result

    def test_each_study_ends_as_it_would_alone(self):
        spaces = self.spaces(4)
        done = self.run_nightshift("batch", "run", self.batch_of(spaces), codes=(IMPROVED,))
        self.assertIn("4 of 4 studies are done, 4 improvements hold over the whole batch",
                      done.stdout)
        for space in spaces:
            alone = self.tune(space, "--budget", "60t", "--seed", "3", study=f"alone-{space.stem}")
            for key in ("study", "seconds"):
                del alone[key]
            self.assertEqual(self.outcome(space.stem), alone)

    def test_the_same_command_leaves_what_is_done(self):
        batch = self.batch_of(self.spaces(2))
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        again = self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        self.assertEqual(again.stdout.count("done already"), 2)

    def test_a_broken_study_leaves_the_others_their_way(self):
        spaces = self.spaces(2)
        (self.folder / "space0.json").write_text("{")
        spaces.append(self.folder / "nowhere.json")
        done = self.run_nightshift("batch", "run", self.batch_of(spaces), codes=(IMPROVED,))
        self.assertIn("1 of 3 studies are done", done.stdout)
        self.assertRegex(done.stdout, r"space0 +not begun .*space0\.json")
        self.assertRegex(done.stdout, r"nowhere +not begun .*nowhere\.json")

    def test_a_mistake_in_the_batch_file_is_told_with_its_line(self):
        done = self.run_nightshift("batch", "run", self.write("night.toml", """
[[study]]
problme = "a.toml"
"""), codes=(USAGE,))
        self.assertIn("night.toml:3:", done.stderr)
        self.assertIn("did you mean 'problem'?", done.stderr)

    def test_a_batch_of_nothing_is_a_wrong_command_line(self):
        done = self.run_nightshift("batch", "run", codes=(USAGE,))
        self.assertIn("FILE is missing", done.stderr)

    def test_a_batch_that_runs_is_not_run_twice(self):
        batch = self.slow_batch()
        first = self.start("batch", "run", batch)
        self.until_journals(1)
        second = self.run_nightshift("batch", "run", batch)
        self.assertEqual(second.returncode, harness.JOURNAL)
        self.assertIn("running already", second.stderr)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(first.returncode, UNFINISHED)

    def slow_batch(self):
        """Studies of commands, which take real time."""
        self.write("work.sh", "sleep 0.02; echo '{\"time\": '$(( 100 + $1 ))'}'\n")
        for name in "abc":
            self.write(f"{name}.toml", f"""
name = "{name}"
[command]
argv = ["sh", "work.sh", "{{x}}"]
runs = 1
[parameters]
x = {{ range = [1, 12] }}
[[objective]]
name = "time"
unit = "ms"
[baseline]
x = 12
[acceptance]
confidence = "quick"
""")
        return self.write("night.toml", "".join(
            f'[[study]]\nproblem = "{name}.toml"\nbudget = "12t"\n' for name in "abc"))

    def test_studies_may_share_cores(self):
        self.slow_batch()
        path = self.folder / "a.toml"  # on one core, the others on all
        path.write_text(path.read_text().replace("[command]", "[command]\ncores = 1"))
        done = self.run_nightshift("batch", "run", "night.toml",
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("3 of 3 studies are done", done.stdout)

    def until_journals(self, count):
        deadline = time.monotonic() + harness.TIMEOUT
        while len(list(self.folder.glob("batches/night/*/journal.sqlite"))) < count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_kills_at_random_instants_lose_and_double_nothing(self):
        batch = self.slow_batch()
        instants = random.Random(5)
        for _ in range(4):
            process = self.start("batch", "run", batch)
            try:
                process.communicate(timeout=0.2 + 1.5 * instants.random())
            except Exception:
                process.kill()
                process.communicate()
        done = self.run_nightshift("batch", "run", batch, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertIn("3 of 3 studies are done", done.stdout)
        for name in "abc":
            explored = [row["x"] for row in self.csv_rows(f"batches/night/{name}")
                        if row["job"] == "explore"]
            self.assertEqual(sorted(map(int, explored)), list(range(1, 13)))

    def test_a_deadline_is_kept(self):
        batch = self.slow_batch()
        began = time.monotonic()
        self.run_nightshift("batch", "run", batch, "--time", "6s",
                            codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertLess(time.monotonic() - began, harness.TIMEOUT)
        for name in "abc":
            self.assertTrue((self.folder / "batches/night" / name / "journal.sqlite").exists())


if __name__ == "__main__":
    harness.main()
