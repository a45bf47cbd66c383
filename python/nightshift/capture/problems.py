"""Problems of what a program launched: read from the folder that joining.py has written.

A launch is made again with tensors of the same types, shapes, strides, alignment and aliasing. The captured
configuration is the baseline and says what is right. Tensors that a kernel writes, or may write, are put back
before each sample and compared as a whole."""

import importlib.util
import json
import os
import sys

from .. import factories, restoring
from ..errors import UserError, infeasible, sentence_of
from ..lines import tell
from ..problem import Case, Problem, Run
from ..triton_kernels import from_triton
from ..whole_files import read_whole
from .arguments import value_of
from .spaces import OPTIONS

_FLOATS = ("float64", "float32", "float16", "bfloat16")
_NOT_SEEDED = ("bool", "int8", "uint8", "int16", "int32", "int64", "uint16", "uint32", "uint64")


def problems_in(folder, same_bits=False):
    """{name: Problem} of all kernels that can be launched again. A kernel that cannot be read is told and left out.
    same_bits: results have to be equal to the baseline's to the bit. Raises UserError where the folder is none of
    collect."""
    told = captured_in(folder)
    found = {}
    for kernel in told["kernels"]:
        launches = [one for one in kernel["launches"] if one["detail"] is not None]
        if not launches:
            continue
        try:
            found[kernel["id"]] = _problem(folder, kernel, launches, same_bits)
        except Exception as error:  # a source that this version of Triton does not take
            tell(f"nightshift: {kernel['id']} is left out: {sentence_of(error)}\n")
    if not found:
        raise UserError("nothing that was captured can be launched again")
    return found


def captured_in(folder):
    """What captured.json says. Raises UserError."""
    path = os.path.join(folder, "captured.json")
    try:
        told = json.loads(read_whole(path))
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror}; `nightshift collect` writes it") from None
    except ValueError:
        told = {}
    if told.get("version") != 1:
        raise UserError(f"{path} is not what this version of `nightshift collect` writes")
    return told


def kernel_in(folder, kernel):
    """The jit function of a kernel, from its files."""
    package = f"nightshift_captured_{kernel['id']}"
    if package not in sys.modules:
        place = os.path.join(folder, "kernels", kernel["id"])
        spec = importlib.util.spec_from_file_location(
            package, os.path.join(place, "__init__.py"), submodule_search_locations=[place])
        sys.modules[package] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[package])
    module = importlib.import_module(f"{package}.{kernel['module']}")
    return getattr(module, kernel["function"])


def _problem(folder, kernel, launches, same_bits):
    jit = kernel_in(folder, kernel)
    replays = {one["case"]: Replay(folder, jit, one["detail"]) for one in launches}
    values = _values_of(list(replays.values()))
    space = from_triton(jit, baseline=replays[launches[0]["case"]].baseline(values), **values)
    return CapturedProblem(kernel["id"], space, replays, 0.0 if same_bits else None)


def _values_of(replays):
    """{parameter: values} of all launches: what one of them cannot take is infeasible there."""
    values = {}
    for replay in replays:
        for name, options in replay.values().items():
            known = values.setdefault(name, [])
            known += [value for value in options if value not in known]
    for replay in replays:
        for name, value in replay.baseline(values).items():
            if value not in values[name]:
                values[name].append(value)
    return values


class CapturedProblem(Problem):
    """The launches of one kernel, each a case. A case's baseline is what its launch had."""

    def __init__(self, name, space, replays, tolerance):
        cases = {case: {"launch": case} for case in replays}
        on_cpu = any(replay.detail["device"] == "cpu" for replay in replays.values())
        self.replays = replays
        super().__init__(self._run_of, space, (), cases, None, None, "cpu" if on_cpu else "gpu", "graph",
                         tolerance, tolerance, None, False, None, False, {}, name)

    def _run_of(self, case, config):
        return self.replays[case.launch].run(config)

    def pick(self, wanted):
        cases = super().pick(wanted)
        for name, value in self.replays[cases[0].launch].baseline(self.space.parameters).items():
            parameter = self.space.parameters[name]
            parameter.default = parameter.own(value)
        return cases


