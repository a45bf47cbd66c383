"""What a process that runs a candidate's code may still do, and all that it starts: the rules of
evaluator/process/confinement.h, for processes that Python has forked.

It reads, and writes into its temporary folder (nightshift sets TMPDIR), to devices, and into the caches of compilers, which others use as
well. It has no network, sends no signal to who was there before, and reads nobody else's memory."""

import ctypes
import os
import platform
import struct
import sys
import tempfile

_NO_NEW_PRIVILEGES = 38  # of prctl
_MAKE_RULES, _ADD_RULE, _RESTRICT = 444, 445, 446  # system calls of Landlock, the same everywhere
_WRITE_FILE, _TRUNCATE, _MOVE = 1 << 1, 1 << 14, 1 << 13
_MAKE_AND_REMOVE = 0x1FF0  # files and folders of all kinds
_SCOPES = 0b11  # abstract sockets and signals
_IO_URING, _INET, _INET6 = 425, 2, 10
# machine: (of audit, seccomp, socket)
_MACHINES = {"x86_64": (0xC000003E, 317, 41), "aarch64": (0xC00000B7, 277, 198)}
_OTHER_NUMBERS = 0x40000000  # of x32, the same calls under other numbers
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # EACCES

_libc = ctypes.CDLL(None, use_errno=True)


def confine(writable):
    """Confines this process for good. writable: folders and files; what is not there is left out.
    Returns what that came to, as confinement.h says it: "files, network, signals", or fewer of them."""
    if _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return ""
    version = _libc.syscall(_MAKE_RULES, None, ctypes.c_size_t(0), 1)
    files = version >= 1 and _restrict_files(writable, version)
    done = [("files", files), ("network", _refuse_network()), ("signals", files and version >= 6)]
    return ", ".join(name for name, is_held in done if is_held)


def places_of(request):
    """Where a worker that serves a request has to write."""
    home = os.path.expanduser("~")
    caches = [os.environ.get("TRITON_CACHE_DIR") or os.path.join(home, ".triton"),
              os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(home, ".cache/torch_extensions"),
              os.environ.get("CUDA_CACHE_PATH") or os.path.join(home, ".nv"),
              os.environ.get("TORCHINDUCTOR_CACHE_DIR")] if "torch" in sys.modules else []
    for cache in filter(None, caches):
        try:
            os.makedirs(cache, exist_ok=True)
        except OSError:
            continue  # then nobody can write there
    return [one for one in ("/dev", "/proc", tempfile.gettempdir(), request.get("artifact"), *caches)
            if one]


def _restrict_files(writable, version):
    writes = _WRITE_FILE | _MAKE_AND_REMOVE | (_MOVE if version >= 2 else 0) | (
        _TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("=QQQ", writes, 0, _SCOPES) if version >= 6 else struct.pack("=Q", writes)
    rules = _libc.syscall(_MAKE_RULES, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    for path in writable:
        _allow(rules, path, writes)
    done = _libc.syscall(_RESTRICT, rules, 0) == 0
    os.close(rules)
    return done


def _allow(rules, path, writes):
    try:
        there = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        writes &= _WRITE_FILE | _TRUNCATE
    _libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", writes, there), 0)
    os.close(there)


def _refuse_network():
    """By a filter of system calls, of every thread that there is."""
    audit, seccomp, socket = _MACHINES.get(platform.machine(), (0, 0, 0))
    if not audit:
        return False
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 0, 8, audit), (_LOAD, 0, 0, 0),
               (_AT_LEAST, 6, 0, _OTHER_NUMBERS), (_EQUAL, 5, 0, _IO_URING), (_EQUAL, 0, 3, socket),
               (_LOAD, 0, 0, 16), (_EQUAL, 2, 0, _INET), (_EQUAL, 1, 0, _INET6),
               (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    code = b"".join(struct.pack("=HBBI", *one) for one in program)
    kept = ctypes.create_string_buffer(code, len(code))
    filtered = struct.pack("@HP", len(program), ctypes.addressof(kept))
    return _libc.syscall(seccomp, 1, 1, filtered) == 0
