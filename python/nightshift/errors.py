"""What goes wrong, as values that the protocol and the command line can say."""

import os
import sys
import traceback

from .lines import tell


class UserError(Exception):
    """A mistake in the user's file or in how it is called: one sentence, and where.

    `place` is "FILE:LINE", or "" where none is known."""

    exit_code = 2

    def __init__(self, words, place=""):
        super().__init__(words)
        self.words, self.place = words, place

    def __str__(self):
        return f"{self.place}: {self.words}" if self.place else self.words


class Unwritten(UserError):
    """A file that the disk does not take."""

    exit_code = 74


class Failure(Exception):
    """A trial that ends without figures. `kind` is one of the protocol's words ("build_failed",
    "infeasible", "launch_failed", "out_of_resources", "out_of_memory", "wrong_result",
    "nondeterministic", "device_error"); `members` go into the answer beside the words."""

    def __init__(self, kind, words, **members):
        super().__init__(words)
        self.kind, self.words, self.members = kind, words, members

    def answer(self):
        return {"failure": self.kind, "words": one_line(self.words), **self.members}


class NotAhead(Exception):
    """What can't be compiled where there is no GPU, and may well be where there is one."""


class Infeasible(Failure):
    """The configuration can't work, as is known without trying it."""

    def __init__(self, why):
        super().__init__("infeasible", f"infeasible: {why}")


def infeasible(why):
    """Ends the present trial: this configuration can't work. Costs no measurement.

    why: one sentence. Raises Infeasible; may be called in the problem's function, in what it
    returns, and in a `where` function."""
    raise Infeasible(why)


def one_line(words, most=400):
    """`words` as one line of at most `most` characters."""
    line = " ".join(str(words).split())
    return line if len(line) <= most else line[:most - 3] + "..."


_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_beside(source, file):
    """Whether an absolute path is `file` or lies below its folder, and is neither ours nor of an
    installed package or interpreter."""
    folder = os.path.dirname(os.path.abspath(file)) + os.sep
    installed = [_OURS] + [prefix + os.sep for prefix in (sys.prefix, sys.base_prefix)
                           if not folder.startswith(prefix + os.sep)]
    return source.startswith(folder) and not source.startswith(tuple(installed)) \
        and "-packages" + os.sep not in source[len(folder):]


def place_in(error, file):
    """FILE:LINE of the deepest frame of `error` that lies in `file` or in a module beside it; ""
    where none does."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    found = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("<"):
            continue  # of the interpreter itself, with no file
        source = os.path.abspath(frame.filename)
        if is_beside(source, file):
            found = f"{source}:{frame.lineno}"
    return found


def sentence_of(error):
    """An exception as its type and first line: "ValueError: no such size"."""
    words = one_line(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def say_user_error(error):
    """One line FILE:LINE: words, then the traceback of what the user's code raised, from the user's
    first frame on."""
    tell(one_line(error, 1000) + "\n")
    cause = error.__cause__
    if cause is None or isinstance(cause, (UserError, SystemExit)):
        return
    frames = cause.__traceback__
    while frames is not None and _is_importing(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    tell("".join(traceback.format_exception(type(cause), cause, frames)))


def _is_importing(source):
    return source.startswith("<frozen importlib") or os.path.abspath(source).startswith(_OURS)
