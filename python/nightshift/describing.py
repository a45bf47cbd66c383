"""Prints a problem as the text of a problem file (problems/README.md has the keys)."""

import contextlib
import json
import os
import re
import sys

from .errors import UserError
from .loading import files_behind, versions
from .plain_values import fits, is_list, told
from .same_space import space_text
from .space import Configuration, holds

_KEY = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")


def described(problem, cases, arguments=(), first=({}, [])):
    """TOML of one study: of `cases` of a problem. arguments: more of the served program's; first: as
    own_configs.first_of() says it. Raises UserError."""
    try:
        return _described(problem, cases, arguments, *first)
    except UserError as error:
        error.place = error.place or problem.place
        raise


def _described(problem, cases, arguments, baseline, starts):
    constants = cases[0]._constants() if len(cases) == 1 else {}
    conditions = problem.space.constraints(constants)
    argv = [sys.executable, "-m", "nightshift", "serve", os.path.abspath(problem.file), *arguments,
            "--space", space_text(problem.space)]
    lines = [f"name = {quoted(_name_of(problem, cases))}",
             f"constraints = {listed(conditions)}",
             "", "[command]", 'mode = "server"', "protocol = 2",
             f"builds = {'true' if builds(problem) else 'false'}",
             f"device = {quoted(problem.device)}"]
    if problem.device == "cpu":
        lines.append("cores = 1")
    if len(cases) > 1:
        lines += [f"aggregate = {quoted(problem.aggregate)}",
                  f"cases = {listed(_named_cases(problem, cases))}"]
    lines += [f"argv = {listed(argv)}",
              f"directory = {quoted(os.path.dirname(os.path.abspath(problem.file)))}",
              f"inputs = {listed(files_behind(problem.file))}",
              "", "[command.environment]"]
    for name, value in _environment(problem).items():
        # A brace begins a placeholder there.
        lines.append(f"{name} = {quoted(value.replace('{', '{{'))}")
    lines += _what_is_tuned(problem, baseline)
    tables = {"limits": {"boot": "180s"}}
    if problem.device == "gpu":
        tables["measure"] = {"cache": "cold"}
    starts = _starts(problem.space, starts, conditions, baseline or problem.space.baseline())
    if starts:
        tables["search"] = {"starts": starts}
    if problem.space.near_baseline and not any(key.startswith("search.options")
                                               for key in problem.settings):
        tables.setdefault("search", {})["options"] = {
            "near_baseline": problem.space.near_baseline}
    lines += _settings(problem, tables)
    return "\n".join(lines) + "\n"


def _what_is_tuned(problem, baseline):
    """Its parameters, the baseline where one is named, and the objectives."""
    lines = ["", "[parameters]"]
    for name, parameter in problem.space.parameters.items():
        default = parameter.label_of(parameter.default)
        lines.append(f"{name} = {{ values = {listed(parameter.labels)}, "
                     f"default = {scalar(default)} }}")
    if baseline:
        lines += ["", "[baseline]", *(f"{name} = {scalar(label)}" for name, label in
                                      _labels(problem.space, baseline).items())]
    for name, keys in problem.objectives.items():
        lines += ["", "[[objective]]", f"name = {quoted(name)}"]
        lines += [f"{key} = {scalar(value, f'the objective {name}: {key}')}"
                  for key, value in keys.items() if not isinstance(value, str) or value]
    return lines


def _labels(space, values):
    # A parameter may be called `items`.
    return {name: space.parameters[name].label_of(values[name]) for name in values}


def _starts(space, starts, conditions, baseline):
    """Those that the space allows, each once, by their labels; without the baseline."""
    found, baseline = [], _labels(space, baseline)
    for values in starts:
        labels = _labels(space, values)
        with contextlib.suppress(Exception):  # a condition that can't be asked allows nothing
            if labels not in [*found, baseline] and all(holds(text, labels) for text in conditions) \
                    and not space.refusal(Configuration(values)):
                found.append(labels)
    return found


def builds(problem):
    """Whether kernels can be compiled ahead, without a GPU: those of Triton, and what Helion writes;
    of other functions that compile nothing is known."""
    known = problem.compile is None or getattr(problem.compile, "builds_ahead", False)
    return problem.device == "gpu" and "triton" in sys.modules and known


def hello(problem):
    """What a process that serves it says first."""
    roles = ["build", "measure"] if builds(problem) else ["measure"]
    return {"hello": 2, "roles": roles, "distrusts": True, "audits": True, "versions": versions()}


def _environment(problem):
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    known = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    known = [p for p in known if p != ours]
    # No module of the folder stands before ours, or Python's, until the file is imported.
    result = {"PYTHONPATH": os.pathsep.join([ours, *known]), "PYTHONSAFEPATH": "1"}
    if problem.device == "gpu":
        # Threads of a library that starts them when it is imported would keep us from forking.
        result["OPENBLAS_NUM_THREADS"] = "1"
        # torch.cuda.is_available() at the top of a file then asks NVML and leaves CUDA alone.
        result["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    return result


def _named_cases(problem, cases):
    named = []
    for number, (case, weight) in enumerate(zip(cases, problem.weights_of(cases))):
        said = " ".join(f"{name}={value}" for name, value in case._members.items())
        name = case._name or said or str(number)
        if any(name == one["name"] for one in named):
            name = f"{name} ({number})"
        named.append({"name": name, **({} if problem.weights is None else {"weight": weight})})
    return named


def _name_of(problem, cases):
    if len(cases) > 1 or len(problem.cases) == 1:
        return problem.name
    case = cases[0]
    said = case._name or "-".join(f"{name}{value}" for name, value in case._members.items())
    return f"{problem.name}-{said}"


def _settings(problem, tables):
    for key, value in problem.settings.items():
        table, dot, name = key.partition(".")
        if not dot or table in ("command", "parameters", "objective") or not _KEY.fullmatch(key):
            raise UserError(f"settings are keys such as 'measure.samples', not {key!r}")
        tables.setdefault(table, {})[name] = value
    lines = []
    for table, keys in tables.items():
        lines += ["", f"[{table}]"]
        lines += [f"{name} = {scalar(value, f'the setting {table}.{name}')}"
                  for name, value in keys.items()]
    return lines


def quoted(text):
    try:
        str(text).encode()
    except UnicodeEncodeError:
        raise UserError(f"{str(text)!r} is no text of Unicode, as a problem's names, texts and "
                        "paths have to be") from None
    # JSON's escapes are TOML's, but for DEL.
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def scalar(value, what="a value"):
    """A value as TOML has it. Raises UserError for what it has not. what: as a sentence has it."""
    value = told(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and not fits(value):
        raise UserError(f"{what} is {value}, which does not fit 64 bits")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)} = {scalar(one, what)}"
                               for name, one in value.items()) + "}"
    if is_list(value):
        return listed(value, what)
    raise UserError(f"{what} is {value!r}, which is no number, text, true or false, or list of "
                    "them")


def listed(values, what="a value"):
    return "[" + ", ".join(scalar(value, what) for value in values) + "]"
