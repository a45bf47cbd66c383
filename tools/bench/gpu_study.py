"""Studies on real GPUs for benchmarks: run one, read its journal. Each starts with an empty build
cache."""

import json
import os
import pathlib
import sqlite3
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NIGHTSHIFT = str(ROOT / "build/release/bin/nightshift")


def tune(nightshift, study, problem, *options):
    """A whole study in the folder `study`; what `nightshift tune --json` prints."""
    command = [nightshift, "tune", str(problem), "--study", str(study), "--json", *options]
    environment = dict(os.environ, NIGHTSHIFT_BUILD_CACHE=str(study) + ".cache")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def trials(study):
    """Finished trials in the order of their ends, as dictionaries of columns; times in seconds."""
    journal = next(pathlib.Path(study).glob("*.sqlite*"))
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(
            "SELECT * FROM trials WHERE finished IS NOT NULL ORDER BY finished")]


def recovery(rows, outcomes=("crashed", "timed_out")):
    """Seconds from the end of a trial that died to the start of the next on the same device, by
    what the first one was called."""
    gaps = {}
    previous = {}
    for row in sorted((r for r in rows if r["started"] is not None), key=lambda r: r["started"]):
        before = previous.get(row["device"])
        if before and before["status"] in outcomes:
            gaps.setdefault(before["status"], []).append(row["started"] - before["finished"])
        previous[row["device"]] = row
    return gaps
