"""Tasks of GPU MODE's kernelbot: a folder with task.yml, reference.py (generate_input, ref_kernel,
check_implementation) and a submission.py with custom_kernel, which candidates are."""

import contextlib
import importlib
import io
import json
import os
import re
import sys
import tokenize

from .errors import UserError, one_line
from .factories import made
from .foreign_files import put, text_of, with_triton
from .made_inputs import copied, is_array, leaves, mapped, on, seeded
from .problem import Run


class Task:
    """A task whose files lie beside the problem's. See Task.run().

    tests: a list of dicts of arguments of generate_input, for which a submission has to be right too
    device: "gpu" or "cpu"."""

    def __init__(self, tests=(), device="gpu"):
        if device == "gpu":
            with_triton()
        self.reference = importlib.import_module("reference")
        for name in ("generate_input", "check_implementation"):
            if not hasattr(self.reference, name):
                raise UserError(f"reference.py has no {name}, as that of a task has")
        self.tests, self.device = list(tests), "cuda" if device == "gpu" else "cpu"
        self._passed = set()  # submissions, of this process

    def run(self, submission, case):
        """The ns.Run of a submission for the arguments of one benchmark. check_implementation says
        whether an answer is right; all tests come first.

        submission: what ns.candidate() returned; case: of the problem."""
        arguments = dict(case._members)
        inputs = made(lambda seed: self._inputs(arguments, seed), buffers=True)
        kernel = submission.custom_kernel
        run = Run(lambda: [kernel(inputs)], reference=lambda: _cloned(inputs),
                  check=lambda outputs, data: self._judged(data, outputs[0]))
        if id(kernel) not in self._passed:
            run.tests = [self._test(kernel, arguments) for arguments in self.tests]
            run.passed = lambda: self._passed.add(id(kernel))
        return run

    def _inputs(self, arguments, seed):
        given = dict(arguments)
        if "seed" in given:
            # Those who know the task's seed know nothing of what is measured.
            given["seed"] = (given["seed"] * 1000003 + seed) % (1 << 31)
        return self.reference.generate_input(**given)

    def _test(self, kernel, arguments):
        """(the answer to a test, what is wrong with one), as functions."""
        def data():
            with on(self.device) if "torch" in sys.modules else contextlib.nullcontext():
                return seeded(lambda seed: self.reference.generate_input(**arguments),
                              int(arguments.get("seed", 0)))

        def answer():
            given = data()
            with on(self.device) if "torch" in sys.modules else contextlib.nullcontext():
                return kernel(given)

        def check(answer):
            said = self._judged(data(), answer)
            words = ", ".join(f"{name} = {value}" for name, value in arguments.items())
            return said and f"test with {words}: {said}"
        return answer, check

    def _judged(self, data, answer):
        """"" where an answer is right for inputs, else what check_implementation says."""
        if not any(map(is_array, leaves(answer))):
            return f"custom_kernel returns {type(answer).__name__} and no tensor"
        try:
            said = self.reference.check_implementation(_cloned(data), answer)
        except (TypeError, AttributeError, IndexError, KeyError, ValueError, RuntimeError) as error:
            if "CUDA" in str(error):
                raise
            return f"check_implementation can't read it: {type(error).__name__}: {error}"
        if isinstance(said, tuple):
            good, words = said[0], str(said[1] if len(said) > 1 else "")
            return "" if good else words or "check_implementation says that it is wrong"
        if isinstance(said, bool):
            return "" if said else "check_implementation says that it is wrong"
        return str(said or "")


def _cloned(data):
    return mapped(data, lambda one: copied(one) if is_array(one) else one)


PROBLEM = '''"""kernelbot's {name}: the task's files lie beside this one. submission.py, with
custom_kernel in it, is what candidates replace."""

import nightshift as ns
from nightshift import kernelbot

TESTS = [{tests}]
task = kernelbot.Task(TESTS, device="{device}")
submission = ns.candidate("submission.py")


@ns.problem(name="{name}", space={{"source": [0]}}, device="{device}", together=True,
            cases=[{cases}])
def problem(case, config):
    return task.run(submission, case)
'''
REFERENCE = '''"""The reference itself, which candidates are measured against."""

from reference import ref_kernel


def custom_kernel(data):
    return ref_kernel(data)
'''


