"""How the processes of a zygote are made: by fork, or by starting Python anew where importing has done
what a fork does not survive."""

import os
import signal
import subprocess
import sys

from . import candidates, processes
from .lines import flush, tell
from .triton_import import hash_triton


def why_not_fork():
    """What importing has done that a fork does not survive; "" where nothing."""
    threads = processes.threads()
    if threads:
        return f"importing the file has started {len(threads)} threads ({', '.join(threads[:4])})"
    if processes.has_gpu_context():
        return "importing the file has initialised CUDA"
    return ""


def _forker(work):
    """Makes workers by fork. work(requests, replies) never returns."""
    parent = os.getpid()

    def start(theirs, ours):
        flush()
        process = os.fork()
        if process:
            return process
        try:
            processes.die_with(parent)
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            requests, replies, errors = theirs
            os.dup2(errors, 2)
            os.dup2(errors, 1)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            for descriptor in (*ours, errors, nothing):
                os.close(descriptor)
            work(requests, replies)
        finally:
            os._exit(1)

    return start


def _spawner(arguments, answers):
    """Makes workers by starting Python anew, where a fork would not be safe."""
    lent = () if answers is None else (answers,)

    def start(theirs, _):
        requests, replies, errors = theirs
        parent = os.getpid()
        command = [sys.executable, "-m", "nightshift.spawned", str(parent), str(requests),
                   str(replies), *arguments]
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                   pass_fds=(requests, replies, *lent), start_new_session=True,
                                   env=dict(os.environ, PYTHONSAFEPATH="1"))
        started.returncode = 0  # it is waited for by its id, not through this object
        return started.pid

    return start


def _answers(role):
    """The file in which answers of candidates go from who measures to who compares; None where each
    compares for itself."""
    is_served = role == "measure" and candidates.are_served()
    return os.memfd_create("nightshift-answers") if is_served else None


def forkers(problem, cases, role, closed):
    """How workers are made, and the process that compares, None where there is none."""
    from .worker import work
    hash_triton()
    answers = _answers(role)

    def does(role):
        def start_work(asked, replies):
            for descriptor in closed:
                os.close(descriptor)
            work(problem, cases, role, asked, replies, answers)
        return _forker(start_work)
    return does(role), None if answers is None else does("check")


def spawners_of(arguments, role, why):
    """The same where each imports the file."""
    tell(f"nightshift: {why}: each new process imports the file again\n")
    more = [f"--{name}={getattr(arguments, name)}" for name in ("case", "problem", "space")
            if getattr(arguments, name)]
    answers = _answers(role)
    more += [] if answers is None else [f"--answers={answers}"]
    file = os.path.abspath(arguments.file)
    return _spawner([role, file, *more], answers), None if answers is None else _spawner(
        ["check", file, *more], answers)
