"""Has the host of a run's imports (imports.py) do what this process was started for.

NIGHTSHIFT_IMPORTS is the host's abstract address, which nightshift sets. Where there is no host, or
it can't, this process imports for itself."""

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys

from . import processes

MOST_BYTES = 1 << 18  # of a message
_MARK = "NIGHTSHIFT_RUN"  # by which what a run leaves behind is found (ipc/orphans.h)
_OF_ONE_PROCESS = ("CUDA_VISIBLE_DEVICES", "TMPDIR")
_ROLES = ("NIGHTSHIFT_ROLE", "NIGHTSHIFT_PROTOCOL")
# Threads of a library that starts them when it is imported would keep us from forking; and
# torch.cuda.is_available() at the top of a file then asks NVML and leaves CUDA alone.
FOR_IMPORTS = {"OPENBLAS_NUM_THREADS": "1", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


def ask(arguments):
    """The exit code of `arguments`, when the host has done it; None where it is to be done here, and
    `arguments.unshared` says why where importing the file leaves nobody to fork from. Ends this process
    by a signal where one ended what stands in for it."""
    name = os.environ.get("NIGHTSHIFT_IMPORTS")
    if not name or not hasattr(socket, "send_fds"):
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        connection.connect("\0" + name)
        if not is_mine(connection):
            return None
        message = json.dumps(_message(arguments)).encode()
        if len(message) > MOST_BYTES:
            return None
        socket.send_fds(connection, [message], [0, 1, 2])
        answer = _heard(connection)
        if "begun" not in answer:
            arguments.unshared = answer.get("here", "") if answer.get("unshared") else ""
            return None
    except (OSError, ValueError):
        return None
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # their ends are to be seen by who holds the others
        os.dup2(nothing, descriptor)
    answer = _heard(connection)
    if "exit" in answer:
        return answer["exit"]
    # Where nobody tells the end, the importer was killed, and its server with it: no fault of the file.
    processes.end_by(answer.get("signal", signal.SIGKILL))
    return 1


def is_mine(connection):
    """Whether its other end is of this user."""
    return peer(connection)[1] == os.getuid()


def peer(connection):
    """(process, user, group) of its other end."""
    size = struct.calcsize("3i")
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))


def _heard(connection):
    try:
        data = connection.recv(MOST_BYTES)
    except OSError:
        data = b""
    return json.loads(data) if data else {}


def _message(arguments):
    with open("/proc/self/oom_score_adj") as score:
        oom = int(score.read())
    return {"executable": sys.executable, "describes": arguments.command == "describe",
            "file": os.path.abspath(arguments.file), "arguments": vars(arguments),
            "environment": dict(os.environ), "cores": sorted(os.sched_getaffinity(0)),
            "scheduler": os.sched_getscheduler(0), "nice": os.nice(0), "oom": oom,
            "limits": [[one, *resource.getrlimit(one)] for one in _LIMITS]}


# --- On the host's side ---

def _is_of_the_run(name):
    return name.startswith(("NIGHTSHIFT_", "PYENV_", "_PYENV_")) or name in (
        *_OF_ONE_PROCESS, *FOR_IMPORTS, "PYTHONSAFEPATH", "PWD", "OLDPWD", "SHLVL", "_")


def _paths(text, root):
    """Folders of a path, each once, without those of pyenv: its shim adds some for what it starts."""
    parts = [os.path.abspath(part) for part in text.split(os.pathsep) if part]
    return os.pathsep.join(dict.fromkeys(
        part for part in parts if not (root and part.startswith(root + os.sep))))


def what_imports_see(environment):
    """What of an environment may change what an import does: [(name, value)] in order."""
    seen = {name: value for name, value in environment.items() if not _is_of_the_run(name)}
    root = environment.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    for name in ("PATH", "PYTHONPATH"):
        if name in seen:
            seen[name] = _paths(seen[name], root if name == "PATH" else "")
    return sorted(seen.items())


def for_imports(environment, own):
    """The environment in which a file is imported for who asked in `environment`. own: this
    process's, of which are the GPUs that may be seen, for example."""
    result = {**FOR_IMPORTS, **environment}
    for name in _ROLES:
        result.pop(name, None)
    for name in _OF_ONE_PROCESS:
        result.pop(name, None)
        if name in own:
            result[name] = own[name]
    return result


def be_like(message):
    """Takes over limits, cores, priority and mark of who asked."""
    for one, soft, hard in message["limits"]:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(one, (soft, hard))
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, message["cores"])
        if message["scheduler"] != os.sched_getscheduler(0):
            os.sched_setscheduler(0, message["scheduler"], os.sched_param(0))
        os.nice(message["nice"] - os.nice(0))
    with contextlib.suppress(OSError):
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write(str(message["oom"]))
    _take_mark(message["environment"].get(_MARK, ""))


def _take_mark(mark):
    """Others read a process's mark where its environment stood when it was started; what was forked
    has that of its host, with room for it."""
    with open("/proc/self/environ", "rb") as environ:
        initial = environ.read()
    at = (b"\0" + initial).find(b"\0" + _MARK.encode() + b"=")
    if at < 0:
        return
    begin = at + len(_MARK) + 1
    end = initial.find(b"\0", begin)
    if end - begin != len(mark):
        return
    with open("/proc/self/stat", "rb") as stat:
        # The 50th field, counted from the third after the name, which may hold anything.
        where = int(stat.read().rsplit(b")", 1)[1].split()[47])
    ctypes.memmove(where + begin, mark.encode(), len(mark))


class Follower:
    """Keeps this process and its children on the cores of another, which may be moved."""

    def __init__(self, process):
        self.process, self.cores = process, os.sched_getaffinity(0)

    def __call__(self):
        try:
            cores = os.sched_getaffinity(self.process)
        except OSError:
            return
        if cores == self.cores:
            return
        from .processes import children_of
        self.cores = cores
        for one in [os.getpid(), *children_of(os.getpid())]:
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{one}/task"):
                    os.sched_setaffinity(int(task), cores)
