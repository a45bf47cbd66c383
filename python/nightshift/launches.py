"""The launches of Triton's kernels that a call makes, to be made again without the rest of it."""

import contextlib
import functools
import sys

_MODULE = "triton.runtime.jit"


@contextlib.contextmanager
def noted():
    """A context that yields (launches, kept). launches: functions, each of which makes one launch
    again, with the very tensors that it had. kept: all tensors that are made meanwhile, since a
    kernel may know them by their addresses alone; they are to be kept as long as launches are."""
    launches, kept = [], []
    module = sys.modules.get(_MODULE)
    if module is None:
        yield launches, kept
        return
    run = module.JITFunction.run

    def note(self, *args, grid, warmup, **kwargs):
        result = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        if not warmup:
            launches.append(functools.partial(run, self, *args, grid=grid, warmup=False, **kwargs))
        return result

    module.JITFunction.run = note
    try:
        with _keeping(kept):
            yield launches, kept
    finally:
        module.JITFunction.run = run


def _keeping(kept):
    """A context in which what torch makes is put into a list."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Keeping(TorchDispatchMode):
        @classmethod
        def _should_skip_dynamo(cls):
            return False  # to skip it torch would import all of it, which takes five seconds

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            made = function(*args, **(kwargs or {}))
            kept.append(made)
            return made

    return Keeping()
