#!/usr/bin/env python3
"""Writes python_expressions.txt: random expressions, and what Python makes of each for every
combination of the values below. Arguments: a seed, and how many.

A line: a letter for each combination, the last parameter fastest, and the expression behind a
space. T: true, f: false, Z: ZeroDivisionError, E: another error. Expressions in which an integer
leaves 53 bits are not there: they become doubles outside of Python.
"""

import ast
import itertools
import math
import pathlib
import random
import sys
import warnings

VALUES = {"a": [0, 1, 6, 8], "b": [-3, 4], "c": [0.5, 2.0], "d": [False, True],
          "s": ["x", ""]}
NAMES = {name: getattr(math, name) for name in ("ceil", "floor", "log2", "log10", "sqrt", "gcd",
                                                "lcm", "prod", "trunc")} | {"math": math}
COMBINATIONS = [dict(zip(VALUES, row)) for row in itertools.product(*VALUES.values())]


class Writer:
    """Texts of expressions: mostly of numbers, now and then of what raises."""

    def __init__(self, chance):
        self.chance = chance

    def pick(self, *choices):
        return self.chance.choice(choices)

    def name(self):
        return self.pick("a", "a", "a", "b", "b", "c", "d")

    def literal(self):
        return self.pick("0", "1", "2", "3", "5", "7", "-1", "0x10", "2.5", "True", "100")

    def items(self, depth):
        return ", ".join(self.number(depth) for _ in range(self.chance.randrange(4)))

    def listed(self, depth):
        inside = self.items(depth)
        return self.pick(f"[{inside}]", f"({inside}{',' if inside else ''})",
                         "range(" + self.pick("a", "3", "1, 9, 2", "b", "0") + ")",
                         f"[{self.number(depth)} for i in range(a)]", "[]", "()",
                         f"[i {self.pick('*', '&', '-', '<<')} 2 for i in range(5) if i % 2]",
                         f"[{inside}] + [{self.number(depth)}]", self.of_kinds(depth))

    def of_kinds(self, depth):
        """Lists, tuples, ranges and generators, which are alike in nothing but their items."""
        one = self.number(depth)
        kinds = (f"[{one}]", f"({one},)", "range(a)", "[]", "()", f"tuple([{one}])",
                 f"list(({one},))", "(i for i in range(a))", "list(range(a))", "[i for i in (a, 1)]")
        return self.pick(self.pick(*kinds), self.pick(*kinds) + " + " + self.pick(*kinds))

    def container(self, depth):
        inside = self.items(depth) or self.number(depth)
        return self.pick(self.listed(depth), self.listed(depth), f"{{{inside}}}")

    def call(self, depth):
        one, two = self.number(depth), self.number(depth)
        return self.pick(
            f"min({one}, {two})", f"max({one}, {two})", f"max({self.listed(depth)})",
            f"abs({one})", f"int({one})", f"float({one})", f"bool({one})", f"round({one})",
            f"round({one}, {self.pick(0, 1, 2)})", f"ceil({one})", f"math.floor({one})",
            f"math.trunc({one})", f"math.sqrt({one})", f"math.log2({one})", f"log10({one})",
            f"math.log({one}, 2)", f"pow({one}, 2)", f"math.pow({one}, 2)", f"gcd({one}, {two})",
            f"math.lcm({one}, {two})", f"len({self.listed(depth)})", f"sum({self.listed(depth)})",
            f"sum({self.listed(depth)}, {one})", f"math.prod({self.listed(depth)})",
            f"any({self.listed(depth)})", f"all({self.listed(depth)})", "len(s)",
            f"sum(i & {one} for i in range(4))")

    def number(self, depth):
        if depth <= 0:
            return self.pick(self.name(), self.name(), self.literal())
        one, two = self.number(depth - 1), self.number(depth - 1)
        kind = self.chance.randrange(14)
        if kind < 3:
            return one + self.pick(" + ", " - ", " * ", " / ", " // ", " % ", "*") + two
        if kind < 7:
            return one + self.pick(" & ", " | ", " ^ ", " << ", " >> ", "&", "<<") + two
        if kind == 7:
            return self.pick("~", "-", "+", "~", "not ") + one
        if kind == 8:
            return f"({one}) ** {self.pick(2, 3, 0, -1)}"
        if kind == 9:
            return f"({one} if {self.condition(depth - 1)} else {two})"
        if kind == 10:
            return f"({one} {self.pick('and', 'or')} {two})"
        if kind == 11:
            return f"({self.condition(depth - 1)})"
        return self.call(depth - 1) if kind == 12 else f"({one})"

    def condition(self, depth):
        one, two = self.number(depth), self.number(depth)
        kind = self.chance.randrange(13)
        if kind < 5 or depth <= 0:
            return one + self.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") + two
        if kind < 8:
            return one + self.pick(" in ", " not in ") + self.container(depth - 1)
        if kind == 8:
            compared = [self.number(1) for _ in range(3)]
            return compared[0] + " <= " + compared[1] + self.pick(" < ", " != ") + compared[2]
        if kind == 9:
            return self.pick("not ", "") + f"({self.condition(depth - 1)})"
        if kind == 12:
            return self.of_kinds(depth - 1) + self.pick(" == ", " != ") + self.of_kinds(depth - 1)
        if kind == 10:
            joined = self.pick(" and ", " or ")
            return self.condition(depth - 1) + joined + self.condition(depth - 1)
        return self.pick("s", "a", "'x'") + self.pick(" == ", " in ", " != ", " < ") + self.pick(
            "s", "'x'", "'xy'", "[s, 'x']", "1")


def of(code, values):
    return eval(code, {"__builtins__": __builtins__, **NAMES, **values})


def letter(code, values):
    try:
        return "T" if of(code, values) else "f"
    except ZeroDivisionError:
        return "Z"
    except Exception:  # whatever Python has against it
        return "E"


def small(value):
    if isinstance(value, (list, tuple, set)):
        return all(small(item) for item in value)
    if isinstance(value, complex):
        return False  # a negative number to a fractional power is an error here
    return not isinstance(value, int) or abs(value) < 2**53


def stays_small(tree):
    """Whether every part is, as far as it stands by itself."""
    for node in ast.walk(tree):
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or not isinstance(
                node, ast.expr):
            continue
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "part", "eval")
        for values in COMBINATIONS[::3]:
            for i in (0, 1, 4):
                try:
                    if not small(of(code, values | {"i": i})):
                        return False
                except OverflowError:
                    return False
                except Exception:
                    pass
    return True


def main():
    warnings.simplefilter("ignore")
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2500
    writer = Writer(random.Random(seed))
    lines = {}
    while len(lines) < count:
        text = writer.condition(writer.chance.randrange(4))
        if len(text) > 90 or text in lines:
            continue
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            continue
        if not stays_small(tree):
            continue
        code = compile(text, "expression", "eval")
        letters = "".join(letter(code, values) for values in COMBINATIONS)
        if len(set(letters)) == 1 and writer.chance.random() < 0.8:
            continue
        lines[text] = letters
    out = pathlib.Path(__file__).parent / "python_expressions.txt"
    target = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else out
    target.write_text("".join(f"{letters} {text}\n" for text, letters in lines.items()))


main()
