#!/usr/bin/env python3
"""Public kernels in Python, unedited: how each is read, built ahead and tuned, and what it gains.

    tools/bench/python_corpus.py build --checkouts DIR [--only NAMES] [--json FILE]
    tools/bench/python_corpus.py table FILES
    tools/bench/python_corpus.py tune  --checkouts DIR [--only NAMES] [--json FILE] [--seconds 60]
                                       [--time ALL] [--gpus 1] [--within SECONDS]
                                       [--nightshift PROGRAM] [--keep DIR]

python_corpus/ has a problem file of ten lines for each; its first line names repository and file. DIR
has a folder for each repository, a checkout or an unpacked wheel (python_corpus/README.md); nothing is
fetched. What FILE has already is not done again, so that a run can be cut off:
studies that it has without a comparison are compared, on their GPU where this machine has it.

build: needs no GPU. Reads each file and builds its baseline and two more configurations for an H100:
    what is built ahead, or why not.
tune: one batch of all, --seconds for each study, or what --time leaves to each of all GPUs. Then, in
    one process on the study's GPU: the kernel as its repository has it, tuned by triton.autotune over
    its own configs where it has some, beside our baseline and our best, in turns
    (python_corpus/turns.py). It says how far the claim is from that, and how much our best is ahead.
    --within: all of it ends in that time; the studies are interrupted when the comparisons of those
    that ended need what is left.
table: what FILES of tune, and of build, have found, as a table; of a file in several the last counts.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import fcntl
import json
import math
import os
import pathlib
import queue
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import gpu_study

CORPUS = gpu_study.ROOT / "tools/bench/python_corpus"
PYTHON = os.environ.get("NIGHTSHIFT_PYTHON", "python3")
TARGET = {"architecture": 90, "multiprocessors": 132}
CONFIGURATIONS = 3
LONGEST = 240  # seconds for one file's process
LANES = 5  # processes of comparisons for each GPU, of which one is on it
IMPORTING, COMPARING = 25, 8  # seconds that --within leaves to comparisons, once and for each on a GPU
STOPPING = 20  # seconds that an interrupted batch has for its end


# --- In a process of one file ---

def read(file):
    from nightshift.loading import load, stand_in
    stand_in(file)
    return load(file)


def run_build(file, allocates):
    from nightshift import gpu_facts, pretended_gpu
    gpu_facts._WITHOUT_GPU["count"] = 1  # the H100 that this builds for
    begin = time.time()
    with pretended_gpu.importing(gpu_facts.Facts(TARGET)) if allocates else contextlib.nullcontext():
        problem = read(file)
    way = "allocates on the GPU" if allocates else "asks for properties at most"
    row = {"read": time.time() - begin, "import": way, "builds": []}
    dice = random.Random(1)
    for number in range(CONFIGURATIONS):
        labels = {name: dice.choice(p.labels) for name, p in problem.space.parameters.items()}
        row["builds"].append(built(problem, labels if number else {}))
    return row


def built(problem, labels):
    from nightshift.failures import failure_of
    from nightshift.triton_build import Builder
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        try:
            answer = Builder(problem, problem.pick(None)).build(
                {"configuration": labels, "target": TARGET, "artifact": folder}, lambda phase: None)
            made = json.loads(pathlib.Path(folder, "launches.json").read_text()).get("launches", [])
        except Exception as error:
            failure = failure_of(error, problem.file, True)
            return {"failure": failure.kind, "words": failure.words}
    kernels = [one["kernel"] for one in made if isinstance(one, dict) and "kernel" in one]
    return {"kernels": kernels, "not_ahead": answer.get("not_ahead"), "seconds": time.time() - begin}


def run_compare(file, configurations, lock):
    import torch
    problem = read(file)
    import turns
    torch.cuda.init()
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        return turns.compared(problem, *configurations)


# --- Of all files ---

def environment(options, gpu=None):
    ours = [str(gpu_study.ROOT / "python"), str(CORPUS), str(pathlib.Path(__file__).parent),
            *filter(None, [os.environ.get("PYTHONPATH")])]
    made = dict(os.environ, NIGHTSHIFT_CHECKOUTS=os.path.abspath(options.checkouts),
                PYTHONPATH=os.pathsep.join(ours), PYTHONDONTWRITEBYTECODE="1", NIGHTSHIFT_HISTORY="off")
    if gpu is not None:
        made["CUDA_VISIBLE_DEVICES"] = str(gpu)
    return made


def asked(options, role, file, *more, gpu=None, program=__file__, **variables):
    """What a process of one file says: the last line of its output. variables: of its environment."""
    command = [PYTHON, program, role, "--checkouts", options.checkouts, "--file", str(file), *more]
    longest = min(LONGEST, left(options))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(longest, 0.1),
                              env=dict(environment(options, gpu), **variables))
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {longest:.0f} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return {"error": said_last(done.stderr)}
    return json.loads(lines[-1])


def left(options):
    """Seconds that --within leaves."""
    return options.end - time.monotonic()


def said_last(text):
    lines = [line for line in text.strip().splitlines() if not line.startswith("nightshift: what")]
    return (lines or ["nothing said"])[-1][:400]


def built_row(options, file):
    row = asked(options, "run-build", file)
    if any(word in row.get("error", "") for word in ("NVIDIA", "CUDA")):
        row = asked(options, "run-build", file, "--allocates")
    builds = row.get("builds", [])
    row["ahead"] = bool(builds) and bool(builds[0].get("kernels")) and not any(
        one.get("not_ahead") for one in builds)
    return row


def batch_of(options, files):
    """Runs one batch of all files over all GPUs. Returns {name: row without comparison}."""
    # On one GPU alone: others that are lent for duels and hold-outs cost a process each, and what they
    # measure waits.
    lines = ["[defaults]", "warm_start = false", "devices_most = 1",
             "set = { acceptance.devices = 1 }"]
    lines += [] if options.time else [f'budget = "{options.seconds}s"']
    for file in files:
        lines += ["[[study]]", f'problem = "{file}"', f'name = "{file.stem}"']
    return batch_run(options, lines, [file.stem for file in files],
                     IMPORTING + COMPARING * len(files) / options.gpus)


def batch_run(options, lines, names, reserve):
    """Runs the batch of these lines, which is to leave `reserve` seconds of --within. Returns {name: row
    without comparison}."""
    folder = pathlib.Path(options.folder)
    (folder / "corpus.toml").write_text("\n".join(lines) + "\n")
    command = [options.nightshift, "batch", "run", str(folder / "corpus.toml"), "--batch",
               str(folder / "batch"), "--grace", "10s", "--devices",
               ",".join(f"gpu:{n}" for n in range(options.gpus))]
    if getattr(options, "time", 0):
        command += ["--time", f"{options.time}s"]
    with open(folder / "batch.log", "w") as log:
        batch = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL,
                                 env=dict(environment(options), NIGHTSHIFT_BUILD_CACHE="off"))
        await_end(batch, left(options) - reserve)
    print((folder / "batch.log").read_text()[-2500:], flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        told = several.map(lambda name: studied(options, folder / "batch" / name), names)
        return dict(zip(names, told))


def await_end(batch, seconds):
    """Interrupts a batch that has not ended after so long."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        batch.wait(None if math.isinf(seconds) else max(seconds, 0))
        return
    batch.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        batch.wait(STOPPING)
        return
    batch.kill()
    batch.wait()


