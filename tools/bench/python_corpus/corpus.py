"""Where the corpus' checkouts are, and how one file of a package is imported without all of it.

Each problem file here names a kernel that lies in a checkout below $NIGHTSHIFT_CHECKOUTS, as its
repository has it (tools/bench/python_corpus.py says which)."""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types


def folder(name):
    return os.path.join(os.environ["NIGHTSHIFT_CHECKOUTS"], name)


def at(*names):
    """Folders that modules are found in, first."""
    sys.path[:0] = map(folder, names)


class _Hollow(importlib.abc.MetaPathFinder):
    """A package and all packages in it, whose own __init__ is not run: the modules in them are."""

    def __init__(self, name, place, whole):
        self.name, self.place, self.whole = name, place, whole

    def find_spec(self, name, path=None, target=None):
        if name != self.name and not name.startswith(self.name + "."):
            return None
        if any(name == one or name.startswith(one + ".") for one in self.whole):
            return None
        where = os.path.join(self.place, *name.split(".")[self.name.count(".") + 1:])
        if not os.path.isdir(where):
            return None
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [where]
        return spec


def hollow(name, place, *whole):
    """The package `name` lies in the folder `place` of a checkout. whole: packages in it that are
    imported as they are."""
    sys.meta_path.insert(0, _Hollow(name, folder(place), whole))


class _Nothing:
    """Of a module that is not there: as a decorator what it decorates, else nothing, again."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **_):
        return args[0] if len(args) == 1 and callable(args[0]) else self

    def __bool__(self):
        return False

    def __lt__(self, other):
        return False

    __le__ = __gt__ = __ge__ = __lt__


class _Stub(types.ModuleType):
    __path__, __version__ = [], "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing()


class _Without(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules by name, and all modules in them, that are not there."""

    def __init__(self, name, members):
        self.name, self.members = name, members

    def find_spec(self, name, path=None, target=None):
        if name == self.name or name.startswith(self.name + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Stub(spec.name)

    def exec_module(self, module):
        vars(module).update(self.members)


def without(*names, **members):
    """Modules, and all in them, that a file imports and its kernel does not need. members: what is
    read of them."""
    sys.meta_path[:0] = [_Without(name, members) for name in names]


def absent(*names):
    """Modules that a package does without where they can't be imported."""
    sys.modules.update(dict.fromkeys(names))


def script(path, *leave):
    """A file that runs when it is imported, as a module of its imports and definitions alone,
    without what names one of `leave`."""
    path = folder(path)
    tree = ast.parse(open(path).read(), path)
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.If,
             ast.Try)
    tree.body = [node for node in tree.body if isinstance(node, kinds) and not _names(node, leave)]
    module = types.ModuleType(os.path.basename(path)[:-3].replace("-", "_"))
    module.__file__ = path
    sys.modules[module.__name__] = module
    exec(compile(tree, path, "exec"), vars(module))
    return module


def _names(node, leave):
    """Whether a statement that is no definition names one of `leave`, or asks for __main__."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return False
    named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return bool(named & set(leave)) or isinstance(node, ast.If) and "__main__" in ast.dump(node.test)
