"""What a program launches, as one process of it has seen it, and the file that says so.

Time is bounded: what the hook itself has used is counted, and beyond its share of the program's time launches
are counted and not looked at. So are memory (kernels, launches of each, events) and disk (bytes of values)."""

import json
import os
import socket
import re
import sys
import time

from ..whole_files import write_whole
from . import arguments, spaces
from .guarded import LOCK, fault, faults, guarded, tell_once
from .inductor import NotYet
from .keys import Shape
from .sources import Unrecordable, sources_of
from .written import written_by

SHARE = 0.02               # of the program's time
_DESCRIBING = 2_000_000_000  # nanoseconds in all for descriptions, each of which is made once, or the share
_BURST = 50_000_000        # nanoseconds that may be used at once for launches that are known
_FIRST_TIMES = 200_000_000  # nanoseconds in all, so that each kernel has a time where that is used up
_MOST_KERNELS, _MOST_LAUNCHES = 512, 96
_VARYING = 12              # so many values of an integer, and it is no size
_TIMES, _PENDING = 16, 256
_FLUSH_SECONDS = 20
MOST_BYTES = 2 << 30       # of values on disk


class Launch:
    """One kind of launch of a kernel."""

    def __init__(self, text):
        self.text, self.count, self.seconds, self.timed, self.next_time = text, 0, [], 0, 0
        self.detail, self.why, self.later, self.graphs = None, "", "", []


class Kernel:
    """One kernel of the program: a jit function, and with Inductor's the object that launches it."""

    def __init__(self, jit, shape, kind, source=None):
        self.jit, self.shape, self.kind, self.name = jit, shape, kind, jit.__name__
        self.source = source or (lambda: jit)  # the same with its text, where that is not at hand
        self.launches, self.why, self.sources = {}, "", None
        self.others = 0

    def launch(self, args, kwargs):
        """The launch of these arguments, which is made where it is new."""
        quick = self.shape.quick(args, kwargs)
        found = self.launches.get(quick)
        if found is None:
            if len(self.launches) >= _MOST_LAUNCHES and not self._forget_numbers():
                self.others += 1
                return None
            text = self.shape.text(args, kwargs)
            found = next((one for one in self.launches.values() if one.text == text), None) or Launch(text)
            self.launches[self.shape.quick(args, kwargs)] = found
        return found

    def _forget_numbers(self):
        """Counters and seeds are another number each time: they tell no launches apart from now on.
        Returns whether there are some."""
        seen = {}
        for launch in self.launches.values():
            for part in launch.text.split(" "):
                name, _, value = part.partition("=")
                if value.lstrip("-").isdigit():
                    seen.setdefault(name, set()).add(value)
        names = {name for name, values in seen.items() if len(values) > _VARYING
                 and name not in self.shape.constants}
        if not names:
            return False
        self.shape.varying |= names
        merged = sorted(self.launches.values(), key=lambda one: -one.count)[:_VARYING]
        self.others += sum(one.count for one in self.launches.values()) - sum(
            one.count for one in merged)
        self.launches = {("kept", number): one for number, one in enumerate(merged)}
        return True


