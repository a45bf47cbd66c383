"""Prints a problem as the text of a problem file (kernels/README.md has the keys)."""

import json
import os
import sys

from .errors import UserError
from .loading import files_behind
from .plain_values import plain


def described(problem, cases, arguments=()):
    """TOML of one study: of `cases` of a problem. arguments: more of the served program's."""
    sizes = cases[0]._sizes() if len(cases) == 1 else {}
    lines = [f"name = {quoted(_name_of(problem, cases))}"]
    try:
        constraints = problem.space.constraints(sizes)
    except UserError as error:
        raise UserError(error.words, f"{problem.file}:{problem.line}") from None
    lines.append(f"constraints = {listed(constraints)}")
    lines += ["", "[command]", 'mode = "server"', "protocol = 2",
              f"builds = {'true' if builds(problem) else 'false'}",
              f"device = {quoted(problem.device)}"]
    if problem.device == "cpu":
        lines.append("cores = 1")
    argv = [sys.executable, "-m", "nightshift", "serve", os.path.abspath(problem.file), *arguments]
    lines += [f"argv = {listed(argv)}",
              f"directory = {quoted(os.path.dirname(os.path.abspath(problem.file)))}",
              f"inputs = {listed(files_behind(problem.file))}",
              "", "[command.environment]"]
    for name, value in _environment(problem).items():
        lines.append(f"{name} = {quoted(value)}")
    lines += ["", "[parameters]"]
    for name, parameter in problem.space.parameters.items():
        default = parameter.label_of(parameter.default)
        lines.append(f"{name} = {{ values = {listed(parameter.labels)}, "
                     f"default = {scalar(default)} }}")
    for name, keys in problem.objectives.items():
        lines += ["", "[[objective]]", f"name = {quoted(name)}"]
        lines += [f"{key} = {scalar(value)}" for key, value in keys.items() if value != ""]
    tables = {"limits": {"boot": "180s"}}
    if problem.device == "gpu":
        tables["measure"] = {"cache": "cold"}
    lines += _settings(problem, tables)
    return "\n".join(lines) + "\n"


def builds(problem):
    """Whether kernels can be compiled ahead, without a GPU: those of Triton, and what Helion writes;
    of other functions that compile nothing is known."""
    known = problem.compile is None or getattr(problem.compile, "builds_ahead", False)
    return problem.device == "gpu" and "triton" in sys.modules and known


def _environment(problem):
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    known = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    known = [p for p in known if p != ours]
    result = {"PYTHONPATH": os.pathsep.join([ours, *known])}
    if problem.device == "gpu":
        # Threads of a library that starts them when it is imported would keep us from forking.
        result["OPENBLAS_NUM_THREADS"] = "1"
        # torch.cuda.is_available() at the top of a file then asks NVML and leaves CUDA alone.
        result["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    return {name: value.replace("{", "{{") for name, value in result.items()}


def _name_of(problem, cases):
    if len(cases) > 1 or len(problem.cases) == 1:
        return problem.name
    case = cases[0]
    said = case._name or "-".join(f"{name}{value}" for name, value in case._members.items())
    return f"{problem.name}-{said}"


def _settings(problem, tables):
    for key, value in problem.settings.items():
        table, dot, name = key.partition(".")
        if not dot or table in ("command", "parameters", "objective"):
            raise UserError(f"settings are keys such as 'measure.samples', not {key!r}",
                            f"{problem.file}:{problem.line}")
        tables.setdefault(table, {})[name] = value
    lines = []
    for table, keys in tables.items():
        lines += ["", f"[{table}]"] + [f"{name} = {scalar(value)}" for name, value in keys.items()]
    return lines


def quoted(text):
    # JSON's escapes are TOML's, but for DEL.
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def scalar(value):
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
        return listed(value)
    return quoted(value)


def listed(values):
    return "[" + ", ".join(scalar(value) for value in values) + "]"
