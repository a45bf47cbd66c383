"""The process that imports each Python file of a run once: whoever describes, builds and measures is
forked from what it has imported, so that all of them know the same, and nobody waits for torch twice.

    python3 -m nightshift.imports PARENT      listens on descriptor 3 until its parent ends

The host forks an importer for each file, in each environment. An importer imports the file, then forks
a server for each request. Who asks (`python3 -m nightshift serve`, elsewhere.py) stays, and is the
process that others see: it hands its standard streams to the server, and ends as that ends. When it
is killed, its server and all that this has started are killed.

An import that has started threads or CUDA is no one to fork from: who asks imports for itself."""

import argparse
import gc
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
import traceback

from . import elsewhere, lines, processes
from .errors import UserError, say_user_error

_LISTENING = 3
_MOST_IMPORTERS = 8  # that are kept; each has a few hundred MB, most of it shared with its servers
_STREAMS = 3


class Asked:
    """A request as it came: `connection` to who asks, and descriptors 0 to 2 that it hands over."""

    def __init__(self, connection, message, streams):
        self.connection, self.message, self.streams = connection, message, streams

    def say(self, **members):
        """False where nobody hears it any more."""
        try:
            self.connection.send(json.dumps(members).encode())
            return True
        except OSError:
            return False

    def close(self):
        self.connection.close()
        for one in self.streams:
            os.close(one)


def _received(connection):
    """A message and its descriptors; (None, []) at the end."""
    data, descriptors, *_ = socket.recv_fds(connection, elsewhere.MOST_BYTES, _STREAMS + 1)
    return (json.loads(data) if data else None), descriptors


# --- The host ---

class Importer:
    """An importer, as the host sees it."""

    def __init__(self, process, link):
        self.process, self.link = process, link
        self.sources = None  # {file: [time, size]} of what was imported, once that is done
        self.waiting = []  # for that: connections to who asked

    def is_stale(self):
        return self.sources is not None and any(
            _stamp(file) != stamp for file, stamp in self.sources.items())


def _stamp(file):
    try:
        found = os.stat(file)
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size]


class Host:
    """Takes requests, and hands each to the importer of its file."""

    def __init__(self, listening):
        self.listening = listening
        self.importers = {}  # by key; who was asked last stands last
        self.selector = selectors.DefaultSelector()
        self.selector.register(listening, selectors.EVENT_READ, self._accept)

    def run(self):
        """For ever: the death of the parent ends it."""
        while True:
            for key, _ in self.selector.select(timeout=1):
                key.data()
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
            message, descriptors = _received(connection)
        except (OSError, ValueError):
            message, descriptors = None, []
        asked = Asked(connection, message, descriptors)
        if message is not None and len(descriptors) == _STREAMS:
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
            break
        self._await(importer, asked)
        while len(self.importers) > _MOST_IMPORTERS:
            self._retire(self.importers.pop(next(iter(self.importers))))

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
            self._leave(importer, connection)
            if not importer.waiting and importer.sources is None:
                os.kill(importer.process, signal.SIGKILL)

        self.selector.register(connection, selectors.EVENT_READ, give_up)

    def _leave(self, importer, connection):
        importer.waiting.remove(connection)
        self.selector.unregister(connection)
        connection.close()

    def _retire(self, importer):
        """It is asked nothing more, and ends with its last server."""
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
                Files(theirs).run()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        importer = Importer(process, ours)
        self.selector.register(ours, selectors.EVENT_READ, lambda: self._hear(importer))
        return importer

    def _hear(self, importer):
        for connection in list(importer.waiting):
            self._leave(importer, connection)
        try:
            data = importer.link.recv(elsewhere.MOST_BYTES)
        except OSError:
            data = b""
        if data:
            importer.sources = json.loads(data)
        else:
            self._retire(importer)


# --- An importer ---

