"""Definitions, workloads and solutions of flashinfer-bench (its FlashInfer Trace schema) as problems
and candidates."""

import hashlib
import importlib
import json
import os
import struct
import sys

from . import factories
from .errors import Failure, UserError, one_line
from .foreign_files import number_of, put, text_of, with_triton
from .problem import Run

# Their rtol, as a share of the norm; by type, since integers are to be equal.
TOLERANCE = {"bfloat16": 0.01, "float16": 0.01, "float32": 0.01, "float8_e4m3fn": 0.1,
             "float8_e5m2": 0.1}
INTEGERS = {"int8": (-128, 128), "int16": (-1024, 1024), "int32": (-1024, 1024),
            "int64": (-1024, 1024), "bool": (0, 2)}  # of random inputs, as theirs
FLOATS = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
_SAFETENSORS = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
                "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16",
                "I8": "int8", "BOOL": "bool"}
_COMPILED = (".cu", ".cpp", ".cc", ".cxx", ".c")
_MOST_HEAD = 64 << 20  # bytes of what a file of tensors says of them


class Definition:
    """A definition with workloads beside the problem's file, as `import` has written them.

    `cases` are its workloads by the beginnings of their ids."""

    def __init__(self, file="definition.json", workloads="workloads.json"):
        with_triton()
        self.members = json.loads(text_of(file))
        self.name, self.outputs = self.members["name"], self.members["outputs"]
        self._workloads = {short(one["uuid"]): one for one in json.loads(text_of(workloads))}
        self.cases = {name: dict(one["axes"]) for name, one in self._workloads.items()}
        self.reference = importlib.import_module("reference").run

    def run(self, solution, case):
        """The ns.Run of a solution for a workload. What is right is computed by the definition's
        reference, in the types that it has.

        solution: what ns.candidate() returned, with a function `run` of the inputs, in their order;
        it returns the outputs, or, where entry() says so, gets them as last arguments."""
        import torch
        workload = self._workloads[case._name]
        inputs = [self._input(name, spec, workload) for name, spec in self.members["inputs"].items()]
        function = solution.run

        def right():
            with torch.no_grad():
                return self._answers(self.reference(*inputs))

        if getattr(function, "destination_passing", False):
            shapes = [self._shape(spec, workload) or () for spec in self.outputs.values()]
            outputs = [factories.output(*shape, dtype=spec["dtype"])
                       for shape, spec in zip(shapes, self.outputs.values())]

            def into():
                with torch.no_grad():
                    function(*inputs, *outputs)
            return Run(into, outputs=outputs, reference=right)

        def call():
            with torch.no_grad():
                return self._checked(self._answers(function(*inputs)), workload)
        return Run(call, reference=right)

    def _shape(self, spec, workload):
        """Sizes; None of a scalar."""
        return None if spec["shape"] is None else [
            self.members["axes"][axis].get("value", workload["axes"].get(axis))
            for axis in spec["shape"]]

    def _input(self, name, spec, workload):
        given = workload["inputs"].get(name) or {"type": "random"}
        shape, dtype = self._shape(spec, workload), spec["dtype"]
        if given["type"] == "scalar":
            return given["value"]
        if given["type"] == "safetensors":
            return factories.load(workload["files"][name], dtype=dtype).view(shape)
        if dtype in INTEGERS:
            low, high = INTEGERS[dtype]
            return factories.integers(*shape, low=low, high=high, dtype=dtype)
        return factories.normal(*shape, dtype=dtype)

    def _answers(self, result):
        """Outputs in the definition's order."""
        import torch
        if isinstance(result, dict):
            missing = [name for name in self.outputs if name not in result]
            if missing:
                raise Failure("wrong_result", f"the answer has no {missing[0]}", output=missing[0])
            result = [result[name] for name in self.outputs]
        result = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(result) != len(self.outputs):
            raise Failure("wrong_result", f"the answer has {len(result)} outputs instead of "
                                          f"{len(self.outputs)}", output="output 0")
        return [one if isinstance(one, torch.Tensor) else torch.tensor(one) for one in result]

    def _checked(self, answers, workload):
        """The same. Raises Failure for another shape or type than the definition says."""
        for one, (name, spec) in zip(answers, self.outputs.items()):
            shape = self._shape(spec, workload)
            if shape is not None and list(one.shape) != shape:
                raise Failure("wrong_result", f"{name} has the shape {list(one.shape)} instead of "
                                              f"{shape}", output=name)
            dtype = str(one.dtype).rsplit(".", 1)[-1]
            if shape is not None and dtype != spec["dtype"]:
                raise Failure("wrong_result", f"{name} has the type {dtype} instead of "
                                              f"{spec['dtype']}", output=name)
        return answers


