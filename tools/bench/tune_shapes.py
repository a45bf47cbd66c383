#!/usr/bin/env python3
"""Tunes catalogue kernels for the shapes that they are published for, or for others, on all GPUs of
this machine at once.

    tools/bench/tune_shapes.py --into FILE.json [--kernels rmsnorm,softmax]
                               [--shapes WORD ...]
                               [--dtypes float16,float32] [--configurations FILE.json]
                               [--seconds N] [--gpus N]
                               [--only NAME=VALUE,VALUE ...] [--set KEY=VALUE ...]
                               [--alone] [--studies FOLDER] [--nightshift PROGRAM]

Shapes are those that kernel_peers.py has by the same words. A study for each kernel and shape,
without a self-test of the device; each GPU takes the next one that is left, and a study learns from
the one before of the same kernel on that GPU, unless they are --alone. FILE.json is what
`kernel_peers.py --configurations` takes: a list of {problem, sizes, dtype, configuration,
microseconds, improvement, explored}. What a study accepted counts; where that is nothing, the
baseline, and the best that was explored is told in `explored` only: the best of hundreds is also the
luckiest. With --configurations a study's baseline is what such a file has for its shape, or the best
known. With --only a parameter takes these values, and the baseline's, where a kernel has it; --set is
handed on. --studies keeps the studies' folders.
"""

import argparse
import contextlib
import json
import os
import pathlib
import queue
import tempfile
import threading

import gpu_study
from kernel_peers.shapes import (cells_of, given_configurations, named_values,
                                 require_parameters)


def narrowed(cell, baseline, only):
    """Options that leave a study the values of `only`: [(parameter, values)]."""
    words = []
    for name, values in only:
        known = cell.problem.toml["parameters"].get(name)
        if known is None:
            continue
        kept = [v for v in known if str(v) in values or v == baseline[name]]
        words += ["--set", f"parameters.{name}={json.dumps(kept)}"]
    return words


def study_of(options, folder, cell, gpu, learn_from, number):
    study = folder / f"{cell.problem.name}-{number}{'-learning' if learn_from else ''}"
    sizes = [word for name, size in cell.sizes.items()
             for word in ("--set", f"cuda.sizes.{name}={size}")]
    dtype = ["--set", f'cuda.dtype="{cell.dtype}"'] if cell.dtype else []
    builders = max(2, (os.cpu_count() or 2) // options.gpus - 2)
    known = cell.choose(options.given)[0] if options.configurations else cell.baseline()
    baseline = [word for name, value in known.items()
                for word in ("--set", f"baseline.{name}={json.dumps(value)}")]
    settings = [word for setting in options.set for word in ("--set", setting)]
    learning = ["--warm-start", str(learn_from)] if learn_from else []
    result = gpu_study.tune(options.nightshift, study, cell.problem.folder / "problem.toml",
                            "--devices", f"gpu:{gpu}", "--budget", f"{options.seconds}s",
                            "--set", f"schedule.builders={builders}",
                            "--set", "acceptance.self_test_pairs=0", *sizes, *dtype, *baseline,
                            *narrowed(cell, known, options.only), *settings, *learning)
    return study, result, known


def entry_of(cell, study, result, known):
    best, improvement = result["best"], result.get("improvement") or {}
    explored = {"configuration": best["configuration"],
                "microseconds": next(iter(best["objectives"].values()))["value"]}
    entry = {"problem": cell.problem.name, "sizes": cell.sizes, "dtype": cell.dtype}
    if improvement.get("accepted"):
        return {**entry, **explored, "improvement": improvement["ratio"], "explored": None}
    baseline = next(row["value"] for row in gpu_study.trials(study) if row["job"] == "baseline")
    return {**entry, "configuration": known, "microseconds": baseline, "improvement": None,
            "explored": explored}


def work(options, folder, cells, gpu, found, lock):
    earlier = {}
    while True:
        try:
            number, cell = cells.get_nowait()
        except queue.Empty:
            return
        name = cell.problem.name
        try:
            try:
                study, result, known = study_of(options, folder, cell, gpu, earlier.get(name),
                                                number)
            except SystemExit:  # where no earlier configuration is one of this shape
                if name not in earlier:
                    raise
                study, result, known = study_of(options, folder, cell, gpu, None, number)
        except SystemExit as e:
            print(f"{cell}: {str(e)[-600:]}", flush=True)
            continue
        if not options.alone:
            earlier[name] = study
        if not result.get("best"):
            print(f"{cell}: nothing was measured", flush=True)
            continue
        entry = entry_of(cell, study, result, known)
        with lock:
            found.append(entry)
            pathlib.Path(options.into).write_text(json.dumps(found, indent=1) + "\n")
        accepted = f"accepted at {entry['improvement']:.4f} of the baseline's time" \
            if entry["improvement"] else \
            f"the baseline's; {entry['explored']['microseconds']:.2f} us explored, nothing accepted"
        together, median = gpu_study.measuring(gpu_study.trials(study))
        print(f"{cell}: {entry['microseconds']:.2f} us, {accepted}, "
              f"{result['trials']['measured']} measured; evaluations measure {together:.0%} of their time, "
              f"the median one {median:.0%}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--into", required=True, metavar="FILE.json")
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--kernels", default="rmsnorm,layernorm,softmax")
    parser.add_argument("--shapes", nargs="+", default=["all"])
    parser.add_argument("--dtypes", default="", help="of the problem file where not given")
    parser.add_argument("--configurations", metavar="FILE.json")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME=VALUES")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE")
    parser.add_argument("--alone", action="store_true", help="no study learns from another")
    parser.add_argument("--studies", metavar="FOLDER")
    parser.add_argument("--seconds", type=int, default=60, help="of each study")
    parser.add_argument("--gpus", type=int, default=1)
    options = parser.parse_args()
    options.given = given_configurations(options.configurations)
    options.only = named_values(options.only).items()
    wanted = cells_of(options.kernels, options.shapes, options.dtypes)
    require_parameters(dict(options.only), wanted)
    cells = queue.Queue()
    for numbered in enumerate(wanted):
        cells.put(numbered)
    found, lock = [], threading.Lock()
    kept = options.studies and contextlib.nullcontext(options.studies)
    with kept or tempfile.TemporaryDirectory() as folder:
        workers = [threading.Thread(target=work, args=(options, pathlib.Path(folder), cells, gpu,
                                                       found, lock)) for gpu in range(options.gpus)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
