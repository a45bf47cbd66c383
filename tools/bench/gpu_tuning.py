#!/usr/bin/env python3
"""How fast GPUs are tuned: configurations a minute and the share of the time in which the devices
work, for Nightshift on one and more GPUs and for a loop that compiles and measures one at a time.

    tools/bench/gpu_tuning.py [--nightshift PROGRAM] [--problem FILE] [--seconds N] [--gpus 1,2]

Figures are of the whole study, from the first baseline on; "busy" is time in which a device was
given to a trial, checks included, over wall time; "measuring" leaves the checks out. "exploring" is
the share of that time that was given to configurations not measured before; the rest are baselines
and confirmations, most of them at the beginning and at the end. "measured" is the
share of their time in which evaluations of such configurations measure, the rest being checks and the
filling of inputs, and "of the median" that of the median one. Each study starts with an empty build cache.
"""

import argparse
import pathlib
import tempfile

import gpu_study


def figures(rows):
    begin = min(r["finished"] for r in rows if r["job"] == "baseline")
    later = [r for r in rows if r["finished"] > begin]
    exploring = [r for r in later if r["job"] == "explore"]
    if not exploring:
        raise SystemExit("nothing was explored: give it more time (--seconds)")
    last = max(r["finished"] for r in exploring)
    given = sum(r["finished"] - r["started"] for r in exploring if r["started"])
    span = (max(r["finished"] for r in rows) - begin) * len({r["device"] for r in rows})
    return {"per_minute": 60 * len(exploring) / (last - begin),
            "busy": sum(r["finished"] - r["started"] for r in later if r["started"]) / span,
            "measuring": sum(r["measure_seconds"] or 0 for r in later) / span,
            "exploring": given / span,
            "measured": gpu_study.measuring(exploring),
            "trials": len(exploring)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--problem", default=str(gpu_study.ROOT / "kernels/cuda/rmsnorm/problem.toml"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--gpus", default="1", help="how many, for instance 1,2,4")
    options = parser.parse_args()
    print(f"{'':44} {'conf/min':>8} {'busy':>7} {'measuring':>9} "
          f"{'exploring':>9} {'measured':>9} {'of the median':>13} {'trials':>7}  improvement")

    def show(name, folder, devices, *more):
        study = pathlib.Path(folder) / name.split(",")[0].replace(" ", "-")
        result = gpu_study.tune(options.nightshift, study, options.problem, "--budget",
                                f"{options.seconds}s", "--searcher", "random", "--set",
                                'search.starts_file=""', "--devices", devices, *more)
        f = figures(gpu_study.trials(study))
        ratio = (result.get("improvement") or {}).get("ratio")
        print(f"{name:44} {f['per_minute']:8.0f} {f['busy']:7.1%} {f['measuring']:9.1%} "
              f"{f['exploring']:9.1%} {f['measured'][0]:9.1%} {f['measured'][1]:13.1%} {f['trials']:7}  {ratio}",
              flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for count in [int(n) for n in options.gpus.split(",")]:
            show(f"{count} GPU{'s' * (count > 1)}", folder,
                 ",".join(f"gpu:{i}" for i in range(count)))
        show("one at a time, 1 builder, 1 outstanding", folder, "gpu:0", "--outstanding", "1",
             "--set", "schedule.builders=1")


if __name__ == "__main__":
    main()
