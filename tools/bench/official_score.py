#!/usr/bin/env python3
"""The score of the auto-tuning community, computed by its own package, of ours beside Kernel Tuner's.

    git clone https://github.com/AutoTuningAssociation/benchmark_hub
    tools/bench/official_score.py --venv tuners --hub benchmark_hub --into score

autotuning_methodology runs every strategy inside Kernel Tuner's simulation of recorded spaces and scores
them. `nightshift search --serve` takes part as a search method of a file, python/examples/kernel_tuner_strategy.py,
and knows what Kernel Tuner knows: parameters and restrictions. The settings are those of the package's
comparison of tuned tuners (compare_hypertuners_paper.json): from half to 95 % of the way from the median to the optimum as random
search goes it, on the axis of time, where the time that a strategy thinks counts. 1 is the optimum at once,
0 random search.

Runs are kept in --into, in parts of --step repeats, and not repeated: the same command goes on, and one
with more repeats or strategies adds to them. A run's seed is its part's number, for Python's generator and
NumPy's; real time counts, so that runs repeat nearly. Scores are the package's of all parts together.
Intervals are percentiles of bootstrap samples of the repeats, for which the curve is one isotonic regression instead of
the package's mean of many.

The launch is simulated, so that the copy of a problem leaves its arguments out. --venv FOLDER names a
Python environment with both packages, or where one is made.
"""

import argparse
import collections
import contextlib
import gzip
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import score_intervals  # noqa: E402
import search_peers  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ["kernel_tuner==1.4.0", "autotuning_methodology==1.1.0"]
OURS = "nightshift"
STRATEGIES = [OURS, "simulated_annealing", "genetic_algorithm", "hybrid_vndx", "adaptive_tabu_greywolf"]
APPLICATIONS = ["convolution_milo", "dedispersion_milo"]
GPUS = ["A100", "A4000", "A6000", "MI250X", "W6600", "W7800"]

# A strategy in one space, and the repeats that are run together.
Task = collections.namedtuple("Task", "part strategy application gpu")


def repeats_of(text):
    """20, or 20,nightshift=100: of all strategies, and of some."""
    default, several = 20, {}
    for item in text.split(","):
        name, _, number = item.rpartition("=")
        if name:
            several[name] = int(number)
        else:
            default = int(number)
    return collections.defaultdict(lambda: default, several)


