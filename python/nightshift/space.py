"""Spaces: parameters with lists of values, and the texts by which the tuner knows them."""

import ast
import difflib
import re

from .errors import UserError

_PLAIN = (bool, int, float, str)


class Configuration(dict):
    """One point of the space: a dict whose members are attributes as well."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no parameter is called {name!r}") from None


def listed(name, values):
    """The values of a parameter as a list. Raises UserError where they are none."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise UserError(f"the values of {name} must be a list, not {values!r}")
    return list(values)


class Parameter:
    """A name and its values in order. Values that are no numbers, texts or booleans (None, a dtype,
    an object) are known to the tuner by a label, "INDEX: TEXT", and come back as themselves."""

    def __init__(self, name, values, default=None):
        if not re.fullmatch(r"[A-Za-z_]\w*", str(name)):
            raise UserError(f"a parameter's name must be an identifier, not {name!r}")
        self.name, self.values = name, []
        for value in listed(name, values):
            if not any(_same(value, other) for other in self.values):
                self.values.append(value)
        if not self.values:
            raise UserError(f"{name} has no values")
        kinds = {_kind(value) for value in self.values}
        plain = kinds in ({"number"}, {"bool"}, {"text"})
        self.labels = list(self.values) if plain else [
            f"{index}: {_words(value)}" for index, value in enumerate(self.values)]
        self.default = self.values[0] if default is None else default

    def label_of(self, value):
        """What stands for `value` in the problem file. Raises UserError where there is no such."""
        for own, label in zip(self.values, self.labels):
            if _same(own, value):
                return label
        raise UserError(f"{value!r} is no value of {self.name}, which has {self.values!r}")

    def value_of(self, label):
        """The value behind a label. Raises UserError for a label that is none."""
        for value, own in zip(self.values, self.labels):
            if _same(own, label):
                return value
        raise UserError(f"{label!r} is no value of {self.name}")


def _kind(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number" if value == value and abs(value) != float("inf") else "other"
    return "text" if isinstance(value, str) else "other"


def _same(a, b):
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    try:
        return a is b or bool(a == b)
    except Exception:  # values whose comparison is no truth, such as arrays
        return False


def _words(value):
    # An address in a text would be another one in each process.
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))[:60]


class Space:
    """Parameters, conditions and a baseline.

    parameters: {name: values}
    where: texts in the tuner's language of expressions, or functions of a configuration that return
           True, False or a text that says why not
    baseline: {name: value} of what every result is divided by; what is missing is the first value
    prepare: called with the values of a configuration before it is used (from_triton)"""

    def __init__(self, parameters, where=(), baseline=None, prepare=None):
        if not hasattr(parameters, "items"):
            raise UserError(f"a space is a dict of lists, not {parameters!r}")
        baseline = dict(baseline or {})
        self.parameters = {}
        for name, values in parameters.items():
            values = listed(name, values)
            if name in baseline and not any(_same(baseline[name], v) for v in values):
                raise UserError(f"the baseline's {name} = {baseline[name]!r} is none of its values")
            self.parameters[name] = Parameter(name, values, baseline.get(name))
            if name in baseline:
                self.parameters[name].default = baseline.pop(name)
        if baseline:
            raise UserError(_unknown(next(iter(baseline)), self.parameters, "the baseline"))
        where = [where] if isinstance(where, str) or callable(where) else list(where)
        self.expressions = [w for w in where if isinstance(w, str)]
        self.functions = [w for w in where if not isinstance(w, str)]
        for function in self.functions:
            if not callable(function):
                raise UserError(f"`where` takes texts and functions, not {function!r}")
        self.prepare = prepare

    def baseline(self):
        return Configuration({name: p.default for name, p in self.parameters.items()})

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
        """The texts of `where` with the case's sizes put in. Raises UserError."""
        return [_constraint(text, self.parameters, sizes) for text in self.expressions]


def _unknown(name, known, what):
    near = difflib.get_close_matches(str(name), list(known), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{what} names {name!r}, which is no parameter{hint}"


class _PutIn(ast.NodeTransformer):
    FUNCTIONS = {"min", "max", "abs", "int", "float", "ceil", "floor", "log2"}

    def __init__(self, text, parameters, sizes):
        self.text, self.parameters, self.sizes = text, parameters, sizes

    def visit_Name(self, node):
        if node.id in self.parameters or node.id in self.FUNCTIONS:
            return node
        if node.id in self.sizes:
            return ast.Constant(self.sizes[node.id])
        raise UserError(_unknown(node.id, [*self.parameters, *self.sizes],
                                 f"the condition {self.text!r}"))


def _constraint(text, parameters, sizes):
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise UserError(f"the condition {text!r} is no expression: {error.msg}") from None
    return ast.unparse(_PutIn(text, parameters, sizes).visit(tree))
