"""What goes wrong in a hook stays there: the program never hears of it, and it is counted."""

import functools
import sys
import threading

LOCK = threading.RLock()
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