def studied(options, study):
    if not list(study.glob("*.sqlite*")):
        return {"error": "it was not begun"}
    status, reason = last_run(study)
    if status != "completed":
        return {"error": f"{status}: {reason}"[:400]}
    # A completed study is only told again.
    told = subprocess.run([options.nightshift, "resume", str(study), "--json"], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=LONGEST,
                          env=dict(environment(options), NIGHTSHIFT_BUILD_CACHE="off"))
    if told.returncode not in (0, 3):
        return {"error": said_last(told.stderr)}
    return study_row(json.loads(told.stdout), gpu_study.trials(study))


def last_run(study):
    """(status, reason) of a study's last run."""
    journal = next(study.glob("*.sqlite*"))
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as database:
        row = database.execute("SELECT status, reason FROM runs ORDER BY run DESC LIMIT 1").fetchone()
    return row or ("cut off", "it had not begun")


def study_row(result, rows):
    measured = [r for r in rows if r["status"] == "measured"]
    explored = [r for r in rows if r["job"] == "explore"]
    begun = min((r["started"] for r in rows if r["started"]), default=0)
    devices = [r["device"].rpartition("/")[2] for r in rows if r["device"]]
    return {"gpu": collections.Counter(devices).most_common(1)[0][0] if devices else None,
            "seconds": result["seconds"],
            "first_figure": min((r["finished"] - begun for r in measured), default=None),
            "configurations": len(explored),
            "a_minute": 60 * len(explored) / max(result["seconds"], 1e-9),
            "failures": result["trials"].get("failed", {}), "improvement": result.get("improvement"),
            "status": result["status_reason"], "baseline": result["baseline"]["configuration"],
            "best": (result.get("best") or {}).get("configuration"),
            "baseline_us": result["baseline"].get("objectives", {}).get("time", {}).get("value")}


