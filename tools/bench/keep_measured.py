#!/usr/bin/env python3
"""Keeps what kernel_peers.py has measured as the catalogue's measured.json.

    tools/bench/keep_measured.py RESULT.json [...] [--kernels-folder kernels/cuda] [--slower]

RESULT.json is what `kernel_peers.py --json` writes. An entry of the same shape, type and device is
replaced where the new one is faster, or in any case with --slower. Entries of other devices than the
file's own name theirs. Times are medians over rounds in microseconds. Prints a line for each cell:
kept, or what the file has already.
"""

import argparse
import json
import pathlib
import statistics
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = "nightshift"


def three_digits(error):
    return float(f"{error:.3g}")


def entry_of(cell):
    """As measured.json has it."""
    times = {name: round(statistics.median(found), 2)
             for name, found in cell["microseconds"].items()}
    less = cell.get("less", [])
    dtype = {"dtype": cell["dtype"]} if cell["dtype"] else {}  # where the problem has one
    return {"shape": cell["sizes"], **dtype, "microseconds": times.pop(OURS),
            "configuration": cell["configuration"],
            "peers_microseconds": {name: t for name, t in times.items() if name not in less},
            "relative_error": {name: three_digits(e) for name, e in cell["errors"][OURS].items()}}


def key(entry, sizes):
    """`sizes` are those of the problem file, which a shape need not name."""
    return json.dumps([{**sizes, **entry["shape"]}, entry.get("dtype"), entry.get("device")],
                      sort_keys=True)


def sizes_of(folder):
    file = folder / "problem.toml"
    return tomllib.loads(file.read_text())["cuda"]["sizes"] if file.exists() else {}


def text_of(device, entries):
    lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
    return (f'{{\n  "device": {json.dumps(device)},\n  "found": [\n{lines}\n  ]\n}}\n')


def keep(file, device, entries, slower):
    """Writes the file; returns [(entry, kept)]."""
    known = json.loads(file.read_text()) if file.exists() else {"device": device, "found": []}
    if known["device"] != device:
        entries = [{**entry, "device": device} for entry in entries]
    sizes = sizes_of(file.parent)
    found, told = {key(e, sizes): e for e in known["found"]}, []
    for entry in entries:
        before = found.get(key(entry, sizes))
        kept = slower or before is None or entry["microseconds"] < before["microseconds"]
        if kept:
            if before:
                entry["shape"] = before["shape"]
            found[key(entry, sizes)] = entry
        told.append((entry, kept))
    if any(kept for _, kept in told):
        file.write_text(text_of(known["device"], found.values()))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="RESULT.json")
    parser.add_argument("--kernels-folder", type=pathlib.Path, default=ROOT / "kernels/cuda")
    parser.add_argument("--slower", action="store_true", help="replace what is faster, too")
    options = parser.parse_args()
    for result in options.results:
        try:
            found = json.loads(result.read_text())
            device, cells = found["environment"]["device"], found["cells"]
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise SystemExit(f"{result} is no result of kernel_peers.py --json: {e!r}") from None
        problems = {}
        for cell in cells:
            problems.setdefault(cell["problem"], []).append(entry_of(cell))
        for problem, entries in problems.items():
            file = options.kernels_folder / problem / "measured.json"
            if not file.parent.is_dir():
                raise SystemExit(f"{file.parent}: there is no such kernel")
            for entry, kept in keep(file, device, entries, options.slower):
                kind = "".join(f" {entry[k]}" for k in ("dtype", "device") if k in entry)
                print(f"{problem} {entry['shape']}{kind}: {entry['microseconds']} us, "
                      f"{'kept' if kept else 'what the file has is no slower'}")


if __name__ == "__main__":
    main()
