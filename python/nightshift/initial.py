"""Prints a problem file to begin with, from a file with kernels of Triton. It is read, not imported."""

import ast
import os

from .errors import UserError

_OF_TENSORS = {"shape", "stride", "dtype", "device", "size", "numel", "is_contiguous", "contiguous",
               "view", "reshape", "data_ptr", "is_cuda", "dim", "ndim", "element_size", "T"}
_OPTIONS = ("num_warps", "num_stages")
_FILL = "FILL"


class Kernel:
    """A function under triton.jit. name: as the module reaches it, with its class; computed: names that
    triton.heuristics gives it; defaults: of its constants, {name: value}."""

    def __init__(self, node, owner):
        self.name, self.is_tuned, self.computed = f"{owner}.{node.name}" if owner else node.name, False, set()
        for decorator in node.decorator_list:
            called = _last_name(decorator)
            self.is_tuned = self.is_tuned or "autotune" in called
            if called == "heuristics":
                self.computed |= {key.value for one in ast.walk(decorator) if isinstance(one, ast.Dict)
                                  for key in one.keys if isinstance(key, ast.Constant)}
        arguments = [*node.args.args, *node.args.kwonlyargs]
        self.constants = [one.arg for one in arguments if one.annotation is not None
                          and "constexpr" in ast.unparse(one.annotation)]
        given = zip(arguments[::-1], [*node.args.kw_defaults[::-1], *node.args.defaults[::-1]])
        self.defaults = {one.arg: value for one, value in given
                         if value is not None and one.arg in self.constants}


class Launch:
    """A function of the host, and the kernels that it launches: {name: keyword arguments}."""

    def __init__(self, node, owner, kernels):
        self.node, self.owner, self.kernels = node, owner, {}
        # {name: what is assigned to it}; of several at once each has the whole.
        self.assigned = {}
        for one in ast.walk(node):
            if isinstance(one, ast.Assign):
                for target in one.targets:
                    for name in _names(target):
                        self.assigned.setdefault(name, []).append(one.value)
        for one in ast.walk(node):
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Subscript):
                given = {key.arg: key.value for key in one.keywords if key.arg}
                for name in self._launched(one.func.value, kernels):
                    self.kernels.setdefault(name, {}).update(given)

    def _launched(self, node, kernels):
        """Names of the kernels that `node` may be: itself, as wrap_triton(kernel), or a variable that is
        one of several."""
        texts = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))}
        texts |= {ast.unparse(one) for text in list(texts) for value in self.assigned.get(text, [])
                  for one in ast.walk(value) if isinstance(one, (ast.Name, ast.Attribute))}
        return [name for name in kernels if any(f".{text}".endswith(f".{name}") for text in texts)]

    def computed_from(self, name, others):
        """Whether a variable is computed from one of others."""
        return any(_names(value) & (set(others) - {name}) for value in self.assigned[name])

    def arguments(self):
        """[(name, whether it is a tensor)] of those without a default."""
        every = [*self.node.args.posonlyargs, *self.node.args.args]
        every = every[:len(every) - len(self.node.args.defaults)]
        return [(one.arg, self._is_tensor(one)) for one in every
                if one.arg not in ("self", "ctx")]

    def _is_tensor(self, argument):
        if argument.annotation is not None:
            return "Tensor" in ast.unparse(argument.annotation)
        return any(isinstance(one, ast.Attribute) and one.attr in _OF_TENSORS
                   and isinstance(one.value, ast.Name) and one.value.id == argument.arg
                   for one in ast.walk(self.node))


def _last_name(node):
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) \
        else ""


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_jit(node):
    return isinstance(node, ast.FunctionDef) and any(
        _last_name(one) == "jit" for one in node.decorator_list)


