"""The live display on a real (pseudo) terminal."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import harness
from harness import Case, IMPROVED, INTERRUPTED, NO_IMPROVEMENT, STUDY_FAILED, timed_program

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"  # the second screen


# A shell with job control, as far as it is needed: starts a job in the foreground, and once that has
# stopped says so and brings it back.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
_, status = os.waitpid(job, os.WUNTRACED)
if os.WIFSTOPPED(status):
    os.tcsetpgrp(0, os.getpgrp())
    os.write(1, b"[stopped]")
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
    os.waitpid(job, 0)
"""


class Terminal(Case):
    def on_terminal(self, *arguments, columns=80, rows=24, until=None, sizes=(), **environment):
        """Exit code and everything that was written; SIGINT is sent once `until` is seen.

        sizes: (text, (rows, columns)): once the text is seen the terminal is resized."""
        sizes = list(sizes)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = self.start(*arguments, stdout=slave, stderr=slave,
                             env={"TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(slave)
        written = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the last writer closed it
                break
            if not chunk:
                break
            written += chunk
            if sizes and sizes[0][0].encode() in written:
                fcntl.ioctl(master, termios.TIOCSWINSZ,
                            struct.pack("HHHH", *sizes.pop(0)[1], 0, 0))
            if until is not None and until.encode() in written:
                process.send_signal(signal.SIGINT)
                until = None
        os.close(master)
        return process.wait(timeout=harness.TIMEOUT), written.decode()

    def sleepy(self, count):
        return self.write("sleepy.toml", timed_program(
            [sys.executable, "-c", "import sys, time; time.sleep(0.05); print('time', int(sys.argv[1]))", "{A}"],
            count, more=f"[budget]\ntrials = {count}\n", name="sleepy"))

    def test_the_display_is_redrawn_in_place_and_leaves_the_cursor(self):
        code, text = self.on_terminal("tune", self.sleepy(10), "--study", "study")
        self.assertIn(code, (IMPROVED, NO_IMPROVEMENT))
        self.assertEqual((text.count(HIDE), text.count(SHOW)), (1, 1))
        self.assertIn("cpu:", text)
        self.assertIn("trials    ", text)
        self.assertEqual((text.count(ENTER), text.count(LEAVE)), (1, 1))
        self.assertGreater(text.split(LEAVE)[0].count("\x1b[H"), 1)  # drawn over
        after = text.split(SHOW)[1]
        self.assertIn("trials    10 done", after)  # the last picture stays
        self.assertIn("nightshift report study", after)

    def test_a_batch_that_runs_shows_what_watch_does(self):
        self.sleepy(10)
        code, text = self.on_terminal("batch", "run", "sleepy.toml", "--batch", "night")
        self.assertIn(code, (IMPROVED, NO_IMPROVEMENT))
        self.assertEqual((text.count(ENTER), text.count(LEAVE)), (1, 1))
        shown, after = text.split(ENTER)[1].split(LEAVE)
        self.assertIn("1 study: 1 running", shown)
        self.assertNotRegex(shown, r"\[\d+ s\] sleepy")  # no lines between the pictures
        self.assertIn("1 of 1 studies are done", after)
        # Elsewhere the lines stay.
        lines = self.run_nightshift("batch", "run", "sleepy.toml", "--batch", "other",
                                    codes=(IMPROVED, NO_IMPROVEMENT)).stdout
        self.assertRegex(lines, r"\[\d+ s\] sleepy: begins on")

    def test_no_line_is_wider_than_the_terminal(self):
        _, text = self.on_terminal("tune", self.sleepy(10), "--study", "study", columns=50, rows=10)
        picture = text.split(SHOW)[0]
        for frame in picture.split("\x1b[J"):
            frame = frame.split("\x1b[H")[-1]
            lines = frame.split("\x1b[K\r\n")
            self.assertLess(len(lines), 11)
            for line in lines:
                for code in (HIDE, "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"):
                    line = line.replace(code, "")
                self.assertLess(len(line), 50, repr(line))

    def test_the_summary_is_folded_to_the_terminal(self):
        _, text = self.on_terminal("tune", self.sleepy(10), "--study", "study", columns=60)
        summary = text.split("Study of sleepy")[1]
        self.assertIn("Nothing that was tried beats the baseline.",
                      summary.replace("\r\n  ", " "))
        for line in summary.split("\r\n"):
            if "nightshift " not in line:  # what is to be copied stays whole
                self.assertLessEqual(len(line), 60, repr(line))
        for command in ("report", "explain"):
            arguments = ["study"] + (["1"] if command == "explain" else [])
            _, page = self.on_terminal(command, *arguments, columns=60)
            wide = [line for line in page.split("\r\n")
                    if len(line) > 60 and " " in line.strip() and "nightshift " not in line]
            self.assertEqual(wide, [])

    def test_a_terminal_that_was_resized_keeps_no_picture(self):
        _, text = self.on_terminal("tune", self.sleepy(40), "--study", "study",
                                   sizes=[("3 done", (5, 20)), ("", (50, 200))])
        pictures = text.split(ENTER)[1].split(LEAVE)[0]
        for frame in pictures.split("\x1b[H")[2:]:
            self.assertTrue(frame.endswith("\x1b[J"), repr(frame))
        self.assertNotRegex(pictures, "\x1b\\[\\d+A")  # nothing rests on where a line stood

    def test_a_stopped_study_gives_the_terminal_back_and_takes_it_again(self):
        pid, master = pty.fork()
        if pid == 0:  # the leader of a session of its own, as a shell is
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            os.chdir(self.folder)
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, [sys.executable, "-c", SHELL, str(harness.NIGHTSHIFT), "tune",
                                      self.sleepy(60), "--study", "study"])
        written, stopped, sent = b"", None, False
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            written += chunk
            if not sent and re.search(rb"[1-9]\d* done", written):
                sent = True
                os.write(master, b"\x1a")  # Ctrl-Z
        os.close(master)
        os.waitpid(pid, 0)
        before, stopped, after = written.decode().partition("[stopped]")
        self.assertTrue(stopped)
        self.assertTrue(before.rstrip().endswith(LEAVE + SHOW), repr(before[-80:]))
        self.assertTrue(after.lstrip().startswith(ENTER), repr(after[:80]))
        self.assertIn("60 done", after.split(LEAVE)[-1])

    def test_colour_can_be_declined(self):
        _, text = self.on_terminal("tune", self.sleepy(5), "--study", "coloured")
        self.assertIn("\x1b[1m", text)
        _, text = self.on_terminal("tune", self.sleepy(5), "--study", "plain", NO_COLOR="1")
        self.assertNotIn("\x1b[1m", text)
        self.assertIn(HIDE, text)

    def test_a_dumb_terminal_gets_lines(self):
        _, text = self.on_terminal("tune", self.sleepy(5), "--study", "study", TERM="dumb")
        self.assertNotIn("\x1b", text)
        self.assertIn("baseline on", text)

    def test_what_all_configurations_share_is_said(self):
        broken = self.write("broken.toml", timed_program(
            ["sh", "-c", "echo ld: cannot find -l{A} >&2; exit 1"], 12, 'baseline_argv = ["echo", "time 10"]',
            name="broken"))
        said = "all 5 configurations failed alike: exited with code 1 while measuring: ld: cannot find"
        done = self.run_nightshift("tune", broken, "--study", "piped", "--budget", "12t",
                                   codes=(NO_IMPROVEMENT,))
        self.assertEqual(done.stdout.count(said), 1)
        self.assertIn("all 12 configurations failed alike: exited with code 1", done.stdout)
        self.assertNotIn("Why: no configuration could be measured", done.stdout)
        self.assertIn("all 12 configurations failed alike", self.run_nightshift(
            "report", "piped", codes=(0,)).stdout)
        _, text = self.on_terminal("tune", broken, "--study", "live", "--budget", "12t",
                                   columns=200)
        self.assertIn(said, text)

    def test_the_self_test_is_announced_at_once_on_a_pipe(self):
        process = self.start("tune", self.sleepy(10), "--study", "study")
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "self-test" in line:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=harness.TIMEOUT)
        self.assertIn("self-test: the same configuration against itself, 16 pairs on 1 device",
                      lines[-1])
        self.assertLess(len(lines), 6, "after the start and the baseline")

    def test_the_cursor_comes_back_after_an_interrupt(self):
        code, text = self.on_terminal("tune", self.sleepy(300), "--study", "study",
                                      until="3 done")
        self.assertEqual(code, INTERRUPTED)
        self.assertIn(SHOW, text)
        self.assertIn("nightshift resume study", text.split(SHOW)[1])

    def test_the_cursor_comes_back_after_a_failure(self):
        broken = self.write("broken.toml", """
name = "broken"
[command]
argv = ["/bin/false", "{A}"]
[parameters]
A = [1, 2]
""")
        code, text = self.on_terminal("tune", broken, "--study", "study")
        self.assertEqual(code, STUDY_FAILED)
        self.assertIn("baseline", text.split(SHOW)[1])


if __name__ == "__main__":
    harness.main()
