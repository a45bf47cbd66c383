"""What libraries import at their first use. Where many processes are forked from one that has
imported a file, it does so for all of them."""

import contextlib
import importlib
import sys

from . import triton_import

_OF_TRITON = ("triton.compiler.code_generator", "triton.tools.tensor_descriptor",
              "triton.experimental.gluon.nvidia.hopper")


def load():
    """To be called once a file is imported. Starts neither threads nor CUDA. Raises nothing."""
    if "torch" in sys.modules:
        with contextlib.suppress(Exception):
            torch = sys.modules["torch"]
            torch.empty_like(torch.empty(1, device="meta"))  # its Python imports sympy
    if "triton" in sys.modules:
        for name in _OF_TRITON:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        with contextlib.suppress(Exception):
            triton_import.hash_triton()
