"""Looking at a batch: status, watch and report of one that runs, that ended, that was killed."""

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

import harness
from harness import Case, IMPROVED, JOURNAL, NO_IMPROVEMENT, STUDY_FAILED, USAGE
from report_test import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"  # the second screen

# x = 5 dies. Each evaluation waits for a file, so that a batch runs for as long as a test wants.
WORK = """
while [ -e hold ]; do sleep 0.01; done
if [ $1 = 5 ]; then echo 'a | pipe, <b>bold</b> & more' >&2; exit 3; fi
echo '{"time": '$(( 100 + $1 ))'}'
"""


class Looking(Case):
    def batch(self, spaces=2, programs=("a",)):
        """A batch file of recorded spaces and of programs."""
        problems = [self.recorded_space(f"space{i}.json", (6 + i % 3, 8, 6)).name
                    for i in range(spaces)]
        self.write("work.sh", WORK)
        for name in programs:
            self.write(f"{name}.toml", f"""
name = "{name}"
[command]
argv = ["sh", "work.sh", "{{x}}"]
runs = 1
cores = 1
[parameters]
x = {{ range = [1, 12] }}
[[objective]]
name = "time"
unit = "ms"
[baseline]
x = 6
[acceptance]
confidence = "quick"
""")
            problems.append(f"{name}.toml")
        text = '[defaults]\nbudget = "40t"\nset = { search.seed = 3 }\n'
        text += "".join(f'[[study]]\nproblem = "{name}"\n' for name in problems)
        return self.write("night.toml", text)

    def run_batch(self, **more):
        return self.run_nightshift("batch", "run", self.batch(**more),
                                   codes=(IMPROVED, NO_IMPROVEMENT))

    def status(self, *arguments, codes=(0,)):
        return json.loads(self.run_nightshift("status", "--json", *arguments, codes=codes).stdout)

    def until(self, condition):
        deadline = time.monotonic() + harness.TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def held_batch(self):
        """A batch that runs until `hold` is removed: its spaces have ended, `a` measures."""
        self.write("hold", "")
        process = self.start("batch", "run", self.batch())
        self.until(lambda: (self.folder / "batches/night/batch.sqlite").exists())
        self.until(lambda: self.status("batches/night")["batches"][0]["queue"]["completed"] == 2)
        return process

    def let_go(self, process):
        (self.folder / "hold").unlink()
        return process.communicate(timeout=harness.TIMEOUT)[0]


