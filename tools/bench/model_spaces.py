#!/usr/bin/env python3
"""Makes spaces for bench-search of trials of catalogue kernels, whose own spaces are too large to record.

    tools/bench/model_spaces.py --into FOLDER [TRIALS.json ...] [--shapes KERNEL:MxN ...]
                                [--only NAME=VALUE,VALUE ...] [--most COUNT] [--starts FILE.json]

TRIALS.json, plain or gzip, is {"shapes": [{"problem", "sizes", "dtype", "trials": [{"configuration",
"microseconds", "failure"}]}]}; without one, trials of seven kernels on an H200
(tools/bench/search/modelled_trials_h200.json.gz). Files of the same shape are taken together. For each shape a model learns the logarithm of the time, and each valid configuration of the
space, or with --only of a part of it, gets the time that the model expects. FOLDER/KERNEL_MxN.json.gz is
a Kernel Tuner cache without noise and failures, that begins with the baseline or, where that is not of
the part, with one of the median time.

--starts writes for `bench-search --starts` what a study of each shape begins with of the part, if it
was not known itself: configurations of measured.json for other shapes and related kernels.

The model is the mean of extremely randomised trees (Geurts, Ernst and Wehenkel, 2006) and of gradient
boosting (Friedman, 2001), of the values of the parameters, what the problem derives from them, threads,
blocks and shared memory. How well it orders trials that it has not seen is printed (five parts, Spearman).
Such stand-ins order searchers much as the spaces that they stand for (Eggensperger et al., 2015), but
trees favour searchers with trees. Needs scikit-learn.
"""

import argparse
import gzip
import json
import math
import pathlib
import sys

from kernel_peers.configurations import domains, every_valid
from kernel_peers.problem import Cell, Problem
from kernel_peers.shapes import named_values

TRIALS = pathlib.Path(__file__).resolve().parent / "search" / "modelled_trials_h200.json.gz"
MULTIPROCESSORS = 132
LEAST_TRIALS = 100
PARTS = 5


def shapes_in(file):
    try:
        data = pathlib.Path(file).read_bytes()
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)["shapes"]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
        raise SystemExit(f"{file} is no file of trials: {e}") from None


def trials_of(files):
    """{(problem, M, N): (entry, {configuration as text: least microseconds})}"""
    found = {}
    for file in files:
        for entry in shapes_in(file):
            sizes = entry["sizes"]
            key = (entry["problem"], sizes.get("M"), sizes.get("N"))
            times = found.setdefault(key, (entry, {}))[1]
            for trial in entry["trials"]:
                if trial["microseconds"] and not trial.get("failure"):
                    mark = json.dumps(trial["configuration"], sort_keys=True)
                    times[mark] = min(times.get(mark, math.inf), trial["microseconds"])
    return found


def numbers_of(cell, configuration):
    """What the model knows of a configuration."""
    numbers = []
    for name in cell.problem.toml["parameters"]:
        values, value = cell.problem.values_of(name), configuration[name]
        if all(isinstance(v, (int, float)) for v in values):
            numbers.append(math.log2(1 + value))
        else:
            numbers += [float(value == v) for v in values]
    names = cell.names(configuration, MULTIPROCESSORS)
    numbers += [math.log2(1 + abs(float(names[name])))
                for name in cell.problem.cuda.get("derived", {})]
    launch = cell.launches(configuration, MULTIPROCESSORS)[0]
    threads, blocks = math.prod(launch.block), math.prod(launch.grid)
    numbers += [math.log2(threads), math.log2(blocks), math.log2(1 + launch.shared_bytes),
                math.log2(blocks * threads)]
    return numbers


class Model:
    def __init__(self, rows, logarithms):
        from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
        self.parts = [
            ExtraTreesRegressor(60, random_state=1),
            GradientBoostingRegressor(n_estimators=250, max_depth=5, learning_rate=0.06,
                                      subsample=0.8, random_state=1)]
        for part in self.parts:
            part.fit(rows, logarithms)

    def predict(self, rows):
        return sum(part.predict(rows) for part in self.parts) / len(self.parts)


