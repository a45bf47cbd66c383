"""A study over nodes that are reached by ssh: a server of the test's own on this machine, with keys of its own."""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

import harness
from harness import NIGHTSHIFT, TIMEOUT
from nodes_test import CORES, DONE, PROGRAM, Nodes

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")  # which wants to be called by its whole path
MISSING = [name for name, path in (("sshd", SSHD), ("ssh", shutil.which("ssh")), ("ssh-keygen", shutil.which("ssh-keygen")))
           if not path]

SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM {pam}
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AcceptEnv {variables}
ForceCommand echo "Welcome to this node."; eval "$SSH_ORIGINAL_COMMAND"
"""

CLIENT = """
Host *
  HostName 127.0.0.1
  HostKeyAlias node
  Port {port}
  User {user}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  BatchMode yes
  SendEnv {variables}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


@unittest.skipIf(MISSING, f"needs {', '.join(MISSING)}")
class Ssh(Nodes):
    def setUp(self):
        super().setUp()
        self.ssh = self.folder / "ssh"
        self.ssh.mkdir(mode=0o700)
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.ssh / key)], check=True)
        kind, key = (self.ssh / "host.pub").read_text().split()[:2]
        self.write("ssh/known", f"node {kind} {key}\n")
        if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):  # what the service of the package makes
            os.mkdir("/run/sshd", 0o755)
            self.addCleanup(os.rmdir, "/run/sshd")
        for _ in range(10):  # somebody else may take the port first
            if self.serves(free_port()):
                return
        self.fail((self.ssh / "log").read_text())

    def serves(self, port):
        about = {"port": port, "folder": self.ssh, "user": getpass.getuser(), "pam": "yes" if os.geteuid() == 0 else "no",
                 "variables": f"{harness.MARK} XDG_RUNTIME_DIR"}
        self.write("ssh/server", SERVER.format(**about))
        self.write("ssh/client", CLIENT.format(**about))
        with open(self.ssh / "log", "a") as log:
            server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(self.ssh / "server")], stdin=subprocess.DEVNULL,
                                      stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        while server.poll() is None:
            if answers(port):
                return True
            time.sleep(0.02)
        return False

    def over_ssh(self):
        return self.nodes(*(f"ssh -F {self.ssh}/client {name} exec {NIGHTSHIFT} agent --node {name} --devices cpu:{core}"
                            for name, core in (("a", CORES[-1]), ("b", CORES[-2]))))

    def agent_of(self, node):
        """Its id; None where there is none."""
        for pid in harness.processes_with(self.mark):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if words[:4] == [str(NIGHTSHIFT), "agent", "--node", node]:
                return pid
        return None

    def server_of(self, node):
        """The server's process for the connection to it."""
        pid = self.agent_of(node)
        while pathlib.Path(f"/proc/{pid}/comm").read_text().strip() != "sshd":
            pid = parent_of(pid)
        return pid

    def start_study(self, *options):
        process = self.start("tune", self.problem, "--budget", "300t", "--nodes", self.over_ssh(), "--study", "study",
                             "--continue", *options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.until(lambda: any((self.folder / "study").glob("journal*")), "no journal")
        before = {node: self.measured_on(node) for node in "ab"}
        for node in "ab":
            self.until(lambda: self.measured_on(node) >= before[node] + 3 or process.poll() is not None,
                       f"{node} measures nothing")
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, DONE, out + err)
        self.expect_each_once(300)
        self.expect_nobody(self.mark)

    def expect_back(self, node, process, agent):
        self.until(lambda: self.agent_of(node) not in (None, agent), f"{node} does not come back")
        there = self.measured_on(node)
        self.until(lambda: self.measured_on(node) > there or process.poll() is not None, f"{node} measures nothing more")

    def test_a_connection_that_breaks_comes_back(self):
        self.problem = self.write("p.toml", PROGRAM.replace("sleep 0.05", "sleep 0.1"))
        process = self.start_study()
        agent = self.agent_of("b")
        os.kill(self.server_of("b"), signal.SIGKILL)
        self.until(lambda: self.agent_of("b") != agent, "the agent of a broken connection lives on")
        self.expect_back("b", process, agent)
        self.finish(process)
        self.assertIn("is lost: its link has ended", " ".join(self.run_nightshift("report", "study").stdout.split()))

    def test_a_connection_that_is_silent_is_given_up_and_comes_back(self):
        self.problem = self.write("p.toml", PROGRAM.replace("sleep 0.05", "sleep 0.1"))
        process = self.start_study("--node-silence", "3s")
        agent, server = self.agent_of("b"), self.server_of("b")
        os.kill(server, signal.SIGSTOP)
        self.addCleanup(lambda: os.path.exists(f"/proc/{server}") and os.kill(server, signal.SIGKILL))
        self.until(lambda: "it has been silent for too long" in
                   " ".join(self.run_nightshift("report", "study").stdout.split()), "nobody misses it")
        self.until(lambda: self.agent_of("b") != agent, "the agent does not miss its head")
        os.kill(server, signal.SIGCONT)
        self.expect_back("b", process, agent)
        self.finish(process)

    def test_a_head_that_is_killed_leaves_nobody_behind_a_connection(self):
        self.problem = self.write("p.toml", PROGRAM)
        process = self.start_study()
        process.kill()
        process.communicate()
        self.expect_nobody(self.mark)
        self.finish(self.start_study())


if __name__ == "__main__":
    harness.main()
