"""Spaces: parameters with lists of values, and the texts by which the tuner knows them."""

import ast
import difflib
import keyword
import math
import re

from .errors import UserError
from .plain_values import fits, is_number, known, listed, plain, told


class Configuration(dict):
    """One point of the space: a dict whose members are attributes as well. A parameter that is called
    like a method of dicts (copy, items) goes before it."""

    def __getattribute__(self, name):
        if name in self and not name.startswith("__"):
            return self[name]
        return super().__getattribute__(name)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no parameter is called {name!r}") from None

    def __reduce__(self):
        # A dict's own calls its `items`, as copies do.
        return type(self), (dict(self),)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # the tuner refuses texts with them


class Parameter:
    """A name and its values in order. The tuner knows them as Python's own numbers, texts or
    booleans. Values of several kinds, and of others (None, a dtype, an object, a text with control
    characters), are known to it by a label, "INDEX: TEXT", which conditions need not know. The problem's function gets each as it
    was given."""

    def __init__(self, name, values):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", str(name)):
            raise UserError("a parameter's name must be an identifier of letters from a to z, "
                            f"digits and underscores, not {name!r}")
        is_pythons = name.startswith("__") and name.endswith("__")
        if keyword.iskeyword(name) or is_pythons or name == "constraints":
            raise UserError(f"a parameter can't be called {name!r}, which is a word of its own")
        self.name, self.values, knowns, seen = name, [], [], set()
        for value in listed(name, values):
            one = known(value, f"{name} has the value")
            key = (isinstance(one, bool), one) if isinstance(one, (bool, int, float, str)) else None
            if key in seen if key else any(_same(value, other) for other in self.values):
                continue
            seen.add(key)
            self.values.append(value)
            knowns.append(one)
        if not self.values:
            raise UserError(f"{name} has no values")
        self.is_labelled = {_kind(one) for one in knowns} not in ({"number"}, {"bool"}, {"text"}) \
            or any(isinstance(one, str) and _CONTROL.search(one) for one in knowns)
        self.labels = [f"{index}: {_words(one)}" for index, one in enumerate(knowns)
                       ] if self.is_labelled else knowns
        self.default = self.values[0]

    def has(self, value):
        return any(_same(own, value, as_read) for as_read in (told, plain) for own in self.values)

    def own(self, value):
        """The member of `values` that `value` is equal to. Raises UserError where there is none."""
        return self._behind(value, self.values, self.values)

    def label_of(self, value):
        """What stands for `value` in the problem file. Raises UserError where there is no such."""
        return self._behind(value, self.values, self.labels)

    def value_of(self, label):
        """The value behind a label. Raises UserError for a label that is none."""
        return self._behind(label, self.labels, self.values)

    def _behind(self, one, among, behind):
        # As it is written, 0.1 of numpy.float32(0.1); else as the double that it is.
        for as_read in (told, plain):
            for own, found in zip(among, behind):
                if _same(own, one, as_read):
                    return found
        raise UserError(f"{one!r} is no value of {self.name}, which has {_few(among)}")


def _few(values):
    shown = ", ".join(map(repr, values[:20]))
    return f"[{shown}, and {len(values) - 20} more]" if len(values) > 20 else f"[{shown}]"


def _kind(value):
    if isinstance(value, bool):
        return "bool"
    return "number" if is_number(value) else "text" if isinstance(value, str) else "other"


def _same(a, b, as_read=told):
    a, b = as_read(a), as_read(b)
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    try:
        same = a is b or a == b
        return bool(same.all()) if hasattr(same, "all") else bool(same)
    except Exception:  # values whose comparison is no truth, such as arrays of two shapes
        return False


def _words(value):
    # An address in a text would be another one in each process.
    text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))
    return _CONTROL.sub("?", text)[:60]


