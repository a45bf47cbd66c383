"""Lifetimes of processes on Linux: what a forked child starts ends with it."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36


def _prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def adopt_orphans():
    """Makes this process the parent of what its children leave behind."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def hide():
    """Keeps other processes of this user, but for root's, from reading the memory of this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def die_with(parent):
    """In a child: SIGKILL when `parent` (a process id) ends, or has ended already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def end_by(number):
    """Ends this process by a signal, as another one has ended."""
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def children_of(parent):
    """Ids of the processes whose parent is `parent`, zombies included."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    # After the name, which may hold anything: state, parent.
                    if int(stat.read().rsplit(b")", 1)[1].split()[1]) == parent:
                        found.append(int(name))
            except (OSError, IndexError, ValueError):
                continue  # ended meanwhile
    return found


def kill_all_but(spared):
    """Kills and reaps all descendants of this process, which adopts orphans, but for the children
    in `spared`. Goes on until there are none, since what is killed late may start others first."""
    while True:
        mine = [child for child in children_of(os.getpid()) if child not in spared]
        if not mine:
            return
        for child in mine:
            _kill_below(child)
        for child in mine:
            try:
                os.waitpid(child, 0)
            except ChildProcessError:
                continue


def _kill_below(process):
    # Stopped first, so that it can't start others while its children are looked for.
    for number in (signal.SIGSTOP, None, signal.SIGKILL):
        try:
            if number is None:
                for child in children_of(process):
                    _kill_below(child)
            else:
                os.kill(process, number)
        except ProcessLookupError:
            return


# Of libraries that make them anew after a fork: jemalloc's (of pyarrow) gives memory back.
_FORKED_WELL = {"jemalloc_bg_thd"}


def threads():
    """The names of the threads that this process has beside its first, but for those that a fork
    does not harm."""
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as comm:
                name = comm.read().strip()
        except OSError:
            continue  # ended meanwhile
        if int(task) != os.getpid() and name not in _FORKED_WELL:
            found.append(name)
    return found


def has_gpu_context():
    """Whether this process has initialised CUDA, which a fork would not survive. NVML alone, which
    torch may ask for the number of devices, does not open the device looked for here."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith("/dev/nvidia-uvm"):
                return True
        except OSError:
            continue
    return False
