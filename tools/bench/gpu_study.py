"""Studies on real GPUs for benchmarks: run one, read its journal."""

import json
import os
import pathlib
import sqlite3
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NIGHTSHIFT = str(ROOT / "build/release/bin/nightshift")


def tune(nightshift, study, problem, *options, cache=None):
    """A whole study in the folder `study`; what `nightshift tune --json` prints. Its build cache is
    the folder `cache`, or an empty one of its own."""
    command = [nightshift, "tune", str(problem), "--study", str(study), "--json", *options]
    environment = dict(os.environ, NIGHTSHIFT_BUILD_CACHE=str(cache or f"{study}.cache"),
                       NIGHTSHIFT_HISTORY="off")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def measuring(rows):
    """(of all evaluations together, of the median one): the share of its time in which an
    evaluation that explores measures. The rest: inputs and checks. One that is given up measures
    less."""
    evaluations = [(r["measure_seconds"] or 0, r["finished"] - r["started"]) for r in rows
                   if r["job"] == "explore" and r["started"] and r["finished"] > r["started"]]
    if not evaluations:
        return 0, 0
    return (sum(m for m, _ in evaluations) / sum(t for _, t in evaluations),
            statistics.median(m / t for m, t in evaluations))


def trials(study):
    """Finished trials in the order of their ends, as dictionaries of columns; times in seconds."""
    journal = next(pathlib.Path(study).glob("*.sqlite*"))
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(
            "SELECT * FROM trials WHERE finished IS NOT NULL ORDER BY finished")]


SPARE_READY = 0.5  # seconds in which the next spare has surely started


def recovery(rows):
    """Of each trial after one that died on the same device: (what the death is called, seconds from
    its end to the start of the next, whether the spare had time to start since the death before)."""
    found, previous, died = [], {}, {}
    for row in sorted((r for r in rows if r["started"] is not None), key=lambda r: r["started"]):
        device = row["device"]
        before = previous.get(device)
        if before and before["status"] in ("crashed", "timed_out"):
            ready = before["finished"] - died.get(device, float("-inf")) > SPARE_READY
            found.append((before["status"], row["started"] - before["finished"], ready))
            died[device] = before["finished"]
        previous[device] = row
    return found


def show_recovery(rows):
    found = recovery(rows)
    for status, ready in sorted({(s, r) for s, _, r in found}):
        gaps = sorted(1e3 * g for s, g, r in found if (s, r) == (status, ready))
        when = "the one before was long ago" if ready else f"within {SPARE_READY} s of another"
        print(f"  {status}, {when}: next trial after {gaps[len(gaps) // 2]:.0f} ms "
              f"({gaps[0]:.0f} to {gaps[-1]:.0f}, {len(gaps)} deaths)", flush=True)
