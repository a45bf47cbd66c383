#!/usr/bin/env python3
"""Holds the include table of the rooms: who may include whom, file by file.

    tools/check_layers.py [ROOT]     prints every offence as FILE:LINE and returns 1 if there is one
"""

import pathlib
import re
import sys

# Room -> rooms whose headers it may include besides its own. Nothing includes tools or tests.
MAY_INCLUDE = {
    "search": set(),
    "ipc": {"search"},
    "kernels": {"search"},
    "evaluator": {"ipc", "kernels", "search"},
    "scheduler": {"ipc", "search"},
    "tools": {"evaluator", "ipc", "kernels", "scheduler", "search"},
    "tests": {"evaluator", "ipc", "kernels", "scheduler", "search", "tools"},
}
# Only the messages and their encoding know trials; the rest of ipc/ knows bytes and processes.
IPC_FILES_THAT_KNOW_TRIALS = re.compile(r"^(messages|mailbox|archive|trial_|problem_io)")
# Programs that measure ourselves stand in tools/bench and may use everything.
SOURCES = {".h", ".cc", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"/]+)/([^"]+)"')


def offences_in(path, relative):
    room = relative.parts[0]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        found = INCLUDE.match(line)
        if not found or found.group(1) not in MAY_INCLUDE:
            continue
        other = found.group(1)
        if other != room and other not in MAY_INCLUDE[room]:
            yield f"{relative}:{number}: {room}/ may not include {other}/{found.group(2)}"
        elif room == "ipc" and other == "search" and not IPC_FILES_THAT_KNOW_TRIALS.match(path.name):
            yield (f"{relative}:{number}: ipc/ includes search/ in its messages and mailbox only, "
                   f"not {other}/{found.group(2)} here")


def main():
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    files = [p for room in MAY_INCLUDE for p in sorted((root / room).rglob("*")) if p.suffix in SOURCES]
    offences = [o for p in files for o in offences_in(p, p.relative_to(root))]
    for offence in offences:
        print(offence)
    print(f"{len(files)} files, {len(offences)} offences")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
