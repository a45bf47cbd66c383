"""Files that a problem leaves to others to write: candidates of `nightshift serve`."""

import importlib.util
import os
import re
import sys
import traceback

from .compiling import building
from .errors import Failure, UserError, one_line
from .loading import own_recursion_limit

VARIABLE = "NIGHTSHIFT_CANDIDATES"  # a folder with a folder for each, called by its number
PARAMETER = "NIGHTSHIFT_CANDIDATE"  # of configurations: which one; 0 is the problem's own

_declared = []  # each Candidate of this process
_chosen = None  # the number, while a configuration is evaluated


class Candidate:
    """Stands for the module that a file would be. Its members are those of the candidate that is
    judged, else of the file itself. See candidate()."""

    def __init__(self, file):
        self._file, self._modules = file, {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        module = self._module(name)
        try:
            return getattr(module, name)
        except AttributeError:
            raise Failure("build_failed", f"{os.path.basename(self._file)} has no {name!r}") from None

    def load(self):
        """Imports the chosen candidate's file; one that it has not is missed when it is asked for."""
        if not _chosen or os.path.isfile(self._path_of(_chosen)):
            self._module("")

    def _path_of(self, number):
        return os.path.join(os.environ[VARIABLE], str(number), os.path.basename(self._file))

    def _module(self, name):
        if _chosen is None:
            raise UserError(f"{name!r} of {os.path.basename(self._file)} is asked for while the file "
                            "is imported: ask for it in the problem's function, so that it is the "
                            "candidate's")
        if _chosen not in self._modules:
            self._modules[_chosen] = self._load(_chosen)
        return self._modules[_chosen]

    def _load(self, number):
        folder, file = os.path.dirname(self._file), self._file
        if number:
            file = self._path_of(number)
            folder = os.path.dirname(file)
            if not os.path.isfile(file):
                raise Failure("build_failed", f"the candidate has no file {os.path.basename(file)}")
        if folder not in sys.path:
            sys.path.insert(0, folder)  # what lies beside it can be imported, later too
        stem = os.path.splitext(os.path.basename(file))[0]
        spec = importlib.util.spec_from_file_location(f"nightshift_candidate_{number}_{stem}", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            with building(), own_recursion_limit():
                spec.loader.exec_module(module)
        except (KeyboardInterrupt, Failure):
            raise
        except BaseException as error:
            raise Failure("build_failed", _words_of(error, folder)) from error
        return module


def _words_of(error, folder):
    words = "".join(traceback.format_exception_only(type(error), error))
    told = [line for line in words.splitlines() if re.search(r"\b(fatal )?error: ", line)]
    if len(words) > 400 and told:  # of a compiler, which begins with its command line
        words = f"{type(error).__name__}: " + "; ".join(told)
    words = " ".join(words.split())
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename.startswith(folder + os.sep)]
    place = f" (line {lines[-1]})" if lines and not isinstance(error, SyntaxError) else ""
    return one_line(words.replace(folder + os.sep, ""), 2000) + place


def candidate(file):
    """The module of a file beside the problem's, which `nightshift serve` replaces by what programs
    propose: `model = ns.candidate("solution.py")`, and `model.kernel(x)` in the problem's function.

    file: relative to the folder of the problem's file. The problem has to have a reference. Returns
    an object with the members of that module; a member that is asked for while the problem's file is
    imported, or a file that is not there, is a UserError."""
    caller = sys._getframe(1)
    folder = os.path.dirname(os.path.abspath(caller.f_code.co_filename))
    path = os.path.join(folder, file)
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
    if os.path.dirname(os.path.normpath(path)) != folder:
        raise UserError(f"a candidate's file lies beside the problem's, unlike {file}", place)
    if not os.path.isfile(path) or not path.endswith(".py"):
        raise UserError(f"there is no Python file {file} beside the problem's", place)
    _declared.append(Candidate(os.path.normpath(path)))
    return _declared[-1]


def are_served():
    """Whether this process measures candidates: each one in a process of its own then."""
    return bool(os.environ.get(VARIABLE))


def is_of_others():
    """Whether what is evaluated was proposed to a service, and is not the problem's own."""
    return are_served() and bool(_chosen)


def are_declared():
    return bool(_declared)


def expect_declared():
    """Raises UserError where the file leaves nothing to candidates."""
    if not _declared:
        raise UserError('nothing of this file is left to candidates: `model = '
                        'ns.candidate("solution.py")` says what is')


def load():
    """Imports the chosen candidate's files, before anything is drawn that a seed determines."""
    for one in _declared if are_served() else ():
        one.load()


def told_apart():
    """What tells the chosen candidate from another whose kernels of Triton are the same, where it may
    have other code than these: its number. None for the problem's own."""
    return _chosen or None


def choose(request):
    """Takes from a request of the protocol which candidate it is about. Raises UserError where the
    file leaves none to others."""
    global _chosen
    number = 0
    for of, labels in (("baseline", request.get("baseline")),
                       ("configuration", request.get("configuration"))):
        if labels and PARAMETER in labels:
            number = labels[PARAMETER]
            request[of] = {name: label for name, label in labels.items() if name != PARAMETER}
    if are_served():
        expect_declared()
    _chosen = number
