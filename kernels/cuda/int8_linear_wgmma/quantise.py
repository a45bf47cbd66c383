#!/usr/bin/env python3
"""A linear layer in float to the files of a tuned int8 kernel, its error stated. Needs numpy.

    quantise.py weights.npy activations.npy --into FOLDER [--rows 4096] [--seed 1]

weights: N x K, as torch.nn.Linear has them. activations: T x K, what the layer was seen to get. Both float.

The kernel quantises activations while it runs, and how (per tensor or token, percentile, symmetric or not) is
a parameter of its problem. Weights are quantised once, here, symmetrically: a scale for all of them or one
for each row ("channel"), whose range is

    largest       of the absolute values
    percentile P  of them; what is beyond is clamped
    least error   the range, of 64 shares of the largest, with the least sum of squared errors, each weighed by
                  the mean square of the activation that it meets: that of the product, where activations do
                  not depend on each other

Half of the activations weigh; the error of the product is of the other half, so that no way is judged by
what chose it. The best way's numbers go to FOLDER: w.npy, weight_scale.npy, exact.npy, x.npy (samples of
--rows rows; rows come again where there are fewer), beside layer.toml, a problem that tunes the kernel on them,
with the error of activations and weights together as an objective beside time.
"""

import argparse
import json
import pathlib
import re
import shlex
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = 127
SHARES = np.linspace(1, 0.2, 64)
PERCENTILES = (99.9, 99.99, 99.999)


def quantised(weights, ranges):
    """(integers, scales) for a range for each row."""
    scales = np.maximum(ranges, np.finfo(np.float32).tiny)[:, None] / LEVELS
    return np.clip(np.rint(weights / scales), -LEVELS, LEVELS).astype(np.int8), scales[:, 0].astype(np.float32)


def restored(integers, scales):
    return integers.astype(np.float32) * scales[:, None]


def least_error(rows, importance):
    """Of each row the range with the least weighed squared error."""
    largest = np.abs(rows).max(axis=1)
    best, found = np.full(len(rows), np.inf), largest.copy()
    for share in SHARES:
        ranges = largest * share
        error = ((restored(*quantised(rows, ranges)) - rows) ** 2) @ importance
        better = error < best
        best[better], found[better] = error[better], ranges[better]
    return found


def least_error_of_all(weights, importance):
    largest = np.abs(weights).max()

    def error(share):
        ranges = np.full(len(weights), largest * share)
        return (((restored(*quantised(weights, ranges)) - weights) ** 2) @ importance).sum()
    return np.full(len(weights), largest * min(SHARES, key=error))


def ways(weights, importance):
    """(name, range of each row)"""
    absolute, rows = np.abs(weights), len(weights)
    yield "tensor", "largest", np.full(rows, absolute.max())
    yield "channel", "largest", absolute.max(axis=1)
    for percent in PERCENTILES:
        yield "tensor", f"percentile {percent}", np.full(rows, np.percentile(absolute, percent))
        yield "channel", f"percentile {percent}", np.percentile(absolute, percent, axis=1)
    yield "tensor", "least error", least_error_of_all(weights, importance)
    yield "channel", "least error", least_error(weights, importance)


def loaded(file, columns=None):
    try:
        numbers = np.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"{file}: {error}")
    if numbers.ndim != 2 or not np.issubdtype(numbers.dtype, np.floating):
        sys.exit(f"{file}: expected a matrix of floats, not {numbers.ndim} dimensions of {numbers.dtype}")
    if not np.isfinite(numbers).all():
        sys.exit(f"{file}: it has NaN or infinity")
    if columns is not None and numbers.shape[1] != columns:
        sys.exit(f"{file}: it has {numbers.shape[1]} columns, and the weights {columns}")
    return numbers.astype(np.float32)


