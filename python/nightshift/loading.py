"""Reads the user's file: imports it and finds its problem."""

import contextlib
import importlib
import importlib.util
import os
import sys

from . import import_gpu, triton_import
from .errors import UserError, is_beside, place_in, sentence_of
from .gpu_facts import Facts, target
from .problem import Problem


_imported = {}  # file: module
_stands_in = []  # the file that stand_in() was called for


def stand_in(file):
    """Makes this process look as if the file were run by itself in its folder, in each program that
    imports it: its options, the folder that paths are relative to, and the one that is searched
    first. Once for a process and all that are forked from it."""
    if _stands_in:
        return
    file = os.path.abspath(file)
    _stands_in.append(file)
    folder = os.path.dirname(file)
    known = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    if known:
        os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, known))
    os.environ.pop("PYTHONSAFEPATH", None)  # is about this process
    if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:
        sys.path.pop(0)  # `python3 -m` has put it there
    sys.argv = [file]
    if os.path.isdir(folder):
        os.chdir(folder)


def load(file, wanted=None):
    """The problem of a file. wanted: its name, where the file has several. Raises UserError, whose
    cause is what the file raised."""
    file = os.path.abspath(file)
    module = imported(file)
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, Problem) and not any(value is other for other in found.values()):
            found[name] = value
    if not found:
        raise UserError("the file has no problem: put @ns.problem(space=...) before a function",
                        f"{file}:1")
    for one in found.values():
        one.file = file  # its function may be another module's
    if wanted in found:
        return found[wanted]
    if wanted or len(found) > 1:
        names = ", ".join(found)
        said = (f"no problem {wanted!r}; it has" if wanted
                else "several problems; python.problem (--set python.problem=NAME) names one of")
        raise UserError(f"the file has {said} {names}", f"{file}:1")
    return next(iter(found.values()))


def imported(file):
    """The module of a file, which this process imports once. Raises UserError, whose cause is what
    the file raised."""
    file = os.path.abspath(file)
    if file not in _imported:
        if not os.path.isfile(file):
            raise UserError(f"there is no file {file}")
        with own_recursion_limit():
            _imported[file] = _import(file)
    return _imported[file]


@contextlib.contextmanager
def own_recursion_limit():
    """A file that lowers the limit as it is imported lowers it for what serves it, too."""
    limit = sys.getrecursionlimit()
    try:
        yield
    finally:
        if sys.getrecursionlimit() < limit:
            sys.setrecursionlimit(limit)


def _import(file):
    # Its folder comes first, as for a script; the name is its own, so that objects can be pickled.
    folder = os.path.dirname(file)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = os.path.splitext(os.path.basename(file))[0]
    name = name if name.isidentifier() and name not in sys.modules else "nightshift_problem"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None:
        raise UserError("the file is no Python file", f"{file}:1")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    triton_import.install()
    try:
        with _gpu_of_the_import():
            spec.loader.exec_module(module)
    except UserError as error:
        place = error.place or place_in(error, file) or f"{file}:1"
        raise UserError(error.words, place) from error
    except SystemExit as error:
        raise UserError(f"the file ends the program with {error.code!r} when it is imported",
                        place_in(error, file) or f"{file}:1") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # some that skip tests are no Exception
        words = sentence_of(error)
        if isinstance(error, ModuleNotFoundError):
            words += f" for {sys.executable}; NIGHTSHIFT_PYTHON names another interpreter"
        elif isinstance(error, ImportError) and "relative import" in words:
            words += "; the file is run by itself, and `import NAME` finds what lies beside it"
        raise UserError(words, place_in(error, file) or f"{file}:1") from error
    # Triton imports torch late, at its first launch: each worker would do so anew.
    if "triton" in sys.modules and importlib.util.find_spec("torch"):
        importlib.import_module("torch")
    return module


def _gpu_of_the_import():
    """What the file finds a GPU to be. A builder that imports for itself, since an import that starts
    CUDA can't be shared, sees none: what the file allocates there has no memory."""
    if os.environ.get("NIGHTSHIFT_ROLE") == "build" and os.environ.get("CUDA_VISIBLE_DEVICES") == "" \
            and importlib.util.find_spec("torch"):
        from . import pretended_gpu
        return pretended_gpu.importing(Facts(target()))
    return import_gpu.answering()


def files_behind(file):
    """The file, and the modules below its folder that it imported: what figures depend on."""
    file = os.path.abspath(file)
    found = {file}
    for module in list(sys.modules.values()):
        # Where it was found. Some call themselves files that do not exist, as torch.ops does.
        source = getattr(getattr(module, "__spec__", None), "origin", None)
        if not isinstance(source, str) or not source.endswith(".py") or not os.path.isfile(source):
            continue
        source = os.path.abspath(source)
        if is_beside(source, file):
            found.add(source)
    return sorted(found)


def versions():
    """Of Python and of what the file imported, as the protocol's hello says them."""
    import platform
    result = {"python": platform.python_version()}
    for name in ("torch", "triton", "helion", "cutlass", "numpy"):
        if name in sys.modules:
            found = getattr(sys.modules[name], "__version__", None) or _installed(name)
            if found:
                result[name] = str(found)[:64]
    return result


def _installed(name):
    """The version that a package was installed as, which some don't say themselves; None: unknown."""
    import importlib.metadata
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
