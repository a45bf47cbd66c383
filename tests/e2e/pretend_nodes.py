"""Nodes that are none, for runs over nodes without a cluster: this process is the network between a head and agents on
this machine, and what can happen to nodes and network happens here. Programs see their node as $NAME_OF_PRETEND_NODE.

    pretend_nodes.py --link SOCKET      what a head starts to reach a node, as it would start ssh
"""

import contextlib
import os
import pathlib
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading

from harness import NIGHTSHIFT

NODE = "NAME_OF_PRETEND_NODE"


def processes_of(node):
    """What runs on it: {(id, start), ...}, of which no second process is ever the same."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # ended meanwhile
            if f"XDG_RUNTIME_DIR={node.folder}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.add(identity(int(entry.name)))
    return found - {None}


def identity(pid):
    """None: there is no such process, or it is a zombie."""
    try:
        after_name = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if after_name[0] in "ZX" else (pid, int(after_name[19]))


class Link:
    """A connection to a node, with an agent of its own at its end."""

    def __init__(self, node, connection):
        self.node, self.connection = node, connection
        self.garbage = False
        banner = "echo Welcome to {}.; echo '{{\"say\":'; ".format(node.name) if node.greets else ""
        agent = f"exec nightshift agent --node {node.name} --devices cpu:{node.core}"
        self.agent = subprocess.Popen(["sh", "-c", banner + agent], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, cwd=node.folder, env=node.environment,
                                      start_new_session=True)
        self.down = threading.Thread(target=self.carry_down, daemon=True)
        self.down.start()
        threading.Thread(target=self.carry_up, daemon=True).start()

    def carry_down(self):
        with contextlib.suppress(OSError):
            while data := self.connection.recv(1 << 16):
                self.node.network.wait()
                self.agent.stdin.write(data)
                self.agent.stdin.flush()
        self.node.network.wait()
        with contextlib.suppress(OSError):
            self.agent.stdin.close()

    def carry_up(self):
        with contextlib.suppress(OSError):
            for line in self.agent.stdout:
                self.node.network.wait()
                self.connection.sendall(line)
                if self.garbage:
                    self.garbage = False
                    self.connection.sendall(b'{"say":"ended","trial":1e999,"\xff\n')
        self.node.network.wait()
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.agent.wait()
        self.down.join()
        self.agent.stdout.close()
        self.connection.close()


class Node:
    """`folder`: on its disk. Devices are locked among those that measure on this node alone."""

    def __init__(self, name, core, folder, environment):
        self.name, self.core, self.folder = name, core, folder
        self.greets = False  # something is printed there before the agent's first word
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.environment = dict(environment, **{NODE: name, "TMPDIR": str(self.temporary), "XDG_RUNTIME_DIR": str(folder),
                                                "PATH": f"{NIGHTSHIFT.parent}:{os.environ['PATH']}"})
        self.network = threading.Event()
        self.network.set()
        self.links, self.lock = [], threading.Lock()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(folder / "link"))
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def command(self):
        return "exec " + shlex.join([sys.executable, "-B", "-S", __file__, "--link", f"{self.folder}/link"])

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.connect, args=(connection,), daemon=True).start()

    def connect(self, connection):
        self.network.wait()
        if select.select([connection], [], [], 0)[0] and not connection.recv(1, socket.MSG_PEEK):
            return connection.close()  # whoever wanted in has gone
        with self.lock:
            if self.folder.exists():
                self.links.append(Link(self, connection))

    def agent(self):
        """The link whose agent came last; None where it has ended."""
        with self.lock:
            link = self.links[-1] if self.links else None
        return link if link and link.agent.poll() is None else None

    def kill(self):
        """With all that runs on it; what begins meanwhile too."""
        while left := processes_of(self):
            for pid, _ in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def remove(self):
        self.network.set()
        self.socket.close()
        with self.lock:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.kill()


def link(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)

    def carry_down():
        with contextlib.suppress(OSError):
            while data := os.read(0, 1 << 16):
                connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=carry_down, daemon=True).start()
    with contextlib.suppress(OSError):
        while data := connection.recv(1 << 16):
            while data:
                data = data[os.write(1, data):]
    os._exit(0)


if __name__ == "__main__":
    link(sys.argv[2])
