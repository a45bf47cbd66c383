"""The process that imports each Python file of a run once: whoever describes, builds and measures
is forked from what it has imported, so that all know the same, and nobody waits for torch twice.

    python3 -m nightshift.imports PARENT      listens on descriptor 3 until its parent ends

The host forks an importer for each file, in each environment. An importer imports the file, then
forks a server for each request. Who asks (`python3 -m nightshift serve`, elsewhere.py) stays, and is the
process that others see: it hands its standard streams to the server, and ends as that ends. When it
is killed, its server and all that this has started are killed.

An import that has started threads or CUDA is no one to fork from: who asks imports for itself."""

import json
import os
import selectors
import signal
import socket
import sys
import traceback

from . import elsewhere, processes
from .importer import STREAMS, Asked, Importer, received, stamp_of

_LISTENING = 3
# Importers that are kept: 8, and as many as half of the memory has room for that nobody uses. Each has a
# few hundred MB, most of it shared with its servers.
_FEW_IMPORTERS, _BYTES_EACH = 8, 400 << 20


class Held:
    """An importer, as the host sees it."""

    def __init__(self, process, link):
        self.process, self.link = process, link
        self.sources = None  # {file: [time, size]} of what was imported, once that is done
        self.serves = False  # was asked for more than a description
        self.waiting = []  # for that: connections to who asked

    def is_stale(self):
        return self.sources is not None and any(
            stamp_of(file) != stamp for file, stamp in self.sources.items())


def most_importers(meminfo="/proc/meminfo"):
    try:
        with open(meminfo) as lines:
            free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        free = 0
    return max(_FEW_IMPORTERS, free // 2 // _BYTES_EACH)


class Host:
    """Takes requests, and hands each to the importer of its file."""

    def __init__(self, listening):
        self.listening = listening
        self.importers = {}  # by key; who was asked last stands last
        self.unshared = {}  # by key: why nobody can be forked from what was imported
        self.most = most_importers()  # while none is there, which would count as used
        self.selector = selectors.DefaultSelector()
        self.selector.register(listening, selectors.EVENT_READ, self._accept)

    def run(self):
        """For ever: the death of the parent ends it."""
        while True:
            for key, _ in self.selector.select(timeout=1):
                try:
                    key.data()
                except Exception:  # of one request; all others are served on
                    traceback.print_exc()
            while True:  # importers that were retired
                try:
                    if os.waitpid(-1, os.WNOHANG)[0] == 0:
                        break
                except ChildProcessError:
                    break

    def _accept(self):
        connection, _ = self.listening.accept()
        if not elsewhere.is_mine(connection):
            connection.close()
            return
        self.selector.register(connection, selectors.EVENT_READ, lambda: self._take(connection))

    def _take(self, connection):
        self.selector.unregister(connection)
        try:
            message, descriptors = received(connection)
        except (OSError, ValueError):
            message, descriptors = None, []
        asked = Asked(connection, message, descriptors)
        if message is not None and len(descriptors) == STREAMS:
            self._hand_over(asked)
        else:
            asked.close()

    def _hand_over(self, asked):
        message = asked.message
        if message["executable"] != sys.executable:
            asked.say(here="another interpreter")
            asked.close()
            return
        key = (message["file"], json.dumps(elsewhere.what_imports_see(message["environment"])))
        if key in self.unshared and message["environment"].get("NIGHTSHIFT_ROLE") == "build":
            # Where CUDA was what hinders: builders can do with one that is pretended.
            message["pretends"], key = True, (*key, "build")
        if key in self.unshared and not message["describes"]:
            asked.say(here=self.unshared[key], unshared=True)
            asked.close()
            return
        importer = self.importers.pop(key, None)
        if importer is not None and message["describes"] and importer.is_stale():
            self._retire(importer)
            importer = None
        for _ in range(2):
            if importer is None:
                importer = self._fork(asked)
            try:
                socket.send_fds(importer.link, [json.dumps(message).encode()],
                                [*asked.streams, asked.connection.fileno()])
            except OSError:  # it has ended meanwhile
                self._retire(importer)
                importer = None
                continue
            self.importers[key] = importer
            importer.serves = importer.serves or not message["describes"]
            break
        self._await(importer, asked)
        if not message["describes"]:
            self._keep_few()  # what is read is known to be one too many once it was read

    def _keep_few(self):
        """Those that are importing still are needed by who waits for them, however many there are. Of
        the others the oldest goes that has served; where none has, the file that was read last: a
        batch reads all of its files, and then begins with the first."""
        while len(self.importers) > self.most:
            done = [one for one in self.importers.values() if one.sources is not None]
            if not done:
                return
            self._retire(next((one for one in done if one.serves), done[-1]))

    def _await(self, importer, asked):
        """An import for which nobody waits any more is ended: it may never end by itself."""
        if importer is None or importer.sources is not None:
            asked.close()
            return
        connection = asked.connection
        for one in asked.streams:
            os.close(one)
        importer.waiting.append(connection)

        def give_up():
            if connection not in importer.waiting:
                return  # its import has just ended
            self._leave(importer, connection)
            if not importer.waiting and importer.sources is None:
                os.kill(importer.process, signal.SIGKILL)

        self.selector.register(connection, selectors.EVENT_READ, give_up)

    def _leave(self, importer, connection):
        importer.waiting.remove(connection)
        self.selector.unregister(connection)
        connection.close()

    def _retire(self, importer):
        """It is asked nothing more, and ends with its last server. Who waits for its import hears from
        itself, or by the end of the connection, of which nobody may hold another end here."""
        for connection in list(importer.waiting):
            self._leave(importer, connection)
        if importer.link.fileno() >= 0:
            self.selector.unregister(importer.link)
            importer.link.close()
        for key, one in list(self.importers.items()):
            if one is importer:
                del self.importers[key]

    def _fork(self, asked):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        parent, process = os.getpid(), os.fork()
        if process == 0:
            try:
                processes.die_with(parent)
                for other in list(self.selector.get_map().values()):
                    os.close(other.fd)
                self.selector.close()
                ours.close()
                asked.close()  # it comes by the link
                Importer(theirs).run()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        importer = Held(process, ours)
        self.selector.register(ours, selectors.EVENT_READ, lambda: self._hear(importer))
        return importer

    def _hear(self, importer):
        for connection in list(importer.waiting):
            self._leave(importer, connection)
        try:
            data = importer.link.recv(elsewhere.MOST_BYTES)
        except OSError:
            data = b""
        told = json.loads(data) if data else {}
        if "unshared" in told:
            self.unshared.update({key: told["unshared"] for key, one in self.importers.items()
                                  if one is importer})
        elif data:
            importer.sources = told["sources"]
            self._keep_few()
        else:
            self._retire(importer)


def main():
    processes.die_with(int(sys.argv[1]))
    os.set_inheritable(_LISTENING, False)
    Host(socket.socket(fileno=_LISTENING)).run()


if __name__ == "__main__":
    main()