def name_of(path):
    """Of the problem that a task becomes."""
    return os.path.basename(os.path.abspath(path))


def _yaml(text, path):
    with contextlib.suppress(ValueError):
        return json.loads(text)  # which is YAML too
    try:
        import yaml
    except ImportError:
        raise UserError("task.yml is read by PyYAML, which is not here: install python3-yaml, or pip "
                        "install pyyaml", path) from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"it is no YAML: {one_line(error)}", path) from None


def read(folder):
    """task.yml as a dict. Raises UserError for what can't be imported."""
    path = os.path.join(folder, "task.yml")
    text = text_of(path)
    task = _yaml(text, path)
    if not isinstance(task, dict):
        raise UserError("it is no task: expected files, tests and benchmarks", path)
    if task.get("multi_gpu"):
        raise UserError("it runs on several GPUs (multi_gpu), and a candidate is measured on one",
                        path)
    if task.get("lang", "py") != "py":
        raise UserError(f"its submissions are {task['lang']}, and only those in Python (lang: py) "
                        "are taken", path)
    for name in ("tests", "benchmarks"):
        found = task.get(name)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise UserError(f"it has no list of {name}", path)
    if not task["benchmarks"]:
        raise UserError("it has no benchmarks", path)
    return task


def bring(arguments, folder):
    """Writes the problem into a folder. Returns what is to be told of it. Raises UserError."""
    source = arguments.path
    task, said = read(source), []
    files = {"reference.py": text_of(os.path.join(source, "reference.py"))}
    for one in task.get("files") or []:
        name, place = str(one.get("name", "")), str(one.get("source", ""))
        if place == "@SUBMISSION@" or name == "eval.py" or not name.endswith((".py", ".h", ".cuh")):
            continue
        if os.path.basename(name) != name:
            raise UserError(f"a file called {name} lies elsewhere", os.path.join(source, "task.yml"))
        files[name] = text_of(os.path.join(source, place))
    _refuse_without(files["reference.py"], source)
    own = os.path.join(source, "submission.py")
    takes_own = arguments.baseline == "submission" and os.path.isfile(own)
    files["submission.py"] = text_of(own) if takes_own else REFERENCE
    if not takes_own:
        said.append("candidates are measured against the reference")
    if arguments.device == "cpu":
        changed = {name: on_cores(text) for name, text in files.items() if name.endswith(".py")}
        said += [f'{name}: "cuda" reads "cpu"' for name in changed if changed[name] != files[name]]
        files.update(changed)
    if task.get("ranking_by", "last") not in ("geom", "last"):
        said.append(f"it ranks by {task['ranking_by']}; here the time is the geometric mean")
    most = arguments.most or len(task["benchmarks"])

    def listed(cases):
        return "".join(f"\n    {case!r}," for case in cases) + ("\n" if cases else "")

    files["problem.py"] = PROBLEM.format(
        name=name_of(source), device=arguments.device, tests=listed(task["tests"]),
        cases=listed(task["benchmarks"][:most]))
    put(folder, files)
    return said


def request(path):
    """The files of a candidate. Raises UserError."""
    return {"submission.py": text_of(path)}


def _refuse_without(text, source):
    for name in ("generate_input", "check_implementation"):
        if not re.search(rf"^(def {name}\b|{name}\s*=|from .* import .*\b{name}\b)", text, re.M):
            raise UserError(f"it has no {name}, as that of a task has",
                            os.path.join(source, "reference.py"))


def on_cores(text):
    """Python whose texts "cuda" and "cuda:0" read "cpu". Raises UserError."""
    tokens = []
    try:
        for one in tokenize.generate_tokens(io.StringIO(text).readline):
            if one.type == tokenize.STRING and one.string[1:-1] in ("cuda", "cuda:0"):
                one = one._replace(string='"cpu"')
            tokens.append(one)
    except (tokenize.TokenError, SyntaxError) as error:
        raise UserError(f"it is no Python: {error}") from None
    return tokenize.untokenize(tokens)
