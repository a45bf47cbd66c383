"""Configurations to try: drawn from those that are valid, or near to some that are known."""

import ast
import itertools
import math

from .problem import evaluate

STEPS = 120    # values that one draw may try: beginning anew finds more than going on
DRAWS = 400    # for each configuration that is asked for


def domains(cell, only):
    """{parameter: its values}, of those in `only` these that are named there."""
    parameters = {}
    for name in cell.problem.toml["parameters"]:
        values = [v for v in cell.problem.values_of(name)
                  if name not in only or str(v) in only[name]]
        if not values:
            raise SystemExit(f"--only: {name} of {cell.problem.name} has none of these values")
        parameters[name] = values
    return parameters


class Drawing:
    """Draws valid configurations by putting in parameter after parameter, in an order of chance, and
    going back where a constraint of which all is known is broken. Of combinations drawn whole one in
    50,000 is valid where there are twenty parameters and fifty constraints.

    Values are not as likely as among all that are valid: where one leaves few others, it is drawn
    more often than there.
    """

    def __init__(self, cell, parameters, rng):
        self.cell, self.parameters, self.rng = cell, parameters, rng
        derived = cell.problem.cuda.get("derived", {})
        known = {}

        def parameters_of(expression):
            if not isinstance(expression, str):
                return frozenset()
            if expression not in known:
                names = {node.id for node in ast.walk(ast.parse(expression.strip(), mode="eval"))
                         if isinstance(node, ast.Name)}
                known[expression] = frozenset().union(
                    names & set(parameters),
                    *(parameters_of(derived[name]) for name in names if name in derived))
            return known[expression]
        self.constraints = [(constraint, parameters_of(constraint))
                            for constraint in cell.problem.toml.get("constraints", [])]

    def draw(self):
        """A valid configuration, or None."""
        order = list(self.parameters)
        self.rng.shuffle(order)

        def values_of(name):
            return self.rng.sample(self.parameters[name], len(self.parameters[name]))
        return next(self.walk(order, values_of, STEPS), None)

    def every(self):
        """All valid configurations, one after the other."""
        # A constraint is due early where parameters that many of them name come first.
        order = sorted(self.parameters, key=lambda name: -sum(name in n for _, n in self.constraints))
        return self.walk(order, self.parameters.get)

    def walk(self, order, values_of, most=math.inf):
        """Valid configurations, with parameters put in by `order` and values as values_of(name) lists
        them; ends once `most` values were tried."""
        due, tried = self.due(order), itertools.count()

        def from_place(place, chosen):
            if place == len(order):
                yield {name: chosen[name] for name in self.parameters}
                return
            for value in values_of(order[place]):
                if next(tried) >= most:
                    break
                chosen[order[place]] = value
                if self.holds(due[place], chosen):
                    yield from from_place(place + 1, chosen)
            chosen.pop(order[place], None)
        return from_place(0, {})

    def due(self, order):
        """For each place of the order what is to hold once the parameter there is known."""
        place = {name: i for i, name in enumerate(order)}
        due = [[] for _ in order]
        for constraint, names in self.constraints:
            due[max((place[name] for name in names), default=0)].append(constraint)
        return due

    def holds(self, constraints, chosen):
        if not constraints:
            return True
        names = self.cell.names(chosen, 1)
        try:
            return all(evaluate(constraint, names) for constraint in constraints)
        except ZeroDivisionError:
            return False


def drawn(cell, count, only, rng):
    """Up to `count` different valid configurations."""
    drawing = Drawing(cell, domains(cell, only), rng)
    found = {}
    for _ in range(DRAWS * count):
        if len(found) == count:
            break
        one = drawing.draw()
        if one is not None:
            found[tuple(one.values())] = one
    return list(found.values())


def every_valid(cell, parameters, most):
    """All valid configurations of these parameters; None where there are more than `most`."""
    found = list(itertools.islice(Drawing(cell, parameters, None).every(), most + 1))
    return found if len(found) <= most else None