class Replay:
    """One launch of a kernel, to be made again."""

    def __init__(self, folder, jit, detail):
        self.folder, self.jit, self.detail = folder, jit, detail
        self.table = detail["space"]
        self.blocks = list(self.table["blocks"])
        self.rows = {self._key(row["of"]): row for row in self.table["rows"]}
        self.options = {name: value_of(value) for name, value in detail["options"].items()}

    @staticmethod
    def _key(values):
        return json.dumps(values)

    def values(self):
        """{parameter: values} that its studies try."""
        return {**self.table["blocks"], **self.detail["option_values"]}

    def own(self, name):
        """What the launch had for a parameter."""
        if name in OPTIONS:
            return self.options.get(name)
        return value_of(self.detail["arguments"][name]["value"])

    def baseline(self, names):
        return {name: self.own(name) for name in names}

    def row(self, config):
        """The grid and what follows from a configuration. Raises Infeasible."""
        found = self.rows.get(self._key([config[name] for name in self.blocks]))
        others = [name for name in config if name not in OPTIONS and name not in self.blocks]
        if found is None or any(config[name] != self.own(name) for name in others):
            infeasible("the program's own function gives no grid for it")
        return found

    def run(self, config):
        """The Run of a configuration, whose tensors are made anew."""
        row = self.row(config)
        tensors = self._tensors()
        named = {}
        for name, told in self.detail["arguments"].items():
            if name in config or name in row.get("computed", {}):
                continue
            named[name] = tensors[name] if name in tensors else value_of(told["value"])
        named.update({name: value_of(value) for name, value in row.get("computed", {}).items()})
        written = self.detail["written"]
        outputs = [tensors[name] for name in (tensors if written is None else written) if name in tensors]
        others = {name: value for name, value in self.options.items() if name not in OPTIONS
                  and value is not None and value is not False}
        for name in OPTIONS:
            if name not in config and self.options.get(name) is not None:
                others[name] = self.options[name]
        grid, jit = tuple(row["grid"]), self.jit

        def call():
            for one in outputs:
                restoring.record(one, to_zero=False)
            jit[grid](**named, **others)

        return Run(call, outputs=outputs)

    def _tensors(self):
        """{name: tensor} with the captured types, shapes, strides and aliasing."""
        import torch
        memory = [self._memory(span) for span in self.detail["storages"]]
        found = {}
        for name, told in self.detail["arguments"].items():
            if "shape" not in told:
                continue
            dtype = getattr(torch, told["type"])
            if "storage" not in told:
                found[name] = factories.output(*told["shape"], dtype=dtype)
                continue
            base = memory[told["storage"]]
            item = dtype.itemsize
            typed = base if base.dtype == dtype else base.view(torch.uint8).view(dtype)
            found[name] = typed.as_strided(
                told["shape"], told["stride"], typed.storage_offset() + told["start"] // item)
        return found

    def _memory(self, span):
        """One row of elements that a storage's views lie in, as far from an aligned address as it was."""
        import torch
        dtype = getattr(torch, span["type"])
        count, ahead = span["bytes"] // dtype.itemsize, span["offset"] // dtype.itemsize
        made = self._made(span, dtype, ahead + count, ahead)
        return made[ahead:] if ahead else made

    def _made(self, span, dtype, count, ahead):
        if "file" in span and not ahead:
            return factories.load(os.path.join(self.folder, "values", span["file"]), dtype=dtype)
        name = span["type"]
        if name in _FLOATS or name.startswith("float8"):
            low, high = span.get("low", -3.0), span.get("high", 3.0)
            mean, std = span.get("mean", 0.0), span.get("std", 1.0)
            if low >= 0 or high <= 0 or std == 0:  # a sign that the program relies on
                return factories.uniform(count, dtype=dtype, low=low, high=max(high, low))
            return factories.normal(count, dtype=dtype, mean=mean, std=std)
        if "low" in span and name != "bool":
            return factories.integers(count, low=span["low"], high=span["high"] + 1, dtype=dtype)
        return factories.zeros(count, dtype=dtype)
