"""What the variables of the environment ask of this process.

NIGHTSHIFT_COLLECT=FOLDER: its launches are noted there; NIGHTSHIFT_COLLECT_VALUES=1: with samples of their inputs;
NIGHTSHIFT_COLLECT_SHARE=0.02: of the program's time, at most. NIGHTSHIFT_APPLY=FILE: its launches are answered by what
was tuned; NIGHTSHIFT_APPLY_REPORT=FILE: what was answered, a line of JSON a process."""

import os
import sys

# Compilers that torch starts for itself launch nothing.
_NOT_IN = ("torch/_inductor/compile_worker", "torch._inductor.compile_worker")


def begin():
    """To be called when Python starts. Raises nothing that the program would hear of."""
    if any(part in " ".join(getattr(sys, "orig_argv", ())) for part in _NOT_IN):
        return
    from ..import_hooks import after
    from .guarded import dynamo_is_there, guarded
    collect, apply = os.environ.get("NIGHTSHIFT_COLLECT"), os.environ.get("NIGHTSHIFT_APPLY")
    if not collect and not apply:
        return
    after("torch._dynamo.eval_frame", guarded("telling torch.compile")(dynamo_is_there))
    if apply:
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
