"""Nightshift's problems in Python: kernels of Triton, Helion, CuTe DSL and torch, and any callable.

The standard library alone, until the user's file imports more. python/README.md is the manual."""

from .candidates import candidate
from .clocks import gpu_benchmark_mode
from .errors import UserError, infeasible
from .factories import bits, full, integers, load, made, normal, output, uniform, zeros
from .helion_kernels import compiled_by, from_helion
from .importing import configs_from, shapes_from
from .kernel_file import KernelError, KernelFile, load_kernels
from .problem import Case, Run, problem, sizes
from .replacing import replacing
from .space import Configuration, Space
from .triton_kernels import from_triton, tune_call
from .version import __version__

__all__ = ["Case", "Configuration", "KernelError", "KernelFile", "Run", "Space", "UserError", "__version__", "bits",
           "candidate", "compiled_by", "configs_from", "from_helion", "from_triton", "full", "gpu_benchmark_mode",
           "infeasible", "integers", "load", "load_kernels",
           "made", "normal", "output", "problem", "shapes_from", "sizes",
           "tune_call", "uniform", "zeros"]
