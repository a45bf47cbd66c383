"""A candidate runs in the interpreter that judges it. The seal keeps its code from looking into that, and
says afterwards whether clocks, comparisons and references are those that they were.

It refuses what programs that write kernels have come up with, on purpose or not: clocks and comparisons
replaced, functions of the problem replaced, answers read from the frames of whoever called, objects of the
judge found by the garbage collector. It is no sandbox: whoever has the process has all of it."""

import os
import sys
import types

from .errors import Failure

_PREFIX = "nightshift_candidate_"  # of the modules that candidates are loaded as
# All functions of these, and of every module of ours.
_WHOLE = ("builtins", "gc", "json", "math", "os", "random", "statistics", "struct", "time")
# Of libraries that replace others of their own while they work.
_SOME = {
    "numpy": ("abs", "all", "allclose", "array", "array_equal", "asarray", "empty", "isclose", "isnan",
              "max", "zeros"),
    "numpy.testing": ("assert_allclose", "assert_array_equal"),
    "torch": ("abs", "allclose", "any", "empty", "empty_like", "equal", "full", "isclose", "isnan",
              "manual_seed", "rand", "randint", "randn", "tensor", "zeros", "zeros_like", "Generator"),
    "torch.cuda": ("CUDAGraph", "Event", "Stream", "current_stream", "empty_cache", "graph",
                   "synchronize", "_sleep"),
    "torch.testing": ("assert_close",),
    "triton.testing": ("assert_close", "do_bench"),
}
_LOOKS = {"gc.get_objects": "objects of the process", "gc.get_referents": "objects of the process",
          "gc.get_referrers": "objects of the process", "sys._current_exceptions": "frames",
          "sys._current_frames": "frames", "sys._getframe": "frames", "sys.setprofile": "calls",
          "sys.settrace": "calls"}
_FRAMES = ("tb_frame",)  # attributes that lead to frames
_CODE = ("__code__", "__defaults__", "__kwdefaults__")  # of functions, by which they are others

_hooked = False
_asking = False  # the hook itself looks at a frame
_refused = ""  # what a candidate's code asked for first


def _looks_for_others(frame, module):
    """Whether a function of the standard library looks on behalf of whoever calls it."""
    return module == "inspect" or (module == "traceback" and
                                   frame.f_code.co_name.startswith("walk_"))


def _of_candidate(frame):
    """Whether the code of a frame, or what it was made by, is a candidate's."""
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.startswith(_PREFIX):
            return True
        made = frame.f_code.co_filename.startswith("<") and not name.startswith("nightshift")
        if not made and not _looks_for_others(frame, name):
            return False
        frame = frame.f_back
    return False


def _wanted(event, arguments):
    """What an event is about that candidates have no business with; "" of all others."""
    if event in _LOOKS:
        return _LOOKS[event]
    if event == "object.__getattr__" and arguments[1] in _FRAMES:
        return "frames"
    if event == "object.__setattr__" and arguments[1] in _CODE:
        owner = getattr(arguments[0], "__module__", "") or ""
        return "" if owner.startswith(_PREFIX) else f"the code of {owner}"
    return ""


def _hook(event, arguments):
    global _asking, _refused
    if _asking or (event not in _LOOKS and not event.startswith("object.__")):
        return
    _asking = True
    try:
        wanted = _wanted(event, arguments)
        if wanted and _of_candidate(sys._getframe(1)):
            _refused = _refused or f"it asks for {wanted} by {event}"
            raise Failure("launch_failed", _refused)
    finally:
        _asking = False


def _inner(value):
    """What makes a function of Python what it is."""
    if not isinstance(value, types.FunctionType):
        return None
    return tuple(getattr(value, name) for name in _CODE)


def _place():
    """The cores and the priority of this process."""
    return os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)


class Seal:
    """To be made before any code of the candidate runs.

    module: the problem's own, whose functions and classes are watched as well"""

    def __init__(self, module=None):
        global _hooked
        if not _hooked:
            sys.addaudithook(_hook)
            _hooked = True
        self._watched, self._same = [], _inner  # a name of ours may be another later
        self._place, self._place_now = _place(), _place
        for name, found in sorted(sys.modules.items()):
            ours = name == "nightshift" or name.startswith("nightshift.")
            if ours or name in _WHOLE or found is module:
                self._watch_all(name, found, deep=ours)
            elif name in _SOME:
                for one in _SOME[name]:
                    self._watch(name, found, one)
        for name in ("elapsed_time", "record", "synchronize"):
            self._watch("torch.cuda.Event", _attribute("torch.cuda", "Event"), name)

    def _watch_all(self, where, owner, deep):
        for name, value in list(vars(owner).items()):
            if not callable(value):
                continue
            self._watch(where, owner, name)
            if deep and isinstance(value, type) and value.__module__ == where:
                for member in list(vars(value)):
                    self._watch(f"{where}.{name}", value, member)

    def _watch(self, where, owner, name):
        if owner is None or name not in vars(owner):
            return
        value = vars(owner)[name]
        if callable(value):
            self._watched.append((f"{where}.{name}", owner, name, value, _inner(value)))

    def check(self):
        """Raises Failure where something is not what it was, or was asked for that is none of the
        candidate's business, whatever became of that."""
        if _refused:
            raise Failure("launch_failed", _refused)
        if self._place_now() != self._place:
            raise Failure("launch_failed", "it has changed the cores or the priority that it was given")
        for where, owner, name, value, inner in self._watched:
            now = vars(owner).get(name)
            if now is not value or self._same(value) != inner:
                raise Failure("launch_failed", f"it has replaced {where}, by which it is judged")


def _attribute(module, name):
    return getattr(sys.modules.get(module), name, None)


def module_of(problem):
    """The module that a problem's function is of, where it stands among the others."""
    name = getattr(problem.function, "__module__", None)
    found = sys.modules.get(name)
    file = os.path.abspath(getattr(found, "__file__", None) or "")
    return found if file == os.path.abspath(problem.file) else None
