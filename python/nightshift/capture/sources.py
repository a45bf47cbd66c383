"""The source of a kernel, with all that it calls and reads, as files that need nothing of the program.

A kernel's own text names other kernels, constants and modules of the program. What Triton and other
installed packages have is imported; kernels are written out, a file for each module that they come
from; constants are written as literals. The hash is over these texts, so that two kernels with one hash
compile alike wherever they were found."""

import ast
import builtins
import hashlib
import inspect
import os
import sys
import sysconfig
import types

_LITERALS = (bool, int, float, str, type(None))
_SHARED = ("triton", "torch")  # packages whose functions kernels call as they are


class Unrecordable(Exception):
    """Why a kernel cannot be recorded, as a sentence's end: "it reads the list `shapes`"."""


class Sources:
    """files: {module's name: text}; module, name: where the kernel is; hash: of all texts."""

    def __init__(self, files, module, name):
        self.files, self.module, self.name = files, module, name
        told = hashlib.sha256(f"{module}\0{name}\0".encode())
        for one, text in sorted(files.items()):
            told.update(f"{one}\0{len(text)}\0{text}".encode())
        self.hash = told.hexdigest()


def sources_of(jit):
    """Of a jit function. Raises Unrecordable."""
    writer = _Writer()
    module, name = writer.kernel(jit)
    return Sources({one: writer.text(one) for one in writer.lines}, module, name)


def is_kernel(value):
    """Whether it is what triton.jit, or one of its kind, has made."""
    return hasattr(value, "cache_key") and isinstance(getattr(value, "src", None), str) \
        and inspect.isfunction(getattr(value, "fn", None))


class _Writer:
    def __init__(self):
        self.lines = {}     # {file: lines}
        self.modules = {}   # {a module's name in the program: file}
        self.places = {}    # {id of a kernel: (file, name)}
        self.known = {}     # {(file, name): what it stands for}
        self.kept = []      # so that ids stay theirs

    def text(self, file):
        return "\n".join(["import triton", "import triton.language as tl", "", *self.lines[file], ""])

    def kernel(self, jit):
        """(file, name) of a kernel, which is written before whoever names it."""
        if id(jit) in self.places:
            return self.places[id(jit)]
        function = jit.fn
        file = self.modules.setdefault(function.__module__, f"m{len(self.modules)}")
        lines = self.lines.setdefault(file, [])
        name = function.__name__
        if self.known.setdefault((file, name), jit) is not jit:
            raise Unrecordable(f"two functions of {function.__module__} are called {name}")
        self.places[id(jit)] = (file, name)
        self.kept.append(jit)
        text = jit.src
        for used, value in _names_of(text, function).items():
            if value is not jit:
                self._named(file, used, value, text)
        lines += ["", _decorator(jit), text.rstrip(), ""]
        return file, name

    def _named(self, file, name, value, text):
        """Has `name` stand for `value` in a file."""
        if (file, name) in self.known:
            if self.known[file, name] is not value:
                raise Unrecordable(f"{name} stands for two things")
            return
        if name in ("triton", "tl") and getattr(value, "__name__", "") == {
                "tl": "triton.language"}.get(name, name):
            return
        # A kernel of another file has its own line there.
        if is_kernel(value) and not _is_shared(value.fn.__module__):
            there, own = self.kernel(value)
            if (there, own) == (file, name):
                return
            line = f"{name} = {own}" if there == file else f"from .{there} import {own} as {name}"
        elif isinstance(value, types.ModuleType):
            line = self._module(file, name, value, text)
        else:
            line = f"{name} = {_literal(name, value)}" if _is_literal(value) else _import(name, value)
        self.known[file, name] = value
        self.kept.append(value)
        self.lines[file].append(line)

    def _module(self, file, name, module, text):
        if _is_installed(module):
            return f"import {module.__name__} as {name}"
        # One of the program's own: what the kernel takes of it, and no more.
        lines = [f"{name} = __import__('types').ModuleType({name!r})"]
        for member in sorted(_members_of(text, name)):
            if not hasattr(module, member):
                raise Unrecordable(f"{name} has no {member}")
            inner = f"_{name}_{member}"
            self._named(file, inner, getattr(module, member), "")
            lines.append(f"{name}.{member} = {inner}")
        return "\n".join(lines)


def _decorator(jit):
    name = {"ConstexprFunction": "triton.constexpr_function"}.get(type(jit).__name__, "triton.jit")
    if type(jit).__name__ == "GluonJITFunction":
        name = "__import__('triton.experimental.gluon', fromlist=['jit']).jit"
    options = {option: getattr(jit, option, None) for option in (
        "do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug", "version")}
    given = [f"{option}={value!r}" for option, value in options.items() if value]
    return f"@{name}({', '.join(given)})" if given else f"@{name}"


def _names_of(text, function):
    """{name: value} of what the text reads and does not bind itself. Raises Unrecordable."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        raise Unrecordable("its source cannot be read") from None
    read, bound = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (bound.add(node.id) if isinstance(node.ctx, ast.Store) else read.setdefault(node.id))
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    around = inspect.getclosurevars(function).nonlocals
    found = {}
    for name in read:
        if name in bound:
            continue
        if name in around:
            found[name] = around[name]
        elif name in function.__globals__:
            found[name] = function.__globals__[name]
        elif not hasattr(builtins, name):
            raise Unrecordable(f"{name} is not defined")
    return found


def _members_of(text, name):
    return {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name) and node.value.id == name}


def _is_constexpr(value):
    return type(value).__name__ == "constexpr" and type(value).__module__.startswith("triton")


def _is_type(value):
    return type(value).__name__ == "dtype" and type(value).__module__.startswith("triton")


def _is_literal(value):
    if isinstance(value, (tuple, list)):
        return type(value) in (tuple, list) and all(map(_is_literal, value))
    return type(value) in _LITERALS or _is_constexpr(value) or _is_type(value)


def _literal(name, value):
    if _is_constexpr(value):
        if not _is_literal(value.value):
            raise Unrecordable(f"it reads the constant {name}, a {type(value.value).__name__}")
        return f"tl.constexpr({_literal(name, value.value)})"
    if _is_type(value):
        return f"tl.dtype({value.name!r})"
    if isinstance(value, (tuple, list)):
        inside = ", ".join(_literal(name, one) for one in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)" if value else "()"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"float({str(value)!r})"
    return repr(value)


def _is_shared(module):
    """Whether a module's name is that of a file of these packages. torch calls modules that it has written after
    itself as well."""
    root = str(module).split(".")[0]
    if root not in _SHARED or root not in sys.modules:
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return file.startswith(os.path.dirname(sys.modules[root].__file__) + os.sep)


def _import(name, value):
    """The line that imports an object of Triton or torch."""
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    home = getattr(value, "__name__", name)
    for place in (module, "triton.language"):
        if _is_shared(place) and getattr(sys.modules.get(place), home, None) is value:
            return f"from {place} import {home} as {name}"
    raise Unrecordable(f"it reads {name}, a {type(value).__name__}")


def _is_installed(module):
    """Whether any process of this interpreter can import it by its name."""
    if _is_shared(module.__name__) or module.__name__.split(".")[0] in sys.builtin_module_names:
        return True
    file = getattr(module, "__file__", None) or ""
    return file.startswith(sysconfig.get_paths()["stdlib"] + os.sep) and "-packages" not in file
