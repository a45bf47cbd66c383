#!/usr/bin/env python3
"""Tuners of kernels written in Python, beside each other on one GPU.

    tools/bench/python_peers.py [--nightshift PROGRAM] [--kernels product,rmsnorm] [--seconds 120]
                                [--tuners served,autotune,helion,ours] [--json FILE]

Each tuner has so many seconds from the start of its command, imports included, one after the other:

    served     nightshift, the Triton kernel measured without Python
    autotune   triton.autotune on the same configurations, drawn at random in lists of 16
    helion     Helion's own tuner, full effort, on the same computation written in Helion
    ours       nightshift on that kernel of Helion

Whatever was the best so far in a tuner's own figures is then measured again, all of them and what
torch has for it in one process: each checked against float64, graphs of launches over rotating sets
of more than three times the L2 cache, rounds in rotated order. All figures printed are of that
race: what a tuner had found when its time was up, and when it had first found something within 1 % of the
best that is known of its kernel. Needs torch and triton, and helion for two of them.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import gpu_study

BENCH = gpu_study.ROOT / "tools/bench"
KERNELS = BENCH / "python_kernels"
sys.path[:0] = [str(KERNELS), str(gpu_study.ROOT / "python")]

TUNERS = ["served", "autotune", "helion", "ours"]
SIZES = {"product": (4096, 4096, 4096), "rmsnorm": (8192, 7168)}
NAMES = {"product": ("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M", "num_warps", "num_stages"),
         "rmsnorm": ("BLOCK", "PROGRAMS", "num_warps", "num_stages")}
LIST = 16  # configurations that triton.autotune gets at once
ERROR = 1e-2  # of the norm, against float64: what is beyond computes something else
SETS = 6


# --- The kernels ---

def tensors(kernel):
    import torch

    def normal(*size):
        return torch.randn(*size, dtype=torch.bfloat16, device="cuda")
    if kernel == "product":
        m, n, k = SIZES[kernel]
        return normal(m, k), normal(k, n)
    rows, columns = SIZES[kernel]
    return normal(rows, columns), normal(columns)


def right_answer(kernel, one, two):
    if kernel == "product":
        return one.double() @ two.double()
    wide = one.double()
    return wide * (wide.pow(2).mean(1, keepdim=True) + 1e-5).rsqrt() * two.double()


def of_torch(kernel):
    import torch
    if kernel == "product":
        return torch.matmul
    return lambda x, weight: torch.nn.functional.rms_norm(x, (x.shape[1],), weight, 1e-5)


def triton_space(kernel):
    """Its configurations as the problem file of the same kernel has them."""
    import itertools
    import rmsnorm
    lists = rmsnorm.SPACE if kernel == "rmsnorm" else dict(
        BLOCK_M=[32, 64, 128, 256], BLOCK_N=[32, 64, 128, 256], BLOCK_K=[32, 64, 128],
        GROUP_M=[1, 4, 8, 16], num_warps=[4, 8], num_stages=[2, 3, 4, 5])
    every = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    return [c for c in every if kernel == "rmsnorm" or c["BLOCK_M"] * c["BLOCK_N"] <= 32768]


def of_triton(kernel, tuned=None):
    """A function of two tensors and a configuration, which is None where `tuned` chooses it."""
    import torch
    import triton
    import matmul_triton
    import rmsnorm

    def product(a, b, config):
        (m, k), n = a.shape, b.shape[1]
        out = torch.empty(m, n, dtype=a.dtype, device=a.device)
        grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)
        (tuned or matmul_triton.matmul_kernel.fn)[grid](
            a, b, out, m, n, k, a.stride(0), b.stride(0), out.stride(0), **(config or {}))
        return out

    def norm(x, weight, config):
        out = torch.empty_like(x)
        more = dict(config, WHOLE=config["BLOCK"] >= x.shape[1]) if config else {}
        grid = lambda meta: (min(meta["PROGRAMS"], x.shape[0]),)
        (tuned or rmsnorm.rmsnorm_kernel)[grid](x, weight, out, *x.shape, **more)
        return out
    return product if kernel == "product" else norm


def of_helion(kernel):
    module = __import__("helion_" + kernel)
    return getattr(module, kernel)


# --- The tuners, each in a process of its own ---

def told(**what):
    print(json.dumps(what), flush=True)


def run_autotune(kernel, began):
    """Says each configuration that was the best so far: {at, us, config}."""
    import triton
    import matmul_triton
    import rmsnorm
    jit = matmul_triton.matmul_kernel.fn if kernel == "product" else rmsnorm.rmsnorm_kernel
    every = triton_space(kernel)
    random.Random(1).shuffle(every)
    one, two = tensors(kernel)
    best, tried = float("inf"), 0
    for first in range(0, len(every), LIST):
        configs = []
        for config in every[first:first + LIST]:
            own = {n: v for n, v in config.items() if not n.startswith("num_")}
            if kernel == "rmsnorm":
                own["WHOLE"] = own["BLOCK"] >= SIZES[kernel][1]
            configs.append(triton.Config(own, num_warps=config["num_warps"],
                                         num_stages=config["num_stages"]))
        tuned = triton.autotune(configs=configs, key=[])(jit)
        of_triton(kernel, tuned)(one, two, None)
        tried += len(configs)
        us = 1e3 * min(t[0] if isinstance(t, (list, tuple)) else t
                       for t in tuned.configs_timings.values())
        words = dict(tuned.best_config.kwargs, num_warps=tuned.best_config.num_warps,
                     num_stages=tuned.best_config.num_stages)
        words.pop("WHOLE", None)
        told(tried=tried, **({"at": time.time() - began, "us": us, "config": words} if us < best else {}))
        best = min(best, us)


def run_helion(kernel, began):
    """Its log has the configurations; what it says here is when that began."""
    one, two = tensors(kernel)
    bound = of_helion(kernel).bind((one, two))
    told(began=time.time() - began)
    bound.autotune((one, two))


def finds_of_lines(text):
    found, tried = [], 0
    for line in text.splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            tried = max(tried, row.get("tried", 0))
            if "config" in row:
                found.append((row["at"], row["us"], row["config"]))
    return found, tried


def improving(rows):
    """Of (at, us, config) those that were the best so far."""
    best, found = float("inf"), []
    for row in sorted(rows, key=lambda r: r[0]):
        if row[1] < best:
            best = row[1]
            found.append(row)
    return found


def limited(command, seconds, folder, **environment):
    """Its standard output; killed with all that it started when its time is up."""
    with (folder / "out").open("w+") as out, (folder / "err").open("w") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder, start_new_session=True,
                                 env=dict(os.environ, **environment))
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        out.seek(0)
        return out.read()


def worker(role, kernel):
    return [sys.executable, str(pathlib.Path(__file__).resolve()), "--role", role, "--kernels", kernel,
            "--began", str(time.time())]


def tuned_by_autotune(options, kernel, folder):
    return finds_of_lines(limited(worker("autotune", kernel), options.seconds, folder))


def tuned_by_helion(options, kernel, folder):
    out = limited(worker("helion", kernel), options.seconds, folder,
                  HELION_AUTOTUNE_LOG=str(folder / "log"), HELION_AUTOTUNE_PROGRESS_BAR="0",
                  HELION_AUTOTUNE_EFFORT="full", HELION_AUTOTUNE_RANDOM_SEED="1",
                  TORCHINDUCTOR_CACHE_DIR=str(folder / "cache"))
    begins = [json.loads(line)["began"] for line in out.splitlines() if line.startswith('{"began')]
    log = folder / "log.csv"
    if not begins or not log.exists():
        raise RuntimeError((folder / "err").read_text()[-2000:])
    rows = [r for r in csv.DictReader(log.open()) if r["timestamp_s"]]
    timed = [(begins[0] + float(r["timestamp_s"]), 1e3 * float(r["perf_ms"]), r["config"])
             for r in rows if r["perf_ms"] and r["status"] == "ok"]
    return improving(timed), len({r["config"] for r in rows})


def tuned_by_nightshift(options, kernel, folder, file):
    study, began = folder / "study", time.time()
    result = gpu_study.tune(options.nightshift, study, file, "--budget", f"{options.seconds}s",
                            "--devices", "gpu:0", "--seed", "1")
    took = time.time() - began
    rows = gpu_study.trials(study)
    offset = took - max(r["finished"] for r in rows)  # until the study's clock begins
    timed = [(offset + r["finished"], r["value"], json.loads(r["configuration"])) for r in rows
             if r["job"] == "explore" and r["status"] == "measured"]
    found = improving(timed)
    best = result.get("best") or {}
    told(kernel=kernel, improvement=result.get("improvement"), took=took)
    if best.get("configuration"):
        found.append((took, 0.0, best["configuration"]))  # what is handed over
    return found, len([r for r in rows if r["job"] == "explore"])


# --- The race ---

def candidate(kernel, tuner, config):
    """A function of two tensors."""
    if tuner in ("served", "autotune"):
        run = of_triton(kernel)
        return lambda one, two: run(one, two, config)
    import helion
    if isinstance(config, str):
        config = eval(config, {"Config": helion.Config, "helion": helion})  # as Helion's log writes it
    else:
        from nightshift.helion_kernels import config_of
        from nightshift.loading import load
        decoded = load(KERNELS / f"helion_{kernel}.py").space.decode(config)
        config = helion.Config(**config_of(decoded))
    bound = of_helion(kernel).bind(tensors(kernel))
    return bound.compile_config(config)


def race(kernel, found, rounds=15):
    """[{tuner, at, us, low, high}] of what computes the right thing; the others have `why`."""
    import torch
    from kernel_peers import timing
    torch.cuda.set_stream(torch.cuda.Stream())
    sets = [tensors(kernel) for _ in range(SETS)]
    right, pool = right_answer(kernel, *sets[0]), torch.cuda.graph_pool_handle()
    rows, timed = [], []
    for tuner, at, config in found + [("torch", 0.0, None)]:
        row = {"tuner": tuner, "at": at, "config": config}
        rows.append(row)
        try:
            run = of_torch(kernel) if tuner == "torch" else candidate(kernel, tuner, config)
            error = ((run(*sets[0]).double() - right).norm() / right.norm()).item()
            if not error <= ERROR:
                raise RuntimeError(f"wrong: {error:.1e} of the norm")
            contestant = timing.Contestant(tuner, lambda which, run=run: run(*sets[which]))
            timed.append(timing.Timed(contestant, SETS, 100, pool))
            row["times"] = contestant.times
        except Exception as e:
            row["why"] = timing.first_line(e)
    timing.race(timed, rounds)
    for row in rows:
        if times := sorted(row.pop("times", [])):
            row.update(us=statistics.median(times), low=times[3], high=times[-4])  # of 15: 96 %
    return rows


def of_kernel(tuner):
    return "helion" if tuner in ("helion", "ours") else "triton"


def shown(kernel, rows, tried):
    known = {}
    for row in rows:
        if "us" in row and row["tuner"] != "torch":
            language = of_kernel(row["tuner"])
            known[language] = min(known.get(language, float("inf")), row["us"])
    for tuner in dict.fromkeys(row["tuner"] for row in rows):
        own = [row for row in rows if row["tuner"] == tuner]
        last = next((r for r in reversed(own) if "us" in r), None)
        if last is None:
            print(f"{kernel:8} {tuner:9} {own[-1]['why']}", flush=True)
            continue
        close = next((r["at"] for r in own if "us" in r and tuner != "torch" and
                      r["us"] <= 1.01 * known[of_kernel(tuner)]), None)
        print(f"{kernel:8} {tuner:9} {tried.get(tuner, 1):5} configurations, found {last['us']:8.2f} us "
              f"[{last['low']:.2f}, {last['high']:.2f}], within 1 % of the best known "
              + (f"after {close:.0f} s" if close is not None else "never"), flush=True)
        for row in own:
            if "why" in row:
                print(f"{kernel:8} {tuner:9} left out: {row['why']}", flush=True)


def compared(options, kernel, folder):
    found, tried = [], {}
    for tuner in options.tuners.split(","):
        place = folder / f"{kernel}-{tuner}"
        place.mkdir()
        file = KERNELS / (f"{kernel}_served.toml" if tuner == "served" else f"helion_{kernel}.py")
        try:
            if tuner in ("served", "ours"):
                finds, tried[tuner] = tuned_by_nightshift(options, kernel, place, file)
            else:
                ways = {"autotune": tuned_by_autotune, "helion": tuned_by_helion}
                finds, tried[tuner] = ways[tuner](options, kernel, place)
        except (Exception, SystemExit) as e:
            print(f"{kernel:8} {tuner:9} failed: {e}", flush=True)
            continue
        print(f"{kernel:8} {tuner:9} {[(round(at, 1), round(us, 2)) for at, us, _ in finds]}", flush=True)
        found += [(tuner, at, config) for at, _, config in finds]
    (folder / "found").write_text(json.dumps(found))
    out = subprocess.run(worker("race", kernel) + ["--found", str(folder / "found")],
                         capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr[-3000:])
    rows = json.loads(out.stdout.splitlines()[-1])
    shown(kernel, rows, tried)
    return {"kernel": kernel, "tried": tried, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--kernels", default="product,rmsnorm")
    parser.add_argument("--tuners", default=",".join(TUNERS))
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--json")
    for own in ("--role", "--began", "--found"):
        parser.add_argument(own, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.append(str(gpu_study.ROOT / "python/examples"))
    if options.role == "race":
        print(json.dumps(race(options.kernels, json.loads(pathlib.Path(options.found).read_text()))))
        return
    if options.role:
        roles = {"autotune": run_autotune, "helion": run_helion}
        roles[options.role](options.kernels, float(options.began))
        return
    with tempfile.TemporaryDirectory() as name:
        results = [compared(options, kernel, pathlib.Path(name)) for kernel in options.kernels.split(",")]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