class _Entry:
    """A solution's function, and whether it gets its outputs as arguments."""

    def __init__(self, function, destination_passing):
        self.function, self.destination_passing = function, destination_passing

    def __call__(self, *arguments):
        return self.function(*arguments)


def entry(point, destination_passing=True, language="python", binding=None):
    """The function of a solution whose sources lie in the folder `sources` beside the caller's file.

    point: "main.py::run"; language: "python", "triton", "cuda" or "cpp"; binding: of the last two,
    "torch" or "tvm-ffi". Sources in CUDA and C++ are compiled, by torch.utils.cpp_extension or
    tvm_ffi.cpp. Raises what their compilers raise."""
    folder = os.path.join(os.path.dirname(os.path.abspath(
        sys._getframe(1).f_code.co_filename)), "sources")
    file, _, name = point.partition("::")
    if language in ("cuda", "cpp"):
        made = _compiled(folder, language, binding or "tvm-ffi")
    else:
        sys.path.insert(0, folder)
        made = importlib.import_module("sources." + os.path.splitext(file)[0].replace("/", "."))
    return _Entry(getattr(made, name), destination_passing)


def _compiled(folder, language, binding):
    found = sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    digest = hashlib.sha1()
    for path in found:
        with open(path, "rb") as opened:
            digest.update(path[len(folder):].encode() + b"\0" + opened.read() + b"\0")
    name = f"nightshift_candidate_{digest.hexdigest()[:16]}"
    sources = [path for path in found if path.endswith(_COMPILED)]
    if binding == "torch":
        from torch.utils.cpp_extension import load
        return load(name=name, sources=sources, extra_include_paths=[folder],
                    with_cuda=language == "cuda")
    import tvm_ffi
    library = tvm_ffi.cpp.build(
        name=name, cpp_files=[path for path in sources if not path.endswith(".cu")],
        cuda_files=[path for path in sources if path.endswith(".cu")], extra_include_paths=[folder],
        extra_ldflags=["-lcuda", "-lcublas"] if language == "cuda" else [])
    return tvm_ffi.load_module(library)


PROBLEM = '''"""flashinfer-bench's {name}: definition.json is the definition, workloads.json has the
workloads, reference.py what is right. solution.py is what candidates replace."""

import torch

import nightshift as ns
from nightshift import flashinfer_bench

definition = flashinfer_bench.Definition("definition.json", "workloads.json")
solution = ns.candidate("solution.py")


@ns.problem(name="{name}", space={{"source": [0]}}, device="{device}", together=True,
            cases=definition.cases, tolerance={tolerance})
def problem(case, config):
    return definition.run(solution, case)
'''
OF_ONE = '''# One workload of {name}, as POST /evaluate judges it.
name = "{name}-{case}"

[python]
file = "../../problem.py"
case = "{case}"
'''
SOLUTION = '''"""The definition's own reference, which candidates are measured against."""

from reference import run
'''
ENTRY = '''"""The solution {name}."""

from nightshift import flashinfer_bench

run = flashinfer_bench.entry({point!r}, destination_passing={passing}, language={language!r},
                             binding={binding!r})
'''


def short(uuid):
    """The beginning of a workload's id, by which a case is called."""
    return uuid.split("-")[0][:8]


def name_of(path):
    """Of the problem that a definition becomes."""
    return os.path.splitext(os.path.basename(path))[0]


def json_of(path):
    """A JSON object. Raises UserError."""
    try:
        found = json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise UserError(f"it is no JSON: {one_line(error)}", path) from None
    if not isinstance(found, dict):
        raise UserError("it is no JSON object", path)
    return found


