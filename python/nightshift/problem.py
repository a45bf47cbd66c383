"""What a user's file says: problems, their cases, and one run of a configuration."""

import inspect

from .errors import UserError
from .plain_values import figure, is_list, is_number, plain, told
from .space import Space

# name -> (unit, direction); what the module computes itself from the time.
COMPUTED = ("time", "error")  # and nobody's to say
KNOWN_OBJECTIVES = {
    "time": (None, "minimise"),
    "bandwidth": ("GB/s", "maximise"),
    "compute": ("TFLOP/s", "maximise"),
    "error": ("", "minimise"),
}

AGGREGATES = ("geometric_mean", "sum", "worst")  # of cases that stand together


class Case:
    """The sizes of one problem: members by name. `sizes` has the numbers, in the order written."""

    def __init__(self, members, name=""):
        self.__dict__.update(members)
        self._members, self._name = dict(members), name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(self._lack_of(name))

    def __getitem__(self, name):
        if name not in self._members:
            raise KeyError(self._lack_of(name))
        return self._members[name]

    def __contains__(self, name):
        return name in self._members

    def __iter__(self):
        return iter(self._members)

    def _lack_of(self, name):
        has = ", ".join(self._members) or "nothing: ns.problem(cases=[...]) says its sizes"
        return f"the case has no {name!r}; it has {has}"

    def _sizes(self):
        members = {name: told(value) for name, value in self._members.items()}
        return {name: value for name, value in members.items() if is_number(value)}

    def _constants(self):
        """What conditions may name: the sizes, and what is true or false."""
        members = {name: told(value) for name, value in self._members.items()}
        return {name: value for name, value in members.items() if isinstance(value, (int, float))}

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self._members.items())
        return f"{self._name}({inside})" if self._name else f"case({inside})"


def sizes(case):
    """The numbers of a case in the order in which they were written: `*ns.sizes(case)`."""
    return tuple(case._sizes().values())


class Run:
    """One configuration, ready to be called again and again.

    call: a function without arguments; whatever it launches is what is timed
    outputs: tensors that it writes; where absent, what it returns (a tensor or several)
    reference: a function without arguments that returns what the outputs should be (one or a list,
        in the same order), in float64 where it can; where absent, the baseline's outputs are right
    flops, bytes: of one call, for the objectives "compute" (TFLOP/s) and "bandwidth" (GB/s)
    figures: {objective: number or list} of other objectives, or a function that returns it
    check: in place of the comparison, where several answers are right: a function of the list of
        outputs and of what `reference` returned, which may be anything then. It returns "" where
        they are right, else a sentence"""

    def __init__(self, call, outputs=None, reference=None, flops=0, bytes=0, figures=None,
                 check=None):
        if not callable(call):
            raise UserError(f"ns.Run wants a function without arguments, not {call!r}")
        if check is not None and (not callable(check) or reference is None):
            raise UserError("ns.Run(check=...) wants a function of (outputs, expected), and a "
                            "reference that says what is expected")
        if outputs is not None and not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        self.call, self.outputs, self.reference = call, outputs, reference
        self.flops, self.bytes = figure(flops, "flops"), figure(bytes, "bytes")
        self.figures, self.check = figures, check
        self.compiled = []  # what the problem's `compile` returned for it
        # Of imported problems: (a function that returns an answer, one that says "" or what is wrong
        # with such an answer) for other inputs, and what is called when all are right.
        self.tests, self.passed = [], lambda: None


