#!/usr/bin/env python3
"""Tunes kernels of public repositories as they lie there, each by a short problem file of cuda_corpus/.

    tools/bench/cuda_corpus.py --checkouts DIR [--seconds 10] [--into FILE.json] [--check-only] [NAME...]

DIR has checkouts as OWNER/REPOSITORY; nothing is fetched. Each problem is copied into a folder beside a
link to DIR, tuned for so many seconds on the first GPU, and a line says what came out: configurations
measured and failed, whether an improvement was accepted, how the source was compiled. With
--check-only the problems are read alone, which needs no GPU.
Returns 1 where fewer than all but one were measured.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="problems (all)")
    parser.add_argument("--checkouts", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    parser.add_argument("--into", type=pathlib.Path, help="what came out, as JSON")
    parser.add_argument("--check-only", action="store_true", help="read the problems; needs no GPU")
    return parser.parse_args()


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def way_of(nightshift, study):
    """How the baseline was compiled: the condition `compiler` of a measurement."""
    told = " ".join(run([nightshift, "explain", study, "baseline"]).stdout.split())  # lines are broken
    found = re.search(r"nvcc, since NVRTC|NVRTC, without what", told)
    return {"nvcc, since NVRTC": "nvcc", "NVRTC, without what": "NVRTC, device parts"}.get(
        found.group(0) if found else "", "NVRTC")


def tuned(nightshift, problem, seconds):
    study = str(problem.with_suffix(""))
    began = time.monotonic()
    done = run([nightshift, "tune", str(problem), "--budget", f"{seconds:g}s", "--study", study,
                "--json"], cwd=problem.parent)
    row = {"name": problem.stem, "wall": round(time.monotonic() - began, 1)}
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return row | {"error": (done.stderr or done.stdout).strip()[-600:]}
    improvement = told.get("improvement") or {}
    row |= {"measured": told["trials"]["measured"], "skipped": told["trials"]["skipped"],
            "failed": told["trials"]["failed"], "accepted": improvement.get("accepted", False),
            "ratio": improvement.get("ratio"), "baseline": told.get("baseline"),
            "best": told.get("best"), "status": told["status"],
            "reason": improvement.get("reason", "")}
    if row["measured"] == 0:
        row["error"] = (told.get("reason") or done.stderr).strip()[-600:]
    row["way"] = way_of(nightshift, study)
    return row


def line_of(row):
    if "error" in row and not row.get("measured"):
        return f"{row['name']:24} NOT MEASURED  {row['error'][:300]}"
    gain = f"{100 * (1 - row['ratio']):6.1f} % better" if row.get("ratio") else "no figure"
    failed = ", ".join(f"{count} {kind}" for kind, count in row["failed"].items() if count)
    return (f"{row['name']:24} {row['measured']:4} measured  {failed or '0 failed':30} "
            f"{gain}{' (accepted)' if row['accepted'] else ''}  by {row['way']}, {row['wall']} s")


def main():
    asked = arguments()
    if "/" in asked.nightshift:
        asked.nightshift = str(pathlib.Path(asked.nightshift).resolve())
    problems = sorted((HERE / "cuda_corpus").glob("*.toml"))
    if asked.names:
        problems = [one for one in problems if one.stem in asked.names]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "checkouts").symlink_to(asked.checkouts.resolve())
        for problem in problems:
            copy = work / problem.name
            copy.write_text(problem.read_text())
            if asked.check_only:
                done = run([asked.nightshift, "check", str(copy)], cwd=work)
                good = done.returncode == 0
                rows.append({"name": problem.stem, "measured": int(good), "error": done.stdout})
                print(f"{problem.stem:24} {'reads' if good else done.stdout.strip()[:400]}", flush=True)
                continue
            rows.append(tuned(asked.nightshift, copy, asked.seconds))
            print(line_of(rows[-1]), flush=True)
    measured = sum(1 for row in rows if row.get("measured"))
    print(f"{measured} of {len(rows)}" + (" read" if asked.check_only else " measured"))
    if asked.into:
        asked.into.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if measured >= len(rows) - 1 else 1


if __name__ == "__main__":
    sys.exit(main())