def order_of_unseen(rows, logarithms):
    """Spearman's coefficient of what is expected of trials that were left out."""
    import numpy
    from sklearn.model_selection import KFold
    expected = numpy.zeros(len(logarithms))
    for known, unseen in KFold(PARTS, shuffle=True, random_state=1).split(rows):
        expected[unseen] = Model(rows[known], logarithms[known]).predict(rows[unseen])
    ranks = [numpy.argsort(numpy.argsort(v)) for v in (expected, logarithms)]
    return float(numpy.corrcoef(*ranks)[0, 1])


def first_of(cell, configurations, times):
    """The baseline, or where it is not among them one of the median time."""
    baseline = cell.baseline()
    order = sorted(range(len(times)), key=lambda i: times[i])
    return next((i for i, c in enumerate(configurations) if c == baseline), order[len(order) // 2])


def cache_of(cell, parameters, configurations, times):
    """A Kernel Tuner cache."""
    cache = {}
    for one, time in zip(configurations, times):
        cache[",".join(str(v) for v in one.values())] = {**one, "time": float(time),
                                                         "times": [float(time)] * 3}
    return {"device_name": "modelled", "kernel_name": cell.problem.name,
            "problem_size": str(cell), "objective": "time",
            "tune_params_keys": list(parameters), "tune_params": parameters, "cache": cache}


def starts_of(cell, configurations):
    """Positions among them of what a study begins with that knows nothing of the cell's own shape."""
    def is_other(entry):
        return any(entry["shape"].get(name, size) != size for name, size in cell.sizes.items())
    cell.problem.found = [entry for entry in cell.problem.found if is_other(entry)]
    return [configurations.index(one) for one in cell.starts() if one in configurations]


def model(entry, times, only, most, into):
    """Writes the space; its name, and what a study would begin with."""
    import numpy
    problem = Problem(entry["problem"])
    cell = Cell(problem, entry["sizes"], entry.get("dtype"))
    if len(times) < LEAST_TRIALS:
        raise SystemExit(f"{cell}: {len(times)} trials are too few, {LEAST_TRIALS} are needed")
    known = [cell.complete(json.loads(mark)) for mark in times]
    rows = numpy.array([numbers_of(cell, one) for one in known])
    logarithms = numpy.log(numpy.array(list(times.values())))
    parameters = domains(cell, only)
    configurations = every_valid(cell, parameters, most)
    if configurations is None:
        raise SystemExit(f"{cell}: more than {most} configurations; name fewer by --only")
    expected = numpy.exp(Model(rows, logarithms).predict(
        numpy.array([numbers_of(cell, one) for one in configurations])))
    first = first_of(cell, configurations, expected)
    order = [first] + [i for i in range(len(configurations)) if i != first]
    configurations, expected = [configurations[i] for i in order], expected[order]
    sizes = cell.sizes
    file = into / f"{problem.name}_{sizes.get('M')}x{sizes.get('N')}.json.gz"
    with gzip.open(file, "wt") as out:
        json.dump(cache_of(cell, parameters, configurations, expected), out)
    print(f"{cell}: {len(times)} trials, order of unseen ones "
          f"{order_of_unseen(rows, logarithms):.3f}; {len(configurations)} configurations, "
          f"{expected.min():.2f} us and more: {file}", flush=True)
    return file.name.removesuffix(".json.gz"), starts_of(cell, configurations)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", default=[TRIALS], metavar="TRIALS.json")
    parser.add_argument("--into", required=True, type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--shapes", nargs="+", default=[], metavar="KERNEL:MxN")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME=VALUES")
    parser.add_argument("--most", type=int, default=500_000)
    parser.add_argument("--starts", type=pathlib.Path, metavar="FILE.json")
    options = parser.parse_args()
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise SystemExit("scikit-learn is needed (Debian: python3-sklearn)") from None
    found = trials_of(options.trials)
    names = {"{}:{}x{}".format(*key): key for key in found}
    unknown = [word for word in options.shapes if word not in names]
    if unknown:
        raise SystemExit(f"--shapes {unknown[0]}: there are {', '.join(names)}")
    options.into.mkdir(parents=True, exist_ok=True)
    only = named_values(options.only)
    starts = dict(model(*found[names[word]], only, options.most, options.into)
                  for word in options.shapes or names)
    if options.starts:
        options.starts.write_text(json.dumps(starts, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
