"""A process that imports one Python file, and forks a server for each request (imports.py)."""

import argparse
import contextlib
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

STREAMS = 3  # descriptors that come with a request


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


def received(connection):
    """A message and its descriptors; (None, []) at the end."""
    data, descriptors, *_ = socket.recv_fds(connection, elsewhere.MOST_BYTES, STREAMS + 1)
    for one in descriptors:
        os.set_inheritable(one, False)  # programs that a file starts have the streams alone
    return (json.loads(data) if data else None), descriptors


def stamp_of(file):
    try:
        found = os.stat(file)
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size]


class Importer:
    """Imports the file of the first request, then serves that and later ones."""

    def __init__(self, link):
        self.link = link
        self.servers = {}  # process: (its end, Asked)
        self.selector = selectors.DefaultSelector()
        self.failed = None  # UserError of the import
        self.changed = {}  # of the environment, by the file: see _changes()
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
        if not first.message["describes"]:
            self._import_late()
        self._serve(first)
        self.selector.register(self.link, selectors.EVENT_READ, self._take)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(STREAMS):  # whoever reads them waits for their end
            os.dup2(nothing, descriptor)
        os.close(nothing)
        if first.message["describes"]:
            self._import_late()  # while the run finds its devices
        while self.link is not None or self.servers:
            for key, _ in self.selector.select():
                try:
                    key.data()
                except Exception:  # of one request; all others are served on
                    traceback.print_exc()
        processes.kill_all_but(())
        os._exit(0)

    def _next(self):
        try:
            message, descriptors = received(self.link)
        except (OSError, ValueError):
            message, descriptors = None, []
        if message is None:
            return None
        connection = socket.socket(fileno=descriptors.pop())
        return Asked(connection, message, descriptors)

    def _import(self, first):
        """Imports the file. Returns why nobody can be forked afterwards, or ""."""
        message = first.message
        for number in (1, 2):
            os.dup2(first.streams[2], number)
        lines.read_nothing()
        lines.print_without_end()
        before = elsewhere.for_imports(message["environment"], dict(os.environ))
        if message.get("pretends"):
            before.update(NIGHTSHIFT_ROLE="build", CUDA_VISIBLE_DEVICES="")  # see loading.py
        os.environ.clear()
        os.environ.update(before)
        from . import loading
        from .starting import why_not_fork
        loading.stand_in(message["file"])
        try:
            loading.imported(message["file"])
        except UserError as error:
            self.failed = error
        self.changed = _changes(before, os.environ)
        lines.mend_streams()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a file that ignores it would hide deaths
        gc.collect()
        gc.freeze()
        why = why_not_fork()
        sources = {file: stamp_of(file) for file in loading.files_behind(message["file"])}
        text = json.dumps({"unshared": why} if why else {"sources": sources}).encode()
        with contextlib.suppress(OSError):  # it was retired, and is still to answer who asked
            self.link.send(text if len(text) < elsewhere.MOST_BYTES else b'{"sources": {}}')
        return why

    def _import_late(self):
        if self.failed is None:
            from . import late_imports
            late_imports.load()

    def _serve_none(self, first, why):
        """Each process imports for itself, but for who describes, for whom this process does it."""
        self.link.close()
        if not first.message["describes"]:
            first.say(here=why, unshared=True)
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
        if process not in self.servers:
            return  # they ended together
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
        lines.give_streams(*asked.streams)
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