def tasks_of(options):
    """The first parts of all come first, so that whatever has been run is even."""
    repeats = repeats_of(options.repeats)
    parts = {name: -(-repeats[name] // options.step) for name in options.strategies}
    return [Task(part, name, application, gpu) for part in range(max(parts.values()))
            for application in options.applications for gpu in options.gpus
            for name in options.strategies if part < parts[name]]


def strategy_entry(name):
    """A search strategy as an experiment file has it."""
    entry = {"name": name, "search_method": name, "display_name": name, "autotuner": "KernelTuner"}
    if name == OURS:
        path = SOURCE / "python" / "examples" / "kernel_tuner_strategy.py"
        entry.update(search_method="Nightshift", custom_search_method_path=str(path))
    return entry


def experiment(parent, spaces, strategies, applications, gpus, repeats):
    """An experiment file of the package. spaces: the folder that unpack() made."""
    return {
        "version": "1.2.0", "name": "official_score", "parent_folder": str(parent),
        "experimental_groups_defaults": {
            "applications": [{"name": name, "folder": str(spaces), "input_file": f"{name}.json",
                              "objective_performance_keys": ["time"]} for name in applications],
            "gpus": list(gpus),
            "pattern_for_full_search_space_filenames": {
                "regex": str(spaces / "${applications}" / "${gpus}_T4.json")},
            "stochastic": True, "repeats": repeats, "samples": 32,
            "minimum_fraction_of_budget_valid": 0.1, "minimum_number_of_valid_search_iterations": 10,
            "ignore_cache": False},
        "search_strategies": [strategy_entry(name) for name in strategies],
        "statistics_settings": {"cutoff_percentile": 0.95, "cutoff_percentile_start": 0.5,
                                "cutoff_type": "time", "objective_time_keys": ["all"]},
        "visualization_settings": {"plots": [{"scope": "aggregate", "style": "line"}], "resolution": 1000.0,
                                   "confidence_level": 0.95, "compare_baselines": False,
                                   "compare_split_times": False}}


def unpack(hub, spaces, applications, gpus):
    """The problems and recordings of the hub as the packages read them."""
    for application in applications:
        problem = json.loads((hub / "kernels" / f"{application}.json").read_text(encoding="utf-8"))
        kernel = hub / "kernels" / problem["KernelSpecification"]["KernelFile"]
        problem["KernelSpecification"].update(KernelFile=str(kernel.resolve()), Arguments=[])
        (spaces / application).mkdir(parents=True, exist_ok=True)
        (spaces / f"{application}.json").write_text(json.dumps(problem), encoding="utf-8")
        for name in [f"{gpu}{kind}.json" for gpu in gpus for kind in ("", "_T4")]:
            to = spaces / application / name
            if not to.exists():
                packed = hub / "cachefiles" / application / f"{name}.gz"
                to.with_suffix(".part").write_bytes(gzip.decompress(packed.read_bytes()))
                to.with_suffix(".part").rename(to)


def kept(parent, task):
    """Where the package keeps the runs of a task."""
    return parent / "run" / task.strategy / f"{task.gpu}_{task.application}.npz"


def run(job):
    """Runs a task in a process of its own; what became of it as a line."""
    task, into, step = job
    import numpy
    from autotuning_methodology.experiments import execute_experiment

    parent = into / f"part-{task.part}"
    parent.mkdir(parents=True, exist_ok=True)
    path = parent / f"{task.gpu}-{task.application}-{task.strategy}.json"
    path.write_text(json.dumps(experiment(parent, into / "spaces", [task.strategy], [task.application],
                                          [task.gpu], step)), encoding="utf-8")
    random.seed(task.part)
    numpy.random.seed(task.part)
    warnings.simplefilter("ignore")
    begun = time.monotonic()
    with (into / "log").open("a", encoding="utf-8") as log, contextlib.redirect_stdout(log), \
            contextlib.redirect_stderr(log):
        execute_experiment(str(path), full_validate_on_load=False)
    return f"{task.strategy} on {task.application} {task.gpu}, part {task.part}: {time.monotonic() - begun:.0f} s"


def run_missing(tasks, into, step, jobs):
    """Runs what was not run before, and says so line by line."""
    missing = [task for task in tasks if not kept(into / f"part-{task.part}", task).exists()]
    # A process for each: the packages keep state, such as the stream that shows progress.
    with multiprocessing.Pool(jobs, maxtasksperchild=1) as pool:
        for line in pool.imap_unordered(run, [(task, into, step) for task in missing]):
            print(line, file=sys.stderr, flush=True)


def merge(into, tasks):
    """All parts as the results of one experiment, into merged/; repeats by (strategy, application, gpu)."""
    import numpy

    files = collections.defaultdict(list)
    for task in tasks:
        path = kept(into / f"part-{task.part}", task)
        if path.exists():
            files[task[1:]].append((task, path))
    shutil.rmtree(into / "merged", ignore_errors=True)
    repeats = {}
    for key, found in files.items():
        parts = [numpy.load(path, allow_pickle=True) for _, path in found]
        arrays = {name: parts[0][name] if name == "resultsdescription" else score_intervals.joined([p[name] for p in parts])
                  for name in parts[0].files}
        to = kept(into / "merged", found[0][0])
        to.parent.mkdir(parents=True, exist_ok=True)
        numpy.savez_compressed(to, **arrays)
        repeats[key] = arrays["fevals_results"].shape[-1]
    return repeats


def scores_by_space(spaces, strategies, resamples):
    """By strategy, of each space and as "all": (score, low, high). The package scores the mean of the
    curves of all spaces, which is the mean of the spaces' scores."""
    rows = {}
    for place, name in enumerate(strategies):
        points, estimates, all_samples = [], [], []
        rows[name] = {}
        for number, (label, space) in enumerate(spaces.items()):
            curve = space[1][place]
            points.append(score_intervals.score_of(space, curve))
            estimate, samples = score_intervals.bootstrap(space, curve, resamples, 1000 * place + number)
            rows[name][label] = (points[-1], *score_intervals.interval(samples, estimate, points[-1]))
            estimates.append(estimate)
            all_samples.append(samples)
        means = [sum(column) / len(column) for column in zip(*all_samples)]
        point = sum(points) / len(points)
        rows[name]["all"] = (point, *score_intervals.interval(means, sum(estimates) / len(estimates), point))
    return rows


def scores(into, strategies, applications, gpus, resamples):
    """scores_by_space, and as "official" what the package itself says. Raises the package's ValueError
    where a run has too little within the time that counts."""
    from autotuning_methodology import report_experiments
    from autotuning_methodology.experiments import execute_experiment

    parent = into / "merged"
    path = parent / "experiment.json"
    path.write_text(json.dumps(experiment(parent, into / "spaces", strategies, applications, gpus, 1)),
                    encoding="utf-8")
    warnings.simplefilter("ignore")
    with (into / "log").open("a", encoding="utf-8") as log, contextlib.redirect_stdout(log), \
            contextlib.redirect_stderr(log):
        described, groups, statistics, results = execute_experiment(str(path), full_validate_on_load=False)
        spaces = report_experiments.get_aggregation_data(parent, described, statistics, groups[:len(strategies)],
                                                         results, 0.95, 0.5, 0.95, 1000)
        rows = scores_by_space(spaces, strategies, resamples)
        # Last, since it throws away results that it cannot score, and runs them anew.
        official = report_experiments.get_strategy_scores(str(path), full_validate_on_load=False)
    for name in strategies:
        rows[name]["official"] = float(official[name]["score"])
    return rows


def table(rows, repeats, applications, gpus):
    """Markdown: a row for each space, and one for all."""
    names = list(rows)
    lines = ["| space | " + " | ".join(f"{name}" for name in names) + " |", "|---|" + "---|" * len(names)]
    spaces = [(f"{gpu}+{application}", f"{application.removesuffix('_milo')} {gpu}")
              for application in applications for gpu in gpus]
    for key, label in [*spaces, ("all", "**all**")]:
        cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*rows[name][key]) for name in names]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    lines.append("| by get_strategy_scores | " + " | ".join(f"{rows[name]['official']:.3f}" for name in names) + " |")
    count = {name: sorted({number for key, number in repeats.items() if key[0] == name}) for name in names}
    lines.append("| repeats | " + " | ".join("-".join(map(str, count[name])) for name in names) + " |")
    return "\n".join(lines)


