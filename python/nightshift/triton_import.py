"""The driver that Triton has while a user's file is imported.

Many files ask for it at once, such as `DEVICE = triton.runtime.driver.active
.get_active_torch_device()`. Triton's own would start CUDA: a process could not be forked then, and one
without a GPU could not import the file at all. This one knows the GPU that there is, or an H100 where
there is none, and its answers are those of the compiler's driver in triton_build.py."""

import importlib.abc
import importlib.util
import os
import subprocess
import sys

_MODULE = "triton.runtime.driver"
# Compute capability and multiprocessors of the first GPU, by attributes of the CUDA driver.
_ASK = """
import ctypes
cuda, value = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
assert cuda.cuInit(0) == 0
for attribute in (75, 76, 16):
    assert cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
    print(value.value)
"""
_WITHOUT_GPU = (9, 0, 132)


def _gpu():
    """(major, minor, multiprocessors). A process of its own asks, since whoever asks has CUDA started.
    That builders see no GPU is not meant for it: it starts no context."""
    environment = dict(os.environ)
    if not environment.get("CUDA_VISIBLE_DEVICES"):
        environment.pop("CUDA_VISIBLE_DEVICES", None)
    asked = subprocess.run([sys.executable, "-S", "-c", _ASK], capture_output=True, text=True,
                           env=environment, check=False)
    return tuple(map(int, asked.stdout.split())) if asked.returncode == 0 else _WITHOUT_GPU


class _ImportDriver:
    """Asks for the GPU only when it is asked."""

    def __init__(self):
        self._found = None

    def __getattr__(self, name):
        if self._found is None:
            from .triton_build import HeadlessDriver
            major, minor, multiprocessors = _gpu()
            self._found = HeadlessDriver(10 * major + minor, multiprocessors)
        return getattr(self._found, name)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", 0)


class _Finder(importlib.abc.MetaPathFinder):
    """Sets the driver when Triton's module of it is imported, by whomever."""

    def find_spec(self, name, path=None, target=None):
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_set(module):
            execute(module)
            module.driver.set_active(_ImportDriver())

        spec.loader.exec_module = execute_and_set
        return spec


def install():
    """To be called before a user's file is imported."""
    if _MODULE not in sys.modules and not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


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
    """For a process that launches: Triton makes its own driver when it next needs one."""
    driver = getattr(sys.modules.get(_MODULE), "driver", None)
    if driver is not None and isinstance(driver._active, _ImportDriver):
        driver._active = None
