"""Reading what others have written, and writing the files of a problem."""

import contextlib
import importlib
import os

from .errors import Unwritten, UserError
from .whole_files import write_whole

MOST_BYTES = 64 << 20  # of a file that is read


def text_of(path):
    """A file's text. Raises UserError."""
    try:
        if os.path.getsize(path) > MOST_BYTES:
            raise UserError(f"{path} is longer than {MOST_BYTES >> 20} MiB")
        with open(path, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text of UTF-8"
        raise UserError(f"{path} can't be read: {reason}") from None


def with_triton():
    """Imports Triton where it is, so that candidates in it are compiled ahead, by processes that have
    imported it already."""
    with contextlib.suppress(ImportError):
        importlib.import_module("triton")


def put(folder, files):
    """Writes {name: text or bytes} below a folder, which is made. Raises UserError."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_whole(path, content)
        except OSError as error:
            raise Unwritten(f"{path} can't be written: {error.strerror or error}") from None


def number_of(words):
    """("N", 64) of "N=64". Raises UserError."""
    name, _, value = words.partition("=")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    raise UserError(f"--size wants NAME=NUMBER, not {words}")
