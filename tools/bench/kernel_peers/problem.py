"""Reads kernels/cuda/*/problem.toml: shapes, expressions, launches, gates; and what was found for them."""

import ast
import dataclasses
import functools
import itertools
import json
import math
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = ROOT / "kernels" / "cuda"
BYTES = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "int8": 1, "uint8": 1, "int32": 4,
         "uint32": 4, "int64": 8, "float8_e4m3": 1}
# Where a problem gives no gate, as problems/readers/problem/cuda_problem.cc has it.
GATES = {"bfloat16": 4e-3, "float16": 6e-4, "float32": 2e-6, "float8_e4m3": 0.1}
NEAREST = 3  # shapes that one begins with which was never tuned
GLOBALS = {"__builtins__": {}, "ceil": math.ceil, "floor": math.floor, "min": min, "max": max,
           "abs": abs}


class Names(dict):
    """Names of expressions; derived ones are worked out when they are asked for."""

    def __init__(self, known, derived):
        super().__init__(known)
        self.derived = derived

    def __missing__(self, name):
        if name not in self.derived:
            raise KeyError(name)
        self[name] = value = evaluate(self.derived[name], self)
        return value


@functools.cache
def code_of(expression):
    return compile(expression.strip(), "<expression>", "eval")


def evaluate(expression, names):
    """The value of a Python-style expression over `names`; what is no text is its own value."""
    if not isinstance(expression, str):
        return expression
    try:
        return eval(code_of(expression), GLOBALS, names)
    except (NameError, KeyError) as e:
        raise ValueError(f"'{expression}' has an unknown name: {e}") from None


@dataclasses.dataclass
class TensorMap:
    of: str            # an argument
    type: str
    extent: list       # elements, innermost dimension first, as all lists
    pitch_bytes: list  # of the other dimensions
    box: list
    swizzle: int       # bytes; 0 = none
    l2_promotion: int  # bytes; 0 = none


@dataclasses.dataclass
class Launch:
    kernel: str
    grid: tuple
    block: tuple
    cluster: tuple
    shared_bytes: int
    arguments: list
    programmatic: bool = False  # begins before the launch before it has ended


class Problem:
    def __init__(self, name):
        self.name = name
        self.folder = KERNELS / name
        file = self.folder / "problem.toml"
        if not file.exists():
            known = ", ".join(sorted(p.parent.name for p in KERNELS.glob("*/problem.toml")))
            raise SystemExit(f"there is no kernel {name}; known are {known}")
        text = file.read_text()
        self.toml = whole(text, self.folder)
        self.cuda = self.toml["cuda"]
        self.arguments = self.cuda["argument"]
        self.published = published_shapes(text, file)
        self.dtype = self.cuda.get("dtype")
        self.found = measured(self.folder / "measured.json")
        files = self.toml.get("search", {}).get("starts_file", [])
        self.related = [measured(self.folder / f) for f in files[1:]] if isinstance(files, list) else []

    def values_of(self, parameter):
        domain = self.toml["parameters"][parameter]
        return domain["values"] if isinstance(domain, dict) else domain

    def outputs(self):
        return [a["name"] for a in self.arguments if a.get("access") == "out"]


def whole(text, folder):
    """A problem with the files that it includes: what it says itself goes before, and constraints of
    all hold, as problems/readers/toml/toml_include.cc has it. Not with sets of compiler options."""
    own = tomllib.loads(text)
    for name in own.pop("include", []):
        shared = tomllib.loads((folder / name).read_text())
        own["constraints"] = shared.pop("constraints", []) + own.get("constraints", [])
        put_under(own, shared)
    return own


def put_under(own, shared):
    for key, value in shared.items():
        if isinstance(value, dict) and isinstance(own.get(key), dict):
            put_under(own[key], value)
        else:
            own.setdefault(key, value)


def measured(file):
    """The entries of a measured.json, each with the device that it is of."""
    if not file.exists():
        return []
    content = json.loads(file.read_text())
    return [{"device": content["device"], **entry} for entry in content["found"]]


def told_by_nvidia_smi(query):
    """A line for each GPU, with commas between the fields of `query`; None without it."""
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=10)
        return done.stdout.strip() or None if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired):
        return None


def name_of_device():
    """The first GPU's, as torch has it; None without one."""
    told = told_by_nvidia_smi("name")
    return told and told.splitlines()[0]