class Problem:
    """See problem()."""

    def __init__(self, function, space, where, cases, baseline, objectives, device, timing,
                 tolerance, element_tolerance, dtype, together, compile, deterministic, settings,
                 name, weights=None, aggregate="geometric_mean"):
        self.function, self.name = function, name or function.__name__
        self.space = self._space(space, where, baseline)
        self.cases = _cases(cases)
        if device not in ("gpu", "cpu"):
            raise UserError(f'device is "gpu" or "cpu", not {device!r}')
        if timing not in ("graph", "eager", "events"):
            raise UserError(f'timing is "graph", "events" or "eager", not {timing!r}')
        self.device, self.timing, self.dtype = device, timing, dtype
        self.tolerance = _tolerance(tolerance, "tolerance")
        self.element_tolerance = _tolerance(element_tolerance, "element_tolerance")
        self.objectives = _objectives(objectives, "us" if device == "gpu" else "ms")
        self.together, self.compile, self.deterministic = together, compile, deterministic
        self.aggregate, self.weights = aggregate, _weights(weights, self.cases)
        self._check_cases()
        self.settings = dict(settings or {})
        self.file = inspect.getsourcefile(function)  # the file that is read, once it is (loading.py)
        self.place = f"{self.file}:{function.__code__.co_firstlineno}"

    @staticmethod
    def _space(space, where, baseline):
        if isinstance(space, Space):
            if baseline is None and not where:
                return space
            values = {name: p.values for name, p in space.parameters.items()}
            merged = dict(space.baseline(), **dict(baseline or {}))
            extra = [where] if isinstance(where, str) or callable(where) else list(where)
            return Space(values, [*space.expressions, *space.functions, *extra], merged,
                         space.prepare, space.launchers, space.names_baseline or bool(baseline),
                         space.near_baseline)
        return Space(space, where, baseline)

    def _check_cases(self):
        if self.aggregate not in AGGREGATES:
            words = ", ".join(f'"{word}"' for word in AGGREGATES[:-1])
            raise UserError(f'aggregate is {words} or "{AGGREGATES[-1]}", not {self.aggregate!r}')
        for name, given in (("weights", self.weights is not None),
                            ("aggregate", self.aggregate != AGGREGATES[0])):
            if given and not self.together:
                raise UserError(f"{name}=... is of cases that are one problem: write together=True "
                                "beside it")
        if self.aggregate == "worst":
            if self.weights is not None:
                raise UserError('aggregate="worst" has no use for weights: leave them out, or write '
                                'aggregate="geometric_mean"')
            if "time" not in self.objectives:
                raise UserError('aggregate="worst" is of the objective "time", which objectives '
                                "does not name")

    def loose_tolerances(self):
        """Of each that lets zeros be right, a sentence (problems/readers/problem/loose_tolerance.h)."""
        given = self.tolerance if isinstance(self.tolerance, dict) else {"": self.tolerance}
        for name, share in given.items():
            element = self.element_tolerance
            if isinstance(element, dict):
                element = element.get(name) if name else min(element.values(), default=None)
            if share is not None and share >= 1 and (element is None or element >= 1):
                yield (f"tolerance{' of ' + name if name else ''} is {share:.12g}, which is {100 * share:.12g} % of "
                       f"the norm of the answer: an answer of zeros is right; where {share:.12g} % is meant, write "
                       f"{share / 100:.12g}")

    def weights_of(self, cases):
        """Of these of its cases, one for each."""
        if self.weights is None or len(cases) != len(self.cases):
            return [1.0] * len(cases)
        return self.weights

    def unit(self):
        return self.objectives["time"]["unit"] if "time" in self.objectives else (
            "us" if self.device == "gpu" else "ms")

    def pick(self, wanted):
        """The cases of a study: by number, by name, or the first; all where they stand together."""
        if self.together and wanted in (None, ""):
            return list(self.cases)
        if wanted in (None, ""):
            return [self.cases[0]]
        for number, case in enumerate(self.cases):
            if wanted in (str(number), case._name):
                return [case]
        names = ", ".join(case._name or str(n) for n, case in enumerate(self.cases))
        raise UserError(f"there is no case {wanted!r}; there are {names}",
                        self.place)

    def run(self, case, configuration):
        """The user's function for a configuration. Raises UserError where it returns no Run."""
        if self.space.prepare:
            self.space.prepare(configuration)
        return self._ran(case, configuration, [self.compile(configuration)] if self.compile else [])

    def again(self, case, configuration, run):
        """Another run like one of run(), of the same compiled function."""
        if self.space.prepare:
            self.space.prepare(configuration)
        return self._ran(case, configuration, run.compiled)

    def _ran(self, case, configuration, compiled):
        result = self.function(case, configuration, *compiled)
        if callable(result) and not isinstance(result, Run):
            result = Run(result)
        if not isinstance(result, Run):
            raise UserError(f"{self.function.__name__} must return ns.Run(...) or a function, "
                            f"not {type(result).__name__}", self.place)
        if self.space.prepare:
            call = result.call

            def prepared():
                # Other configurations may have been prepared since.
                self.space.prepare(configuration)
                return call()

            prepared.__wrapped__ = call
            result.call = prepared
        result.compiled = compiled
        return result