class Recorder:
    """See the module. folder: where everything goes; values: whether inputs are kept."""

    def __init__(self, folder, values=False, share=SHARE):
        self.folder, self.values, self.share = os.path.abspath(folder), values, share
        self.kernels, self.graph = {}, None
        self.began, self.began_at, self.spent = time.perf_counter_ns(), time.time(), 0
        self.room, self.counted, self.told_from = _BURST, self.began, (self.began, 0, 0)
        self.described = self.just_described = 0  # nanoseconds, of `spent`
        self.recorded = set()  # ids of kernels with a launch that was described, or cannot be
        self.timed, self.on_first_times = set(), 0  # ids of kernels with a launch that was timed; nanoseconds
        self.pending, self.bytes, self.missed = [], 0, {}  # {id of a kernel: launches not looked at}
        self.flush_at, self.host = self.began + _FLUSH_SECONDS * 10**9, socket.gethostname()

    def forget(self):
        """In a child that was forked: what the parent has seen is the parent's to tell."""
        self.kernels, self.graph, self.pending, self.bytes, self.missed = {}, None, [], 0, {}
        self.recorded, self.timed = set(), set()
        self.told_from, self.began_at = (time.perf_counter_ns(), self.spent, self.described), time.time()

    def _may_describe(self, now):
        return self.described < max(_DESCRIBING, self.share * (now - self.began)) and self.share > 0

    def awake(self, now, key):
        """Whether the launch that begins now, of the kernel with this key, is looked at; else it is counted: each
        stretch of the program is to be slower by no more than the share."""
        self.room = min(_BURST, self.room + self.share * (now - self.counted))
        self.counted = now
        if self.room > 0 or self.graph is not None:
            return True
        if key not in self.recorded and self._may_describe(now):
            return True  # a kernel of which nothing is known yet
        if key in self.recorded and key not in self.timed and self.on_first_times < _FIRST_TIMES and self.share > 0:
            return True  # without a time it would have no share of the program's
        self.missed[key] = self.missed.get(key, 0) + 1
        return False

    def spend(self, start):
        """The hook was at work since then."""
        took = time.perf_counter_ns() - start
        self.spent += took
        if self.room <= 0:
            self.on_first_times += took - self.just_described
        # What Python does around the hook is about as much again. Descriptions have an allowance of their own.
        self.room -= 2 * (took - self.just_described)
        self.just_described = 0

    def kernel(self, jit, names, constants, kind, source=None):
        found = self.kernels.get(id(jit))
        if found is None:
            if len(self.kernels) >= _MOST_KERNELS:
                return None
            with LOCK:
                found = self.kernels.setdefault(
                    id(jit), Kernel(jit, Shape(names, constants), kind, source))
        return found

    def before(self, kernel, args, kwargs, describe, interface):
        """What after() gets; None: nothing more is noted of this launch. describe: a function that returns the
        description of the launch's arguments, and raises Unrecordable."""
        try:
            return self._before(kernel, args, kwargs, describe, interface, time.perf_counter_ns())
        except Exception as error:
            fault("noting a launch", error)
            return None

    def _before(self, kernel, args, kwargs, describe, interface, now):
        launch = kernel.launch(args, kwargs)
        if launch is None:
            return None
        if self.graph is not None:
            launch.graphs.append(self.graph)
            return None
        launch.count += 1 + self.missed.pop(id(kernel.jit), 0)
        is_new = launch.detail is None and not launch.why and not kernel.why
        wants_time = interface is not None and not is_new and self._wants_time(launch)
        if not (is_new or wants_time or now > self.flush_at):
            return (launch, None) if launch.detail is not None and "written" not in launch.detail else None
        # Asking an event while a graph is captured would break the capture.
        if interface is not None and _is_capturing(interface):
            return None
        self._read_times()
        if now > self.flush_at:
            self.flush()
        if is_new and self._may_describe(now):
            start = time.perf_counter_ns()
            self._describe(kernel, launch, describe)
            self.just_described = time.perf_counter_ns() - start
            self.described += self.just_described
            if launch.detail is not None or launch.why:
                self.recorded.add(id(kernel.jit))
            return launch, None
        if wants_time:
            self.timed.add(id(kernel.jit))
        return launch, self._begun(launch, interface) if wants_time else None

    def _wants_time(self, launch):
        """The first ones, and then each time that there have been twice as many."""
        if launch.detail is None or launch.timed >= _TIMES or len(self.pending) >= _PENDING:
            return False
        return launch.timed < _TIMES // 2 or launch.count >= launch.next_time

    def _begun(self, launch, interface):
        launch.timed += 1
        launch.next_time = 2 * launch.count
        start = interface.Event(enable_timing=True)
        start.record()
        return start

    def after(self, token, kernel, compiled, interface):
        """To be called once a launch was made. compiled: what Triton returned."""
        try:
            launch, event = token
            if event is not None:
                end = interface.Event(enable_timing=True)
                end.record()
                self.pending.append((launch, event, end))
            if launch.detail is not None and "written" not in launch.detail:
                _complete(launch.detail, kernel, compiled)
        except Exception as error:
            fault("noting the end of a launch", error)

    def _read_times(self):
        if not self.pending:
            return
        with LOCK:
            while self.pending and self.pending[0][2].query():
                launch, start, end = self.pending.pop(0)
                launch.seconds.append(start.elapsed_time(end) / 1e3)

    @guarded("reading the last times")
    def end(self):
        """To be called when the process ends."""
        with LOCK:
            for _, _, end in self.pending[-1:]:
                end.synchronize()
        self._read_times()

    def _describe(self, kernel, launch, describe):
        try:
            if kernel.sources is None:
                kernel.sources = sources_of(kernel.source())
            detail = describe()
            spans = detail["storages"]
            stem = f"{kernel.sources.hash[:16]}-{_short(launch.text)}"
            try:
                self.bytes += arguments.keep_values(
                    spans, os.path.join(self.folder, "values"), stem, self.values,
                    MOST_BYTES - self.bytes)
            except OSError as error:
                fault("keeping values", error)
            for span in spans:
                span.pop("value", None)
            launch.detail = detail
        except Unrecordable as error:
            if kernel.sources is None:
                kernel.why = str(error)
            launch.why = str(error)
        except NotYet as later:
            launch.later = str(later)
        except Exception as error:
            launch.why = f"{type(error).__name__} while it was described: {str(error)[:200]}"
            fault(f"describing {kernel.name}", error)

    @guarded("writing what was seen")
    def flush(self):
        """Writes what is known so far, in the place of what was written before. Where the disk takes no more that is
        told once."""
        self.flush_at = time.perf_counter_ns() + _FLUSH_SECONDS * 10**9
        if not self.kernels:
            return
        folder = os.path.join(self.folder, "processes")
        path = os.path.join(folder, f"{self.host}-{os.getpid()}-{int(self.began_at * 1e3)}.json")
        try:
            os.makedirs(folder, exist_ok=True)
            write_whole(path, json.dumps(self.told()))
        except OSError as error:
            fault("writing what was seen", error)
            tell_once(f"what this program launches is not kept: {path}: {error.strerror}")

    def told(self):
        """What is known, as JSON has it."""
        return {"version": 1, "process": os.getpid(), "host": self.host, "program": _program(),
                "began": self.began_at, "seconds": (time.perf_counter_ns() - self.told_from[0]) / 1e9,
                "hook_seconds": (self.spent - self.told_from[1]) / 1e9,
                "describing_seconds": (self.described - self.told_from[2]) / 1e9, "machine": machine(), "faults": dict(faults),
                "kernels": [told for told in (
                    _kernel_told(one, self.missed.get(id(one.jit), 0))
                    for one in list(self.kernels.values())) if told]}