class Space:
    """Parameters, conditions and a baseline.

    parameters: {name: values}
    where: texts in the tuner's language of expressions, or functions of a configuration that return
           True, False or a text that says why not
    baseline: {name: value} of what every result is divided by; what is missing is the first value
    prepare: called with the values of a configuration before it is used (from_triton)
    launchers: of kernels whose configs the values are of (own_configs.py); names_baseline: the user
               has said what it is
    near_baseline: the searchers' option of this name, for a baseline that is good already"""

    def __init__(self, parameters, where=(), baseline=None, prepare=None, launchers=(),
                 names_baseline=False, near_baseline=0):
        if not hasattr(parameters, "items"):
            raise UserError(f"a space is a dict of lists, not {parameters!r}")
        baseline = dict(baseline or {})
        self.parameters = {}
        for name, values in parameters.items():
            self.parameters[name] = parameter = Parameter(name, values)
            if name in baseline:
                value = baseline.pop(name)
                if not parameter.has(value):
                    raise UserError(f"the baseline's {name} = {value!r} is none of its values")
                parameter.default = parameter.own(value)
        if baseline:
            raise UserError(_unknown(next(iter(baseline)), self.parameters, "the baseline"))
        where = [where] if isinstance(where, str) or callable(where) else list(where)
        self.expressions = [w for w in where if isinstance(w, str)]
        self.functions = [w for w in where if not isinstance(w, str)]
        for function in self.functions:
            if not callable(function):
                raise UserError(f"`where` takes texts and functions, not {function!r}")
        self.prepare, self.launchers, self.names_baseline = prepare, list(launchers), names_baseline
        self.near_baseline = near_baseline

    def __add__(self, other):
        """Both spaces in one. Raises UserError where a name is in both."""
        for name in other.parameters:
            if name in self.parameters:
                raise UserError(f"both spaces have a parameter {name!r}")
        ends = [one.prepare for one in (self, other) if one.prepare]

        def prepare(configuration):
            for end in ends:
                end(configuration)

        return Space({name: one.values for name, one in [*self.parameters.items(),
                                                         *other.parameters.items()]},
                     [*self.expressions, *other.expressions, *self.functions, *other.functions],
                     {**self.baseline(), **other.baseline()}, prepare if ends else None,
                     [*self.launchers, *other.launchers],
                     self.names_baseline or other.names_baseline,
                     max(self.near_baseline, other.near_baseline))

    def baseline(self):
        return Configuration({name: p.default for name, p in self.parameters.items()})

    def is_baseline(self, configuration):
        """Whether a configuration of this space is it. Its values need not be comparable."""
        return all(_same(configuration[name], p.default) for name, p in self.parameters.items())

    def asked(self, request):
        """The configuration that a request of the protocol names; {} is the baseline, whose values
        may be others than the file's. Raises UserError."""
        for name, label in self._known(request.get("baseline") or {}, "the baseline"):
            self.parameters[name].default = self.parameters[name].value_of(label)
        return self.decode(request.get("configuration") or {})

    def _known(self, labels, what):
        for name in labels:
            if name not in self.parameters:
                raise UserError(_unknown(name, self.parameters, what))
        return labels.items()

    def decode(self, labels):
        """The configuration that labels name; {} is the baseline. Raises UserError."""
        result = self.baseline()
        for name, label in self._known(labels, "the configuration"):
            result[name] = self.parameters[name].value_of(label)
        return result

    def refusal(self, configuration):
        """Why the `where` functions refuse a configuration; "" where they do not."""
        for function in self.functions:
            answer = function(configuration)
            if isinstance(answer, str) and answer:
                return answer
            if not isinstance(answer, str) and not answer:
                return f"{getattr(function, '__name__', 'a condition')} refuses it"
        return ""

    def constraints(self, sizes):
        """The texts of `where` with numbers and booleans of the case put in. Raises UserError."""
        return [_constraint(text, self.parameters, sizes) for text in self.expressions]


def _unknown(name, known, what):
    near = difflib.get_close_matches(str(name), list(known), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{what} names {name!r}, which is no parameter{hint}"


_FUNCTIONS = {"min": min, "max": max, "abs": abs, "int": int, "float": float, "ceil": math.ceil,
              "floor": math.floor, "log2": math.log2}


class _PutIn(ast.NodeTransformer):

    def __init__(self, text, parameters, sizes):
        self.text, self.parameters, self.sizes = text, parameters, sizes

    def visit_Compare(self, node):
        """What labels stand for is compared by them."""
        sides = [node.left, *node.comparators]
        labelled = [self._labelled(side) for side in sides]
        names = [parameter for parameter in labelled if parameter]
        if not names:
            return self.generic_visit(node)
        if len(sides) != 2 or len(names) != 1:
            return self.generic_visit(node)  # refused where the name is met
        operator, other = node.ops[0], sides[1 if labelled[0] else 0]
        if isinstance(operator, (ast.Is, ast.Eq)):
            operator = ast.Eq()
        elif isinstance(operator, (ast.IsNot, ast.NotEq)):
            operator = ast.NotEq()
        elif not isinstance(operator, (ast.In, ast.NotIn)) or not labelled[0]:
            return self.generic_visit(node)
        name = next(side for side, parameter in zip(sides, labelled) if parameter)
        return ast.Compare(name, [operator], [self._labels(names[0], other)])

    def _size(self, name):
        size = self.sizes[name]
        if not fits(size):
            raise UserError(f"the condition {self.text!r} works on {name}, which is {size}: that "
                            "is no number of 64 bits")
        return ast.Constant(size)

    def _labelled(self, node):
        parameter = self.parameters.get(node.id) if isinstance(node, ast.Name) else None
        return parameter if parameter is not None and parameter.is_labelled else None

    def _labels(self, parameter, node):
        """The label of a constant, or the list of those of several."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return ast.List([self._labels(parameter, one) for one in node.elts], ast.Load())
        if isinstance(node, ast.Name) and node.id in self.sizes:
            node = self._size(node.id)
        try:
            value = ast.literal_eval(node)
        except ValueError:
            raise UserError(f"the condition {self.text!r} compares {parameter.name} with something "
                            "else than a value of it; a function of the configuration can"
                            ) from None
        try:
            return ast.Constant(parameter.label_of(value))
        except UserError as error:
            raise UserError(f"the condition {self.text!r}: {error.words}") from None

    def visit_Name(self, node):
        parameter = self.parameters.get(node.id)
        if parameter is not None and parameter.is_labelled:
            raise UserError(f"the condition {self.text!r} works on {node.id}, whose values are of "
                            "several kinds or no numbers and texts: there is ==, !=, in and not in "
                            "for it, and a function of the configuration for anything else")
        if parameter is not None or node.id in _FUNCTIONS:
            return node
        if node.id in self.sizes:
            return self._size(node.id)
        raise UserError(_unknown(node.id, [*self.parameters, *self.sizes],
                                 f"the condition {self.text!r}"))


def holds(text, labels):
    """Whether labels satisfy one of constraints()."""
    return bool(eval(text, {"__builtins__": {}}, {**_FUNCTIONS, **labels}))


def _constraint(text, parameters, sizes):
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise UserError(f"the condition {text!r} is no expression: {error.msg}") from None
    return ast.unparse(_PutIn(text, parameters, sizes).visit(tree))
