#!/usr/bin/env python3
"""Whether the lookups of vLLM and SGLang find what is exported for them, and take the row that `--check` names.

    tools/bench/moe_audit/loaded.py --wheel FOLDER [--wheel FOLDER] [--seed 1]

FOLDER is an unpacked wheel of either. Every file of the fused-MoE kernel and of dense products in blocks
that it ships for any device is written once more as winners and exported under other rows; the wheel's
lookup, read where it was unpacked, is asked for numbers of tokens drawn at random. Some devices are asked for
by the name of a sister. Prints counts; exit code 1 where anything differs. Needs no GPU and no torch."""

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

MOE = {"get_config_file_name", "get_moe_configs", "try_get_optimal_moe_config"}
DENSE = "get_w8a8_block_fp8_configs"
ROW = "configs[min("  # how both take a row of a table


class Lookup:
    """A wheel's own functions, compiled with what they import replaced."""

    def __init__(self, format, wheel, file, shipped, wanted):
        self.format, self.file, self.wanted = format, wheel / file, wanted
        self.folder = wheel / shipped
        self.tree = ast.parse(self.file.read_text())

    def files(self):
        """Those of other kernels lie beside them and have other types in their names."""
        dense = self.format.endswith("block-fp8")
        return [f for f in sorted(self.folder.rglob("*.json"))
                if not dense or (named(f)["dtype"] == "fp8_w8a8" and named(f)["block_shape"])]

    def functions(self, device, triton, folder):
        body = [node for node in self.tree.body
                if isinstance(node, ast.FunctionDef) and node.name in self.wanted]
        for node in body:
            node.returns, node.decorator_list = None, []
            for argument in node.args.args:
                argument.annotation = None
            node.body = [line for line in node.body if not isinstance(line, ast.ImportFrom)]
        server = types.SimpleNamespace(enable_deterministic_inference=False)
        names = {"__file__": str(folder / self.file.name), "os": os, "json": json, "functools": functools,
                 "envs": types.SimpleNamespace(VLLM_TUNED_CONFIG_FOLDER=str(folder / "configs")),
                 "vllm_is_batch_invariant": lambda: False, "logger": logging.getLogger("wheel"),
                 "current_platform": types.SimpleNamespace(get_device_name=lambda: device),
                 "get_device_name": lambda: device, "triton": types.SimpleNamespace(__version__=triton),
                 "get_global_server_args": lambda: server, "log_info_on_rank0": lambda *_: None,
                 "get_config": lambda: None, "get_default_config": lambda *_: None}
        exec(compile(ast.Module(body, []), str(self.file), "exec"), names)
        return names

    def asked(self, told, device, triton, folder, tokens):
        """The configuration that a call with so many tokens gets, None: a default."""
        names = self.functions(device, triton, folder)
        if DENSE in self.wanted:
            configs = names[DENSE](told["N"], told["K"], *told["block_shape"])
            return configs and eval(self.row_rule(), {"configs": configs, "M": tokens})
        n = told["N"] // 2 if told["dtype"] == "int4_w4a16" and self.format == "vllm-moe" else told["N"]
        words = {"return_down_config": True} if told["down"] else {}
        got = names["try_get_optimal_moe_config"](
            (told["E"], 2 * n, 1024), (told["E"], 1024, n), 2, told["dtype"], tokens,
            block_shape=told["block_shape"], **words)
        return got[1][0] if told["down"] else got

    def row_rule(self):
        """The expression by which the wheel's product takes a row of the table."""
        found = {text for node in ast.walk(self.tree) if isinstance(node, ast.Subscript)
                 if (text := ast.unparse(node)).startswith(ROW)}
        if len(found) != 1:
            raise SystemExit(f"{self.file}: {len(found)} expressions take a row of a table; one was expected")
        return found.pop()


