"""Problems of KernelBench: a file with a class Model, get_inputs() and get_init_inputs(); candidates
have a class ModelNew that is built and called in the same way."""

import ast
import importlib
import os
import sys

from . import factories
from .compiling import building
from .errors import Failure, UserError, one_line, sentence_of
from .factories import made
from .foreign_files import number_of, put, text_of, with_triton
from .made_inputs import leaves, mapped, on, seeded
from .problem import Run

WEIGHTS_SEED = 42
# TF32, in which cuDNN convolves float32 unless it is told otherwise, is off by 4e-4 of an answer's
# norm; bfloat16 is off by 2e-3.
TOLERANCE = 1e-3


class Benchmark:
    """A file of KernelBench beside the problem's. See Benchmark.run().

    file: such as "model.py"; reference: "float64" has Model compute in it what is right, "own" in
    the type that it has, "auto" in float64 where all of it can, which tensors without memory say
    sizes: {name: number} of what the file has at its top, such as batch_size
    Raises UserError where it has no Model, or no such size."""

    def __init__(self, file, reference="auto", sizes=None):
        with_triton()
        self.module = importlib.import_module(os.path.splitext(file)[0])
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if not hasattr(self.module, name):
                raise UserError(f"{file} has no {name}, as files of KernelBench do")
        for name, value in (sizes or {}).items():
            if not isinstance(getattr(self.module, name, None), (int, float)):
                raise UserError(f"{file} has no number {name} at its top")
            setattr(self.module, name, value)
        if reference not in ("auto", "own", "float64"):
            raise UserError(f'reference is "auto", "own" or "float64", not {reference!r}')
        self.precision = reference if reference != "auto" else self.wide_or_own()[0]
        self._models = {}

    def run(self, solution, candidate="ModelNew"):
        """The ns.Run of a candidate: its class is built like Model, with the generators at the same
        seed, so that whoever draws the same weights in the same order has the same.

        solution: what ns.candidate() returned; candidate: the class in it."""
        device = factories.device()
        inputs = made(lambda seed: self.module.get_inputs())
        model = self._model(device, candidate, lambda: getattr(solution, candidate))
        return Run(lambda: _called(model, inputs), reference=lambda: self._right(device, inputs))

    def wide_or_own(self):
        """("float64", "") where Model computes in it, or ("own", why not). Raises UserError where its
        answers are drawn anew each time."""
        import torch
        with on("meta"):
            model = self._built(self.module.Model)
        for one in model.modules():
            if isinstance(one, torch.nn.modules.dropout._DropoutNd) and one.training and one.p > 0:
                raise UserError(f"its answers are random, by {one}, so that none is right")
        try:
            with on("meta"):
                answers = _called(model.double(), _wide(self.module.get_inputs()))
        except Exception as error:
            return "own", sentence_of(error)
        narrow = [one for one in answers if one.is_floating_point() and one.dtype != torch.float64]
        return ("own", f"an answer is {narrow[0].dtype}") if narrow else ("float64", "")

    def _right(self, device, inputs):
        model = self._model(device, "the reference", lambda: self.module.Model)
        if self.precision == "own":
            return _called(model, inputs)
        try:
            return _called(model.double(), _wide(inputs))
        except (RuntimeError, TypeError) as error:
            if "type" not in str(error):
                raise
            raise UserError("Model can't compute in float64, so kernelbench.Benchmark(reference="
                            f'"own") has to say that: {sentence_of(error)}') from error

    def _built(self, kind):
        return seeded(lambda _: kind(*self.module.get_init_inputs()), WEIGHTS_SEED)

    def _model(self, device, name, find):
        """One for each device and class in this process: sets of inputs share the weights."""
        key = (device, name)
        if key not in self._models:
            with building(), on(device):
                model = self._built(find())
                self._models[key] = model.to(device) if hasattr(model, "to") else model
        return self._models[key]


def _called(model, inputs):
    """The tensors that a model answers with."""
    import torch
    with torch.no_grad():
        answer = model(*inputs)
    if isinstance(answer, torch.Tensor):
        return [answer]
    found = [one for one in leaves(answer) if isinstance(one, torch.Tensor)]
    if not found:
        raise Failure("wrong_result", f"the model answers with {type(answer).__name__} and no tensor")
    return found


def _wide(inputs):
    import torch

    def wide(one):
        return one.double() if isinstance(one, torch.Tensor) and one.is_floating_point() else one
    return mapped(inputs, wide)


PROBLEM = '''"""KernelBench's {name}: {model} is its file, solution.py what candidates replace.

Candidates have a class ModelNew that is built and called as Model is."""

import nightshift as ns
from nightshift import kernelbench

benchmark = kernelbench.Benchmark("{model}", reference="{reference}"{sizes})
solution = ns.candidate("solution.py")


@ns.problem(name="{name}", space={{"source": [0]}}, device="{device}", tolerance={tolerance})
def problem(case, config):
    return benchmark.run(solution)
'''
SOLUTION = '''"""Model itself, which candidates are measured against."""

from {stem} import Model


class ModelNew(Model):
    """As it is."""
'''


def read(file):
    """The text of a file of KernelBench. Raises UserError for what can't be imported."""
    text = text_of(file)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UserError(f"it is no Python: {error.msg}", f"{file}:{error.lineno}") from None
    names = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    missing = [name for name in ("Model", "get_inputs", "get_init_inputs") if name not in names]
    if missing:
        raise UserError(f"it has no {' and no '.join(missing)}, as files of KernelBench do",
                        f"{file}:1")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "from_pretrained":
            raise UserError("its weights come from a network (from_pretrained), which nothing here "
                            "fetches", f"{file}:{node.lineno}")
    return text


def name_of(path):
    """Of the problem that a file becomes."""
    return os.path.splitext(os.path.basename(path))[0]


def bring(arguments, folder):
    """Writes the problem into a folder. Returns what is to be told of it. Raises UserError."""
    text = read(arguments.path)
    name = name_of(arguments.path)
    sizes = dict(number_of(one) for one in arguments.size or [])
    put(folder, {"model.py": text, "solution.py": SOLUTION.format(stem="model")})
    precision, said = (arguments.reference, "") if arguments.reference else _tried(folder, sizes)
    put(folder, {"problem.py": PROBLEM.format(
        name=name, model="model.py", reference=precision,
        sizes=f", sizes={sizes!r}" if sizes else "", device=arguments.device,
        tolerance=arguments.tolerance or TOLERANCE)})
    return [said] if said else []


def request(path):
    """The files of a candidate. Raises UserError."""
    return {"solution.py": text_of(path)}


def _tried(folder, sizes):
    """("float64", "own" or, without torch, "auto", a sentence)."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return "auto", "torch is not here, so that nothing of it has been tried"
    sys.path.insert(0, folder)
    try:
        precision, why = Benchmark("model.py", "own", sizes).wide_or_own()
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"model.py can't be imported: {one_line(sentence_of(error))}") from error
    finally:
        sys.path.remove(folder)
    if precision == "float64":
        return precision, "what is right is computed by Model in float64"
    return precision, f"what is right is computed by Model as it is; in float64 it can't: {why}"
