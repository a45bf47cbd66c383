"""The live display on a real (pseudo) terminal."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time

import harness
from harness import Case, IMPROVED, INTERRUPTED, NO_IMPROVEMENT, STUDY_FAILED

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"

SLEEPY = """
name = "sleepy"
[command]
argv = ["{python}", "-c", "import sys, time; time.sleep(0.05); print('time', int(sys.argv[1]))", "{{A}}"]
runs = 1
[[command.figure]]
objective = "time"
source = "regex"
key = "time ([0-9]+)"
[parameters]
A = {{ range = [1, {count}] }}
[budget]
trials = {count}
"""


class Terminal(Case):
    def on_terminal(self, *arguments, columns=80, rows=24, until=None, **environment):
        """Exit code and everything that was written; SIGINT is sent once `until` is seen."""
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
            if until is not None and until.encode() in written:
                process.send_signal(signal.SIGINT)
                until = None
        os.close(master)
        return process.wait(timeout=harness.TIMEOUT), written.decode()

    def sleepy(self, count):
        return self.write("sleepy.toml", SLEEPY.format(python=sys.executable, count=count))

    def test_the_display_is_redrawn_in_place_and_leaves_the_cursor(self):
        code, text = self.on_terminal("tune", self.sleepy(10), "--study", "study")
        self.assertIn(code, (IMPROVED, NO_IMPROVEMENT))
        self.assertEqual((text.count(HIDE), text.count(SHOW)), (1, 1))
        self.assertIn("cpu:", text)
        self.assertIn("trials    ", text)
        self.assertRegex(text, "\x1b\\[\\d+A\r")  # back up, drawn over
        self.assertIn("nightshift report study", text.split(SHOW)[1])

    def test_no_line_is_wider_than_the_terminal(self):
        _, text = self.on_terminal("tune", self.sleepy(10), "--study", "study", columns=50, rows=10)
        picture = text.split(SHOW)[0]
        for frame in picture.split("\x1b[J"):
            lines = frame.split("\x1b[K\r\n")
            self.assertLess(len(lines), 11)
            for line in lines:
                for code in (HIDE, "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m"):
                    line = line.replace(code, "")
                if "A\r" in line:
                    line = line.split("A\r", 1)[1]
                self.assertLess(len(line), 50, repr(line))

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
