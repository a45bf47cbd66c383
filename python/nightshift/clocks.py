"""GPUs held at a clock or power limit around a part of a Python program."""

import contextlib
import os
import shutil
import subprocess
import threading
import warnings

from .errors import UserError

_HELD = b"held\n"


def _program():
    """The nightshift program of this installation, or that which PATH has; or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    for up in range(4):
        program = os.path.join(here, *[os.pardir] * (up + 1), "bin", "nightshift")
        if os.access(program, os.X_OK):
            return os.path.realpath(program)
    return shutil.which("nightshift")


def _words(clock_mhz, mem_clock_mhz, power_watts, devices):
    words = []
    for option, value in (("--clock", clock_mhz), ("--mem-clock", mem_clock_mhz), ("--power", power_watts)):
        if value is not None:
            words += [option, str(value)]
    if not words:
        raise UserError("gpu_benchmark_mode needs clock_mhz, mem_clock_mhz or power_watts")
    if not isinstance(devices, str):
        devices = ",".join(f"gpu:{device}" if isinstance(device, int) else str(device) for device in devices)
    return [*words, "--devices", devices]


@contextlib.contextmanager
def gpu_benchmark_mode(clock_mhz=None, mem_clock_mhz=None, power_watts=None, devices="all", raise_on_failure=True):
    """GPUs are held at what is asked for while the block runs, and restored when it is left.

    clock_mhz, mem_clock_mhz: of the multiprocessors and of the memory, in MHz; power_watts: the
    limit, in W. devices: "all", or a list of positions (0, "gpu:0") or UUIDs. They are restored
    however the block ends, by the end of this process as well, as `nightshift lock-clocks` does it,
    which also says what rights that needs.

    Raises UserError where they cannot be had; with raise_on_failure=False that is a warning, and the
    block runs with clocks as they are. It may stand in a callable that a study measures; a study
    that has `[device]` holds its GPUs itself."""
    words, program = _words(clock_mhz, mem_clock_mhz, power_watts, devices), _program()
    if program is None:
        missing = "gpu_benchmark_mode needs the program nightshift: put its folder on PATH"
        if raise_on_failure:
            raise UserError(missing)
        warnings.warn(f"nothing is held: {missing}", stacklevel=3)
        yield
        return
    command = [program, "lock-clocks", *words]
    if raise_on_failure:
        command.append("--strict")
    # The command of lock-clocks ends with this process's end of the pipe.
    command += ["--", "sh", "-c", "echo held; exec cat >/dev/null"]
    keeper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = []
    reader = threading.Thread(target=lambda: said.append(keeper.stderr.read().decode(errors="replace").strip()))
    reader.start()
    try:
        held = keeper.stdout.readline() == _HELD
        if held:
            yield
    finally:
        with contextlib.suppress(BrokenPipeError):
            keeper.stdin.close()
        keeper.wait()
        reader.join()
        keeper.stdout.close()
        keeper.stderr.close()
    words = said[0].removeprefix("nightshift: ")
    if not held or (raise_on_failure and keeper.returncode):
        raise UserError(words or f"nightshift lock-clocks ended with {keeper.returncode}")
    if words:
        warnings.warn(words, stacklevel=3)
