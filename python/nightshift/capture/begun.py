"""What the variables of the environment ask of this process.

NIGHTSHIFT_COLLECT=FOLDER: its launches are noted there; NIGHTSHIFT_COLLECT_VALUES=1: with samples of their inputs;
NIGHTSHIFT_COLLECT_SHARE=0.02: of the program's time, at most. NIGHTSHIFT_APPLY=FILE: its launches are answered by what
was tuned; NIGHTSHIFT_APPLY_REPORT=FILE: what was answered, a line of JSON a process. Where both are set launches are noted
alone: what is tuned next begins with what the program itself asks for."""

import os

# Compilers that torch starts for itself launch nothing.
_COMPILERS = ("torch/_inductor/compile_worker", "torch._inductor.compile_worker")


def _words():
    """The command line of this process."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return []


def _is_left_alone(words):
    """Whether it is no program of the user's. What measures kernels would measure them with what was tuned already."""
    is_ours = any(pair == ("-m", "nightshift") for pair in zip(words, words[1:]))
    return is_ours or any(part in word for word in words for part in _COMPILERS)


def begin():
    """To be called when Python starts. Raises nothing that the program would hear of."""
    if _is_left_alone(_words()):
        return
    from ..import_hooks import after
    from .guarded import dynamo_is_there, guarded, tell_once
    collect, apply = os.environ.get("NIGHTSHIFT_COLLECT"), os.environ.get("NIGHTSHIFT_APPLY")
    if not collect and not apply:
        return
    after("torch._dynamo.eval_frame", guarded("telling torch.compile")(dynamo_is_there))
    if apply and collect:
        tell_once("nothing is applied while launches are noted: NIGHTSHIFT_APPLY and NIGHTSHIFT_COLLECT are both set")
    elif apply:
        from . import applying
        applying.begin(apply, os.environ.get("NIGHTSHIFT_APPLY_REPORT", ""))
    if collect:
        from . import collecting
        collecting.begin(collect, bool(os.environ.get("NIGHTSHIFT_COLLECT_VALUES")), _share())


def _share():
    from .recorder import SHARE
    try:
        return float(os.environ.get("NIGHTSHIFT_COLLECT_SHARE", SHARE))
    except ValueError:
        return SHARE