@guarded("telling a kernel")
def _kernel_told(kernel, missed):
    """None where it cannot be told: the others are."""
    sources = kernel.sources
    launches = {id(one): one for one in kernel.launches.values()}.values()
    told = {"name": kernel.name, "kind": kernel.kind, "why": kernel.why,
            "varying": sorted(kernel.shape.varying), "others": kernel.others + missed,
            **({"hash": sources.hash, "files": sources.files, "module": sources.module,
                "function": sources.name} if sources else {}),
            "launches": [{"key": one.text, "count": one.count + sum(
                graph.get("replays", 0) for graph in one.graphs), "seconds": sorted(one.seconds),
                "in_graphs": bool(one.graphs), "why": one.why or (
                    "" if one.detail else one.later or _why_in_graphs(one)), "detail": one.detail}
                for one in launches]}
    json.dumps(told)
    return told


def _why_in_graphs(launch):
    return "it is launched while a CUDA graph is captured, and never else" if launch.graphs else ""


def _complete(detail, kernel, compiled):
    """What only the compiled kernel says: what it writes, and options that nobody named."""
    detail["written"] = None
    metadata = getattr(compiled, "metadata", None)
    for name in spaces.OPTIONS:
        if detail["options"].get(name) is None and getattr(metadata, name, None) is not None:
            detail["options"][name] = getattr(metadata, name)
    text = getattr(compiled, "asm", {}).get("ttir", "")
    places = written_by(text) if text else None
    if places is not None:
        names = [name for name in kernel.shape.names if name in detail["arguments"]
                 and name not in kernel.shape.constants]
        tensors = _arguments_of(text)
        detail["written"] = sorted({tensors[place] for place in places if tensors[place] in names})


def _arguments_of(text):
    """Names of the arguments in the head of the IR, in order."""
    head = next(line for line in text.splitlines() if "tt.func" in line)
    return re.findall(r"%(\w+): ", head)


def _short(text):
    import hashlib
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _is_capturing(interface):
    asked = getattr(interface, "is_current_stream_capturing", None)
    return bool(asked and asked())


def _program():
    return " ".join(getattr(sys, "orig_argv", None) or sys.argv)[:500]


def machine():
    """What figures depend on, as far as it is known without starting CUDA: versions, the GPU, its driver."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("torch", "triton"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", ""))
    try:
        cuda = sys.modules["torch"].cuda
        if cuda.is_available() and cuda.is_initialized():
            properties = cuda.get_device_properties(cuda.current_device())
            found.update(gpu=properties.name, capability=f"{properties.major}.{properties.minor}",
                         driver=_driver())
    except Exception:  # no torch, or no GPU
        pass
    return found


def _driver():
    try:
        with open("/proc/driver/nvidia/version") as file:
            found = re.search(r"\b(\d+\.\d+(\.\d+)?)\b", file.readline())
        return found.group(1) if found else ""
    except OSError:
        return ""
