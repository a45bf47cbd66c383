"""Turns what a trial raises into a typed failure."""

import re
import traceback

from .errors import Failure, UserError, one_line, place_in, sentence_of

# Numbers of the CUDA driver API's errors, by the words that torch and Triton print.
_CODES = {"illegal memory access": 700, "launch timed out": 702, "device-side assert": 710,
          "hardware stack error": 714, "illegal instruction": 715, "misaligned address": 716,
          "operation not supported on global/shared address space": 717,
          "program counter": 718, "unspecified launch failure": 719, "launch failure": 719,
          "cooperative launch": 720, "ECC": 214, "unknown error": 999}
_OF_THE_LAUNCH = ("invalid argument", "invalid configuration", "too many resources",
                  "invalid value", "invalid device function", "no kernel image")
_CUDA = re.compile(r"CUDA (driver )?error|Triton Error \[CUDA\]|CUDA_ERROR|cudaError", re.I)
_COMPILERS = ("CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct",
              "PTXASError", "DSLRuntimeError", "BackendCompilerFailed")

_COMPILERS_FOLDERS = ("/triton/compiler/", "/triton/backends/", "/helion/_compiler/",
                      "/helion/autotuner/config_spec")


def is_cuda_error(error):
    """Whether the driver said it: the process can't be trusted afterwards."""
    return "OutOfMemory" not in type(error).__name__ and bool(
        type(error).__name__ == "AcceleratorError" or _CUDA.search(str(error)))


def failure_of(error, file, while_building=False):
    """The Failure that an exception amounts to."""
    if isinstance(error, Failure):
        return error
    kind, words = type(error).__name__, sentence_of(error)
    if isinstance(error, UserError):
        return Failure("build_failed" if while_building else "launch_failed", str(error))
    if isinstance(error, MemoryError) or "OutOfMemoryError" in kind \
            or "DefaultCPUAllocator: can't allocate memory" in words:
        return Failure("out_of_memory", words)
    if kind == "OutOfResources":
        return Failure("out_of_resources", words)
    if is_cuda_error(error):
        text = str(error)
        if "out of memory" in text:
            return Failure("out_of_memory", words)
        if any(part in text for part in _OF_THE_LAUNCH):
            return Failure("launch_failed", words)
        code = getattr(error, "error_code", None)
        if not isinstance(code, int):
            code = next((n for part, n in _CODES.items() if part in text), 999)
        return Failure("device_error", words, code=code)
    place = place_in(error, file)
    words = _compiler_words(error) if kind in _COMPILERS else words
    words = one_line(f"{words} ({place})" if place else words)
    if kind in _COMPILERS or while_building or _inside_of_compiler(error):
        return Failure("build_failed", words)
    return Failure("launch_failed", words)


def _compiler_words(error):
    # Triton's say where in the first line, then quote the source, then say what.
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    deepest = error
    while deepest.__cause__ is not None:
        deepest = deepest.__cause__
    if deepest is not error:
        return f"{type(error).__name__}: {sentence_of(deepest)}"
    telling = [line for line in lines if re.search(r"error|assert|fatal", line, re.I)]
    return f"{type(error).__name__}: {(telling or lines or [''])[-1 if not telling else 0]}"


def _inside_of_compiler(error):
    frames = traceback.extract_tb(error.__traceback__)
    return any(folder in frame.filename for frame in frames for folder in _COMPILERS_FOLDERS) \
        and not is_cuda_error(error)
