"""Lines of JSON over descriptors, and what stands in for the standard streams."""

import atexit
import contextlib
import io
import json
import os
import sys

MOST_BYTES = 1 << 20  # of one line; a longer one is dropped


def write_frame(descriptor, members, head=b""):
    """One object and a newline, behind `head`. Raises ValueError where it has a NaN or an infinity."""
    write_line(descriptor, head + (json.dumps(members, allow_nan=False) + "\n").encode())


def write_line(descriptor, data):
    """All bytes, by one write wherever the system takes them at once."""
    while data:
        data = data[os.write(descriptor, data):]


_given = []  # what take_streams() is to return


def take_streams():
    """(requests, out): descriptors of what were standard input and output. What this process prints
    from now on, or what it starts, goes to standard error, and there is nothing to read: a file may
    print, ask and start programs while it is imported."""
    if not _given:
        _given.append((os.dup(0), os.dup(1)))
        read_nothing()
        os.dup2(2, 1)
        print_without_end()
    return _given.pop()


class _Cut(io.FileIO):
    """Standard output or error without an end: what the tuner keeps of it is bounded, and a file that
    prints at each of a million calls is no worse for it."""

    def write(self, data):
        try:
            return super().write(data)
        except PermissionError:  # of a sealed memory file, which is full
            return memoryview(data).nbytes


def print_without_end():
    """Whatever a file prints by Python's own streams is cut off rather than an error."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = io.BufferedWriter(_Cut(descriptor, "wb", closefd=False))
        setattr(sys, name, io.TextIOWrapper(stream, "utf-8", "backslashreplace",
                                            line_buffering=name == "stderr"))


def read_nothing():
    """There is nothing on standard input from now on."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def give_streams(requests, out, errors):
    """take_streams() returns the first two, and standard output and error are the third at once: a thread
    of a file that was imported may print at any time."""
    read_nothing()
    os.dup2(errors, 2)
    os.dup2(errors, 1)
    _given.append((os.dup(requests), os.dup(out)))


def mend_streams():
    """Opens those of descriptors 0 to 2 that a file has closed: what is opened next would take
    their place, and be printed to."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free, which is this one


def tell(text):
    """Writes to standard error, whatever a file has made of sys.stderr."""
    flush()
    with contextlib.suppress(OSError):
        write_line(2, text.encode(errors="backslashreplace"))


def flush():
    """Writes what was printed. A file may have closed or replaced its streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def leave(code):
    """Ends the process after what was registered for its end, and does not wait for threads: one
    that a file has started may never end."""
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    flush()
    os._exit(code)


class Lines:
    """Cuts what comes from a descriptor into lines; what has no end yet waits."""

    def __init__(self, descriptor):
        self.descriptor, self._rest, self.ended = descriptor, b"", False

    def read(self):
        """The lines that one read() brings, without their ends; sets `ended` at the end."""
        data = os.read(self.descriptor, 1 << 16)
        if not data:
            self.ended = True
            return []
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > MOST_BYTES:
            self._rest = b""
        return lines


def parsed(line):
    """The object of a line, or None where it is none."""
    if not line.startswith(b"{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
