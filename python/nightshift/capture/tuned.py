"""What a batch has found, as the file that applying.py reads.

The program `nightshift` says what its studies have shown: `status --json` of the batch, and `export --format json`
of each study whose improvement holds over the whole batch."""

import ast
import json
import os
import subprocess

from ..errors import Unwritten, UserError
from ..lines import tell
from ..whole_files import read_whole, write_whole
from .joining import study_name
from .problems import captured_in

NAME = "tuned.json"


def add_arguments(parser):
    parser.add_argument("batch", help="the folder of a batch of what was collected, or its tuned.json")
    parser.add_argument("--program", default="nightshift", help="the nightshift that ran it")
    parser.add_argument("--take-back", metavar="STUDIES",
                        help="these, with commas between, are not applied any more")


def main(arguments):
    """Writes BATCH/tuned.json and says what is in it. Returns the exit code. Raises UserError."""
    path = os.path.abspath(arguments.batch)
    if os.path.isdir(path):
        path = os.path.join(path, NAME)
    if arguments.take_back is not None:
        told = read(path)
        for row in rows_of(told):
            row["taken_back"] = row["study"] in arguments.take_back.split(",")
    else:
        told = found(os.path.dirname(path), arguments.program)
        keep_marks(told, read(path) if os.path.exists(path) else None)
    text = json.dumps(told, indent=1)
    if not says(path, text):
        try:
            write_whole(path, text)
        except OSError as error:
            raise Unwritten(f"{path} can't be written: {error.strerror}") from None
    print(text_of(told, path))
    return 0


def says(path, text):
    """Whether a file has that text already: where nothing is new, its disk may be full or read-only."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read() == text
    except (OSError, ValueError):
        return False


def keep_marks(told, before):
    """What a comparison has taken back stays so while the batch has found nothing else for it."""
    known = {(row["study"], json.dumps(row["config"], sort_keys=True)): row.get("taken_back", False)
             for row in rows_of(before or {"kernels": []})}
    for row in rows_of(told):
        row["taken_back"] = known.get((row["study"], json.dumps(row["config"], sort_keys=True)), False)


def text_of(told, path):
    """What would be applied, a launch a line."""
    rows = sorted(rows_of(told), key=lambda row: row["share"] * (row["ratio"] - 1))
    if not rows:
        return f"{path}: no improvement holds over the whole batch, so that every launch stays as it is"
    saved = sum(row["share"] * (1 - row["ratio"]) for row in rows if not row["taken_back"])
    lines = [f"{path}: {len(rows)} tuned launches, {100 * saved:.1f} % less of the time of Triton's kernels by their "
             "own studies"]
    for row in rows:
        changed = ", ".join(f"{name}={value}" for name, value in row["config"].items()
                            if row["baseline"].get(name) != value)
        lines.append(f"  {1 / row['ratio']:.2f}x  {100 * row['share']:5.1f} % of the time  {row['study']}  {changed}"
                     f"{'  (taken back)' if row['taken_back'] else ''}")
    return "\n".join(lines)


def read(path):
    """What such a file says. Raises UserError."""
    try:
        return json.loads(read_whole(path))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}") from None


def rows_of(told):
    return [row for kernel in told["kernels"] for row in kernel["rows"]]


def found(batch, program):
    """What the studies of a batch have shown. Raises UserError."""
    [status] = _asked(program, "status", batch, "--json")["batches"] or [{"studies": []}]
    studies = {one["name"]: one for one in status["studies"]}
    files = {one["problem"] for one in status["studies"]}
    if len(files) != 1:
        raise UserError(f"{batch} is no batch of what was collected")
    folder = os.path.dirname(files.pop())
    told = captured_in(folder)
    kernels = []
    for kernel in told["kernels"]:
        rows = []
        for launch in kernel["launches"]:
            study = studies.get(study_name(kernel, launch))
            if study and study["claim"] and study["claim"]["joint"]:
                rows.append(_row(kernel, launch, study, _asked(
                    program, "export", study["folder"], "--format", "json")))
        if rows:
            kernels.append({name: kernel[name] for name in (
                "id", "hash", "name", "function", "kind", "varying")} | {"rows": rows})
    return {"version": 1, "captured": folder, "machine": told["machine"], "kernels": kernels}


def _row(kernel, launch, study, exported):
    chosen = _values(exported["configuration"])
    was = _values(exported["baseline"]["configuration"])
    detail = launch["detail"]
    blocks = list(detail["space"]["blocks"])
    # Parameters that other launches of the kernel have, and this one does not, are the program's.
    own = {name for name in (*blocks, *detail["option_values"])}
    [row] = [one for one in detail["space"]["rows"] if one["of"] == [chosen[name] for name in blocks]]
    return {"key": launch["key"], "study": study["name"], "folder": study["folder"],
            "tuned_by": detail["tuned_by"], "config": {name: chosen[name] for name in own},
            "computed": row.get("computed", {}), "baseline": {name: was[name] for name in own},
            "ratio": study["claim"]["ratio"], "interval": study["claim"]["interval"],
            "share": launch["share"], "count": launch["count"], "same_bits": exported.get("same_bits")}


def _values(labels):
    """Values of several kinds are known to the tuner as "INDEX: TEXT"."""
    found = {}
    for name, value in labels.items():
        if isinstance(value, str) and value.partition(": ")[0].isdigit():
            value = ast.literal_eval(value.partition(": ")[2])
        found[name] = value
    return found


def _asked(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise UserError(f"{program} {' '.join(words)}: {done.stderr.strip() or done.returncode}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise UserError(f"{program} {' '.join(words)} printed no JSON") from None