class Status(Looking):
    def test_of_a_batch_that_ended(self):
        self.run_batch()
        batch = self.status("batches/night")["batches"][0]
        self.assertEqual(batch["state"], "completed")
        self.assertEqual(batch["queue"]["completed"], 3)
        self.assertIsNone(batch["process"])
        self.assertEqual([s["name"] for s in batch["studies"]], ["space0", "space1", "a"])
        self.assertEqual(batch["claims"]["joint"], 3)
        for study in batch["studies"]:  # the same as the study's own journal says
            own = self.status(study["folder"])["studies"][0]
            self.assertEqual(own["trials"]["done"], 12 if study["name"] == "a" else 40)
            self.assertEqual(own["hold_out"]["ratio"], study["claim"]["ratio"])
            self.assertTrue(own["hold_out"]["accepted"])
        text = self.run_nightshift("status", codes=(0,)).stdout
        self.assertIn("Batch night: completed at", text)
        self.assertIn("3 improvements hold over the whole batch", text)

    def test_of_one_that_runs_says_what_each_device_does(self):
        process = self.held_batch()
        self.until(lambda: any(d["study"] == "a" for d in
                               self.status("night")["batches"][0]["devices"]))
        batch = self.status("night")["batches"][0]
        self.assertEqual((batch["state"], batch["queue"]["running"]), ("running", 1))
        self.assertIn(str(process.pid), batch["process"])
        self.let_go(process)
        self.assertEqual(self.status("night")["batches"][0]["state"], "completed")

    def test_of_one_that_was_killed(self):
        process = self.held_batch()
        process.kill()
        process.communicate()
        batch = self.status()["batches"][0]
        self.assertEqual(batch["state"], "cut off")
        self.assertEqual(batch["queue"]["interrupted"], 1)
        self.assertIn("`nightshift batch run` with its folder goes on",
                      " ".join(self.run_nightshift("status", codes=(0,)).stdout.split()))
        (self.folder / "hold").unlink()

    def test_of_a_folder_of_several_lists_them(self):
        for name in ("one", "two"):
            self.tune(self.recorded_space(), "--budget", "10t", study=f"studies/{name}")
        self.run_batch(spaces=1, programs=())
        text = self.run_nightshift("status", codes=(0,)).stdout
        self.assertRegex(text, r"batches/night +batch +completed")
        self.assertRegex(text, r"studies/one +study +completed +10 configurations")
        found = self.status()
        self.assertEqual((len(found["batches"]), len(found["studies"]), found["more"]), (1, 2, 0))
        one = self.run_nightshift("status", "studies/two", codes=(0,)).stdout
        self.assertIn("Study of space: completed", one)

    def test_where_nothing_is(self):
        self.assertIn("There is no batch", self.run_nightshift("status", codes=(0,)).stdout)
        done = self.run_nightshift("status", "nowhere", codes=(JOURNAL,))
        self.assertIn("holds no study and no batch", done.stderr)

    def test_a_damaged_one_leaves_the_others_their_place(self):
        self.run_batch(spaces=1, programs=())
        (self.folder / "studies/bad").mkdir(parents=True)
        (self.folder / "studies/bad/journal.sqlite").write_bytes(b"no database" * 99)
        found = self.status()
        self.assertEqual(len(found["batches"]), 1)
        self.assertEqual(found["unread"][0]["folder"], "studies/bad")
        self.run_nightshift("status", "studies/bad", codes=(JOURNAL,))

    def expect_told(self, name, words, what="damaged: "):
        """By report and status, of a study of the batch whose journal is not as it was."""
        where = f"batches/night/{name}"
        for command in ("report", "status"):
            text = " ".join(self.run_nightshift(command, "batches/night", codes=(0,)).stdout.split())
            self.assertRegex(text, rf"{name}:? the journal \S*{where}/journal\.sqlite is {what}"
                                   + words, command)
        for command in (("watch",), ("batch", "list")):
            text = " ".join(self.run_nightshift(*command, "batches/night", codes=(0,)).stdout.split())
            self.assertRegex(text, rf"what went wrong .*{name}: the journal \S*{where}/journal\.sqlite is {what}"
                                   + words, command)
        studies = {study["name"]: study for study in self.status("batches/night")["batches"][0]["studies"]}
        self.assertRegex(studies[name]["unread"], words)

    def exchange(self, first, second):
        first, second = (self.folder / "batches/night" / name for name in (first, second))
        first.rename(first.with_name("aside"))
        second.rename(first)
        first.with_name("aside").rename(second)

    def test_journals_of_a_batch_that_are_exchanged_or_emptied_are_told(self):
        spaces = [self.recorded_space(name, (6, 8, 6)) for name in ("a.json", "b.json")]
        lines = "".join(f'[[study]]\nproblem = "{space.name}"\nbudget = "40t"\n' for space in spaces)
        # Two of one file, told from each other by what is set.
        lines += ('[[study]]\nproblem = "a.json"\nbudget = "40t"\nname = "c"\n'
                  "set = { search.seed = 5 }\n")
        batch = self.write("night.toml", lines)
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        studies = self.status("batches/night")["batches"][0]["studies"]
        self.assertEqual([study["unread"] for study in studies], [None] * 3)
        for first, second in ("ab", "ac"):
            self.exchange(first, second)
            for name, other in ((first, second), (second, first)):
                self.expect_told(name, f"it is that of the study {other}, not of {name};")
            self.exchange(first, second)
        self.exchange("a", "b")
        done = self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))
        self.assertIn("1 of 3 studies are done", done.stdout)
        self.assertRegex(done.stdout, r"a +failed +the journal batches/night/a/journal\.sqlite is "
                                      r"damaged: it is that of the study b")
        self.exchange("a", "b")
        done = self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        self.assertIn("3 of 3 studies are done", done.stdout)
        (self.folder / "batches/night/a/journal.sqlite").write_bytes(b"")
        self.expect_told("a", "the file is empty")
        self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))

    def test_a_journal_of_a_batch_that_is_gone_is_told_and_measured_again(self):
        spaces = [self.recorded_space(name, (6, 8, 6)) for name in ("a.json", "b.json")]
        batch = self.write("night.toml", "".join(
            f'[[study]]\nproblem = "{space.name}"\nbudget = "40t"\n' for space in spaces))
        self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
        for remove in (lambda study: (study / "journal.sqlite").unlink(), shutil.rmtree):
            remove(self.folder / "batches/night/a")
            self.expect_told("a", "and with it what a measured;", "gone, ")
            self.assertIsNone(self.status("batches/night")["batches"][0]["studies"][1]["unread"])
            again = self.run_nightshift("batch", "run", batch, codes=(IMPROVED,))
            self.assertIn("a: the journal batches/night/a/journal.sqlite is gone: what it had is measured "
                          "anew", again.stdout + again.stderr)
            self.assertIn("b: done already", again.stdout + again.stderr)
            report = self.run_nightshift("report", "batches/night", codes=(0,)).stdout
            self.assertNotIn("put it back", report)
            studies = self.status("batches/night")["batches"][0]["studies"]
            self.assertEqual([study["unread"] for study in studies], [None, None])

    def test_a_study_that_had_measured_nothing_has_no_journal_to_miss(self):
        self.recorded_space("a.json", (6, 8, 6))
        batch = self.write("night.toml", '[[study]]\nproblem = "a.json"\n[[study]]\nproblem = "none.json"\n')
        self.run_nightshift("batch", "run", batch, codes=(STUDY_FAILED,))
        shutil.rmtree(self.folder / "batches/night/none", ignore_errors=True)
        studies = self.status("batches/night")["batches"][0]["studies"]
        self.assertEqual([study["unread"] for study in studies], [None, None])


