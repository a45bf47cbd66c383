"""Files that are as they were or as they will be, whatever the disk takes."""

import contextlib
import errno
import os


def read_whole(path):
    """The text of a regular file. Raises OSError, also of what would make a reader wait: FIFOs and devices."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no regular file", path)
    with open(path, encoding="utf-8") as opened:
        return opened.read()


def write_whole(path, content):
    """Writes text or bytes; what is no file, such as a pipe, takes them as they come. Raises OSError, and leaves
    nothing beside `path`."""
    in_place = os.path.exists(path) and not os.path.isfile(path)
    beside = path if in_place else f"{path}.{os.getpid()}"
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with open(beside, "wb") as opened:
            opened.write(data)
        if not in_place:
            os.replace(beside, path)
    except OSError:
        if not in_place:
            with contextlib.suppress(OSError):
                os.remove(beside)
        raise