def lookups_of(wheel):
    layers = {"vllm": "vllm/model_executor/layers", "sglang": "sglang/srt/layers"}
    found = []
    if (wheel / layers["vllm"]).is_dir():
        moe, dense = (layers["vllm"] + rest for rest in ("/fused_moe", "/quantization/utils"))
        found += [Lookup("vllm-moe", wheel, moe + "/fused_moe.py", moe + "/configs", MOE),
                  Lookup("vllm-block-fp8", wheel, dense + "/fp8_utils.py", dense + "/configs", {DENSE})]
    if (wheel / layers["sglang"]).is_dir():
        moe, dense = (layers["sglang"] + rest for rest in ("/moe/fused_moe_triton", "/quantization"))
        found += [Lookup("sglang-moe", wheel, moe + "/fused_moe_triton_config.py", moe + "/configs", MOE),
                  Lookup("sglang-block-fp8", wheel, dense + "/fp8_kernel.py", dense + "/configs", {DENSE})]
    if not found:
        raise SystemExit(f"{wheel} is no unpacked wheel of vLLM or SGLang")
    return found


def words_of(lookup, told, device, triton, folder):
    """The arguments of `export`, as --check wants them again."""
    words = ["--format", lookup.format, "--n", str(told["N"]), "--device", device,
             "--output", str(folder / "configs")]
    words += ["--k", str(told["K"])] if "K" in told else ["--experts", str(told["E"])]
    if told["dtype"]:
        words += ["--dtype", told["dtype"]]
    if told["block_shape"]:
        words += ["--block-shape", ",".join(map(str, told["block_shape"]))]
    if lookup.format == "sglang-moe":
        words += ["--triton", triton] + (["--down"] if told["down"] else [])
    return words


def winners_of(folder, rows):
    for tokens, configuration in rows.items():
        winner = folder / f"{tokens}.json"
        winner.write_text(json.dumps({"problem": "moe", "accepted": True, "configuration": configuration}))
        yield f"{tokens}={winner}"


def run(words):
    parser = argparse.ArgumentParser()
    exporting.add_arguments(parser)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = exporting.main(parser.parse_args(words))
    if code not in (0, None):
        raise SystemExit(f"export {words}: {code}\n{said.getvalue()}")
    return said.getvalue()


def device_of(told, dice):
    name = told["device_name"].replace("_", " ")
    return dice.choice([name, name + " NVL"]) if name == "NVIDIA H200" else name


def compared(lookup, file, dice):
    """(rows, questions, differences) of one shipped file."""
    told = named(file)
    table = {int(m): c for m, c in json.loads(file.read_text()).items() if m.isdigit()}
    if not table or any(name not in row for row in table.values() for name in TUNED):
        return 0, 0, 0
    # Other rows than those of the file, so that an answer from the wheel's own would be seen.
    rows = {m + 1: {name: table[m][name] for name in TUNED} for m in dice.sample(
        sorted(table), min(5, len(table)))}
    device, triton = device_of(told, dice), file.parent.name.removeprefix("triton_").replace("_", ".")
    differ, questions = 0, 6
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "configs").mkdir()
        words = words_of(lookup, told, device, triton, folder)
        os.environ["SGLANG_MOE_CONFIG_DIR"] = str(folder)
        run(words + list(winners_of(folder, rows)))
        if told["down"]:  # it is read beside the file of the first product
            run([w for w in words if w != "--down"] + list(winners_of(folder, rows)))
        for _ in range(questions):
            tokens = dice.randint(1, 5000)
            got = lookup.asked(told, device, triton, folder, tokens)
            row = int(re.search(r"row (\d+)", run(words + ["--check", str(tokens)])).group(1))
            if got != rows[row]:
                print(f"{file.name}: {tokens} tokens on {device}: the wheel takes {got}, --check says row {row}")
                differ += 1
    return len(rows), questions, differ


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path, required=True, action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, wrong = random.Random(options.seed), 0
    logging.disable(logging.CRITICAL)
    for lookup in [lookup for wheel in options.wheel for lookup in lookups_of(wheel)]:
        sums, files = [0, 0, 0], 0
        for file in lookup.files():
            found = compared(lookup, file, dice)
            sums = [a + b for a, b in zip(sums, found)]
            files += found[0] > 0
        print(f"{lookup.format}: {files} files, {sums[0]} rows exported, {sums[1]} numbers of tokens asked "
              f"for: {sums[2]} differ", flush=True)
        wrong += sums[2] > 0 or not files
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
