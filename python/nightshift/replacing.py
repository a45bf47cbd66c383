"""Constants of modules and variables of functions as parameters, in files that nobody edits.

A function gets code in which each of its own variables that is a parameter takes the present
configuration's value right after it was assigned; so does what it returns where that is named. Whoever
holds the function has the new one: its code is exchanged, not the object."""

import ast
import importlib
import inspect
import sys
import textwrap

from .errors import UserError
from .plain_values import listed
from .space import Space

_PICK = "__nightshift_pick__"
_present = {}  # (number of a replacement, name) -> value; what is absent stays as it is
_numbers = iter(range(1 << 30))
_rewriters = {}  # function -> of all that was asked of it, in order


def replacing(what, values=None, gives=(), where=(), baseline=None, **lists):
    """The space of settings that a file has for itself.

    what: "package.module.NAME" of a constant, with its values; its present value is the baseline.
        Or a function, with NAME=[values] of its parameters and variables
    gives: names of what the function returns, in order, where it has no variables for them; those
        without values stay as they are
    where, baseline: as in ns.problem. A variable that the baseline does not name has None as its
        first value, which leaves it to the function.

    `+` joins spaces: ns.replacing(...) + ns.from_triton(...). Raises UserError."""
    if isinstance(what, str):
        if lists or gives:
            raise UserError(f"{what!r} is the name of a constant, which has one list of values; "
                            "variables are those of a function, given as it is")
        return _constant(what, values, where, baseline)
    if values is not None:
        raise UserError("values of a function's variables have their names: "
                        "ns.replacing(function, NAME=[...])")
    return _function(what, [gives] if isinstance(gives, str) else list(gives), where, baseline, lists)


def _constant(name, values, where, baseline):
    path, _, member = name.rpartition(".")
    try:
        module = importlib.import_module(path) if path else None
    except ImportError as error:
        raise UserError(f"ns.replacing: {path!r} can't be imported: {error}") from error
    if module is None or not hasattr(module, member):
        raise UserError(f"ns.replacing: {name!r} names no constant of a module, "
                        "such as \"package.module.BLOCK_M\"")
    before = getattr(module, member)
    kind = type(before) if type(before).__name__ == "constexpr" else None  # of triton.language
    first = before.value if kind else before
    given = [first, *listed(member, [] if values is None else values)]
    if len(given) < 2:
        raise UserError(f"ns.replacing({name!r}) has no values")

    def prepare(configuration):
        value = configuration[member]
        if value != getattr(getattr(module, member), "value", getattr(module, member)):
            setattr(module, member, kind(value) if kind else value)
            _forget(member, vars(module))

    return Space({member: given}, where, baseline, prepare)


def _forget(name, members):
    """Has Triton read its kernels again that have seen this global variable."""
    jit = sys.modules.get("triton.runtime.jit")
    if jit is None:
        return
    for module in list(sys.modules.values()):
        for one in list((getattr(module, "__dict__", None) or {}).values()):
            # Others may do much when they are asked for an attribute, as ctypes loads a library.
            while issubclass(type(one), jit.KernelInterface) and not issubclass(
                    type(one), jit.JITFunction):
                one = one.fn
            if issubclass(type(one), jit.JITFunction) and \
                    (name, id(members)) in getattr(one, "used_global_vals", ()):
                one.hash, one.used_global_vals = None, {}
                one.device_caches.clear()


def _function(function, gives, where, baseline, lists):
    name = getattr(function, "__name__", repr(function))
    if hasattr(function, "arg_names"):
        raise UserError(f"{name} is a kernel of Triton: ns.from_triton has its arguments")
    function = inspect.unwrap(function) if callable(function) else function
    if not inspect.isfunction(function):
        raise UserError(f"ns.replacing takes a function or the name of a constant, not {name}")
    if not lists:
        raise UserError(f"ns.replacing({name}) has no values: NAME=[...] of its variables")
    number, baseline = next(_numbers), dict(baseline or {})
    _rewrite(function, _Rewriter(number, [n for n in lists if n not in gives], gives))
    values = {one: listed(one, given) if one in baseline else [None, *listed(one, given)]
              for one, given in lists.items()}

    def prepare(configuration):
        for one in lists:
            _present[number, one] = configuration[one]

    return Space(values, where, baseline, prepare)


def _pick(number, name, own):
    """The present value of a variable, or of the members of what is returned."""
    if isinstance(name, str):
        value = _present.get((number, name))
        return own if value is None else value
    if len(name) == 1 and not isinstance(own, (list, tuple)):
        return _pick(number, name[0], own)
    if not isinstance(own, (list, tuple)) or len(own) != len(name):
        raise UserError(f"ns.replacing: the function returns {own!r}, which is no list of "
                        f"{', '.join(name)}")
    return type(own)([_pick(number, one, value) for one, value in zip(name, own)])


class _Rewriter(ast.NodeTransformer):
    """Of one function's body, without functions and classes in it."""

    def __init__(self, number, names, gives):
        self.number, self.names, self.gives, self.found = number, names, gives, set()

    def _skip(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _skip

    def visit_Return(self, node):
        if self.gives and node.value is not None:
            node.value = self.call(node.value, ast.Constant(tuple(self.gives)))
        return node

    def call(self, own, name):
        return ast.Call(ast.Name(_PICK, ast.Load()), [ast.Constant(self.number), name, own], [])

    def picked(self, name):
        self.found.add(name)
        return ast.Assign([ast.Name(name, ast.Store())],
                          self.call(ast.Name(name, ast.Load()), ast.Constant(name)))

    def _assigned(self, node):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [one.id for target in targets for one in ast.walk(target)
                 if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        return [node, *(self.picked(name) for name in self.names if name in names)]

    visit_Assign = visit_AugAssign = _assigned

    def visit_AnnAssign(self, node):
        return self._assigned(node) if node.value is not None else node


def _rewrite(function, last):
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError) as error:
        raise UserError(f"ns.replacing: the source of {function.__name__} can't be read: {error}"
                        ) from error
    node = tree.body[0]
    node.decorator_list = []
    arguments = [one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
    every = [*_rewriters.get(function, ()), last]
    for rewriter in every:
        body = [new for old in node.body for new in _as_list(rewriter.visit(old))]
        node.body = [rewriter.picked(name) for name in rewriter.names if name in arguments] + body
    for name in last.names:
        if name not in last.found:
            known = ", ".join(sorted({*function.__code__.co_varnames, *last.gives})) or "none"
            raise UserError(f"{function.__name__} has no variable {name!r}; it has {known}")
    function.__code__ = _compiled(function, node)
    function.__globals__[_PICK] = _pick
    _rewriters[function] = every


def _as_list(made):
    return made if isinstance(made, list) else [made]


def _compiled(function, node):
    """The code of a definition, with the variables around it that the function has."""
    free = function.__code__.co_freevars
    ast.increment_lineno(node, function.__code__.co_firstlineno - 1)
    around = ast.FunctionDef("around", ast.arguments([], [ast.arg(n) for n in free], None, [], [],
                                                     None, []), [node], [])
    around.type_params = []  # of Python 3.12
    module = ast.fix_missing_locations(ast.Module([around], []))
    [outer] = [one for one in compile(module, function.__code__.co_filename, "exec").co_consts
               if inspect.iscode(one)]
    code = next(one for one in outer.co_consts if inspect.iscode(one) and one.co_name == node.name)
    if code.co_freevars != free:
        raise UserError(f"ns.replacing: {function.__name__} uses variables of the function around "
                        "it in a way that can't be kept")
    return code
