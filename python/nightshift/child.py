"""A process that a zygote has made, and its pipes."""

import contextlib
import json
import os
import select
import signal

from .errors import one_line
from .lines import Lines

_TAIL_BYTES = 4096  # of a worker's standard error, for its last words


class Child:
    """A worker: its process, and this end of three pipes. beside: the child that serves meanwhile,
    whose pipes are none of its business."""

    def __init__(self, start, beside=None):
        request_read, self.requests = os.pipe()
        reply_read, reply_write = os.pipe()
        error_read, error_write = os.pipe()
        theirs, ours = (request_read, reply_write, error_write), (self.requests, reply_read,
                                                                  error_read)
        self.process = start(theirs, ours + (beside.all_descriptors() if beside else ()))
        for descriptor in theirs:
            os.close(descriptor)
        self.replies, self.errors, self.tail = Lines(reply_read), error_read, b""
        self.served = False  # whether it has said anything
        self.token = b""  # of the present request, see worker.py
        os.set_blocking(reply_read, False)
        os.set_blocking(error_read, False)
        self.ended = os.pidfd_open(self.process)

    def descriptors(self):
        return self.ended, self.replies.descriptor, self.errors

    def all_descriptors(self):
        return (*self.descriptors(), self.requests)

    def has_ended(self):
        return bool(select.select([self.ended], [], [], 0)[0])

    def send(self, line):
        if self.served:  # what it has printed belongs to earlier requests
            while self.read_errors():
                pass
            self.tail = b""
        self.token = os.urandom(16).hex().encode() + b" "
        self._write(self.token + line)

    def tell(self, members):
        """Something about the present request."""
        self._write(self.token + (json.dumps(members) + "\n").encode())

    def _write(self, line):
        try:
            while line:
                line = line[os.write(self.requests, line):]
        except BrokenPipeError:
            pass  # it has ended, which its descriptor says

    def read_errors(self):
        """Passes on what it printed: the bytes, none at the end, None where there are none now."""
        try:
            data = os.read(self.errors, 1 << 16)
        except BlockingIOError:
            return None
        if data:
            with contextlib.suppress(PermissionError):  # what is kept of it is full
                os.write(2, data)
            self.tail = (self.tail + data)[-_TAIL_BYTES:]
        return data

    def read_replies(self):
        """Lines that somebody has written who knows the token."""
        try:
            lines = self.replies.read()
        except BlockingIOError:
            return []
        return [line[len(self.token):] for line in lines if line.startswith(self.token)]

    def last_words(self):
        lines = [line.strip() for line in self.tail.decode(errors="replace").splitlines()
                 if line.strip()]
        fatal = [line for line in lines if line.startswith("Fatal Python error")]
        return one_line((fatal or lines or [""])[-1], 200)

    def close(self):
        for descriptor in self.all_descriptors():
            os.close(descriptor)

    def kill(self):
        """With all that it has started in its group."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
