"""A strategy of Kernel Tuner whose proposals are nightshift's.

    import kernel_tuner_strategy
    tune_kernel(..., strategy=kernel_tuner_strategy, strategy_options=dict(max_fevals=200))

It is a file for `custom_search_method_path`, too, with "Nightshift" as the search method. Needs `nightshift` in PATH, or its path as NIGHTSHIFT. Restrictions that are texts become constraints;
what others forbid is told as a failure that costs no measurement."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

from kernel_tuner.strategies.common import CostFunc
from kernel_tuner.util import StopCriterionReached

SEARCHER = os.environ.get("NIGHTSHIFT_SEARCHER", "auto")


def plain(value):
    """Of numpy: Python's own."""
    return value.item() if hasattr(value, "item") else value


def problem(searchspace, restrictions):
    """The space as a problem file."""
    lines = ['name = "space"', f"constraints = {json.dumps(restrictions)}", "[parameters]"]
    for name, values in searchspace.tune_params.items():
        lines.append(f"{name} = {json.dumps([plain(value) for value in values])}")
    lines.append("[baseline]")
    for name, value in zip(searchspace.tune_params, searchspace.list[len(searchspace.list) // 2]):
        lines.append(f"{name} = {json.dumps(plain(value))}")
    return "\n".join(lines) + "\n"


def told(cost, number):
    """The line for a cost: lower is better; below 0 where Kernel Tuner maximises."""
    if not math.isfinite(cost) or cost == sys.float_info.max:
        return {"id": number, "error": "it failed, or is not allowed"}
    return {"id": number, "time": cost if cost > 0 else -1 / cost}


def search(cost_of, searchspace, seed):
    """Calls cost_of with what nightshift proposes, until the budget of Kernel Tuner is spent."""
    texts = [text for text in searchspace.original_restrictions if isinstance(text, str)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "space.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(problem(searchspace, texts))
        server = subprocess.Popen(
            [os.environ.get("NIGHTSHIFT", "nightshift"), "search", path, "--serve", "--study",
             os.path.join(folder, "study"), "--searcher", SEARCHER, "--seed", str(seed),
             "--budget", f"{searchspace.size}t"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            for line in server.stdout:
                said = json.loads(line)
                if "configuration" in said:
                    values = [said["configuration"][name] for name in searchspace.tune_params]
                    server.stdin.write(json.dumps(told(cost_of(values), said["id"])) + "\n")
                    server.stdin.flush()
        except StopCriterionReached:
            pass
        finally:
            server.kill()
            server.communicate()


def tune(searchspace, runner, tuning_options):
    """As Kernel Tuner calls it: the results of all evaluations."""
    cost_of = CostFunc(searchspace, tuning_options, runner, snap=False)
    search(cost_of, searchspace, tuning_options.strategy_options.get("seed", os.getpid()))
    return cost_of.results


class Nightshift:
    """As Kernel Tuner calls a search method of a file. Without a seed each search has another one,
    from Python's own generator, so that `random.seed` repeats a row of searches."""

    def __init__(self, seed=None):
        self.seed = random.getrandbits(31) if seed is None else seed

    def __call__(self, func, searchspace):
        search(func, searchspace, self.seed)
