"""What the tests of collect and apply share: Triton on a GPU that tests/python/emulated pretends, in the test's own process
and in programs that it starts. Skipped aloud where torch or triton is missing."""

import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import harness

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp(prefix="nightshift-triton-"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
EMULATED = pathlib.Path(__file__).resolve().parent / "emulated"
HOOK = harness.MODULE / "nightshift" / "capture" / "hook"


def _loaded(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


emulated = _loaded("emulated_gpu", EMULATED / "sitecustomize.py")
try:
    import torch  # noqa: F401
    import triton
    import triton.language as tl  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(harness.SKIPPED)
if tuple(map(int, triton.__version__.split(".")[:2])) < (3, 4):
    print(f"SKIPPED: the pretended GPU needs Triton 3.4, this is {triton.__version__}")
    sys.exit(harness.SKIPPED)
os.environ["EMULATED_SECONDS"] = "0"
import triton.runtime.autotuner  # noqa: E402
import triton.runtime.jit  # noqa: E402

program = _loaded("emulated_program", EMULATED / "program.py")


@contextlib.contextmanager
def as_before():
    """A context after which Triton's own functions stand where they stood."""
    owners = [triton.runtime.jit.JITFunction, triton.runtime.autotuner.Autotuner,
              triton.runtime.autotuner.Heuristics]
    kept = [(one, dict(vars(one))) for one in owners]
    try:
        yield
    finally:
        for owner, members in kept:
            for name in ("run", "_bench"):
                if name in members:
                    setattr(owner, name, members[name])


def run(script, *arguments, path=(HOOK, EMULATED), code=0, flags=(), timeout=harness.TIMEOUT, **variables):
    """A program in another process, to its end: what subprocess.run returns."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, path)), EMULATED_SECONDS="0")
    environment.update({name: str(value) for name, value in variables.items()})
    done = subprocess.run([sys.executable, *flags, str(script), *map(str, arguments)], text=True, capture_output=True,
                          env=environment, timeout=timeout, stdin=subprocess.DEVNULL)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def captured(folder):
    """What captured.json of a folder says."""
    return json.loads((pathlib.Path(folder) / "captured.json").read_text())


def launches_of(told):
    """{kernel's name: its launches}"""
    found = {}
    for kernel in told["kernels"]:
        found.setdefault(kernel["name"], []).extend(kernel["launches"])
    return found