class Watch(Looking):
    def on_terminal(self, folder, keys, columns=80, rows=24):
        """Starts `watch`; `keys`: (text, key): the key is pressed once the text is seen. What was
        written, and the exit code."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        before = termios.tcgetattr(slave)
        process = subprocess.Popen([str(harness.NIGHTSHIFT), "watch", folder], cwd=self.folder,
                                   stdin=slave, stdout=slave, stderr=slave,
                                   env=self.environment(TERM="xterm", NO_COLOR="1"))
        written, keys = b"", list(keys)
        while keys or process.poll() is None:
            if keys and keys[0][0].encode() in written:
                key = keys.pop(0)[1]
                if isinstance(key, tuple):
                    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", *key, 0, 0))
                    process.send_signal(signal.SIGWINCH)
                elif key == "\x03":
                    process.send_signal(signal.SIGINT)
                else:
                    os.write(master, key.encode())
                written = b"" if keys else written
            ready, _, _ = select.select([master], [], [], 0.05)
            written += os.read(master, 65536) if ready else b""
        after = termios.tcgetattr(slave)
        os.close(slave)
        os.close(master)
        self.assertEqual(before[3], after[3], "the terminal's mode comes back")
        return written.decode(), process.returncode

    def test_shows_the_batch_until_q(self):
        process = self.held_batch()
        text, code = self.on_terminal("batches/night", [("measuring trial", "q")])
        self.assertEqual(code, 0)
        self.assertEqual((text.count(ENTER), text.count(LEAVE)), (1, 1))
        self.assertIn("batch night", text.split(LEAVE)[1])  # the last picture stays
        self.let_go(process)

    def test_is_drawn_anew_when_something_happens_and_leaves_by_ctrl_c(self):
        process = self.held_batch()
        (self.folder / "hold").unlink()
        text, code = self.on_terminal("batches/night", [("completed at", "\x03")], 200, 50)
        process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(code, 0)
        self.assertIn("3 completed", text)

    def test_a_terminal_that_is_resized_is_filled_anew(self):
        process = self.held_batch()
        text, _ = self.on_terminal("batches/night",
                                   [("batch night", (10, 40)), ("...", "q")], 200, 50)
        for line in text.split(LEAVE)[0].split("\x1b[H")[-1].split("\x1b[K\r\n"):
            self.assertLess(len(line.replace("\x1b[J", "")), 40)
        self.let_go(process)

    def test_without_a_terminal_prints_status_and_then_what_happens(self):
        process = self.held_batch()
        watching = self.start("watch")
        first = watching.stdout.readline()
        self.assertIn("Batch night: running as process", first)
        self.let_go(process)
        rest, _ = watching.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(watching.returncode, 0)
        self.assertRegex(rest, r"\d\d:\d\d:\d\d a: all 12 configurations")
        self.assertIn("3 improvements hold", rest.splitlines()[-1])
        again = self.run_nightshift("watch", "night", codes=(0,)).stdout
        self.assertIn("completed at", again.splitlines()[-1])

    def test_what_is_no_batch_is_told(self):
        done = self.run_nightshift("watch", codes=(USAGE,))
        self.assertIn("there is no batch in batches", done.stderr)


class Report(Looking):
    def test_tells_what_improved_and_what_failed(self):
        self.run_batch()
        text = self.run_nightshift("report", "batches/night", codes=(0,)).stdout
        self.assertIn("Report of the batch night: 3 improvements hold over the whole batch", text)
        self.assertRegex(text, r"space1 +time [0-9.]+ % lower .* holds")
        self.assertRegex(text, r"a +crashed +1 +trial \d+ +exited with code 3")
        self.assertIn("Where the time went", text)

    def test_the_page_links_to_a_page_of_each_study(self):
        self.run_batch()
        (self.folder / "out").mkdir()
        done = self.run_nightshift("report", "night", "--html", "out/page.html", codes=(0,))
        self.assertEqual(done.stdout, "The report is in out/page.html\n")
        page = Page((self.folder / "out/page.html").read_text())
        self.assertEqual(page.mistakes, [])
        self.assertNotIn("script", page.tags)
        self.assertIn("svg", page.tags)
        links = {value for name, value in page.attributes if name == "href"}
        self.assertEqual(links, {f"../batches/night/{name}/report.html"
                                 for name in ("space0", "space1", "a")})
        for link in links:
            own = Page((self.folder / "out" / link).read_text())
            self.assertEqual(own.mistakes, [])
            self.assertIn("Convergence", own.text)
        self.assertIn("<b>bold</b> & more", page.text)

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_a_browser_shows_the_page(self):
        self.run_batch(spaces=1)
        self.run_nightshift("report", "night", "--html", "page.html", codes=(0,))
        shown = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
             f"--user-data-dir={self.folder / 'profile'}", f"file://{self.folder / 'page.html'}"],
            capture_output=True, text=True, timeout=harness.TIMEOUT)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("Where the time went", shown.stdout)

    def test_markdown_is_short_and_harmless(self):
        self.run_batch()
        text = self.run_nightshift("report", "night", "--markdown", codes=(0,)).stdout
        shown = text.split("<details>")[0]
        self.assertLess(len(shown.splitlines()), 12)
        self.assertIn("| space1 | time ", shown)
        self.assertNotIn("<b>", text)
        rows = [line for line in text.splitlines() if line.startswith("| a | crashed")]
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0].replace("\\|", "").count("|"), 6)
        self.assertEqual(text.count("<details>"), text.count("</details>"))

    def test_of_one_study_as_markdown(self):
        self.run_batch(spaces=1, programs=())
        text = self.run_nightshift("report", "batches/night/space0", "--markdown",
                                   codes=(0,)).stdout
        self.assertIn("### space0: Improvement accepted: time ", text)

    def test_a_study_that_cannot_be_read_is_told_by_the_batch(self):
        self.run_batch()
        (self.folder / "batches/night/a/journal.sqlite").write_bytes(b"no database" * 99)
        text = self.run_nightshift("report", "night", codes=(0,)).stdout
        self.assertRegex(text, r"\n  a +1\.")
        self.assertRegex(text, r"\n  space0 +time ")

    def test_of_one_that_runs(self):
        process = self.held_batch()
        text = self.run_nightshift("report", "night", codes=(0,)).stdout
        self.assertIn("running as process", text)
        self.assertIn("nightshift watch batches/night", text)
        self.let_go(process)


if __name__ == "__main__":
    harness.main()
