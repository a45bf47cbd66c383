#!/usr/bin/env python3
"""Whether vLLM's own lookup finds what is exported for it, and takes the row that `--check` names.

    tools/bench/moe_audit/loaded.py --wheel FOLDER [--seed 1]

FOLDER is an unpacked wheel. Every fused-MoE file that it ships for any device is written once more as
winners and exported under other rows; the wheel's lookup, read where it was unpacked, is asked for
numbers of tokens drawn at random. Prints counts; exit code 1 where anything differs. Needs no GPU
and no torch."""

import argparse
import ast
import contextlib
import functools
import io
import json
import logging
import os
import pathlib
import random
import re
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "python")]
from audit import TUNED, named  # noqa: E402
from nightshift import exporting  # noqa: E402

WANTED = {"get_config_file_name", "get_moe_configs", "try_get_optimal_moe_config"}


def lookup_of(file, device):
    """The wheel's function, with what it imports replaced; (function, settings of its environment)."""
    tree = ast.parse(file.read_text())
    tree.body = [node for node in tree.body
                 if isinstance(node, ast.FunctionDef) and node.name in WANTED]
    for node in tree.body:
        node.returns, node.decorator_list = None, []
        for argument in node.args.args:
            argument.annotation = None
        node.body = [line for line in node.body if not isinstance(line, ast.ImportFrom)]
    envs = types.SimpleNamespace(VLLM_TUNED_CONFIG_FOLDER=None)
    names = {"__file__": str(file), "os": os, "json": json, "functools": functools, "envs": envs,
             "vllm_is_batch_invariant": lambda: False, "logger": logging.getLogger("wheel"),
             "current_platform": types.SimpleNamespace(get_device_name=lambda: device),
             "get_config": lambda: None, "get_default_config": lambda *_: None}
    exec(compile(tree, str(file), "exec"), names)
    return names["try_get_optimal_moe_config"], envs


def exported(folder, told, device, rows):
    """The rows as winners, through `export`. Its arguments, as --check wants them again."""
    winners = []
    for tokens, configuration in rows.items():
        winner = folder / f"{tokens}.json"
        winner.write_text(json.dumps({"problem": "moe", "accepted": True,
                                      "configuration": configuration}))
        winners.append(f"{tokens}={winner}")
    words = ["--format", "vllm-moe", "--experts", str(told["E"]), "--n", str(told["N"]),
             "--device", device, "--output", str(folder / "configs")]
    if told["dtype"]:
        words += ["--dtype", told["dtype"]]
    if told["block_shape"]:
        words += ["--block-shape", ",".join(map(str, told["block_shape"]))]
    (folder / "configs").mkdir()
    run(words + winners)
    return words


def run(words):
    parser = argparse.ArgumentParser()
    exporting.add_arguments(parser)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = exporting.main(parser.parse_args(words))
    if code not in (0, None):
        raise SystemExit(f"export {words}: {code}\n{said.getvalue()}")
    return said.getvalue()


def compared(lookup, envs, file, dice):
    """(rows, questions, differences) of one shipped file."""
    told = named(file)
    device = told["device_name"].replace("_", " ")
    table = {int(m): c for m, c in json.loads(file.read_text()).items() if m.isdigit()}
    if any(name not in row for row in table.values() for name in TUNED):
        return 0, 0, 0
    # Other rows than those of the file, so that an answer from the wheel's own would be seen.
    rows = {m + 1: {name: table[m][name] for name in TUNED} for m in dice.sample(
        sorted(table), min(5, len(table)))}
    differ, questions = 0, 6
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = exported(folder, told, device, rows)
        envs.VLLM_TUNED_CONFIG_FOLDER = str(folder / "configs")
        for _ in range(questions):
            tokens = dice.randint(1, 5000)
            n = told["N"] // 2 if told["dtype"] == "int4_w4a16" else told["N"]
            got = lookup((told["E"], 2 * n, 1024), (told["E"], 1024, n), 2, told["dtype"], tokens,
                         told["block_shape"])
            row = int(re.search(r"row (\d+)", run(words + ["--check", str(tokens)])).group(1))
            if got != rows[row]:
                print(f"{file.name}: {tokens} tokens: vLLM takes {got}, --check says row {row}")
                differ += 1
    return len(rows), questions, differ


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = options.wheel / "vllm/model_executor/layers/fused_moe"
    dice, sums, files = random.Random(options.seed), [0, 0, 0], 0
    logging.disable(logging.CRITICAL)
    for file in sorted((folder / "configs").glob("*.json")):
        lookup, envs = lookup_of(folder / "fused_moe.py",
                                 named(file)["device_name"].replace("_", " "))
        found = compared(lookup, envs, file, dice)
        sums = [a + b for a, b in zip(sums, found)]
        files += found[0] > 0
    print(f"{files} files, {sums[0]} rows exported, {sums[1]} numbers of tokens asked for: "
          f"{sums[2]} differ")
    return 1 if sums[2] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
