#!/usr/bin/env python3
"""Helion's example kernels at 33 shapes: what a short study finds beside what Helion's own tuner does.

    tools/bench/helion_shapes.py tune  --checkouts DIR [--only NAMES] [--json FILE] [--seconds 20]
                                       [--effort quick] [--gpus 1] [--within SECONDS]
                                       [--also KEY=VALUE] [--nightshift PROGRAM] [--keep DIR]
    tools/bench/helion_shapes.py table FILES

helion_shapes/ has a file for each of eleven kernels, with three shapes; a NAME is matmul_first, or first.
DIR has helion-1.0.0, a checkout of that version, of which the examples are read; nothing is fetched.

tune: one batch of all studies, --seconds for each, over the spaces that Helion itself searches, with
    Helion's default config as the baseline and nothing from before. Then, on the GPU of the study, in a
    process of its own with that GPU's share of the cores: Helion's tuner with --effort, without its
    cache; and both winners in turns, by triton.testing.do_bench over cold inputs
    (python_corpus/turns.py). What FILE has already is not done again, and what does not fit into --within is left out. --also: a second batch of the
    same studies with this setting, such as search.options.near_baseline=0, whose winners are timed
    with the others. Nobody finds what another one has compiled.
table: what FILES of tune have found, as a table.
"""

import argparse
import fcntl
import json
import math
import os
import pathlib
import statistics
import sys
import time

import gpu_study
import python_corpus

SHAPES = gpu_study.ROOT / "tools/bench/helion_shapes"
ORDER = ("first", "second", "third")
IMPORTING, TUNING = 15, 32  # seconds that --within leaves to Helion's tuner, once and for each on a GPU


# --- In a process of one shape ---

def run_helion(file, shape, ours, lock, cores):
    os.sched_setaffinity(0, cores)
    import torch
    from nightshift.loading import load, stand_in
    stand_in(file)
    problem = load(file, shape)
    import turns
    from helion.autotuner import metrics
    told = []
    metrics.register_post_autotune_hook(told.append)
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        torch.cuda.init()
        row = tuned_by_helion(problem)
        row["configurations"] = told[-1].num_configs_tested if told else None
        row["searched_by"] = told[-1].search_algorithm if told else None
        case = problem.pick(None)[0]
        configs = {name: problem.space.decode(labels) for name, labels in ours.items()}
        bench = turns.bench_for(problem)
        timed = {name: turns.placed(bench, lambda config=config: problem.run(case, config))
                 for name, config in {**configs, "helion": row["config"]}.items()}
        times = turns.times_of(timed)
    row.update({name: statistics.median(values) for name, values in times.items()})
    for name, over in (("ratio", "helion"), ("ratio_also", "also")):
        if over in times:
            row[name] = statistics.median(map(float.__truediv__, times["ours"], times[over]))
    return row


def tuned_by_helion(problem):
    """Seconds are those of the call that tunes, in a process that has imported everything."""
    from nightshift import factories
    from nightshift.benches import bench_for
    from nightshift.triton_import import use_real_driver
    use_real_driver()
    with factories.use(bench_for(problem).workshop(1, moved=True)):
        arguments = tuple(problem.arguments())
        begin = time.time()
        config = problem.kernel.bind(arguments).autotune(arguments)
        return {"seconds": time.time() - begin, "config": dict(config.config)}


# --- Of all shapes ---

def wanted(options, rows):
    names = set(filter(None, options.only.split(",")))
    every = [(file, shape) for shape in ORDER for file in sorted(SHAPES.glob("*_shapes.py"))]
    return [one for one in every if name_of(*one) not in rows
            and (not names or names & {name_of(*one), one[1]})]


def name_of(file, shape):
    return f"{file.stem.removesuffix('_shapes')}_{shape}"


def batch_lines(options, shapes, *settings):
    lines = ["[defaults]", "warm_start = false", "devices_most = 1", f'budget = "{options.seconds}s"',
             "set = { acceptance.devices = 1 }"]
    for file, shape in shapes:
        keys = [f'python.problem = "{shape}"', "acceptance.devices = 1",
                *(setting.replace("=", " = ", 1) for setting in settings)]
        lines += ["[[study]]", f'problem = "{file}"', f'name = "{name_of(file, shape)}"',
                  f"set = {{ {', '.join(keys)} }}"]
    return lines


def studies(options, shapes, arm, later, *settings):
    """{name: row} of one batch of the shapes, in a folder of its own. later: seconds to be left for what
    comes after it."""
    its = type(options)(**{**vars(options), "folder": os.path.join(options.folder, arm)})
    os.makedirs(its.folder, exist_ok=True)
    os.environ["TRITON_CACHE_DIR"] = os.path.abspath(os.path.join(its.folder, "triton"))
    begin = time.time()
    rows = python_corpus.batch_run(its, batch_lines(options, shapes, *settings),
                                   [name_of(*one) for one in shapes], later)
    print(f"studies: {time.time() - begin:.0f} s", flush=True)
    return rows


