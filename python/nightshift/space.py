"""Spaces: parameters with lists of values, and the texts by which the tuner knows them."""

import ast
import difflib
import math
import re

from .errors import UserError
from .plain_values import is_number, plain


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
    """A name and its values in order. The tuner knows them as Python's own numbers, texts or booleans.
    Values of several kinds, and of others (None, a dtype, an object), are known to it by a label, "INDEX:
    TEXT", which conditions need not know. The problem's function gets each as it was given."""

    def __init__(self, name, values, default=None):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", str(name)):
            raise UserError("a parameter's name must be an identifier of letters from a to z, digits and "
                            f"underscores, not {name!r}")
        self.name, self.values = name, []
        for value in listed(name, values):
            if not any(_same(value, other) for other in self.values):
                self.values.append(value)
        if not self.values:
            raise UserError(f"{name} has no values")
        known = [plain(value) for value in self.values]
        self.is_labelled = {_kind(value) for value in known} not in (
            {"number"}, {"bool"}, {"text"})
        for value in known:
            if isinstance(value, int) and not -2**63 <= value < 2**63:
                raise UserError(f"{name} has the value {value}, which does not fit 64 bits")
        self.labels = [f"{index}: {_words(value)}" for index, value in enumerate(self.values)
                       ] if self.is_labelled else known
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
    if is_number(value):
        return "number" if math.isfinite(value) else "other"
    return "text" if isinstance(value, str) else "other"


def _same(a, b):
    a, b = plain(a), plain(b)
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

    def _labelled(self, node):
        parameter = self.parameters.get(node.id) if isinstance(node, ast.Name) else None
        return parameter if parameter is not None and parameter.is_labelled else None

    def _labels(self, parameter, node):
        """The label of a constant, or the list of those of several."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return ast.List([self._labels(parameter, one) for one in node.elts], ast.Load())
        if isinstance(node, ast.Name) and node.id in self.sizes:
            node = ast.Constant(self.sizes[node.id])
        try:
            value = ast.literal_eval(node)
        except ValueError:
            raise UserError(f"the condition {self.text!r} compares {parameter.name} with something else "
                            "than a value of it; a function of the configuration can") from None
        try:
            return ast.Constant(parameter.label_of(value))
        except UserError as error:
            raise UserError(f"the condition {self.text!r}: {error.words}") from None

    def visit_Name(self, node):
        parameter = self.parameters.get(node.id)
        if parameter is not None and parameter.is_labelled:
            raise UserError(f"the condition {self.text!r} works on {node.id}, whose values are of several "
                            "kinds or no numbers and texts: there is ==, !=, in and not in for it, and a "
                            "function of the configuration for anything else")
        if parameter is not None or node.id in self.FUNCTIONS:
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
