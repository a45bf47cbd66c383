#!/usr/bin/env python3
"""Which configurations of vLLM's fused-MoE kernel that a wheel ships are faster than what is used
without them, and what tuning gains over them.

    tools/bench/moe_audit/audit.py --wheel FOLDER [--nightshift PROGRAM] [--rows 12] [--only 1,7] [--seconds 15]
                                   [--seed 1] [--output FOLDER]

FOLDER is an unpacked wheel. Rows (a file of the device and a number of tokens) are drawn from the
files whose models are known, since a file does not name the hidden size. A batch tunes each from
its shipped configuration on; then the default, the shipped and the tuned one are ranked in rounds
(`nightshift compare`). Prints a line a row and a sum; writes rows.json, and the shipped files with
the tuned rows in place of theirs, to the output folder, as the folder h200 has them. exhaustive.py
says what trying all would take. Needs torch, triton and a GPU that the wheel has files for."""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TUNED = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")

# (experts, size after the gate and its shards): hidden size, experts of a token, whose they are.
MODELS = {
    (8, 1792): (4096, 2, "Mixtral 8x7B, 8 shards"),
    (8, 3584): (4096, 2, "Mixtral 8x7B, 4 shards"),
    (8, 7168): (4096, 2, "Mixtral 8x7B, 2 shards"),
    (8, 2048): (6144, 2, "Mixtral 8x22B, 8 shards"),
    (8, 4096): (6144, 2, "Mixtral 8x22B, 4 shards"),
    (16, 1024): (5120, 1, "Llama 4 Scout, 8 shards"),
    (16, 2048): (5120, 1, "Llama 4 Scout, 4 shards"),
    (128, 1024): (5120, 1, "Llama 4 Maverick, 8 shards"),
    (128, 384): (2048, 8, "Qwen3 30B-A3B, 2 shards"),
    (128, 768): (2048, 8, "Qwen3 30B-A3B"),
    (512, 128): (2048, 10, "Qwen3-Next 80B, 4 shards"),
    (512, 256): (2048, 10, "Qwen3-Next 80B, 2 shards"),
    (256, 256): (7168, 8, "DeepSeek V3, 8 shards"),
}


def named(file):
    """What a file's name says: E or K, N, device_name, dtype, block_shape; `down`: of the second product."""
    stem = file.stem.removesuffix("_down")
    found = {"dtype": None, "block_shape": None, "down": stem != file.stem}
    for part in re.sub(r"(\d), ?(\d)", r"\1;\2", stem).split(","):
        name, _, value = part.partition("=")
        found[name] = int(value) if name in ("E", "N", "K") else value
    if found["block_shape"]:
        found["block_shape"] = [int(n) for n in found["block_shape"].strip("[]").split(";")]
    return found


def drawn_rows(folder, device, count, seed):
    """Rows, as many of each file as of the others by one."""
    files = [f for f in sorted(folder.glob("*.json")) if named(f).get("device_name") == device
             and (named(f)["E"], named(f)["N"]) in MODELS
             and named(f)["dtype"] in (None, "fp8_w8a8")]
    dice, rows = random.Random(seed), []
    dice.shuffle(files)
    for place in range(count):
        file = files[place % len(files)]
        table = {int(m): c for m, c in json.loads(file.read_text()).items() if m.isdigit()}
        taken = {row["M"] for row in rows if row["file"] == file.name}
        tokens = dice.choice([m for m in table if m not in taken])
        told = named(file)
        hidden, topk, model = MODELS[told["E"], told["N"]]
        rows.append({"name": f"row{place}", "file": file.name, "model": model, "M": tokens,
                     "K": hidden, "topk": topk, "E": told["E"], "N": told["N"],
                     "dtype": told["dtype"], "block_shape": told["block_shape"],
                     "shipped": {n: table[tokens][n] for n in TUNED}})
    return rows