def tune(options):
    rows = python_corpus.done_already(options)
    os.makedirs(options.folder, exist_ok=True)
    shapes = wanted(options, rows)
    shapes = shapes[:as_many_as_fit(options)]
    if shapes:
        later = IMPORTING + TUNING * len(shapes) / options.gpus
        second = IMPORTING + options.seconds * len(shapes) / options.gpus if options.also else 0
        rows.update(studies(options, shapes, "ours", later + second))
        if options.also:
            for name, also in studies(options, shapes, "also", later, options.also).items():
                rows[name]["also"] = also
        python_corpus.keep(options, rows)
    here = python_corpus.own_gpus()
    cores = sorted(os.sched_getaffinity(0))
    share = len(cores) // options.gpus

    def beside(one, lane):
        file, shape = one
        row = rows[name_of(*one)]
        gpu = here.index(row["gpu"]) if row["gpu"] in here else lane % options.gpus
        mine = cores[gpu * share:(gpu + 1) * share]
        if python_corpus.left(options) > 0:
            row["helion"] = python_corpus.asked(
                options, "run-helion", file, "--shape", shape, "--configurations",
                json.dumps(winners(row)), "--lock", f"{options.folder}/{gpu}.lock",
                "--cores", ",".join(map(str, mine)), gpu=gpu,
                program=__file__, HELION_AUTOTUNE_EFFORT=options.effort, HELION_SKIP_CACHE="1",
                HELION_AUTOTUNE_PROGRESS_BAR="0", HELION_AUTOTUNE_PRECOMPILE_JOBS=str(len(mine)),
                TRITON_CACHE_DIR=os.path.abspath(f"{options.folder}/helion/{name_of(*one)}"))
        return row

    python_corpus.over_all(options, [one for one in wanted(options, {}) if is_to_compare(
        rows.get(name_of(*one), {}))], rows, 3 * options.gpus, beside, shown, lambda one: name_of(*one))
    print(totals(rows))


def as_many_as_fit(options):
    """Shapes whose studies and Helion's tuner have room in --within; at least one."""
    left = python_corpus.left(options)
    if math.isinf(left):
        return None
    arms = 2 if options.also else 1
    each = (TUNING + (options.seconds + 2) * arms) / options.gpus
    return max(1, int((left - (1 + arms) * IMPORTING) / each))


def winners(row):
    """{name: labels} of what is timed beside Helion's."""
    studied = {"ours": row, "also": row.get("also", {})}
    return {name: one["best"] or one["baseline"] for name, one in studied.items() if "baseline" in one}


def is_to_compare(row):
    return "error" not in row and "ratio" not in (row.get("helion") or {}) and "baseline" in row


def shown(row):
    if "error" in row:
        return f"failed: {row['error']}"
    other = row.get("helion") or {}
    if "ratio" not in other:
        return f"{row['configurations']} configurations in {row['seconds']:.0f} s; not compared: {other}"[:300]
    also = (f"; the second {other['also']:8.2f} us, {row['also']['configurations']} configurations, ours "
            f"over it {other['ratio_also']:.3f}" if "ratio_also" in other else "")
    return (f"ours {other['ours']:8.2f} us after {row['seconds']:4.1f} s, {row['configurations']} "
            f"configurations; Helion {other['helion']:8.2f} us after {other['seconds']:5.1f} s, "
            f"{other['configurations']}; ours over Helion's {other['ratio']:.3f}{also}")


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def totals(rows):
    both = [r for r in rows.values() if "ratio" in (r.get("helion") or {})]
    if not both:
        return "nothing compared"
    also = [r["helion"]["ratio_also"] for r in both if "ratio_also" in r["helion"]]
    return (f"{len(both)} of {len(rows)} compared; ours over Helion's, geometric mean: "
            f"{geometric([r['helion']['ratio'] for r in both]):.3f}; seconds, geometric mean: ours "
            f"{geometric([r['seconds'] for r in both]):.1f}, Helion's "
            f"{geometric([r['helion']['seconds'] for r in both]):.1f}; configurations, median: "
            f"{statistics.median(r['configurations'] for r in both):.0f}, "
            f"{statistics.median(r['helion']['configurations'] for r in both):.0f}; ours slower by more "
            f"than 2 %: {sum(r['helion']['ratio'] > 1.02 for r in both)}, faster: "
            f"{sum(r['helion']['ratio'] < 0.98 for r in both)}"
            + (f"; ours over the second of {len(also)}, geometric mean: {geometric(also):.3f}" if also else ""))


def table(files):
    rows = {}
    for file in files:
        rows.update(json.loads(pathlib.Path(file).read_text()))
    print("| kernel, shape | default config | ours | after, configurations | Helion's | after, "
          "configurations | ours over Helion's |\n|---|---|---|---|---|---|---|")
    for name, row in sorted(rows.items()):
        other = row.get("helion") or {}
        if "ratio" not in other:
            why = row.get("error") or other.get("error") or "not compared"
            print(f"| `{name}` | {' '.join(why.split())[:90]} | | | | | |")
            continue
        over = f"; {other['ratio_also']:.3f} over the second" if "ratio_also" in other else ""
        print(f"| `{name}` | {row['baseline_us']:.1f} us | {other['ours']:.2f} us | {row['seconds']:.0f} s, "
              f"{row['configurations']} | {other['helion']:.2f} us | {other['seconds']:.0f} s, "
              f"{other['configurations']} | {other['ratio']:.3f}{over} |")
    print("\n" + totals(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tune", "table", "run-helion"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--checkouts", default=".")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--within", type=float, default=math.inf)
    parser.add_argument("--also", default="")
    parser.add_argument("--keep", dest="folder", default="helion_shapes_runs",
                        help="a folder for the batch, which is kept")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    for own in ("--file", "--shape", "--configurations", "--lock", "--cores"):
        parser.add_argument(own, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.end = time.monotonic() + options.within
    if options.what == "run-helion":
        row = run_helion(options.file, options.shape, json.loads(options.configurations), options.lock,
                         set(map(int, options.cores.split(","))))
        print(json.dumps(row, default=str), flush=True)
        os._exit(0)
    elif options.what == "table":
        table(options.files)
    else:
        tune(options)


if __name__ == "__main__":
    main()
