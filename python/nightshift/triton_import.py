"""The driver that Triton has while a user's file is imported.

Many files ask for it at once, such as `DEVICE = triton.runtime.driver.active
.get_active_torch_device()`. Triton's own would start CUDA: a process could not be forked then, and one
without a GPU could not import the file at all. This one knows the GPU that there is, or an H100 where
there is none, and its answers are those of the compiler's driver in triton_build.py."""

import sys

from . import import_hooks
from .gpu_facts import Facts, target

_MODULE = "triton.runtime.driver"

_forget = None  # of install(): leaves the driver of whoever imports Triton later alone
_is_real = False  # this process launches


class _ImportDriver:
    """Asks for the GPU only when it is asked."""

    def __init__(self):
        self._found = None

    def __getattr__(self, name):
        if self._found is None:
            from .triton_build import HeadlessDriver
            self._found = HeadlessDriver(Facts(target()))
        return getattr(self._found, name)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", 0)


def install():
    """To be called before a user's file is imported: whoever imports Triton's module of its driver
    finds this one set, unless this process launches."""
    global _forget
    if _MODULE not in sys.modules and not _is_real:
        _forget = import_hooks.after(_MODULE, lambda module: module.driver.set_active(_ImportDriver()))


def hash_triton():
    """Has Triton hash its own files, which each process does once and which takes half a second:
    what is forked from this process knows it."""
    for module in ("triton.runtime.cache", "triton.compiler.compiler"):  # older versions: the second
        key = getattr(sys.modules.get(module), "triton_key", None)
        if key is not None:
            key()
            return


def warm_up():
    """In a process that launches: loads Triton's driver, and asks for the assembler's version."""
    if "triton" in sys.modules:
        from triton.compiler.compiler import make_backend
        make_backend(sys.modules[_MODULE].driver.active.get_current_target()).hash()


def use_real_driver():
    """For a process that launches: Triton makes its own driver when it next needs one, whoever
    imports it first: the problem's function or a candidate may do so."""
    global _is_real
    _is_real = True
    if _forget:
        _forget()
    driver = getattr(sys.modules.get(_MODULE), "driver", None)
    if driver is not None and isinstance(driver._active, _ImportDriver):
        driver._active = None
