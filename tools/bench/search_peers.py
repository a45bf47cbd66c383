#!/usr/bin/env python3
"""Runs Kernel Tuner's strategies on recorded spaces, for bench-search to score beside ours.

    tools/bench/search_peers.py --venv FOLDER --strategies simulated_annealing,genetic_algorithm \\
        --seeds 60 --output peers.json SPACE.json.gz...
    build/release/bin/bench-search --searchers pattern --peers peers.json \\
        --against kt:simulated_annealing SPACE.json.gz...

Kernel Tuner runs in simulation mode with its source unchanged and its defaults. What counts is what
bench-search counts: configurations of the recording in the order of their first evaluation, failed
ones included; revisits and proposals outside of the recording are free. Written are only their
positions in the file, so that values, costs and scores are bench-search's for both. A run is seeded
through `random` and `numpy.random` with 0, 1, ... SPACE is a Kernel Tuner cache, plain or gzip.

Every run has a search space object of its own, as a user's has. --share-space lets the runs of a
space have one together, for comparison with tables that were made so: the object remembers where
earlier runs stood and prefers to go there (get_random_neighbor draws from a cache of neighbours
that were expanded before), so that what one repeat found helps the next. simulated_annealing gains
most by it.

--venv FOLDER names a Python environment that has Kernel Tuner, or where one is made with
kernel_tuner==1.4.0 from the package index; without it the running Python must have it.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import venv
import warnings

REQUIREMENT = "kernel_tuner==1.4.0"


def switch_to(folder, requirements=(REQUIREMENT,)):
    """Goes on as the environment's Python, which is made if it is not there."""
    python = pathlib.Path(folder).absolute() / "bin" / "python"
    if pathlib.Path(sys.prefix) == python.parent.parent:
        return
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
    os.execv(python, [str(python), *sys.argv])


def space_name(path):
    """As bench-search names it: convolution-A100 for convolution-A100.json.gz."""
    name = pathlib.Path(path).name
    for extension in (".gz", ".json"):
        name = name.removesuffix(extension)
    return name


def read_cache(path):
    """As Kernel Tuner reads it, which wants it unpacked."""
    from kernel_tuner import util

    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    with tempfile.NamedTemporaryFile(suffix=".json") as plain:
        plain.write(data)
        plain.flush()
        return util.read_cache(plain.name, open_cache=False)


def recorded_only(cache):
    """The restriction to what was recorded. infer_restrictions_from_cache would leave out what
    failed, which a tuner cannot know beforehand."""
    from constraint import FunctionConstraint

    names = cache["tune_params_keys"]
    recorded = {tuple(entry[name] for name in names) for entry in cache["cache"].values()}
    return FunctionConstraint(lambda *values: values in recorded)


class Simulation:
    """One space, read once for all runs."""

    def __init__(self, path, share_space):
        from kernel_tuner import util

        self.cache = read_cache(path)
        self.positions = {key: place for place, key in enumerate(self.cache["cache"])}
        self.arguments = util.infer_args_from_cache(self.cache)
        self.restrictions = [recorded_only(self.cache)]
        self.share_space = share_space
        self.searchspace = None

    def construct(self, *arguments, **options):
        from kernel_tuner.searchspace import Searchspace

        if self.searchspace is None:
            self.searchspace = Searchspace(*arguments, **options)
        return self.searchspace

    def run(self, strategy, seed, budget):
        """Positions of the configurations in the order of their first evaluation."""
        import numpy
        from kernel_tuner import interface, util
        from kernel_tuner.runners.simulation import SimulationRunner

        order = {}
        original = SimulationRunner.run

        def observed(runner, parameter_space, tuning_options):
            elements = list(parameter_space)
            results = original(runner, elements, tuning_options)
            for element, result in zip(elements, results):
                place = self.positions.get(",".join(str(value) for value in element))
                if result is not None and place is not None:
                    order.setdefault(place)
            return results

        # Reading the file would be repeated in every run, building the space in every run twice.
        if not self.share_space:
            self.searchspace = None
        SimulationRunner.run = observed
        interface.Searchspace = self.construct
        util.process_cache = lambda *_: self.cache["cache"]
        util.close_cache = lambda *_: None
        random.seed(seed)
        numpy.random.seed(seed)
        try:
            interface.tune_kernel(
                **self.arguments, cache="recorded.json", restrictions=self.restrictions,
                simulation_mode=True, strategy=strategy, strategy_options={"max_fevals": budget},
                verbose=False, quiet=True)
        finally:
            SimulationRunner.run = original
        return list(order)[:budget]


def runs_of(task):
    """All seeds of some strategies on one space."""
    path, strategies, seeds, budget, share_space = task
    warnings.filterwarnings("ignore")
    simulation = Simulation(path, share_space)
    result = {}
    for strategy in strategies:
        result[strategy] = [simulation.run(strategy, seed, budget) for seed in range(seeds)]
        print(f"{space_name(path)}: {strategy}", file=sys.stderr, flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--venv", help="Python environment with Kernel Tuner; made if missing")
    parser.add_argument("--strategies", required=True, help="comma-separated, e.g. pso,diff_evo")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--budget", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--share-space", action="store_true",
                        help="one search space object for all runs (see the file's text)")
    parser.add_argument("--output", required=True, help="file for bench-search --peers")
    parser.add_argument("spaces", nargs="+", metavar="SPACE")
    options = parser.parse_args()
    if options.venv:
        switch_to(options.venv)
    strategies = options.strategies.split(",")
    tasks = [(path, strategies, options.seeds, options.budget, options.share_space)
             for path in options.spaces]
    with multiprocessing.Pool(min(options.jobs, len(tasks))) as pool:
        results = pool.map(runs_of, tasks, chunksize=1)
    peers = []
    for strategy in strategies:
        spaces = {space_name(path): result[strategy]
                  for path, result in zip(options.spaces, results)}
        peers.append({"name": f"kt:{strategy}", "spaces": spaces})
    pathlib.Path(options.output).write_text(json.dumps({"peers": peers}) + "\n")


if __name__ == "__main__":
    main()
