"""What the files of Helion's kernels share: one problem for each shape, over all that Helion's own tuner
searches, with Helion's default config as the baseline (../helion_shapes.py)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python_corpus"))
import corpus  # noqa: E402
import nightshift as ns  # noqa: E402
import torch  # noqa: E402


def script(name):
    return corpus.script(f"helion-1.0.0/examples/{name}")


class Tensor:
    """An input of a shape: a factory of numbers, as a problem's function makes it, or memory alone."""

    def __init__(self, *shape, dtype="bfloat16", high=None):
        self.shape, self.dtype, self.high = shape, dtype, high

    def input(self):
        if self.high is not None:
            return ns.integers(*self.shape, high=self.high, dtype=self.dtype)
        if self.dtype.startswith("int"):
            return ns.bits(*self.shape, dtype=self.dtype)
        return ns.normal(*self.shape, dtype=self.dtype)

    def memory(self):
        return torch.empty(self.shape, dtype=getattr(torch, self.dtype), device="cuda")


def _each(inputs, make):
    return [getattr(one, make)() if isinstance(one, Tensor) else one for one in inputs]


def problems(kernel, inputs, reference, shapes, tolerance=None):
    """A problem for each shape. inputs: Tensors and other arguments of the kernel, by the shape's
    numbers. reference: of all arguments; what is compared is the kernel's first result."""
    return [_problem(kernel, inputs(*shape), reference, tolerance) for shape in shapes]


def _problem(kernel, inputs, reference, tolerance):
    def arguments():
        return _each(inputs, "memory")

    @ns.problem(space=ns.from_helion(kernel, arguments=arguments), tolerance=tolerance,
                compile=ns.compiled_by(kernel, arguments), name=kernel.name)
    def problem(case, config, compiled):
        given = _each(inputs, "input")
        return ns.Run(lambda: _first(compiled(*given)), reference=lambda: reference(*given))

    problem.kernel, problem.arguments = kernel, lambda: _each(inputs, "input")
    return problem


def _first(result):
    return result[0] if isinstance(result, tuple) else result