def found_in(text, file):
    """([kernels], [launches]) of a file's text. Raises UserError."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UserError(f"it is no Python: {error.msg}", f"{file}:{error.lineno}") from error
    owners = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    owned = {node: getattr(owner, "name", "") for owner in owners for node in owner.body}
    every = [Kernel(node, owned.get(node, "")) for node in ast.walk(tree) if _is_jit(node)]
    kernels, launches = {kernel.name: kernel for kernel in every}, []
    for owner in owners:
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and not _is_jit(node):
                launch = Launch(node, getattr(owner, "name", ""), kernels)
                if launch.kernels:
                    launches.append(launch)
    return kernels, launches


def initial(file, wanted=None):
    """The text of a problem file. wanted: the kernel's name, where there are several. Raises
    UserError that names what there is."""
    if os.path.exists(file) and not os.path.isfile(file):
        raise UserError("it is no regular file", file)
    try:
        with open(file, encoding="utf-8") as opened:
            kernels, launches = found_in(opened.read(), file)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"it can't be read: {error}", file) from None
    if not kernels:
        raise UserError("it has no kernel of Triton: no function under triton.jit", file)
    launched = [name for launch in launches for name in launch.kernels]
    if wanted is not None and wanted not in kernels:
        raise UserError(f"it has no kernel {wanted!r}; it has {', '.join(kernels)}", file)
    chosen = wanted or next((name for name in launched if kernels[name].is_tuned),
                            launched[0] if launched else next(iter(kernels)))
    launch = next((one for one in launches if chosen in one.kernels), None)
    others = [name for name in kernels if name != chosen and name in launched]
    return _text(file, kernels[chosen], launch, others)


def _text(file, kernel, launch, others):
    space, of_host = _space(kernel, launch)
    call, imported = _call(kernel, launch)
    names = [kernel.name.partition(".")[0]] if "from_triton" in space or launch is None else []
    lines = ["# For `nightshift check FILE` and `nightshift tune FILE`, once all that is marked is filled in."]
    lines += [f"# {os.path.basename(file)} also launches: {', '.join(others)}"] if others else []
    lines += _imports(file, list(dict.fromkeys([*names, *imported, *of_host])))
    lines += ["", f"@ns.problem(space={space},", f"            cases=[dict(M=4096, N=4096)])  # {_FILL}",
              f"def {kernel.name.replace('.', '_').strip('_')}_problem(case, config):"]
    arguments = launch.arguments() if launch else []
    lines += [f"    {name} = ns.normal(case.M, case.N)  # {_FILL}: shape, dtype=, or another factory"
              if tensor else f"    {name} = 1  # {_FILL}" for name, tensor in arguments]
    lines += [f"    # {_FILL}: reference=lambda: what is right, in float64; without it the baseline's answer",
              f"    return ns.Run(lambda: {call})"] if launch else [
        f"    # {_FILL}: grid, arguments, and outputs=[...]", f"    return ns.Run(lambda: {call})"]
    return "\n".join(lines) + "\n"


def _imports(file, names):
    folder, module = os.path.split(os.path.splitext(os.path.abspath(file))[0])
    inside = []
    while os.path.isfile(os.path.join(folder, "__init__.py")):  # it may import by dots
        folder, package = os.path.split(folder)
        inside.insert(0, package)
    dotted = ".".join([*inside, module])
    where = [f"# Belongs into {folder}, where {inside[0]} lies, or PYTHONPATH has that folder."] if inside else []
    if all(map(str.isidentifier, [*inside, module])):
        return [*where, "import nightshift as ns", f"from {dotted} import {', '.join(names)}"]
    return [*where, "import importlib", "import nightshift as ns",
            f"module = importlib.import_module({dotted!r})", *(f"{name} = module.{name}" for name in names)]


def _space(kernel, launch):
    """(text, names of functions of the host that it needs)"""
    if kernel.is_tuned:
        return f"ns.from_triton({kernel.name})", []
    given = {**kernel.defaults, **(launch.kernels[kernel.name] if launch else {})}
    own = [name for name in dict.fromkeys([*kernel.constants, *_OPTIONS]) if name not in kernel.computed and (
        name in given or name in _OPTIONS)]
    blocks = [name for name in own if name in _OPTIONS or "BLOCK" in name.upper()]
    variables = {value.id: name for name, value in given.items() if name in blocks
                 and isinstance(value, ast.Name) and value.id in launch.assigned} if launch else {}
    # What is computed from one of them follows it.
    following = {one: name for one, name in variables.items() if launch.computed_from(one, variables)}
    blocks = [name for name in blocks if name not in following.values()]
    variables = {one: name for one, name in variables.items() if one not in following}
    parts = []
    if variables:
        lists = ", ".join(f"{one}={_values(one, launch.assigned[one][0])}" for one in variables)
        parts.append(f"ns.replacing({_reached(launch)}, {lists})")
    rest = [name for name in blocks if name not in variables.values()]
    if rest:
        parts.append(f"ns.from_triton({kernel.name}, "
                     + ", ".join(f"{name}={_values(name, given.get(name))}" for name in rest) + ")")
    return " +\n            ".join(parts), [_reached(launch).partition(".")[0]] if variables else []


def _values(name, given=None):
    """A list to begin with. given: what the launch passes, where it passes something."""
    if isinstance(given, ast.Constant) and type(given.value) is int and given.value > 0:
        return str(sorted({given.value, max(1, given.value // 2), 2 * given.value},
                          key=lambda value: (value != given.value, value)))
    if name == "num_stages":
        return "[3, 2, 4]"
    return "[4, 8]" if "WARPS" in name.upper() else "[64, 128, 256]"


def _reached(launch):
    return f"{launch.owner}.{launch.node.name}" if launch.owner else launch.node.name


def _call(kernel, launch):
    if launch is None:
        return f"{kernel.name}[(1,)]()", [kernel.name.partition(".")[0]]
    arguments = ", ".join(name for name, _ in launch.arguments())
    if launch.owner:
        way = "apply" if launch.node.name == "forward" else launch.node.name
        return f"{launch.owner}.{way}({arguments})", [launch.owner]
    return f"{launch.node.name}({arguments})", [launch.node.name]


def add_arguments(parser):
    parser.add_argument("file", help="a file with kernels of Triton")
    parser.add_argument("--function", help="the kernel that is meant; the first that is launched where absent")


def main(arguments):
    """The subcommand: prints the problem file. Returns the exit code."""
    print(initial(arguments.file, arguments.function), end="")
    return 0