def read(path):
    """A definition. Raises UserError for what can't be imported."""
    found = json_of(path)
    try:
        axes, reference = found["axes"], found["reference"]
        tensors = [*found["inputs"].items(), *found["outputs"].items()]
        for name, spec in tensors:
            if spec["dtype"] not in (*INTEGERS, *FLOATS):
                raise UserError(f"{name} is of {spec['dtype']}, which is not taken", path)
            for axis in spec["shape"] or []:
                if axes[axis]["type"] not in ("const", "var"):
                    raise UserError(f"the axis {axis} is neither const nor var", path)
        compile(reference, path, "exec")
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"it is no definition of flashinfer-bench: {one_line(repr(error))}",
                        path) from None
    except SyntaxError as error:
        raise UserError(f"its reference is no Python: {error.msg} (line {error.lineno})",
                        path) from None
    if found.get("op_type") == "sampling":
        raise UserError("it draws samples (op_type sampling), of which none is the right one", path)
    whole = [name for name, spec in found["outputs"].items() if spec["dtype"] in INTEGERS]
    if "topk" in str(found.get("name", "")).split("_")[:3] and whole:
        raise UserError(f"it selects ({', '.join(whole)}), in an order that is not said", path)
    return found


def read_workloads(path, definition):
    """A list of workloads of a file of JSON lines. Raises UserError."""
    found = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
            of, workload = one.get("definition", definition["name"]), one.get("workload", one)
            if of != definition["name"]:
                raise UserError(f"it is a workload of {of}", f"{path}:{number}")
            if one.get("evaluation"):
                continue  # a trace of an evaluation, of a workload that stands elsewhere
            axes, inputs = workload["axes"], dict(workload["inputs"])
            missing = [name for name, axis in definition["axes"].items()
                       if axis["type"] == "var" and name not in axes]
            if missing:
                raise UserError(f"it has no axis {missing[0]}", f"{path}:{number}")
            _hold(definition, axes, f"{path}:{number}")
            found.append({"uuid": str(workload["uuid"]), "axes": axes, "inputs": inputs})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"it is no workload: {one_line(repr(error))}",
                            f"{path}:{number}") from None
    if not found:
        raise UserError("it has no workload", path)
    return found


def _hold(definition, axes, place):
    """Raises UserError where axes break a constraint of the definition that is about axes alone."""
    values = {name: axis.get("value", axes.get(name)) for name, axis in definition["axes"].items()}
    for constraint in definition.get("constraints") or []:
        try:
            holds = eval(constraint, {"__builtins__": {}}, values)
        except Exception:  # it is about tensors
            continue
        if not holds:
            raise UserError(f"it breaks the constraint {constraint}", place)


def _given(definition, sizes, path):
    """One workload of random inputs. Raises UserError."""
    names = {name for name, axis in definition["axes"].items() if axis["type"] == "var"}
    scalars = {name for name, spec in definition["inputs"].items() if spec["shape"] is None}
    missing = sorted((names | scalars) - set(sizes))
    if missing:
        raise UserError(f"--workloads FILE has to name its sizes, or --size {missing[0]}=NUMBER and "
                        "so on", path)
    return {"uuid": "given", "axes": {name: int(sizes[name]) for name in names},
            "inputs": {name: {"type": "scalar", "value": sizes[name]} if name in scalars
                       else {"type": "random"} for name in definition["inputs"]}}


def _with_files(workload, definition, root):
    """The workload, with `files` of raw bytes by the names of inputs that are tensors of others, and
    these files: {name: bytes}. Raises UserError."""
    files, of = {}, {}
    for name, spec in definition["inputs"].items():
        given = workload["inputs"].get(name, {"type": "random"})
        if given["type"] == "safetensors":
            path = os.path.join(root, given["path"])
            file = f"tensors/{short(workload['uuid'])}-{name}.bin"
            shape = [definition["axes"][axis].get("value", workload["axes"].get(axis))
                     for axis in spec["shape"] or []]
            files[file] = tensor_of(path, given["tensor_key"], spec["dtype"], shape)
            of[name] = file
        elif given["type"] == "random" and spec["shape"] is None:
            raise UserError(f"the scalar {name} of workload {workload['uuid']} is random, which no "
                            "measurement can repeat")
        elif given["type"] not in ("random", "scalar"):
            raise UserError(f"the input {name} of workload {workload['uuid']} is {given['type']}")
    return dict(workload, files=of), files


