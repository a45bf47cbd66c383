"""A client of `nightshift serve --socket PATH`; its lines are those of docs/serve.md."""

import collections
import concurrent.futures
import json
import socket
import threading
import uuid

from .errors import UserError


class Service:
    """Asks a running `nightshift serve`. Any number of threads may ask at once.

    path: of its Unix socket. Raises UserError where nobody serves there. `problems` are the names
    of what is served."""

    def __init__(self, path):
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(self._path)
        except OSError as error:
            self._socket.close()
            raise UserError(f"nobody serves at {self._path}: {error.strerror or error}") from None
        self._lock = threading.Lock()
        self._waiting = collections.defaultdict(collections.deque)  # futures by id
        self._is_over = ""
        self._lines = self._socket.makefile("rb")
        hello = json.loads(self._lines.readline() or b"{}")
        self.version, self.problems = hello.get("nightshift", ""), hello.get("problems", [])
        if hello.get("protocol") != 1:
            self.close()
            raise UserError(f"{self._path} does not speak protocol 1 of nightshift serve")
        threading.Thread(target=self._read, daemon=True).start()

    def submit(self, request):
        """A request as docs/serve.md has it, as a dict; without `id` it gets one. Returns a
        concurrent.futures.Future of the answer, a dict; one that could not be understood has
        `error`. The future's exception is a ConnectionError where the service ends before."""
        request = dict(request)
        request.setdefault("id", uuid.uuid4().hex)
        future = concurrent.futures.Future()
        line = json.dumps(request).encode() + b"\n"
        with self._lock:
            if self._is_over:
                future.set_exception(ConnectionError(self._is_over))
                return future
            self._waiting[self._key(request)].append(future)
            self._socket.sendall(line)
        return future

    def ask(self, request, timeout=None):
        """The answer to a request, waited for. Raises TimeoutError after `timeout` seconds: the
        candidate is still judged, and the same id asks for its answer again."""
        return self.submit(request).result(timeout)

    def judge(self, source=None, timeout=None, **members):
        """The verdict on a candidate: its source, and further members of a request."""
        if source is not None:
            members["source"] = source
        return self.ask(members, timeout)

    def close(self):
        """Ends the connection; what was asked is judged all the same."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @staticmethod
    def _key(members):
        identity = members.get("id", "")
        return identity if isinstance(identity, str) else ""

    def _read(self):
        try:
            for line in self._lines:
                answer = json.loads(line)
                with self._lock:
                    waiting = self._waiting.get(self._key(answer))
                    future = waiting.popleft() if waiting else None
                    if waiting is not None and not waiting:
                        del self._waiting[self._key(answer)]
                if future:
                    future.set_result(answer)
        except (OSError, ValueError):
            pass
        with self._lock:
            self._is_over = f"the service at {self._path} has ended"
            left = [future for line in self._waiting.values() for future in line]
            self._waiting.clear()
        for future in left:
            future.set_exception(ConnectionError(self._is_over))