def checked(weights, activations, options):
    rows, columns = weights.shape
    if columns % 16 or rows % 8:
        sys.exit(f"the kernel needs K in multiples of 16 and N of 8; the weights are {rows} x {columns}")
    if len(activations) < 2:
        sys.exit("activations: half of them choose and half of them judge, so there have to be two rows")
    if options.rows < 1:
        sys.exit("--rows must be 1 or more")


def error_of(product, right):
    return float(np.linalg.norm(product - right) / np.linalg.norm(right))


def best_way(weights, activations, seed):
    order = np.random.default_rng(seed).permutation(len(activations))
    choosing, judging = np.array_split(activations[order], 2)
    judging = judging[:2048]
    importance = (choosing.astype(np.float64) ** 2).mean(axis=0).astype(np.float32)
    right, best = judging @ weights.T, None
    print(f"{'scales':8} {'range':18} {'error of weights':>16} {'of the product':>16}")
    for scales_of, name, ranges in ways(weights, importance):
        integers, scales = quantised(weights, ranges)
        back = restored(integers, scales)
        error = error_of(judging @ back.T, right)
        print(f"{scales_of:8} {name:18} {error_of(back, weights):16.5f} {error:16.5f}", flush=True)
        if best is None or error < best[0]:
            best = error, f"{scales_of}, {name}", integers, scales
    return best


def save(folder, options, weights, activations, integers, scales):
    samples = max(1, len(activations) // options.rows)
    taken = np.resize(activations, (samples * options.rows, weights.shape[1]))
    arrays = {"x": taken, "w": integers, "weight_scale": scales, "exact": weights}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return list(arrays)


def filled(block, name):
    """The text of an argument, filled from NAME.npy."""
    kept = [line for line in block.split("\n") if not re.match(r"(fill|low|high) =", line)]
    place = next(i for i, line in enumerate(kept) if line.startswith("size ="))
    return "\n".join(kept[:place + 1] + ['fill = "file"', f'file = "{name}.npy"'] + kept[place + 1:])


def problem_text(options, weights, names):
    """The catalogue's problem with the layer's sizes and numbers; sources stay where they are."""
    text = (HERE / "problem.toml").read_text()
    sizes = {"M": options.rows, "N": weights.shape[0], "K": weights.shape[1], "EXACT": 1}
    listed = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    text = re.sub(r"^sizes = .*", f"sizes = {{ {listed} }}", text, count=1, flags=re.M)
    text = re.sub(r'^(source|starts_file) = "(.*)"',
                  lambda m: f"{m[1]} = {json.dumps(str((HERE / m[2]).resolve()))}", text,
                  flags=re.M)
    text = re.sub(r"^include = (\[.*\])$",
                  lambda m: "include = " + json.dumps(
                      [str((HERE / name).resolve()) for name in json.loads(m[1])]), text, flags=re.M)
    text = text.replace('include_folders = [".."]', f"include_folders = [{json.dumps(str(HERE.parent))}]")
    head, *blocks = text.split("[[cuda.argument]]\n")
    for i, block in enumerate(blocks):
        name = re.match(r'name = "(\w+)"', block)[1]
        blocks[i] = filled(block, name) if name in names else block
    return "[[cuda.argument]]\n".join([head, *blocks])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("activations")
    parser.add_argument("--into", required=True, metavar="FOLDER")
    parser.add_argument("--rows", type=int, default=4096, help="of a product: tokens at once")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    weights = loaded(options.weights)
    activations = loaded(options.activations, weights.shape[1])
    checked(weights, activations, options)
    error, name, integers, scales = best_way(weights, activations, options.seed)
    folder = pathlib.Path(options.into).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    names = save(folder, options, weights, activations, integers, scales)
    (folder / "layer.toml").write_text(problem_text(options, weights, names))
    print(f"\nLeast error of the product: {error:.5f} ({name})\n"
          f"Tune the kernel: nightshift tune {shlex.quote(str(folder / 'layer.toml'))}")


if __name__ == "__main__":
    main()
