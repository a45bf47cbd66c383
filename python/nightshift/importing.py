"""What others have written, as configurations and cases."""

import csv
import json
import os

from .errors import UserError
from .exporting import nearest_row, read_json


def configs_from(file, tokens=None):
    """Configurations of a file of vLLM or SGLang ({"M": {...}}), of Triton's autotuner
    ("configs_timings"), or of Helion (one config).

    tokens: only the row that a call with so many tokens gets, as a one-element list; usable as a
    baseline: `baseline=ns.configs_from("E=8,N=..json", tokens=64)[0]`. Raises UserError."""
    found = read_json(os.fspath(file))
    if not isinstance(found, dict):
        raise UserError("it is no JSON object", os.fspath(file))
    if "configs_timings" in found:
        try:
            return _of_autotuner(found["configs_timings"])
        except (TypeError, KeyError, IndexError, AttributeError, ValueError):
            raise UserError("configs_timings are not as Triton writes them",
                            os.fspath(file)) from None
    if not found:
        raise UserError("it has no configuration", os.fspath(file))
    rows = {key: value for key, value in found.items() if key.isdigit() and isinstance(value, dict)}
    if not rows:
        return [found]
    if tokens is None:
        return [rows[key] for key in sorted(rows, key=int)]
    return [rows[str(nearest_row(rows, tokens))]]


def _of_autotuner(timings):
    # Best first: each is [config, [median, p20, p80]].
    pairs = sorted(timings, key=lambda pair: pair[1][0])
    return [dict(config["kwargs"], **{name: config[name] for name in (
        "num_warps", "num_stages", "num_ctas", "maxnreg") if config.get(name) is not None})
        for config, _ in pairs]


def shapes_from(file, names=None):
    """Cases of a list of shapes: a CSV with a head (AITER's M,N,K lists), a JSON list of objects
    (CUTLASS's problems, {"m": .., "n": .., "k": ..}), or lines of TunableOp ("Name,tn_M_N_K...").
    Numbers become numbers, single letters capitals; what is there twice is taken once.

    names: of the sizes that are taken, as the cases call them, such as ("M", "N", "K"); tuned lists
    have other columns. Raises UserError that names file and line."""
    file = os.fspath(file)
    if file.endswith(".json"):
        found = read_json(file)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise UserError("it is no JSON list of objects", file)
        rows = [{name: value for name, value in one.items()
                 if isinstance(value, (int, float, str))} for one in found]
    else:
        rows = _lines(file)
    unique = []
    for row in rows:
        case = {_name(name): value for name, value in row.items()}
        for name in names or ():
            if name not in case:
                raise UserError(f"a shape has no {name}; it has {', '.join(case)}", file)
        case = {name: case[name] for name in names or case}
        if case not in unique:
            unique.append(case)
    if not unique:
        raise UserError("it has no shapes", file)
    return unique


def _name(name):
    name = "".join(letter if letter.isalnum() else "_" for letter in str(name).strip())
    return name.upper() if len(name) == 1 else name


def _lines(file):
    try:
        with open(file, newline="", encoding="utf-8") as opened:
            lines = list(csv.reader(opened))
    except OSError as error:
        raise UserError(f"it can't be read: {error.strerror}", file) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise UserError(f"it is no CSV: {error}", file) from None
    lines = [(number, line) for number, line in enumerate(lines, start=1) if line]
    if lines and lines[0][1][0].startswith(("GemmTunableOp", "GemmStridedBatchedTunableOp",
                                            "GemmAndBiasTunableOp", "ScaledGemmTunableOp")):
        return [_tunable_op(file, number, line) for number, line in lines]
    rows, head = [], [name.strip() for name in lines[0][1]] if lines else []
    for number, line in lines[1:]:
        if len(line) != len(head):
            raise UserError(f"the head has {len(head)} columns, this line {len(line)}",
                            f"{file}:{number}")
        rows.append({name: _number(text) for name, text in zip(head, line) if name})
    return rows


def _tunable_op(file, number, line):
    parts = line[1].split("_") if len(line) > 1 else []
    sizes = [int(part) for part in parts[1:4] if part.isdigit()]
    if len(sizes) != 3:
        raise UserError(f"{line[-1]!r} is no shape of TunableOp, such as tn_32_64_128",
                        f"{file}:{number}")
    return {"op": line[0], "layout": parts[0], **dict(zip("MNK", sizes))}


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def add_arguments(parser):
    parser.add_argument("file", help="CSV, JSON list, or lines of TunableOp")
    parser.add_argument("--names", default="", help="of the sizes that are taken, such as M,N,K")


def main(arguments):
    """The subcommand: prints the cases as JSON lines. Returns the exit code."""
    names = arguments.names.split(",") if arguments.names else None
    for case in shapes_from(arguments.file, names):
        print(json.dumps(case))
    return 0