class Files:
    """An importer: imports the file of the first request, then serves that and later ones."""

    def __init__(self, link):
        self.link = link
        self.servers = {}  # process: (its end, Asked)
        self.selector = selectors.DefaultSelector()
        self.failed = None  # UserError of the import
        self.changed = {}  # of the environment, by the file: {name: value, or None where it is gone}
        self.spared = set()  # processes that the file has started

    def run(self):
        """Never returns."""
        first = self._next()
        if first is None:
            os._exit(0)
        why = self._import(first)
        if why:
            self._serve_none(first, why)
        processes.adopt_orphans()
        self.spared = set(processes.children_of(os.getpid()))
        self._serve(first)
        self.selector.register(self.link, selectors.EVENT_READ, self._take)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(_STREAMS):  # whoever reads them waits for their end
            os.dup2(nothing, descriptor)
        os.close(nothing)
        while self.link is not None or self.servers:
            for key, _ in self.selector.select():
                key.data()
        processes.kill_all_but(())
        os._exit(0)

    def _next(self):
        try:
            message, descriptors = _received(self.link)
        except (OSError, ValueError):
            message, descriptors = None, []
        if message is None:
            return None
        connection = socket.socket(fileno=descriptors.pop())
        return Asked(connection, message, descriptors)

    def _import(self, first):
        """Imports the file. Returns why nobody can be forked afterwards, or ""."""
        message = first.message
        for number, descriptor in enumerate(first.streams):
            os.dup2(descriptor if number != 1 else first.streams[2], number)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        before = elsewhere.for_imports(message["environment"], dict(os.environ))
        os.environ.clear()
        os.environ.update(before)
        from . import loading, triton_import
        from .zygote import why_not_fork
        loading.stand_in(message["file"])
        try:
            loading.imported(message["file"])
            triton_import.hash_triton()
        except UserError as error:
            self.failed = error
        self.changed = _changes(before, os.environ)
        lines.mend_streams()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a file that ignores it would hide deaths
        gc.collect()
        gc.freeze()
        sources = {file: _stamp(file) for file in loading.files_behind(message["file"])}
        text = json.dumps(sources).encode()
        self.link.send(text if len(text) < elsewhere.MOST_BYTES else b"{}")
        return why_not_fork()

    def _serve_none(self, first, why):
        """Each process imports for itself, but for who describes, for whom this process does it."""
        self.link.close()
        if not first.message["describes"]:
            first.say(here=why)
            os._exit(0)
        first.say(begun=os.getpid())
        told = socket.socket(fileno=os.dup(first.connection.fileno()))
        code = self._work(first)
        told.send(json.dumps({"exit": code}).encode())
        lines.leave(code)

    def _take(self):
        asked = self._next()
        if asked is None:
            self.selector.unregister(self.link)
            self.link.close()
            self.link = None
            return
        self._serve(asked)

    def _serve(self, asked):
        named = asked.message["environment"].get("OPENBLAS_NUM_THREADS")
        if "numpy" in sys.modules and not asked.message["describes"] and not named:
            asked.say(here="numpy would have more than the one thread that it was imported with")
            asked.close()
            return
        lines.flush()
        parent, process = os.getpid(), os.fork()
        if process == 0:
            code = 1
            try:
                processes.die_with(parent)
                os.setsid()
                self.selector.close()
                for _, other in self.servers.values():
                    other.close()
                if self.link is not None:
                    self.link.close()
                code = self._work(asked)
            finally:
                lines.leave(code)
        ended = os.pidfd_open(process)
        self.servers[process] = (ended, asked)
        for one in asked.streams:
            os.close(one)
        asked.streams = []
        asked.say(begun=process)
        self.selector.register(ended, selectors.EVENT_READ, lambda: self._bury(process))
        self.selector.register(asked.connection, selectors.EVENT_READ, lambda: self._kill(process))

    def _kill(self, process):
        """Who asked has ended: so does its server, and with it all that it has started."""
        os.kill(process, signal.SIGKILL)
        self._bury(process)

    def _bury(self, process):
        if process not in self.servers:
            return
        ended, asked = self.servers.pop(process)
        _, status = os.waitpid(process, 0)
        self.selector.unregister(ended)
        self.selector.unregister(asked.connection)
        os.close(ended)
        # Before it is told: who waits for its end waits for that of all of them.
        processes.kill_all_but(self.spared | set(self.servers))
        if os.WIFSIGNALED(status):
            asked.say(signal=os.WTERMSIG(status))
        else:
            asked.say(exit=os.WEXITSTATUS(status))
        asked.close()

    def _work(self, asked):
        """In a server: does what was asked, as who asked. Returns the exit code."""
        message = asked.message
        for number, descriptor in enumerate(asked.streams):
            os.dup2(descriptor, number)
        for descriptor in asked.streams:
            os.close(descriptor)
        asked.streams = []
        environment = dict(message["environment"])
        for name, value in self.changed.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        elsewhere.be_like(message)
        process, *_ = elsewhere.peer(asked.connection)
        asked.connection.close()
        if self.failed is not None:
            say_user_error(self.failed)
            return 2
        from .__main__ import run
        return run(argparse.Namespace(**message["arguments"]), elsewhere.Follower(process))


def _changes(before, after):
    """What a file has changed in its environment: {name: value, or None where it is gone}."""
    changed = {name: value for name, value in after.items() if before.get(name) != value}
    changed.update({name: None for name in before if name not in after})
    return changed


def main():
    processes.die_with(int(sys.argv[1]))
    Host(socket.socket(fileno=_LISTENING)).run()


if __name__ == "__main__":
    main()