def batch_of(rows, seconds):
    text = ""
    for row in rows:
        keys = {"python.case": f'"{row["name"]}"',
                **{f"baseline.{name}": value for name, value in row["shipped"].items()}}
        text += (f'[[study]]\nname = "{row["name"]}"\nproblem = "{HERE / "moe.py"}"\n'
                 f'budget = "{seconds}s"\nset = {{ '
                 + ", ".join(f"{key} = {value}" for key, value in keys.items()) + " }\n")
    return text


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          **options)
    if done.returncode not in (0, 3, 10, 11, 75):
        raise SystemExit(f"{command}: {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def words(configuration):
    return ",".join(f"{name}={configuration[name]}" for name in TUNED)


def judged(nightshift, row, study):
    """The row with what came out: ratios of the times, and who was told apart from whom."""
    done = json.loads(run([nightshift, "export", study, "--format", "json"]))
    best = done["configuration"] if done["accepted"] else row["shipped"]
    row["tuned"] = {name: best[name] for name in TUNED}
    [told_of] = json.loads(run([nightshift, "status", study, "--json"]))["studies"]
    row["configurations"], row["seconds_of_tuning"] = told_of["trials"]["done"], told_of["elapsed"]
    contenders = [row["shipped"], row["default"]]
    if row["tuned"] != row["shipped"]:
        contenders.append(row["tuned"])
    if row["default"] == row["shipped"]:
        return row
    result = json.loads(run([nightshift, "compare", HERE / "moe.py", *map(words, contenders),
                             "--json", "--confidence", "quick", "--set",
                             f"python.case={row['name']}"]))
    row["seconds_of_compare"] = result["seconds"]
    if len(contenders) == 2:  # there is one verdict
        row["default_to_shipped"] = told(result["ratio"], result["interval"],
                                         result["outcome"] != "no_difference")
        return row
    for pair in result["pairs"]:
        name = {(0, 1): "default_to_shipped", (0, 2): "tuned_to_shipped",
                (1, 2): "tuned_to_default"}[pair["first"], pair["second"]]
        row[name] = told(pair["ratio"], pair["interval"], pair["told_apart"])
    return row


def told(ratio, interval, apart):
    return {"ratio": ratio, "interval": interval, "told_apart": apart}


def shown(row):
    def text(name):
        found = row.get(name)
        if not found or found["ratio"] is None:
            return "      the same     "
        low, high = found["interval"]
        return f"{found['ratio']:.3f} [{low:.3f}, {high:.3f}]"
    kind = row["dtype"] or "bf16"
    if row["block_shape"]:
        kind += " blocks"
    return (f"{row['model']:28} {kind:16} M={row['M']:<5} default/shipped "
            f"{text('default_to_shipped')}  tuned/shipped {text('tuned_to_shipped')}")


def summed(rows):
    def split(name):
        apart = [r for r in rows if name in r and r[name]["told_apart"]]
        return ([r for r in apart if r[name]["ratio"] > 1.01],
                [r for r in apart if r[name]["ratio"] < 0.99])
    better, worse = split("default_to_shipped")
    print(f"of {len(rows)} shipped rows {len(better)} are more than 1 % faster than the default, "
          f"{len(rows) - len(better) - len(worse)} within 1 %, {len(worse)} slower")
    _, gained = split("tuned_to_shipped")
    gains = [r["tuned_to_shipped"]["ratio"] if "tuned_to_shipped" in r else 1 for r in rows]
    print(f"{sum(r['configurations'] for r in rows)} configurations were tried in "
          f"{sum(r['seconds_of_tuning'] for r in rows) / 60:.1f} min of tuning")
    print(f"tuning makes {len(gained)} faster than shipped by more than 1 %; geometric mean of the "
          f"times {statistics.geometric_mean(gains):.3f}, least {min(gains):.3f}")


def written(rows, shipped, folder):
    """rows.json, and the files of the tuned rows as vLLM reads them: a call takes the row nearest to
    its number of tokens, so that the rows that were not tuned stay."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rows.json").write_text(json.dumps(rows, indent=1) + "\n")
    for file in {row["file"] for row in rows}:
        table = json.loads((shipped / file).read_text())
        table.update({str(row["M"]): row["tuned"] for row in rows if row["file"] == file})
        (folder / file).write_text(json.dumps(table, indent=4) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--nightshift", default=str(ROOT / "build/release/bin/nightshift"))
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--only", help="of the rows drawn these, counted from 0")
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="NVIDIA_H200")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        configs = options.wheel / "vllm/model_executor/layers/fused_moe/configs"
        rows = drawn_rows(configs, options.device, options.rows, options.seed)
        if options.only:
            rows = [rows[int(place)] for place in options.only.split(",")]
        (folder / "cases.json").write_text(json.dumps(rows))
        os.environ["NIGHTSHIFT_VLLM"] = str(options.wheel.resolve())
        os.environ["NIGHTSHIFT_MOE_CASES"] = str(folder / "cases.json")
        sys.path[:0] = [str(HERE), str(ROOT / "python")]
        from moe import default_config
        for row in rows:
            row["default"] = {n: default_config(row)[n] for n in TUNED}
        (folder / "moe.toml").write_text(batch_of(rows, options.seconds))
        run([options.nightshift, "batch", "run", folder / "moe.toml", "--batch", folder / "batch"])
        print(f"{len(rows)} rows tuned in {time.monotonic() - began:.0f} s", flush=True)
        for row in rows:
            try:
                judged(options.nightshift, row, folder / "batch" / row["name"])
            except (SystemExit, KeyError, TypeError) as failure:
                row["failed"] = repr(failure)[-600:]
                row.pop("tuned", None)
                print(row["model"], row["M"], row["failed"], flush=True)
                continue
            print(shown(row), flush=True)
            if options.output:  # after each row: what is cut off keeps what it had
                written([r for r in rows if "tuned" in r], configs, options.output)
        rows = [row for row in rows if "failed" not in row]
        if rows:
            summed(rows)
        print(f"{time.monotonic() - began:.0f} s altogether")


if __name__ == "__main__":
    main()