def done_already(options):
    try:
        return json.loads(pathlib.Path(options.json).read_text()) if options.json else {}
    except FileNotFoundError:
        return {}


def wanted(options, rows):
    names = set(filter(None, options.only.split(",")))
    return [file for file in sorted(CORPUS.glob("*_*.py"))
            if (not names or file.stem in names) and file.stem not in rows]


def keep(options, rows):
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


def over_all(options, files, rows, lanes, work, shown, name_of=lambda file: file.stem):
    """Does work(file, lane) for each file, several beside each other, and keeps and shows its row."""
    waiting, lock = queue.SimpleQueue(), threading.Lock()
    for file in files:
        waiting.put(file)

    def serve(lane):
        while True:
            try:
                file = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                row = work(file, lane)
            except Exception as error:
                row = {"error": f"{type(error).__name__}: {error}"[:400]}
            with lock:
                rows[name_of(file)] = row
                print(f"{name_of(file):28} {shown(row)}", flush=True)
                keep(options, rows)

    threads = [threading.Thread(target=serve, args=(lane,)) for lane in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def build_all(options, rows):
    lanes = max(1, (os.cpu_count() or 1) // 2)
    over_all(options, wanted(options, rows), rows, lanes, lambda file, _: built_row(options, file),
             shown_build)
    print(f"read {sum('error' not in r for r in rows.values())} of {len(rows)}, built ahead "
          f"{sum(bool(r.get('ahead')) for r in rows.values())}")


def tune_all(options, rows):
    """Studies first, then comparisons, each on the GPU of its study, one at a time."""
    kept = contextlib.nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory()
    with kept as options.folder:
        os.makedirs(options.folder, exist_ok=True)
        if files := wanted(options, rows):
            rows.update(batch_of(options, files))
            keep(options, rows)
        here = own_gpus()

        def compared(file, lane):
            row = rows[file.stem]
            gpu = row["gpu"] if row["gpu"] in here else str(lane % options.gpus)
            if left(options) > 0:
                row["side_by_side"] = asked(
                    options, "run-compare", file, "--configurations",
                    json.dumps([row["baseline"], row["best"]]), "--lock",
                    f"{options.folder}/{gpu}.lock", gpu=gpu)
            return row

        files = [file for file in wanted(options, {}) if is_to_compare(rows.get(file.stem, {}))]
        over_all(options, files, rows, LANES * options.gpus, compared, shown_tune)
    print(shown_totals(rows))


def is_to_compare(row):
    return bool(row.get("best")) and "side_by_side" not in row


def own_gpus():
    """Their UUIDs, in the order in which programs count them: those of CUDA_VISIBLE_DEVICES, if there is one."""
    told = subprocess.run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"], capture_output=True,
                          text=True, check=False).stdout.split()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    if not all(one.strip().isdigit() and int(one) < len(told) for one in visible):
        return told
    return [told[int(one)] for one in visible]


# Of the reasons that a study gives: it has measured all that it takes to say yes or no.
_NOTHING_FASTER = "no trial beat the baseline"
_VERDICTS = ("confirmed on new data", "the hold-out did not confirm", "no candidate was confirmed",
             _NOTHING_FASTER)


_CUT_OFF = ("the time budget was used up", "the budget of time was used up", "was lost",
            "too few to claim by", "too little time is left")


def has_verdict(improvement):
    why = improvement["reason"] or ""
    return improvement["accepted"] or why.startswith(_VERDICTS) and not any(one in why for one in _CUT_OFF)


def shown_build(row):
    if "error" in row:
        return f"not read: {row['error']}"
    first = row["builds"][0]
    why = next((one["not_ahead"] for one in row["builds"] if one.get("not_ahead")), None)
    return (f"read {row['read']:4.1f} s; " + (
        f"built ahead: {', '.join(dict.fromkeys(first['kernels']))}" if row["ahead"] else
        f"not built ahead: {why or first.get('words') or 'it launches nothing'}"))


def less_than(row, name):
    """How much less time what we would take needs than another, as a share; None where one is not
    known. Where nothing was faster it is the baseline."""
    side = row.get("side_by_side") or {}
    if f"less_than_{name}" in side and row["improvement"]["reason"] == _NOTHING_FASTER:
        return 1 - side["baseline"] / side[name]
    return side.get(f"less_than_{name}")


def claimed(row):
    """The share of the time that the study claims; None where it claims nothing."""
    claim = row.get("improvement") or {}
    return 1 - claim["ratio"] if claim.get("accepted") else None


def percent(share):
    return "-" if share is None else f"{100 * share:+.1f} %"


def shown_tune(row):
    if "error" in row:
        return f"failed: {row['error']}"
    first, side = row["first_figure"], row.get("side_by_side") or {}
    why = row["improvement"]["reason"]
    return (f"first figure {'-' if first is None else f'{first:4.1f} s'}, {row['configurations']:4} "
            f"configurations ({row['a_minute']:5.0f} a minute) in {row['seconds']:.0f} s, "
            f"{'claims ' + percent(claimed(row)) if claimed(row) is not None else 'no claim: ' + why}; "
            f"do_bench: {percent(less_than(row, 'baseline'))} "
            f"of the baseline, {percent(less_than(row, 'own'))} of its own choice"
            + "".join(f"; {side[one]}" for one in ("error", "own_error") if one in side)
            + (f"; {row['failures']}" if row["failures"] else ""))


def shown_totals(rows):
    good = [r for r in rows.values() if r.get("first_figure") is not None]
    behind = [name for name, r in rows.items() if (less_than(r, "own") or 0) < -0.01]
    pairs = [(claimed(r), less_than(r, "baseline")) for r in good]
    pairs = [(claim, found) for claim, found in pairs if None not in (claim, found)]
    far = sum(abs(claim - found) > 0.02 for claim, found in pairs)
    return (f"measured {len(good)} of {len(rows)}, a verdict of {sum(has_verdict(r['improvement']) for r in good)}, "
            f"claims of {sum(claimed(r) is not None for r in good)}; "
            f"of {sum(less_than(r, 'own') is not None for r in good)} compared "
            f"{len(behind)} more than 1 % behind their own choice ({', '.join(behind) or 'none'}); "
            f"{far} of {len(pairs)} claims further than 2 points from do_bench")


def table(files):
    """Prints rows of several runs in Markdown."""
    rows = {}
    for file in files:
        for name, row in json.loads(pathlib.Path(file).read_text()).items():
            before = {} if "first_figure" in row else rows.get(name, {})
            rows[name] = {"ahead": rows.get(name, {}).get("ahead"), **before, **row}
    rows = {name: row for name, row in rows.items() if "error" in row or "first_figure" in row}
    print("| file | built ahead | first figure | configurations, a minute | claim | by do_bench | "
          "over its own choice | failures |\n|---|---|---|---|---|---|---|---|")
    for name, row in sorted(rows.items()):
        print(f"| `{name}` | {'yes' if row.get('ahead') else 'no'} | " + (
            f"{' '.join(row['error'].split())[:90]} | | | | | |" if "error" in row else
            f"{row['first_figure'] or 0:.1f} s | {row['configurations']}, {row['a_minute']:.0f} | "
            f"{percent(claimed(row)) if has_verdict(row['improvement']) else 'no verdict'} | "
            f"{percent(less_than(row, 'baseline'))} | {percent(less_than(row, 'own'))} | "
            f"{', '.join(f'{n} {kind}' for kind, n in row['failures'].items())} |"))
    print("\n" + shown_totals(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "tune", "table", "run-build", "run-compare"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--checkouts", default=".")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--time", type=int, default=0)
    parser.add_argument("--within", type=float, default=math.inf)
    parser.add_argument("--keep", help="a folder for the batch, which is kept")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    for own in ("--file", "--configurations", "--lock"):
        parser.add_argument(own, help=argparse.SUPPRESS)
    parser.add_argument("--allocates", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.end = time.monotonic() + options.within
    if options.what == "run-build":
        print(json.dumps(run_build(options.file, options.allocates)), flush=True)
        os._exit(0)  # handles of libraries that were made without a GPU may abort when they are let go
    elif options.what == "run-compare":
        print(json.dumps(run_compare(options.file, json.loads(options.configurations), options.lock)))
    elif options.what == "table":
        table(options.files)
    else:
        {"build": build_all, "tune": tune_all}[options.what](options, done_already(options))


if __name__ == "__main__":
    main()
