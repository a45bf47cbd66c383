#!/usr/bin/env python3
"""Records exhaustively measured spaces of the CUDA kernels on the GPU of this machine, as T4 files.

    tools/bench/record_spaces.py [--nightshift PROGRAM] [--into FOLDER] [--only NAME,...]
    tools/bench/record_spaces.py --expected FILE.json [--only NAME,...]

Each space is a part of the kernel's own, of a thousand configurations or more, small enough to be
measured whole in minutes. The matrix product's leaves out the bounds on shared memory and registers,
so that there are failures. Every configuration is checked against the reference.

--expected writes what the problem files expect configurations of kernels/recorded/ to cost, for
`bench-search --expected`, and records nothing. What a recording does not name is as in the baseline.
"""

import argparse
import gzip
import json
import pathlib
import re
import subprocess
import tempfile
import typing

from kernel_peers.problem import Cell, Problem

ROOT = pathlib.Path(__file__).resolve().parents[2]

RESIDENCES = {"RESIDENCE": ["registers", "shared", "reread"], "PIECES": [1], "AHEAD": [1]}
# Of kernels that go through rows: narrow ones of those.
ROWS = {"VEC_BYTES": [16], "THREADS_PER_ROW": [32, 64, 128, 256, 512, 1024], "ROWS_PER_BLOCK": [1, 2, 4],
        "ROWS_PER_THREAD": [1], "CLUSTER": [1], "BLOCKS_PER_SM": [0, 2, 4], "STAGES": [1, 2],
        "LOAD_HINT": ["standard", "keep"], "STORE_HINT": ["standard"], "UNROLL": [1, 4], "MIN_BLOCKS": [1, 2]}
RELOADED = {**ROWS, **RESIDENCES, "RELOAD_HINT": ["standard"], "STORED_BY": ["threads"]}


class Space(typing.NamedTuple):
    problem: str
    parameters: dict
    sizes: dict = {}
    left_out: tuple = ()  # constraints that keep a configuration from asking for more than there is


SPACES = {
    "rmsnorm": Space("rmsnorm", {
        "VEC_BYTES": [4, 8, 16], "THREADS_PER_ROW": [32, 64, 128, 256, 512, 1024],
        "ROWS_PER_BLOCK": [1, 2, 4, 8], "ROWS_PER_THREAD": [1], "CLUSTER": [1, 2],
        "BLOCKS_PER_SM": [0, 2], "STAGES": [1, 2], "LOAD_HINT": ["standard", "no_allocate"],
        "RELOAD_HINT": ["standard"], "STORE_HINT": ["standard"], "UNROLL": [1, 4],
        "MIN_BLOCKS": [1, 2], "WEIGHT_LOAD": ["late", "early"], "STORED_BY": ["threads"], **RESIDENCES}),
    "softmax": Space("softmax", {
        "VEC_BYTES": [8, 16], "THREADS_PER_ROW": [32, 64, 128, 256, 512, 1024],
        "ROWS_PER_BLOCK": [1, 2, 4, 8], "ROWS_PER_THREAD": [1], "CLUSTER": [1, 2],
        "BLOCKS_PER_SM": [0, 2], "STAGES": [1, 2], "LOAD_HINT": ["standard"],
        "RELOAD_HINT": ["standard"], "STORE_HINT": ["standard"], "UNROLL": [1, 4],
        "MIN_BLOCKS": [1, 2], "STORED_BY": ["threads"], **RESIDENCES}),
    "transpose": Space("transpose", {
        "THREADS": [64, 128, 256, 512, 1024], "GROUP": [1, 8], "LOAD_HINT": ["standard"]},
        {"M": 8192, "N": 8192}),
    "bf16_gemm": Space(
        "bf16_gemm", {"STAGES": [2, 4], "GROUP_M": [1, 8], "MIN_BLOCKS": [1, 2]},
        {"M": 2048, "N": 2048, "K": 2048}, (
            "STAGES * (BLOCK_M + BLOCK_N) * SLAB_BYTES <= 220 * 1024",
            "STAGES * (BLOCK_M + BLOCK_N) * SLAB_BYTES * MIN_BLOCKS <= 226 * 1024",
            "WARPS * 32 * MIN_BLOCKS * REGISTERS <= 65536")),
    "softmax_2049": Space("softmax", {
        **RELOADED, "LOAD_HINT": ["standard"], "ALGORITHM": ["two_stage", "online"],
        "EXPONENTIALS": ["recomputed"]}, {"M": 16384, "N": 2049}),
    "layernorm_640": Space("layernorm", {
        **RELOADED, "VEC_BYTES": [8, 16], "THREADS_PER_ROW": [16, 32, 64, 128], "UNROLL": [1],
        "LOAD_HINT": ["standard"], "VARIANCE": ["two_pass"], "ROWS_PER_BLOCK": [1, 2, 4, 8], "WEIGHT_LOAD": ["late", "once"]}, {"M": 4096, "N": 640}),
    "cross_entropy": Space("cross_entropy", {
        **{n: v for n, v in ROWS.items() if n != "STORE_HINT"}, "CLUSTER": [1, 2, 4], "LOAD_HINT": ["keep"], "RESIDENCE": RESIDENCES["RESIDENCE"]},
        {"M": 4096, "N": 50257}),
    "swiglu_fp8": Space("swiglu_fp8", {
        **ROWS, "RESIDENCE": RESIDENCES["RESIDENCE"], "THREADS_PER_ROW": [64, 128, 256, 512],
        "LOAD_HINT": ["keep"]},
        {"M": 8192, "N": 4096, "GROUP": 128}),
    "int4_gemv": Space("int4_gemv", {"LOAD_HINT": ["keep"], "STAGES": [0, 2, 4]}),
    "fp8_gemm": Space("fp8_gemm", {
        "BLOCK_M": [128, 256], "BLOCK_N": [96, 128, 160], "SPLIT_K": [1], "BLOCKS_PER_SM": [1],
        "STAGES": [2, 4, 6], "GROUP_M": [1, 8], "SHARED": ["b"], "L2_PROMOTION": [0],
        "BOXES_OUT": [0]}, {"M": 2048, "N": 4096, "K": 2048}),
    "bf16_gemm_wgmma": Space("bf16_gemm_wgmma", {
        "BLOCK_N": [64, 96, 128, 160, 192, 256], "GROUP_M": [8], "STAGES": [2, 4, 6],
        "SPLIT_K": [1, 2], "SHARED": ["b"], "L2_PROMOTION": [0], "BOXES_OUT": [0]},
        {"M": 2048, "N": 2048, "K": 2048}),
}


