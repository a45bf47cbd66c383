#!/usr/bin/env python3
"""Right and wrong answers of [cuda] kernels on a real GPU: the verdict that is expected beside the one that came.

    tools/bench/gpu_answers.py [--seconds 190] [--nightshift PROGRAM]

Ways of tests/puzzles/gpu_answers and gpu_cheats go through studies that trust nobody, through usual studies and
through `nightshift judge`; then honest kernels of kernels/cuda through studies of three seconds, every other round
of which trusts nobody, and none may be refused. Exit code 1 where a verdict is another one.
"""

import argparse
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEW_INPUTS = r"has not seen the inputs|\w+\[\d+\] is"
FACTOR = "too large in each of 24 draws"
LOST = "of the smallest have lost half"
HONEST = ("reordered", "welford", "one_pass", "rounds_to_bfloat16")
WRONG = {"divides_by_n_minus_1": FACTOR, "scales_variances": FACTOR, "zeroes_variances": LOST,
         "zeroes_small_products": LOST}
REMEMBER = ("remembers_inputs", "remembers_by_one_element", "remembers_two_inputs")
UNTRUSTED = ("--set", 'measure.trust="none"')


class Trial:
    """One run of all: its end, its folder, and what was not as expected."""

    def __init__(self, program, seconds, work):
        self.program, self.end, self.work, self.bad = program, time.monotonic() + seconds, work, 0

    def left(self):
        return self.end - time.monotonic()

    def run(self, *arguments, seconds=60, cwd=None):
        """None: there was no time for it."""
        if self.left() < 3:
            return None
        try:
            return subprocess.run([self.program, *map(str, arguments)], cwd=cwd, text=True, check=False,
                                  timeout=min(seconds, self.left()), capture_output=True)
        except subprocess.TimeoutExpired:
            return None

    def tell(self, good, *columns):
        self.bad += not good
        print("  ".join(map(str, ("ok " if good else "BAD", *columns))), flush=True)

    def rows(self, study):
        told = self.run("export", study, "--format", "csv", seconds=20)
        return [] if told is None else list(csv.DictReader(io.StringIO(told.stdout)))

    def study(self, puzzle, parameter, ways, *options):
        """(its summary, rows), of a study of these ways alone; None: no time."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work)) / puzzle
        shutil.copytree(ROOT / "tests/puzzles" / puzzle, folder)
        file = folder / "problem.toml"
        file.write_text(re.sub(rf"\b{parameter} = \[.*?\]", f"{parameter} = {json.dumps(['none', *ways])}",
                               file.read_text(), flags=re.DOTALL))
        done = self.run("tune", file, "--study", folder / "study", "--budget", "20s", "--json", "--set",
                        "acceptance.self_test_pairs=0", *options, seconds=40)
        if done is None or done.returncode not in (0, 3):
            return None
        return dict(json.loads(done.stdout), claimed=done.returncode == 0), self.rows(folder / "study")


def not_run(trial, what):
    trial.tell(False, what, "not run: no time was left, or it failed")


def untrusted(trial):
    found = trial.study("gpu_answers", "WAY", [*HONEST, *WRONG], *UNTRUSTED)
    if found is None:
        return not_run(trial, "trust none")
    seen = {row["WAY"]: (row["status"], row["reason"]) for row in found[1] if row["job"] == "explore"}
    for way in (*HONEST, *WRONG):
        status, reason = seen.get(way, ("absent", ""))
        good = bool(re.search(WRONG[way], reason)) if way in WRONG else status == "measured"
        trial.tell(good, f"trust none  {way:26}", f"expected {'refused' if way in WRONG else 'measured':8}", status, reason[:110])


def trusted(trial, puzzle, parameter, way, why):
    """why: a pattern of what is refused; None: it is claimed."""
    found = trial.study(puzzle, parameter, [way])
    if found is None:
        return not_run(trial, way)
    summary, rows = found
    best = (summary.get("best") or {}).get("configuration", {}).get(parameter)
    reasons = [row["reason"] for row in rows if row[parameter] == way and row["reason"]]
    claimed = summary["claimed"] and best == way
    good = claimed if why is None else not claimed and any(re.search(why, reason) for reason in reasons)
    trial.tell(good, f"tune        {way:26}", f"expected {'claimed' if why is None else 'refused':8}",
               "claimed" if claimed else "not claimed", (reasons or [""])[-1][:110])


def judged(trial, ways):
    folder = pathlib.Path(tempfile.mkdtemp(dir=trial.work)) / "judged"
    shutil.copytree(ROOT / "tests/puzzles/gpu_answers", folder)
    source = re.search(r'source = "(.*?)"', (folder / "problem.toml").read_text()).group(1)
    candidates = []
    for way in ways:
        (folder / f"{way}.cu").write_text(f"#undef WAY\n#define WAY {way}\n" + (folder / source).read_text())
        candidates += ["--candidate", f"{way}.cu"]
    done = trial.run("judge", "problem.toml", *candidates, "--json", "--confidence", "quick", cwd=folder)
    if done is None:
        return not_run(trial, "judge")
    seen = {one["candidate"]: one for one in map(json.loads, done.stdout.splitlines()) if "candidate" in one}
    for way, expected in ways.items():
        one = seen.get(f"{way}.cu", {})
        trial.tell(one.get("verdict") == expected, f"judge       {way:26}", f"expected {expected:8}", one.get("verdict", "absent"),
                   (one.get("reason") or "")[:110])


def catalogue(trial, most=40):
    folders = sorted(path.parent for path in (ROOT / "kernels/cuda").glob("*/problem.toml"))
    studies = measured = confirmed = 0
    for number in range(most):
        folder, turn = folders[number % len(folders)], number // len(folders)
        study = trial.work / f"{folder.name}-{turn}"
        done = trial.run("tune", folder / "problem.toml", "--study", study, "--budget", "3s", "--seed", turn + 1, "--json", "--set",
                         "acceptance.self_test_pairs=0", *(() if turn % 2 else UNTRUSTED), seconds=15)
        if done is None:
            break
        studies += 1
        for row in trial.rows(study):
            measured += row["status"] == "measured"
            confirmed += row["job"] == "confirm"
            if row["status"] == "wrong_result" or "its time is not" in row["reason"]:
                trial.tell(False, folder.name, row["job"], row["reason"][:150])
    print(f"kernels/cuda: {studies} studies, {measured} evaluations measured, {confirmed} of confirmations")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=190, help="in all")
    parser.add_argument("--nightshift", default="nightshift")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        trial = Trial(options.nightshift, options.seconds, pathlib.Path(work))
        untrusted(trial)
        for way in REMEMBER:
            trusted(trial, "gpu_cheats", "CHEAT", way, NEW_INPUTS)
        for way in ("divides_by_n_minus_1", "zeroes_small_products"):
            trusted(trial, "gpu_answers", "WAY", way, WRONG[way])
        for way in ("one_pass", "rounds_to_bfloat16"):
            trusted(trial, "gpu_answers", "WAY", way, None)
        judged(trial, {"welford": "faster", "divides_by_n_minus_1": "refused", "zeroes_variances": "refused"})
        catalogue(trial)
    return 1 if trial.bad else 0


if __name__ == "__main__":
    sys.exit(main())