def problem(space, where=(), cases=None, baseline=None, objectives=None, device="gpu",
            timing="graph", tolerance=None, element_tolerance=None, dtype=None, together=False,
            compile=None, deterministic=False, settings=None, name=None, weights=None,
            aggregate="geometric_mean"):
    """Declares the function below it as a problem to tune: it gets (case, config) and returns Run.

    space: {parameter: list of values}, or what from_triton and from_helion return
    where: conditions, as texts over parameters and sizes, or as functions of the configuration
    cases: a list of dicts, or a dict of them by name; `--case N or NAME` picks one, else the first
    baseline: {parameter: value} that every result is divided by; else the first values
    objectives: a list of names or {name: {"unit", "direction", "weight", "at_most", "at_least"}};
        "time" (us on a GPU, ms on a CPU), "bandwidth", "compute" and "error" are computed
    device: "gpu" (torch tensors) or "cpu"
    timing: "graph" (one CUDA graph of all calls; by events behind a gate where it can't be
        captured), "events", or "eager" (the host's time to launch counts, as without graphs)
    tolerance: largest norm of the error over the norm of the answer; by type where absent, of which
        that of the baseline's answers is the loosest (where nobody is trusted that of the least
        precise type that the problem makes)
    element_tolerance: largest |got - expected| over |expected| + root mean square; ten times that.
        Where absent, 16 small elements that are lost are wrong (small_elements.py)
    dtype: of factories that name none; bfloat16 on a GPU, float32 on a CPU
    together: all cases are one problem, as `aggregate` says
    weights: of cases that stand together, a list, or a dict by their names; how often each counts
    aggregate: of their times: "geometric_mean", "sum", or "worst": the score is that of the case in
        which a configuration does worst by the baseline
    compile: a function of a configuration that returns a callable, the third argument then
    deterministic: two runs are to be equal to the bit
    settings: {"measure.samples": 30}: further keys of the problem file
    Raises UserError for what can't be right."""
    if inspect.isfunction(space):
        code = space.__code__
        raise UserError(f"@ns.problem stands before {code.co_name} without its arguments: "
                        "@ns.problem(space=...)", f"{code.co_filename}:{code.co_firstlineno}")

    def declare(function):
        try:
            return Problem(function, space, where, cases, baseline, objectives, device, timing,
                           tolerance, element_tolerance, dtype, together, compile, deterministic,
                           settings, name, weights, aggregate)
        except UserError as error:
            code = function.__code__
            error.place = error.place or f"{code.co_filename}:{code.co_firstlineno}"
            raise

    return declare


def _cases(cases):
    if cases is None:
        return [Case({})]
    if hasattr(cases, "items"):
        pairs = list(cases.items())
    else:
        pairs = [("", case) for case in cases]
    for _, case in pairs:
        if not isinstance(case, (dict, Case)):
            raise UserError(f"a case is a dict of sizes, not {case!r}; cases is a list of them, "
                            "such as [dict(M=4096)]")
    if not pairs:
        raise UserError("the list of cases is empty")
    return [case if isinstance(case, Case) else Case(case, str(name)) for name, case in pairs]


def _weights(given, cases):
    """A number above 0 for each case; None where all count alike. Raises UserError."""
    if given is None:
        return None
    if hasattr(given, "items"):
        names = [case._name for case in cases]
        unknown = [str(name) for name in given if str(name) not in names]
        if unknown or len(given) != len(names):
            raise UserError(f"weights by name are of each case: {', '.join(map(str, names))}")
        given = [dict((str(name), one) for name, one in given.items())[name] for name in names]
    if not is_list(plain(given)) or len(plain(given)) != len(cases):
        raise UserError(f"weights are one number for each of the {len(cases)} cases, not {given!r}")
    found = [figure(one, "a weight") for one in given]
    for one in found:
        if not 1e-6 <= one <= 1e6:
            raise UserError(f"a weight is a number from 0.000001 to 1000000, not {one!r}")
    return found


def _tolerance(given, what):
    """Of one type and of all, as a float; None keeps the default. Raises UserError."""
    if isinstance(given, dict):
        return {str(plain(name)): _tolerance(one, f"{what} of {name}")
                for name, one in given.items()}
    if given is None:
        return None
    found = figure(given, what)
    if found < 0:
        raise UserError(f"{what} is a number from 0, not {given!r}")
    return found


def _objectives(objectives, time_unit):
    if objectives is None:
        objectives = ["time"]
    if isinstance(objectives, str):
        objectives = [objectives]
    given = objectives if hasattr(objectives, "items") else {name: {} for name in objectives}
    result = {}
    for name, keys in given.items():
        unit, direction = KNOWN_OBJECTIVES.get(name, ("", "minimise"))
        allowed = {"unit", "direction", "statistic", "weight", "at_most", "at_least", "role"}
        for key in keys:
            if key not in allowed:
                raise UserError(f"objective {name} has no key {key!r}; it has {sorted(allowed)}")
        result[name] = {"unit": time_unit if name == "time" else unit, "direction": direction,
                        **keys}
        if name == "time" and result[name]["unit"] not in TIME_UNITS:
            raise UserError(f"the unit of time is one of {sorted(TIME_UNITS)}, "
                            f"not {result[name]['unit']!r}")
    return result


TIME_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # in a second
