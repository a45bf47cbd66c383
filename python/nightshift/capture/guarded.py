"""What goes wrong in a hook stays there: the program never hears of it, and it is counted."""

import atexit
import functools
import os
import sys
import threading

from ..import_hooks import after

LOCK = threading.RLock()
# A child that is forked while another thread has it would wait for ever.
os.register_at_fork(after_in_child=LOCK._at_fork_reinit)
faults = {}  # {"where: type: words": how often}
_MOST = 50   # sentences that are kept


def fault(where, error):
    """Counts what `where` has met."""
    words = " ".join(str(error).split())[:200]
    text = f"{where}: {type(error).__name__}: {words}"
    with LOCK:
        if text in faults or len(faults) < _MOST:
            faults[text] = faults.get(text, 0) + 1


def guarded(where, otherwise=None):
    """Decorates a function of a hook: what it raises is counted, and `otherwise` returned."""
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except Exception as error:  # whatever a program's own objects raise
                fault(where, error)
                return otherwise
        return call
    return decorate


def at_end(owner, end):
    """Has end() called when the process ends, and when a child that multiprocessing has forked does: those end without
    what atexit has. owner: an object that lives as long as the hook."""
    atexit.register(end)
    after("multiprocessing.util", guarded("standing before multiprocessing")(
        lambda module: module.register_after_fork(
            owner, lambda _: module.Finalize(None, end, exitpriority=0))))


_told = set()


def tell_once(words):
    """One line on standard error, once in a process."""
    if words in _told:
        return
    _told.add(words)
    try:
        sys.stderr.write(f"nightshift: {words}\n")
        sys.stderr.flush()
    except Exception:  # closed, or full
        pass


_codes, _dynamo = [], []  # of functions that stand before others; torch.compile's own, once it is there


def stand_before(cls, name, instead):
    """Puts a function in the place of a method. torch.compile traces the program and not this: it is marked as torch
    marks what it leaves alone, so that torch need not be imported for it."""
    instead._torchdynamo_disable = True
    _codes.append(instead.__code__)
    for module in _dynamo:
        module.skip_code(instead.__code__)
    setattr(cls, name, instead)


def dynamo_is_there(module):
    """To be called once torch._dynamo.eval_frame is imported."""
    _dynamo.append(module)
    for code in _codes:
        module.skip_code(code)


def unseen(function):
    """Decorates what a hook does beside the program: torch.compile does not look at what it calls."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        if not _dynamo:
            return function(*args, **kwargs)
        before = _dynamo[0].set_eval_frame(None)
        try:
            return function(*args, **kwargs)
        finally:
            _dynamo[0].set_eval_frame(before)

    _codes.append(call.__code__)
    return call