def problem_file(name):
    return ROOT / "kernels/cuda" / SPACES[name].problem / "problem.toml"


def overrides_of(name):
    space, problem = SPACES[name], Problem(SPACES[name].problem).toml
    kept = [c for c in problem["constraints"] if c not in space.left_out]
    yield "constraints=" + json.dumps(kept)
    for parameter, values in space.parameters.items():
        if parameter not in problem["parameters"]:
            raise SystemExit(f"{space.problem} has no parameter {parameter}")
        yield f"parameters.{parameter}={json.dumps(values)}"
    cell = Cell(Problem(space.problem), space.sizes, problem["cuda"].get("dtype"))
    for parameter, value in cell.baseline().items():
        if value not in (space.parameters.get(parameter) or [value]):
            yield f"baseline.{parameter}={json.dumps(space.parameters[parameter][0])}"
    for size, value in space.sizes.items():
        yield f"cuda.sizes.{size}={value}"


def record(options, name, folder):
    study = pathlib.Path(folder) / name
    command = [options.nightshift, "tune", str(problem_file(name)), "--study", str(study), "--json",
               "--searcher", "exhaustive", "--budget", options.budget]
    # No duels and no claims: this measures, it does not choose. No early stop either.
    for override in (*overrides_of(name), "acceptance.min_improvement=0.95",
                     "acceptance.self_test_pairs=0", "acceptance.hold_out_most=0",
                     "measure.give_up_ratio=0", "measure.samples=12", "measure.most_samples=12",
                     "measure.precision=0", "limits.measure=20"):
        command += ["--set", override]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr[-3000:]}")
    result = json.loads(done.stdout)
    exported = subprocess.run([options.nightshift, "export", str(study), "--format", "t4"],
                              check=True, capture_output=True, text=True).stdout
    into = pathlib.Path(options.into) / f"{name}.json.gz"
    into.write_bytes(gzip.compress(exported.encode(), 9, mtime=0))
    print(f"{name}: {result['evaluations']} configurations, {result['trials']}, "
          f"{result['seconds']:.0f} s, {into.stat().st_size >> 10} KiB", flush=True)


MULTIPROCESSORS = 132  # of an H200


def expected_cost(name):
    """search.expected of the problem, over the parameters of its recording alone; None where there is none."""
    space, problem = SPACES[name], Problem(SPACES[name].problem).toml
    text = problem["search"].get("expected")
    if text is None:
        return None
    recording = json.loads(gzip.decompress(
        (ROOT / f"kernels/recorded/{name}_h200.json.gz").read_bytes()))
    known = recording["results"][0]["configuration"]
    baseline = Cell(Problem(space.problem), space.sizes, problem["cuda"].get("dtype")).baseline()
    texts = {n: f"({t})" for n, t in problem["cuda"].get("derived", {}).items()}
    texts |= {n: str(v) for n, v in {**problem["cuda"]["sizes"], **space.sizes}.items()}
    texts |= {n: repr(v) for n, v in baseline.items() if n not in known}
    texts["SM_COUNT"] = str(MULTIPROCESSORS)
    word = re.compile(r"'[^']*'|\b[A-Za-z_]\w*")  # texts stay as they are
    while (written := word.sub(lambda found: texts.get(found[0], found[0]), text)) != text:
        text = written
    return " ".join(text.split())


def write_expected(file, names):
    costs = {f"{name}_h200": cost for name in names if (cost := expected_cost(name))}
    pathlib.Path(file).write_text(json.dumps(costs, indent=1) + "\n")
    print(f"{file}: {', '.join(costs)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    parser.add_argument("--into", default=".")
    parser.add_argument("--only", default=",".join(SPACES))
    parser.add_argument("--budget", default="20m", help="of one space")
    parser.add_argument("--expected", metavar="FILE.json")
    options = parser.parse_args()
    if options.expected:
        return write_expected(options.expected, options.only.split(","))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            record(options, name, folder)


if __name__ == "__main__":
    main()
