#!/usr/bin/env python3
"""Reads and counts T1 files with `nightshift check`, and with Kernel Tuner's own Searchspace beside it.

    python3 tools/bench/t1_files.py FOLDER...    every JSON file with a ConfigurationSpace below them

Prints a Markdown table. Kernel Tuner counts where it can be imported and the space has at most
10^8 combinations of values; it lists them all. BAT's files are named *-CAFF.json."""

import json
import math
import pathlib
import subprocess
import sys

NIGHTSHIFT = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/nightshift"
MOST_LISTED = 10 ** 8


def t1_files(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.json")):
            text = path.read_text(errors="replace")
            if path.stem.endswith("-CAFF") or '"ConfigurationSpace"' in text:
                if '"$schema"' not in text:
                    yield pathlib.Path(folder), path


def listed(values):
    """Kernel Tuner evaluates the text in the same way."""
    return values if isinstance(values, list) else list(eval(values))


def kernel_tuner_count(path):
    try:
        from kernel_tuner.searchspace import Searchspace
    except ImportError:
        return "not installed"
    try:
        space = json.loads(path.read_text())["ConfigurationSpace"]
        parameters = {p["Name"]: listed(p["Values"]) for p in space["TuningParameters"]}
        conditions = [c["Expression"] for c in space.get("Conditions", [])]
        combinations = math.prod(len(values) for values in parameters.values())
        if combinations > MOST_LISTED:
            return f"not tried: {combinations:,} combinations"
        return f"{Searchspace(parameters, conditions, 1024).size:,}"
    except Exception as error:  # whatever it stumbles over is what is to be shown
        return f"{type(error).__name__}"


def row_of(folder, path):
    done = subprocess.run([NIGHTSHIFT, "check", path, "--configurations", "0", "--json"],
                          stdout=subprocess.PIPE, text=True)
    report = json.loads(done.stdout)
    space = report["space"]
    counted = "-" if space is None else f"{int(space['configurations']):,}"
    if done.returncode == 0:
        verdict = "read"
    else:
        verdict = "; ".join(m["message"].split("; ")[0] for m in report["mistakes"])
    if report["notes"]:
        verdict += " (" + "; ".join(n for n in report["notes"] if "GlobalSize" not in n) + ")"
    verdict = verdict.replace(" ()", "").replace("|", "\\|")
    return [str(path.relative_to(folder.parent)), kernel_tuner_count(path), counted, verdict]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| T1 file | Kernel Tuner | Nightshift | |\n|---|---|---|---|")
    for folder, path in t1_files(sys.argv[1:]):
        print("| " + " | ".join(row_of(folder, path)) + " |", flush=True)


if __name__ == "__main__":
    main()