def published_shapes(text, file):
    """The shapes that the comment at the head lists: "Published shapes: M x N of 8 x 16 and 4 x 2." """
    head = " ".join(line.lstrip("# ") for line in text.split("\nname =")[0].split("\n"))
    found = re.search(r"Published shapes: ([A-Z_ x]+) of ([0-9x, and]+)\.", head)
    if not found:
        raise SystemExit(f"{file}: no sentence of its head says 'Published shapes: ... of ....'")
    names = found[1].split(" x ")
    shapes = [[int(n) for n in shape.split(" x ")]
              for shape in re.split(r", | and ", found[2])]
    return [dict(zip(names, shape, strict=True)) for shape in shapes]


class Cell:
    """One problem with its sizes and type: a row of the table. `peers`: beginnings of the names of
    those that run beside it; none: all."""

    def __init__(self, problem, sizes, dtype, peers=()):
        self.problem, self.peers = problem, peers
        unknown = set(sizes) - set(problem.cuda["sizes"])
        if unknown:
            raise SystemExit(f"{problem.name} has no size {', '.join(sorted(unknown))}")
        self.sizes = {**problem.cuda["sizes"], **sizes}
        self.dtype = dtype if problem.dtype else None

    def __str__(self):
        shape = " x ".join(str(v) for v in self.sizes.values())
        return f"{self.problem.name} {shape}" + (f" {self.dtype}" if self.dtype else "")

    def names(self, configuration, multiprocessors):
        known = {**self.sizes, **configuration, "SM_COUNT": multiprocessors}
        if self.dtype:
            known["ELEMENT_BYTES"] = BYTES[self.dtype]
        return Names(known, self.problem.cuda.get("derived", {}))

    def figure(self, name):
        """`bytes` or `flops` of the problem, a whole number, or None."""
        expression = self.problem.cuda.get(name)
        return None if expression is None else round(evaluate(expression, self.names({}, 0)))

    def type_of(self, argument):
        return self.dtype if argument["type"] == "dtype" else argument["type"]

    def gate(self, name):
        argument = next(a for a in self.problem.arguments if a["name"] == name)
        gate = argument.get("gate", GATES.get(self.type_of(argument), 0))
        return gate[self.type_of(argument)] if isinstance(gate, dict) else gate

    def shape_of(self, argument, names):
        """The factors of the argument's size: "M * N" is (M, N)."""
        def factors(node):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                return factors(node.left) + factors(node.right)
            return [ast.unparse(node)]
        tree = ast.parse(str(argument["size"]), mode="eval").body
        return tuple(int(evaluate(f, names)) for f in factors(tree))

    def launches(self, configuration, multiprocessors, of="launch"):
        """The launches that apply; `of`: "launch", "prepare" or "reference"."""
        names = self.names(configuration, multiprocessors)
        tables = self.problem.cuda["reference"]["launch"] if of == "reference" \
            else self.problem.cuda.get(of, [])
        result = []
        for table in tables:
            if not evaluate(table.get("when", True), names):
                continue

            def three(key):
                given = table.get(key, 1)
                given = given if isinstance(given, list) else [given]
                return tuple(int(evaluate(e, names)) for e in given + [1] * (3 - len(given)))
            result.append(Launch(table["kernel"], three("grid"), three("block"), three("cluster"),
                                 int(evaluate(table.get("shared_bytes", 0), names)),
                                 table["arguments"],
                                 bool(result) and bool(evaluate(table.get("programmatic", 0), names))))
        return result

    def tensor_maps(self, configuration, multiprocessors):
        """{name: TensorMap} of the kernel's launches."""
        names = self.names(configuration, multiprocessors)
        result = {}
        for table in self.problem.cuda.get("tensor_map", []):
            def whole(key, default=0):
                given = table.get(key, default)
                numbers = [int(evaluate(e, names)) for e in
                           (given if isinstance(given, list) else [given])]
                return numbers if isinstance(given, list) else numbers[0]
            argument = next(a for a in self.problem.arguments if a["name"] == table["of"])
            extent = whole("extent")
            dense = [math.prod(extent[:i]) for i in range(1, len(extent))]
            element = BYTES[self.type_of(argument)]
            result[table["name"]] = TensorMap(
                table["of"], self.type_of(argument), extent,
                [p * element for p in whole("pitch", dense)], whole("box"), whole("swizzle"),
                whole("l2_promotion"))
        return result

    def sources(self):
        """The file and functions of the kernel, and of its reference."""
        cuda = self.problem.cuda

        def functions(tables):
            return list(dict.fromkeys(t["kernel"] for t in tables))
        return {"kernel": (self.problem.folder / cuda["source"], functions(cuda["launch"])),
                "reference": (self.problem.folder / cuda["reference"]["source"],
                              functions(cuda["reference"]["launch"] + cuda.get("prepare", [])))}

    def options(self, configuration, architecture):
        """NVRTC's, as evaluator/cuda/build/cuda_builder.cc gives them."""
        folders = [self.problem.folder / f for f in self.problem.cuda.get("include_folders", [])]
        options = [f"--gpu-architecture=sm_{architecture}" + ("a" if architecture >= 90 else ""),
                   "--std=c++20", "-default-device"]
        options += [f"-I{f.resolve()}" for f in [self.problem.folder, *folders]]
        options += [f"-D{n}={v}" for n, v in self.sizes.items()]
        if self.dtype:
            options.append(f"-DDTYPE={self.dtype}")
        return options + [f"-D{n}={v}" for n, v in configuration.items()]

    def baseline(self):
        configuration = {}
        given = self.problem.toml.get("baseline", {})
        for name in self.problem.toml["parameters"]:
            values = self.problem.values_of(name)
            value = given.get(name, values[0])
            configuration[name] = value if value in values else evaluate(value, self.names({}, 0))
        return configuration

    def complete(self, configuration):
        """With the baseline's value for parameters that were added since. ValueError for a parameter
        or a value that the problem has not."""
        unknown = set(configuration) - set(self.problem.toml["parameters"])
        if unknown:
            raise ValueError(f"{self.problem.name} has no parameter {', '.join(sorted(unknown))}")
        for name, value in configuration.items():
            if value not in self.problem.values_of(name):
                raise ValueError(f"{name} of {self.problem.name} has no value {value}")
        return {**self.baseline(), **configuration}

    def is_valid(self, configuration):
        names = self.names(configuration, 1)
        try:
            return all(evaluate(c, names) for c in self.problem.toml.get("constraints", []))
        except ZeroDivisionError:
            return False

    def choose(self, given, device=None):
        """The configuration to run, and where it is from.

        `given`: entries {problem, sizes, dtype, configuration} of --configurations. Without one of
        this shape and type, the best of measured.json, if there is one of `device`, then of it;
        without that, the first of nearest() ("nearest"), so that a shape never tuned is not shown
        with a tuned one's name; at last the baseline.
        """
        def same(entry, sizes):
            return {**self.problem.cuda["sizes"], **sizes} == self.sizes and \
                (entry.get("dtype") or None) == self.dtype
        for entry in given:
            if entry["problem"] == self.problem.name and same(entry, entry["sizes"]):
                return self.complete(entry["configuration"]), "given"
        exact = [e for e in self.problem.found if same(e, e["shape"])]
        if exact:
            best = min(exact, key=lambda e: (e["device"] != device, e["microseconds"]))
            return self.complete(best["configuration"]), "measured.json"

        for configuration in self.nearest(device):
            return configuration, "nearest"
        return self.baseline(), "baseline"

    def nearest(self, device=None, related=None):
        """Configurations of measured.json that are valid here, each once, the nearest shape's first;
        or of `related`, entries of a related problem, of which counts what they share with this one.

        Of the same type before others; then where the problem's `starts_alike` come out as here, such
        as whether rows are whole vectors: others are other code; then by how often sizes double; then
        of `device`. problems/readers/problem/found_starts.cc orders starts of a study in the same way.
        """
        alike = self.problem.toml.get("search", {}).get("starts_alike", [])

        def kind(sizes):
            return [evaluate(expression, sizes) for expression in alike]

        def distance(entry):
            sizes = {**self.problem.cuda["sizes"], **entry["shape"]}
            away = sum(abs(math.log2((self.sizes[n] + 1) / (sizes[n] + 1))) for n in self.sizes)
            return ((entry.get("dtype") or None) != self.dtype,
                    sum(a != b for a, b in zip(kind(sizes), kind(self.sizes))), away,
                    entry["device"] != device)
        found = []
        for entry in sorted(self.problem.found if related is None else related, key=distance):
            shared = entry["configuration"] if related is None else \
                {n: v for n, v in entry["configuration"].items() if self.has(n, v)}
            configuration = self.complete(shared)
            if configuration not in found and self.is_valid(configuration):
                found.append(configuration)
                yield configuration

    def has(self, parameter, value):
        return parameter in self.problem.toml["parameters"] and \
            value in self.problem.values_of(parameter)

    def starts(self, device=None):
        """What a study begins with behind its baseline: the nearest three, and of each related problem
        the nearest one that is not among them."""
        found = [self.baseline()]
        for entries, most in [(None, NEAREST), *((e, 1) for e in self.problem.related)]:
            others = (c for c in self.nearest(device, entries) if c not in found)
            found += list(itertools.islice(others, most))
        return found[1:]
