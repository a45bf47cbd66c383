"""Tells of compilers that run in the middle of an evaluation."""

import contextlib
import sys

_tellers = []  # (enter, leave) of each told() that is open


@contextlib.contextmanager
def told(begins, ends):
    """A context in which begins() is called before Triton, torch.compile or what building() is said
    about compile something, and ends() after it."""
    depth = [0]

    def enter(*_):
        depth[0] += 1
        if depth[0] == 1:
            begins()

    def leave(*_):
        depth[0] -= 1
        if depth[0] == 0:
            ends()

    _tellers.append((enter, leave))
    try:
        with _triton(enter, leave), _dynamo(enter, leave):
            yield
    finally:
        _tellers.pop()


@contextlib.contextmanager
def building():
    """A context in which whatever happens is building, as importing a candidate is, whose file may
    compile extensions. Tells the innermost told(), where there is one."""
    enter, leave = _tellers[-1] if _tellers else (lambda: None, lambda: None)
    enter()
    try:
        yield
    finally:
        leave()


@contextlib.contextmanager
def _triton(enter, leave):
    jit = getattr(sys.modules.get("triton.runtime.jit"), "JITFunction", None)
    compile_one = getattr(jit, "_do_compile", None)  # Triton 3.3 and later
    if compile_one is None:
        yield
        return

    def between(*args, **kwargs):
        enter()
        try:
            return compile_one(*args, **kwargs)
        finally:
            leave()

    jit._do_compile = between
    try:
        yield
    finally:
        jit._do_compile = compile_one


@contextlib.contextmanager
def _dynamo(enter, leave):
    handler = getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
    if handler is None:
        yield
        return
    handler.register_start_callback(enter)
    handler.register_end_callback(leave)
    try:
        yield
    finally:
        handler.remove_start_callback(enter)
        handler.remove_end_callback(leave)
