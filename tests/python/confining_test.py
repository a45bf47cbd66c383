"""What a confined process may do no more, tried in a child for each."""

import subprocess
import sys
import textwrap

import harness
from harness import Case

TRIES = """
import os, signal, socket, sys
from nightshift.confining import confine
held = confine([{own!r}, "/dev/null", {folder!r} + "/missing"])
print(held, flush=True)
try:
{body}
except OSError as error:
    print("refused", error.errno)
else:
    print("done")
"""


class Confining(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "own").mkdir()
        self.other = self.write("other", "kept")

    def tried(self, body, needs):
        """What became of it, where this kernel can hold that."""
        text = TRIES.format(own=str(self.folder / "own"), folder=str(self.folder),
                            body=textwrap.indent(textwrap.dedent(body), "    "))
        done = subprocess.run([sys.executable, "-c", text], env=harness.environment(), text=True,
                              capture_output=True, timeout=harness.TIMEOUT)
        held, _, words = done.stdout.partition("\n")
        if needs not in held:
            self.skipTest(f"this kernel holds: {held}")
        return words.strip() or done.stderr

    def test_it_writes_where_it_may(self):
        body = f"open({str(self.folder / 'own/new')!r}, 'w').write('x'); open('/dev/null', 'w').write('x')"
        self.assertEqual(self.tried(body, ""), "done")

    def test_it_writes_makes_and_removes_nothing_else(self):
        for body in (f"open({str(self.other)!r}, 'w')", f"open({str(self.folder / 'new')!r}, 'w')",
                     f"os.unlink({str(self.other)!r})", f"os.mkdir({str(self.folder / 'made')!r})",
                     f"os.rename({str(self.other)!r}, {str(self.folder / 'own/moved')!r})"):
            with self.subTest(body):
                self.assertIn("refused", self.tried(body, "files"))
        self.assertEqual(self.other.read_text(), "kept")

    def test_it_reads(self):
        self.assertEqual(self.tried(f"open({str(self.other)!r}).read()", ""), "done")

    def test_it_has_no_network_and_keeps_local_sockets(self):
        self.assertIn("refused", self.tried("socket.socket(socket.AF_INET)", "network"))
        self.assertIn("refused", self.tried("socket.socket(socket.AF_INET6)", "network"))
        self.assertEqual(self.tried("socket.socketpair()", "network"), "done")

    def test_it_sends_no_signal_to_who_was_there_before_and_reads_no_memory_of_it(self):
        victim = subprocess.Popen(["sleep", str(harness.TIMEOUT)])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        self.assertIn("refused", self.tried(f"os.kill({victim.pid}, signal.SIGKILL)", "signals"))
        self.assertIn("refused", self.tried(f"open('/proc/{victim.pid}/mem', 'rb')", "files"))
        self.assertIsNone(victim.poll())

    def test_what_it_starts_is_held_too(self):
        body = f"""
        import subprocess
        if subprocess.run(["touch", {str(self.folder / "new")!r}], stderr=subprocess.DEVNULL).returncode:
            raise OSError(13, "not made")
        """
        self.assertIn("refused", self.tried(body, "files"))


if __name__ == "__main__":
    harness.main()
