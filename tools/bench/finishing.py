#!/usr/bin/env python3
"""What the finishing rounds take back of the catalogue's winners, on one GPU.

    tools/bench/finishing.py [--nightshift PROGRAM] [--kernels rmsnorm,softmax] [--winners 2]
                             [--confidence standard] [--seconds N] [--gpu 0] [--json FILE]

For each kernel some configurations of its measured.json, of shapes spread over those that it has. Each
is the start of a study of one trial (two where the space's defaults, which come first, are no baseline), so
that what follows is its duel with the baseline, the finishing rounds and the hold-out. Where parameters went back, `nightshift compare` measures what was handed over
against the winner, in fresh pairs that the rounds have not seen: "over the winner" is that ratio of times.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import gpu_study
from kernel_peers.problem import KERNELS, Cell, Problem

MARGIN = 0.003  # acceptance.finish_margin


def winners_of(problem, count):
    """`count` of the shapes in measured.json, spread over all of them: [(cell, configuration)]."""
    found = problem.found
    picked = [found[(2 * i + 1) * len(found) // (2 * count)] for i in range(min(count, len(found)))]
    for entry in picked:
        cell = Cell(problem, entry["shape"], entry.get("dtype"))
        yield cell, cell.complete(entry["configuration"])


def settings_of(cell):
    words = [f"cuda.sizes.{name}={size}" for name, size in cell.sizes.items()]
    words += [f'cuda.dtype="{cell.dtype}"'] if cell.dtype else []
    return [word for setting in words for word in ("--set", setting)]


def changed(configuration, baseline):
    return {n: v for n, v in configuration.items() if baseline.get(n) != v}


def toml(configuration):
    return "{" + ", ".join(f"{n} = {json.dumps(v)}" for n, v in configuration.items()) + "}"


def compare(options, cell, first, second):
    """(ratio, interval) of the times of the second over the first."""
    sides = [",".join(f"{n}={v}" for n, v in side.items()) for side in (first, second)]
    command = [options.nightshift, "compare", str(cell.problem.folder / "problem.toml"), *sides, *settings_of(cell),
               "--devices", f"gpu:{options.gpu}", "--confidence", options.confidence,
               "--min-difference", "0.1%", "--json"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, NIGHTSHIFT_HISTORY="off"))
    if done.returncode not in (0, 10, 11):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    result = json.loads(done.stdout)
    return result["ratio"], result["interval"]


def study_of(options, folder, cell, winner, trials):
    start = toml(changed(winner, cell.baseline()))
    return gpu_study.tune(
        options.nightshift, f"{folder}-{trials}", cell.problem.folder / "problem.toml", "--devices", f"gpu:{options.gpu}",
        "--budget", f"{trials}t", "--set", f"acceptance.confidence={json.dumps(options.confidence)}",
        "--set", "acceptance.self_test_pairs=0", "--set", f"search.starts=[{start}]", *settings_of(cell))


def is_between(configuration, winner, baseline):
    return all(value in (winner[name], baseline[name]) for name, value in configuration.items())


def row_of(options, folder, cell, winner):
    baseline = cell.baseline()
    begun = time.monotonic()
    row = {"cell": str(cell), "winner": winner, "changed": len(changed(winner, baseline)), "accepted": False}
    for trials in (1, 2):
        result = study_of(options, folder, cell, winner, trials)
        row["seconds"] = time.monotonic() - begun
        handed_over = {**baseline, **result["best"]["configuration"]} if result.get("best") else baseline
        row["accepted"] = bool((result.get("improvement") or {}).get("accepted")) and \
            is_between(handed_over, winner, baseline)
        if row["accepted"]:
            break
    if not row["accepted"]:
        return row
    row["improvement"] = result["improvement"]["ratio"]
    row["back"] = {n: v for n, v in winner.items() if handed_over[n] != v}
    if row["back"]:
        row["ratio"], row["interval"] = compare(options, cell, winner, handed_over)
    return row


def told(row):
    if not row["accepted"]:
        return f"{row['cell']}: no improvement was accepted, {row['changed']} changed; {row['seconds']:.1f} s"
    text = f"{row['cell']}: {len(row['back'])} of {row['changed']} went back"
    if row["back"]:
        low, high = row["interval"]
        text += f" ({', '.join(row['back'])}), {row['ratio']:.4f} [{low:.4f}, {high:.4f}] over the winner"
    return text + f"; {row['improvement']:.3f} of the baseline; {row['seconds']:.1f} s"


def summary(rows):
    judged = [row for row in rows if row["accepted"]]
    back = [row for row in judged if row["back"]]
    slower = [row for row in back if row["interval"][0] > 1 + MARGIN]
    return (f"{len(judged)} of {len(rows)} winners accepted; {sum(len(r['back']) for r in judged)} of "
            f"{sum(r['changed'] for r in judged)} changed parameters went back, in {len(back)} winners; "
            f"shown to be slower by more than {MARGIN:.1%}: {len(slower)}; the largest ratio measured: "
            f"{max((r['ratio'] for r in back), default=1):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--kernels", default="all")
    parser.add_argument("--winners", type=int, default=2, help="of each kernel")
    parser.add_argument("--confidence", default="standard")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no winner is begun after so many")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    names = sorted(p.parent.name for p in KERNELS.glob("*/measured.json")) \
        if options.kernels == "all" else options.kernels.split(",")
    lists = [list(winners_of(Problem(name), options.winners)) for name in names]
    # The first of each kernel, then the second of each, so that a run that is cut short has all kernels.
    cells = [cells[i] for i in range(options.winners) for cells in lists if i < len(cells)]
    rows, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number, (cell, winner) in enumerate(cells):
            if time.monotonic() - begun > options.seconds:
                break
            try:
                rows.append(row_of(options, pathlib.Path(folder) / str(number), cell, winner))
            except SystemExit as failure:
                print(f"{cell}: {str(failure)[-500:]}", flush=True)
                continue
            print(told(rows[-1]), flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    print(summary(rows))


if __name__ == "__main__":
    main()
