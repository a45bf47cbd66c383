"""Lines of JSON over descriptors."""

import json
import os

MOST_BYTES = 1 << 20  # of one line; a longer one is dropped


def write_frame(descriptor, members):
    """One object and a newline. Raises ValueError where it has a NaN or an infinity."""
    write_line(descriptor, (json.dumps(members, allow_nan=False) + "\n").encode())


def write_line(descriptor, data):
    """All bytes, by one write wherever the system takes them at once."""
    while data:
        data = data[os.write(descriptor, data):]


def take_output():
    """A descriptor of what was standard output. What is printed from now on, by this process or what it
    starts, goes to standard error: a file may print while it is imported."""
    out = os.dup(1)
    os.dup2(2, 1)
    return out


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