def versions(hub):
    """What the figures are of, as a line."""
    program = os.environ.get("NIGHTSHIFT", "nightshift")
    ours = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    commit = subprocess.run(["git", "-C", str(hub), "rev-parse", "--short", "HEAD"], capture_output=True,
                            text=True, check=False).stdout.strip() or "of unknown commit"
    packages = [f"{name} {importlib.metadata.version(name)}" for name in
                ("kernel_tuner", "autotuning_methodology", "numpy", "scikit-learn")]
    return ", ".join([ours, *packages, f"benchmark_hub {commit}", f"Python {sys.version.split()[0]}"])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--hub", required=True, type=pathlib.Path, help="checkout of benchmark_hub")
    parser.add_argument("--into", required=True, type=pathlib.Path, help="folder that keeps the runs")
    parser.add_argument("--venv", help="Python environment with both packages; made if missing")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="comma-separated")
    parser.add_argument("--applications", default=",".join(APPLICATIONS), help="comma-separated")
    parser.add_argument("--gpus", default=",".join(GPUS), help="comma-separated")
    parser.add_argument("--repeats", default="100", help="of all, or 20,nightshift=100")
    parser.add_argument("--step", type=int, default=5, help="repeats of a part")
    parser.add_argument("--jobs", type=int, default=1, help="processes; they share the time of the cores")
    parser.add_argument("--resamples", type=int, default=200, help="bootstrap samples")
    parser.add_argument("--score-only", action="store_true", help="score what has been run")
    options = parser.parse_args()
    for name in ("strategies", "applications", "gpus"):
        setattr(options, name, getattr(options, name).split(","))
    return options


def main():
    options = arguments()
    if options.venv:
        search_peers.switch_to(options.venv, REQUIREMENTS)
    into = options.into.resolve()
    unpack(options.hub, into / "spaces", options.applications, options.gpus)
    tasks = tasks_of(options)
    if not options.score_only:
        run_missing(tasks, into, options.step, options.jobs)
    repeats = merge(into, tasks)
    print(versions(options.hub))
    print(table(scores(into, options.strategies, options.applications, options.gpus, options.resamples),
                repeats, options.applications, options.gpus))


if __name__ == "__main__":
    main()
