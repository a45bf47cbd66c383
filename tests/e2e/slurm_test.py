"""A batch as a job of a real Slurm, which is brought up here (tests/slurm/slurm_local.sh): submitted, cancelled,
cut off by its time limit and by a more urgent job, on a node that is drained, divided and merged."""

import concurrent.futures
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import harness
from harness import BUILD, Case, DEVICE, IMPROVED, JOURNAL, USAGE
from slurm_cluster import CONF, Cluster, ENDED, WHY_NOT



class Folder(Case):
    def setUp(self):
        super().setUp()
        # Each node has a /tmp of its own. Everything that is odd about a path stands in this one.
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=BUILD, prefix="o'dd \"x\" 50% $HOME "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def spaces(self, count):
        for i in range(count):
            self.recorded_space(f"space{i}.json", (6 + i % 3, 8, 6))
        return self.write("night.toml", '[defaults]\nbudget = "60t"\nset = { search.seed = 3 }\n' + "".join(
            f'[[study]]\nproblem = "space{i}.json"\n' for i in range(count)))


class WithoutSlurm(Folder):
    """Programs in the place of Slurm's."""

    def fake(self, name, script):
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)

    def submit(self, *options, codes):
        return self.run_nightshift("submit", self.spaces(1), *options, codes=codes,
                                   env={"PATH": f"{self.folder}/bin:/usr/bin:/bin"})

    def test_where_slurm_refuses_its_words_are_shown(self):
        self.fake("sbatch", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1")
        done = self.submit("--partition", "nope", codes=(DEVICE,))
        self.assertIn("invalid partition specified: nope", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_where_there_is_no_slurm_that_is_said(self):
        done = self.run_nightshift("submit", self.spaces(1), codes=(DEVICE,), env={"PATH": "/nowhere"})
        self.assertIn("sbatch is not there", done.stderr)

    def test_a_number_that_is_none_is_not_taken_for_one(self):
        self.fake("sbatch", "echo Submitted batch job 12")
        done = self.submit(codes=(DEVICE,))
        self.assertIn("sbatch has not said a job's number", done.stderr)

    def test_what_is_asked_of_slurm_by_hand_is_kept(self):
        self.fake("sbatch", 'for last; do :; done; cp "$last" "$0.seen"; echo 12')
        self.fake("squeue", "exit 0")
        self.assertEqual(self.submit("--time", "5", codes=(0,)).stdout, "12\n")
        script = self.folder / "batches/night/job.sh"
        script.write_text(script.read_text().replace("--time=5", "--time=7"))
        done = self.submit("--time", "5", codes=(0,))
        self.assertIn("was changed by hand", done.stderr)
        self.assertIn("--time=7", (self.folder / "bin/sbatch.seen").read_text())
        script.unlink()
        self.submit("--time", "5", codes=(0,))
        self.assertIn("--time=5", (self.folder / "bin/sbatch.seen").read_text())

    def test_what_slurm_refused_is_not_sent_again(self):
        self.fake("sbatch", 'for last; do :; done; cp "$last" "$0.seen"\n'
                  'grep -q time=abc "$last" && { echo "sbatch: error: Invalid --time" >&2; exit 1; }\necho 12')
        self.fake("squeue", "exit 0")
        self.fake("scancel", "exit 0")
        script = self.folder / "batches/night/job.sh"
        self.submit("--time", "abc", codes=(DEVICE,))
        self.assertFalse(script.exists())
        self.submit("--time", "5", codes=(0,))
        first = script.read_text()
        self.submit("--time", "abc", codes=(DEVICE,))
        self.assertEqual(script.read_text(), first)
        done = self.submit("--time", "6", codes=(0,))
        self.assertNotIn("changed by hand", done.stderr)
        self.assertIn("--time=6", (self.folder / "bin/sbatch.seen").read_text())

    # A controller that has the jobs of `jobs`, and gives one a number when sbatch asks. What squeue is asked for by
    # their script it answers as Slurm does. HOW names what becomes of sbatch.
    CONTROLLER = {
        "sbatch": '''for last; do :; done; n=$(($(cat "$0.jobs" 2>/dev/null | wc -l) + 12))
            [ "$HOW" = lost ] || echo "$n|$last" >> "$0.jobs"
            case "$HOW" in
              ended) kill -KILL $PPID;;
              late|lost) echo "Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1;;
              dumb) exit 0;;
              killed) kill -KILL $$;;
            esac
            echo $n''',
        "squeue": '''[ "$HOW" = away ] && { echo "Unable to contact slurm controller" >&2; exit 1; }
            jobs="$(dirname "$0")/sbatch.jobs"; [ -e "$jobs" ] || exit 0
            case "$*" in
              *--jobs=*)
                n=$(echo "$*" | sed 's/.*--jobs=\\([0-9]*\\).*/\\1/')
                grep -q "^$n|" "$jobs" && echo "$n|PENDING|Priority|";;
              *) cat "$jobs";;
            esac
            exit 0''',
        "scancel": '''for last; do :; done; jobs="$(dirname "$0")/sbatch.jobs"
            grep -v "^$last|" "$jobs" > "$jobs.left"; mv "$jobs.left" "$jobs"'''}

    def asked(self, *words, how="", codes=(0,)):
        return self.run_nightshift(*words, codes=codes, env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOW": how})

    def jobs(self):
        file = self.folder / "bin/sbatch.jobs"
        return [line.split("|")[0] for line in file.read_text().splitlines()] if file.exists() else []

    def bring_up(self):
        for name, script in self.CONTROLLER.items():
            self.fake(name, script)
        return self.spaces(1), self.folder / "batches/night/slurm.json"

    def test_a_job_whose_number_nobody_heard_is_found_by_its_script(self):
        batch, _ = self.bring_up()
        for how, code in (("ended", -9), ("late", DEVICE), ("dumb", DEVICE), ("killed", DEVICE)):
            with self.subTest(how):
                shutil.rmtree(self.folder / "batches", ignore_errors=True)
                self.asked("submit", batch, how=how, codes=(code,))
                [job] = self.jobs()
                self.assertIn(f"job {job}: PENDING", self.asked("status", "night").stdout)
                again = self.asked("submit", batch)
                self.assertEqual(again.stdout, job + "\n")
                self.assertIn("of an earlier submission that was cut off", again.stderr)
                self.assertEqual(self.jobs(), [job])
                self.asked("cancel", "night")
                self.assertEqual(self.jobs(), [])

    def test_a_job_that_was_found_and_cancelled_does_not_keep_the_next_waiting(self):
        batch, _ = self.bring_up()
        self.asked("submit", batch, how="late", codes=(DEVICE,))
        self.asked("cancel", "night")
        self.assertEqual(self.asked("submit", batch).stdout, "12\n")
        self.assertEqual(self.jobs(), ["12"])

    def test_a_job_that_may_come_yet_is_waited_for(self):
        batch, note = self.bring_up()
        self.asked("submit", batch, how="lost", codes=(DEVICE,))
        for words in (("submit", batch), ("cancel", "night")):
            done = self.asked(*words, codes=(DEVICE,))
            self.assertEqual(done.stdout, "")
            self.assertIn("squeue shows no job of it", done.stderr)
            self.assertIn("batches/night/slurm.json", done.stderr)
        self.assertIn("was cut off", " ".join(self.asked("status", "night").stdout.split()))
        told = json.loads(self.asked("status", "night", "--json").stdout)["batches"][0]["job"]
        self.assertEqual((told["number"], told["tasks"]), ("", []))
        self.assertIn("was cut off", told["unknown"])
        done = self.asked("submit", batch, how="away", codes=(DEVICE,))
        self.assertIn("Try again once that can be told", done.stderr)
        self.assertEqual(self.jobs(), [])
        note.write_text(json.dumps({**json.loads(note.read_text()), "submitted": time.time() - 600}))
        self.assertIn("squeue shows no job of it", " ".join(self.asked("cancel", "night").stdout.split()))
        done = self.asked("submit", batch)
        self.assertEqual(done.stdout, "12\n")
        self.assertIn("submitted anew", done.stderr)

    def test_where_slurm_does_not_answer_that_is_the_exit_code(self):
        batch, _ = self.bring_up()
        self.assertEqual(self.asked("submit", batch).stdout, "12\n")
        done = self.asked("submit", batch, how="away", codes=(DEVICE,))
        self.assertIn("whether job 12 of the batch still waits or runs cannot be told", done.stderr)
        self.assertEqual(self.jobs(), ["12"])
        (self.folder / "bin/squeue").chmod(0o644)
        done = self.run_nightshift("submit", batch, codes=(DEVICE,), env={"PATH": str(self.folder / "bin")})
        self.assertIn("squeue cannot be started", done.stderr)

    def test_what_is_no_file_in_the_place_of_one_is_refused(self):
        batch, note = self.bring_up()
        script = note.parent / "job.sh"
        self.asked("submit", batch)
        self.asked("cancel", "night")
        for make in (os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")):
            for file, codes in ((note, (JOURNAL,)), (script, (USAGE,))):
                kept = file.read_bytes()
                file.unlink()
                make(file)
                commands = [("submit", batch)] + ([("status", "night"), ("cancel", "night")] if file == note else [])
                for words in commands:
                    done = self.asked(*words, codes=codes)
                    self.assertIn(file.name + " ", done.stderr)
                    self.assertIn("remove it", done.stderr)
                    self.assertEqual(self.jobs(), [])
                self.assertFalse(file.is_file())
                if file.is_dir():
                    file.rmdir()
                else:
                    file.unlink()
                file.write_bytes(kept)

    def test_a_log_that_is_no_file_is_not_waited_for(self):
        batch, note = self.bring_up()
        self.asked("submit", batch, "--array", "1")
        os.mkfifo(note.parent / "slurm-12_1.log")
        self.assertIn("shard 1 has not run", self.asked("merge", "night").stdout)

    def test_a_dry_run_leaves_nothing_behind(self):
        done = self.submit("--dry-run", "--setup", "module load cuda", "--array", "2", codes=(0,))
        self.assertIn("\nmodule load cuda\nexec ", done.stdout)
        self.assertFalse((self.folder / "batches").exists())

    def test_in_job_is_for_jobs(self):
        done = self.run_nightshift("in-job", "--", "true", codes=(USAGE,), env={"SLURM_JOB_ID": ""})
        self.assertIn("this is no Slurm job", done.stderr)

    def in_job(self, *command, requeue=1):
        """The process and what it asked of scontrol."""
        self.fake("scontrol", 'echo "$@" >> "$(dirname "$0")/asked"\n'
                  f'echo "JobId=12 JobName=a Requeue={requeue} EndTime={int(time.time()) + 9000} Command=x"')
        done = self.run_nightshift("in-job", "--", *command,
                                   env={"SLURM_JOB_ID": "12", "PATH": f"{self.folder}/bin:/usr/bin:/bin"})
        asked = self.folder / "bin/asked"
        lines = asked.read_text().splitlines()
        asked.unlink()
        return done, lines

    STOPS = "trap 'exit 75' {0}; kill -{0} $PPID; while :; do sleep 0.02; done"

    def test_a_job_whose_end_is_near_is_queued_again_where_work_is_left(self):
        done, asked = self.in_job("sh", "-c", self.STOPS.format("USR2"))
        self.assertEqual(done.returncode, 75)
        self.assertEqual(asked[-1], "requeue 12")
        done, asked = self.in_job("sh", "-c", self.STOPS.format("USR2").replace("75", "3"))
        self.assertEqual((done.returncode, asked[-1]), (3, "show job --oneliner 12"))

    def test_a_job_that_is_cancelled_or_must_not_be_is_not_queued_again(self):
        for name, requeue in (("TERM", 1), ("USR2", 0)):
            done, asked = self.in_job("sh", "-c", self.STOPS.format(name), requeue=requeue)
            self.assertEqual(done.returncode, 75)
            self.assertNotIn("requeue 12", asked)

    def test_the_time_that_is_left_is_handed_over(self):
        done, _ = self.in_job("echo", "{left}")
        self.assertRegex(done.stdout, r"^8\d\d\ds\n$")
        self.fake("scontrol", "echo slurm_load_jobs error: Unable to contact >&2; exit 1")
        done = self.run_nightshift("in-job", "--", "echo", "{left}", codes=(DEVICE,),
                                   env={"SLURM_JOB_ID": "12", "PATH": f"{self.folder}/bin:/usr/bin:/bin"})
        self.assertIn("Unable to contact", done.stderr)
        self.assertIn("names no end", done.stderr)

    def test_a_batch_that_was_never_submitted_is_not_cancelled(self):
        self.run_nightshift("batch", "run", self.spaces(1), codes=(IMPROVED,))
        done = self.run_nightshift("cancel", "night", codes=(USAGE,))
        self.assertIn("was never submitted", done.stderr)
        done = self.run_nightshift("merge", "night", codes=(USAGE,))
        self.assertIn("has no shards", done.stderr)


PREEMPTED, DRAINED = "node1", "node2"
OF_SHARDS = ["node3", "node4", "node5"]  # where they are alone: those that go on have the nodes that they had
OF_OTHERS = ["node6", "node7", "node8"]
SCENARIOS = []


def scenario(method):
    SCENARIOS.append(method.__name__)
    return method


class Scenario(Folder):
    """What may happen to a job. All of them wait, for Slurm and for time to pass, so they happen at once."""

    cluster = None

    @classmethod
    def play(cls, name):
        played = cls(name)
        try:
            played.setUp()
            getattr(played, name)()
        finally:
            well_cleaned = played.doCleanups()
        assert well_cleaned, f"{name} leaves something behind"

    def setUp(self):
        super().setUp()
        self.jobs = []
        self.addCleanup(lambda: self.slurm("scancel", *self.jobs))

    def environment(self, **changes):
        return super().environment(SLURM_CONF=str(CONF), **changes)

    def slurm(self, *words):
        done = subprocess.run([*map(str, words)], env=self.environment(), text=True, capture_output=True,
                              timeout=harness.TIMEOUT)
        return done.stdout.strip()

    def submit(self, batch, *options):
        if "--" not in options:
            nodes = OF_OTHERS if "--array" in options else OF_SHARDS
            options = (*options, "--", "--exclude=" + ",".join([PREEMPTED, DRAINED, *nodes]))
        done = self.run_nightshift("submit", batch, *options, codes=(0,))
        self.assertRegex(done.stdout, r"^\d+\n$", done.stderr)
        self.jobs.append(done.stdout.strip())
        return self.jobs[-1]

    def state(self, job):
        return self.slurm("squeue", "-h", "-r", "-j", job, "-o", "%T", "--states=all")

    def until(self, holds, what):
        deadline = time.monotonic() + harness.TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), deadline, what() if callable(what) else what)
            time.sleep(0.05)

    def until_ended(self, job):
        self.until(lambda: all(state in ENDED for state in self.state(job).split("\n")),
                   lambda: self.state(job) + self.log())
        return self.state(job).split("\n")

    def release(self, job):
        """A job that was queued again waits two minutes otherwise. A few seconds are needed: a node refuses a job
        that begins in the second in which its first run was ended there ("Job credential revoked")."""
        self.until(lambda: self.state(job) == "PENDING", lambda: self.state(job) + self.log())
        self.slurm("scontrol", "update", f"jobid={job}", "StartTime=now+3")

    def log(self):
        return "\n".join(path.read_text() for path in self.folder.glob("batches/night/slurm-*.log"))

    def standing(self):
        done = self.run_nightshift("status", "batches/night", "--json", codes=(0,))
        return json.loads(done.stdout)["batches"][0]

    def slow_batch(self, pause):
        self.write("pause", str(pause))  # may change without a change of the program
        self.write("work.sh", "sleep $(cat pause); echo '{\"time\": '$(( 100 + $1 ))'}'\n")
        self.write("slow.toml", harness.json_program("slow", 24, "cores = 1\n"))
        return self.write("night.toml", '[[study]]\nproblem = "slow.toml"\nbudget = "24t"\n')

    def until_trials(self, count):
        self.until(lambda: self.standing()["trials"]["done"] >= count, self.log)

    def expect_each_once(self):
        explored = [row["x"] for row in self.csv_rows("batches/night/slow") if row["job"] == "explore"]
        self.assertEqual(sorted(map(int, explored)), list(range(1, 25)))

    @scenario
    def a_batch_is_submitted_and_finishes(self):
        batch = self.spaces(2)
        job = self.submit(batch, "--time", "5", "--gpus-per-node", "1")
        self.assertEqual(self.until_ended(job), ["COMPLETED"], self.log())
        self.assertIn("2 of 2 studies are done", self.log())
        standing = self.standing()
        self.assertEqual(standing["state"], "completed")
        self.assertEqual(standing["job"]["number"], job)
        again = self.run_nightshift("submit", batch, "--time", "5", codes=(0,))
        self.assertEqual(again.stdout, "")
        self.assertIn("is done", again.stderr)

    @scenario
    def a_cancelled_batch_stops_in_good_order_and_goes_on(self):
        batch = self.slow_batch(0.1)
        job = self.submit(batch, "--time", "5")
        self.until_trials(3)
        self.assertEqual(self.submit(batch, "--time", "5"), job)  # no second job
        note = self.folder / "batches/night/slurm.json"
        note.write_text(json.dumps({**json.loads(note.read_text()), "number": ""}))  # nobody heard it
        self.assertEqual(self.submit(batch, "--time", "5"), job)
        self.assertEqual(json.loads(note.read_text())["number"], job)
        self.assertIn("RUNNING on node", self.run_nightshift("status", "night", codes=(0,)).stdout)
        self.run_nightshift("cancel", "night", codes=(0,))
        self.assertEqual(self.until_ended(job), ["CANCELLED"])
        self.until(lambda: self.standing()["state"] == "interrupted", self.log)
        later = self.submit(batch, "--time", "5")
        self.assertNotEqual(later, job)
        self.assertEqual(self.until_ended(later), ["COMPLETED"], self.log())
        self.expect_each_once()

    @scenario
    def a_job_whose_time_is_over_queues_itself_again(self):
        job = self.submit(self.slow_batch(0.7), "--time", "1", "--reserve", "50s")
        self.until_trials(1)
        self.release(job)
        self.assertIn("the job is queued again", self.log())
        self.write("pause", "0.01")
        self.assertEqual(self.until_ended(job), ["COMPLETED"], self.log())
        self.assertIn("restart 1", self.log())
        self.expect_each_once()

    @scenario
    def a_preempted_batch_is_queued_again_and_loses_nothing(self):
        job = self.submit(self.slow_batch(0.7), "--time", "5", "--exclusive", "--", "-w", PREEMPTED)
        self.until_trials(3)
        self.slurm("sbatch", "-p", "urgent", "--exclusive", "-w", PREEMPTED, "-D", "/", "-o", "/dev/null",
                   "--wrap", "true")
        self.release(job)
        self.write("pause", "0.01")
        self.assertEqual(self.until_ended(job), ["COMPLETED"], self.log())
        self.assertIn("restart 1", self.log())
        self.expect_each_once()

    @scenario
    def a_node_that_is_drained_ends_what_it_has(self):
        job = self.submit(self.slow_batch(0.1), "--time", "5", "--", "-w", DRAINED)
        self.until_trials(3)
        self.slurm("scontrol", "update", f"nodename={DRAINED}", "state=drain", "reason=test")
        self.addCleanup(self.slurm, "scontrol", "update", f"nodename={DRAINED}", "state=resume")
        self.assertEqual(self.until_ended(job), ["COMPLETED"], self.log())
        self.expect_each_once()

    def results(self, name):
        """Trials without devices and times, and what the batch claims."""
        trials = {}
        for i in range(4):
            rows = csv.DictReader(io.StringIO(self.export("csv", f"batches/{name}/space{i}")))
            trials[i] = [{key: value for key, value in row.items()
                          if key not in ("device", "started", "finished")} for row in rows]
        done = self.run_nightshift("status", f"batches/{name}", "--json", codes=(0,))
        standing = json.loads(done.stdout)["batches"][0]
        claims = {study["name"]: study["claim"] for study in standing["studies"]}
        return trials, claims, standing["claims"], standing["queue"], standing["trials"]

    def shard_logs(self):
        return "\n".join(path.read_text() for path in self.folder.glob("batches/night/**/slurm-*.log"))

    @scenario
    def shards_that_are_merged_come_out_as_one_batch(self):
        batch = self.spaces(4)
        self.run_nightshift("batch", "run", batch, "--batch", "batches/alone", codes=(IMPROVED,))
        job = self.submit(batch, "--time", "5", "--array", "3")
        self.assertEqual(self.until_ended(job), ["COMPLETED"] * 3, self.log())
        merged = self.run_nightshift("merge", "night", codes=(0,))
        self.assertIn("3 shards joined: 4 studies taken over, 0 left", merged.stdout)
        self.assertEqual(self.results("night"), self.results("alone"), self.shard_logs())
        self.assertEqual(self.standing()["state"], "completed")
        before = self.standing()
        again = self.run_nightshift("merge", "night", codes=(0,))
        self.assertIn("0 studies taken over, 4 left", again.stdout)
        self.assertEqual(self.standing(), before)
        self.assertEqual(self.results("night"), self.results("alone"), self.shard_logs())
        self.run_nightshift("report", "batches/night", codes=(0,))
        done = self.run_nightshift("submit", batch, "--array", "3", codes=(0,))
        self.assertEqual(done.stdout, "")
        batch.write_text(batch.read_text().replace("60t", "80t"))
        self.run_nightshift("batch", "run", batch, "--batch", "batches/alone", codes=(IMPROVED,))
        job = self.submit(batch, "--time", "5", "--", "--exclude=" + ",".join([PREEMPTED, DRAINED, *OF_OTHERS]))
        self.assertEqual(self.until_ended(job), ["COMPLETED"] * 3, self.log())
        merged = self.run_nightshift("merge", "night", codes=(0,))
        self.assertIn("3 shards joined: 4 studies taken over, 0 left", merged.stdout)
        self.assertEqual(self.results("night"), self.results("alone"), self.shard_logs())


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Scenario.cluster = Cluster(8)
        cls.addClassCleanup(Scenario.cluster.down)
        pool = concurrent.futures.ThreadPoolExecutor(len(SCENARIOS))
        cls.addClassCleanup(pool.shutdown)
        cls.played = {name: pool.submit(Scenario.play, name) for name in SCENARIOS}


for each in SCENARIOS:
    setattr(Slurm, f"test_{each}", lambda self, name=each: self.played[name].result())


if __name__ == "__main__":
    harness.main()