def tensor_of(path, key, dtype, shape):
    """The bytes of a tensor in a file of safetensors. Raises UserError."""
    try:
        with open(path, "rb") as opened:
            begin = opened.read(8)
            if begin == b"version ":
                raise UserError("it is a pointer of Git LFS, whose file is not here", path)
            size = struct.unpack("<Q", begin)[0]
            if size > _MOST_HEAD:
                raise ValueError(f"its head has {size} bytes")
            head = json.loads(opened.read(size))
            found = head[key]
            low, high = found["data_offsets"]
            if _SAFETENSORS.get(found["dtype"]) != dtype or list(found["shape"]) != shape:
                raise UserError(f"{key} is {found['shape']} of {found['dtype']} instead of {shape} "
                                f"of {dtype}", path)
            opened.seek(8 + size + low)
            data = opened.read(high - low)
            if len(data) != high - low:
                raise ValueError("it is cut off")
            return data
    except OSError as error:
        raise UserError(f"can't be read: {error.strerror or error}", path) from None
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise UserError(f"it is no file of safetensors with {key}: {one_line(error)}",
                        path) from None


def bring(arguments, folder):
    """Writes the problem into a folder. Returns what is to be told of it. Raises UserError."""
    definition, said, files = read(arguments.path), [], {}
    if arguments.workloads:
        every = read_workloads(arguments.workloads, definition)
    else:
        every = [_given(definition, dict(number_of(one) for one in arguments.size or []),
                        arguments.path)]
    root, kept = arguments.root or os.path.dirname(arguments.workloads or ""), []
    for one in every[:arguments.most or len(every)]:
        if any(short(one["uuid"]) == short(other["uuid"]) for other in kept):
            raise UserError(f"two workloads begin with {short(one['uuid'])}", arguments.workloads)
        one, more = _with_files(one, definition, root)
        kept.append(one)
        files.update(more)
    if len(every) > len(kept):
        said.append(f"{len(kept)} of {len(every)} workloads are taken (--most)")
    tolerance = arguments.tolerance or "flashinfer_bench.TOLERANCE"
    if definition.get("op_type") == "moe" and not arguments.tolerance:
        tolerance = 0.1
        said.append("of a mixture of experts the error may have a tenth of the answer's norm")
    name = definition["name"]
    files.update({
        "definition.json": json.dumps(definition, indent=1) + "\n",
        "workloads.json": json.dumps(kept, indent=1) + "\n",
        "reference.py": _on(definition["reference"], arguments.device) + "\n",
        "solution.py": SOLUTION,
        "problem.py": PROBLEM.format(name=name, device=arguments.device, tolerance=tolerance)})
    for one in kept:
        case = short(one["uuid"])
        files[f"workloads/{case}/problem.toml"] = OF_ONE.format(name=name, case=case)
    put(folder, files)
    return said


def _on(text, device):
    if device == "gpu":
        return text
    from .kernelbot import on_cores
    return on_cores(text)


def read_solution(found, place="the solution"):
    """{name: text} of the candidate that a solution is. found: its JSON object. Raises UserError."""
    try:
        spec, sources = found["spec"], found["sources"]
        language, point = str(spec["language"]), str(spec["entry_point"])
        file, two, function = point.partition("::")
        files = {str(one["path"]): str(one["content"]) for one in sources}
        passing = bool(spec.get("destination_passing_style", True))
        found["name"], found["definition"]
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"it is no solution of flashinfer-bench: {one_line(repr(error))}",
                        place) from None
    if language not in ("python", "triton", "cuda", "cpp"):
        raise UserError(f"it is written in {language}, which is not taken", place)
    if not two or not function.isidentifier() or file not in files:
        raise UserError(f"its entry point {point} names no source and function", place)
    for name in files:
        if os.path.isabs(name) or ".." in name.split("/"):
            raise UserError(f"its source {name} lies elsewhere", place)
    name = one_line(found["name"]).replace('"', "'").replace("\\", "/")
    shim = ENTRY.format(name=name, point=point, passing=passing, language=language,
                        binding=spec.get("binding"))
    return {"solution.py": shim, **{f"sources/{name}": text for name, text in files.items()}}


def request(path):
    """The files of a candidate. Raises UserError."""
    return read_solution(json_of(path), path)
