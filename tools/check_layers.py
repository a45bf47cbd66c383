#!/usr/bin/env python3
"""Holds the include table of the rooms and of the walls inside them, file by file.

    tools/check_layers.py [ROOT]     prints every offence as FILE:LINE and returns 1 if there is one

A room is a top-level folder; a sub-room is a folder inside it. Six rules hold:
  1. A room includes the rooms that MAY_INCLUDE names, and no other.
  2. Another room includes what stands at a room's top, and what FACES names of its sub-rooms.
  3. A sub-room includes its room's top and the sub-rooms that WALLS names.
  4. No units include each other in a circle, whether through headers or sources. A unit is a header
     with the source of the same name.
  5. A folder has MOST_FILES headers and sources at most, or what LARGE says, which may only shrink.
  6. A header or source has MOST_LINES at most, or what LONG says, which may only shrink.
"""

import pathlib
import re
import sys

# Room -> rooms whose headers it may include besides its own. Nothing includes tools or tests,
# but for benchmarks, which may use tests/fakes.
MAY_INCLUDE = {
    "base": set(),
    "search": {"base"},
    "ipc": {"base", "search"},
    "problems": {"base", "search"},
    "evaluator": {"base", "ipc", "problems", "search"},
    "scheduler": {"base", "ipc", "search"},
    "tools": {"base", "evaluator", "ipc", "problems", "scheduler", "search"},
    "tests": {"base", "evaluator", "ipc", "problems", "scheduler", "search", "tools"},
}

# Sub-room -> the sub-rooms of its room that it may include. The room's top is open to all of them.
WALLS = {
    "search/figures": set(),
    "search/problem": {"search/options"},
    "search/statistics": set(),
    "search/acceptance": {"search/statistics"},
    "search/table": {"search/acceptance", "search/expression", "search/statistics"},
    "search/expression": set(),
    "search/space": {"search/expression"},
    "search/inert": set(),
    "search/model": {"search/inert", "search/statistics"},
    "search/options": set(),
    "search/importance": {"search/model", "search/statistics"},
    "search/searchers": {"search/inert", "search/model", "search/options", "search/statistics"},
    "problems/readers": set(),
    "problems/readers/keys": {"problems/readers"},
    "problems/readers/problem": {"problems/cuda_source", "problems/readers", "problems/readers/keys"},
    "problems/readers/recorded": {"problems/readers", "problems/readers/keys", "problems/readers/problem"},
    "problems/readers/t1": {"problems/readers", "problems/readers/problem", "problems/readers/recorded"},
    "problems/readers/toml": {"problems/cuda_source", "problems/readers", "problems/readers/problem", "problems/readers/recorded"},
    "problems/shapes": {"problems/readers", "problems/readers/toml"},
    "problems/cuda_source": set(),
    "evaluator/process": set(),
    "evaluator/sources": {"evaluator/process"},
    "evaluator/counters": {"evaluator/process"},
    "evaluator/sampling": set(),
    "evaluator/answers": set(),
    "evaluator/host/build": {"evaluator/answers", "evaluator/counters", "evaluator/process", "evaluator/sources"},
    "evaluator/host": {"evaluator/answers", "evaluator/counters", "evaluator/host/build", "evaluator/process",
                       "evaluator/sampling", "evaluator/sources"},
    "evaluator/command/figures": set(),
    "evaluator/command": {"evaluator/command/figures", "evaluator/counters", "evaluator/process",
                          "evaluator/sampling", "evaluator/sources"},
    "evaluator/recorded": set(),
    "evaluator/cuda/driver": {"evaluator/process"},
    "evaluator/cuda/clocks": {"evaluator/cuda/driver"},
    "evaluator/cuda/launch": {"evaluator/answers", "evaluator/cuda/driver", "evaluator/process"},
    "evaluator/cuda/build": {"evaluator/command", "evaluator/cuda/driver", "evaluator/cuda/launch",
                             "evaluator/process", "evaluator/sources"},
    "evaluator/cuda": {"evaluator/answers", "evaluator/cuda/build", "evaluator/cuda/driver",
                       "evaluator/cuda/launch", "evaluator/process", "evaluator/sampling"},
    "scheduler/devices": set(),
    "scheduler/journal/file": set(),
    "scheduler/journal": {"scheduler/journal/file"},
    "scheduler/pool": {"scheduler/devices"},
    "scheduler/nodes": {"scheduler/devices", "scheduler/pool"},
    "scheduler/confirmation": {"scheduler/journal"},
    "scheduler/trials": {"scheduler/devices", "scheduler/journal"},
    "scheduler/sources": set(),
    "scheduler/study/time": {"scheduler/confirmation", "scheduler/trials"},
    "scheduler/study": {"scheduler/confirmation", "scheduler/devices", "scheduler/journal",
                        "scheduler/sources", "scheduler/study/time", "scheduler/trials"},
    "scheduler/batch": {"scheduler/devices", "scheduler/study"},
    "scheduler/summary": {"scheduler/confirmation", "scheduler/journal", "scheduler/study",
                          "scheduler/trials"},
    # What many features are made of.
    "tools/text": set(),
    "tools/document": {"tools/text"},
    "tools/cli": {"tools/text"},
    "tools/problem": {"tools/cli", "tools/summary", "tools/text"},
    "tools/summary": {"tools/document", "tools/text"},
    "tools/check": {"tools/cli", "tools/problem", "tools/text"},
    "tools/devices": {"tools/cli", "tools/problem", "tools/text"},
    "tools/slurm": {"tools/text"},
    "tools/live": {"tools/text"},
    # A folder a feature.
    "tools/nodes": {"tools/cli", "tools/devices", "tools/slurm", "tools/text"},
    "tools/explain": {"tools/cli", "tools/document", "tools/problem", "tools/summary", "tools/text"},
    "tools/report": {"tools/document", "tools/explain", "tools/summary", "tools/text"},
    "tools/history": {"tools/document", "tools/cli", "tools/problem", "tools/summary", "tools/text"},
    "tools/study": {"tools/document", "tools/cli", "tools/devices", "tools/history", "tools/live", "tools/nodes",
                    "tools/problem", "tools/report", "tools/summary", "tools/text"},
    "tools/batch/report": {"tools/document", "tools/report", "tools/summary", "tools/text"},
    "tools/batch": {"tools/document", "tools/batch/report", "tools/check", "tools/cli", "tools/devices", "tools/live", "tools/nodes",
                    "tools/problem", "tools/report", "tools/slurm", "tools/study", "tools/summary",
                    "tools/text"},
    "tools/submit": {"tools/batch", "tools/cli", "tools/devices", "tools/slurm", "tools/text"},
    "tools/bundle": {"tools/nodes", "tools/problem", "tools/summary", "tools/text"},
    "tools/kernels": {"tools/problem", "tools/text"},
    "tools/export": {"tools/bundle", "tools/cli", "tools/kernels", "tools/problem", "tools/summary", "tools/text"},
    "tools/compare": {"tools/document", "tools/cli", "tools/devices", "tools/problem", "tools/summary", "tools/text"},
    "tools/collect": {"tools/cli", "tools/compare", "tools/devices", "tools/document", "tools/problem", "tools/text"},
    "tools/library": set(),
    "tools/noise": {"tools/document", "tools/cli", "tools/compare", "tools/problem", "tools/summary", "tools/text"},
    "tools/table/formats": {"tools/summary", "tools/text"},
    "tools/table/kept": {"tools/summary", "tools/table/formats", "tools/text"},
    "tools/table": {"tools/batch", "tools/cli", "tools/compare", "tools/devices", "tools/document", "tools/kernels",
                    "tools/nodes", "tools/problem", "tools/summary", "tools/table/formats", "tools/table/kept", "tools/text"},
    "tools/judge": {"tools/cli", "tools/compare", "tools/problem"},
    "tools/serve": {"tools/document", "tools/batch", "tools/batch/report", "tools/cli", "tools/problem", "tools/report",
                    "tools/study", "tools/summary", "tools/text"},
    "tools/code": {"tools/cli", "tools/compare", "tools/kernels", "tools/problem", "tools/text"},
    "tools/profile": {"tools/cli", "tools/compare", "tools/problem", "tools/summary", "tools/text"},
    "tools/recheck": {"tools/document", "tools/batch", "tools/bundle", "tools/cli", "tools/compare", "tools/history",
                      "tools/problem", "tools/study", "tools/summary", "tools/table", "tools/text"},
    "tools/verify": {"tools/bundle", "tools/cli", "tools/compare", "tools/recheck", "tools/summary",
                     "tools/text"},
    "tools/bisect": {"tools/cli", "tools/compare", "tools/problem", "tools/recheck",
                     "tools/summary", "tools/text"},
    # Of several features.
    "tools/commands": {"tools/document", "tools/batch", "tools/batch/report", "tools/cli", "tools/collect",
                       "tools/compare", "tools/live", "tools/problem", "tools/report", "tools/serve",
                       "tools/slurm", "tools/submit", "tools/summary", "tools/text"},
}

# Sub-room -> those of its headers that other rooms may include; None: all of them.
FACES = {
    "search/figures": None,
    "search/problem": None,
    "search/statistics": None,
    "search/options": {"searcher_option"},
    "search/importance": {"one_code", "advice", "space_model"},
    "search/acceptance": None,
    "search/table": None,
    "evaluator/cuda/driver": {"toolkits"},
    "evaluator/host/build": {"source_language"},
    "evaluator/process": {"artifact_tree", "outside_kills", "program_path"},
    "problems/cuda_source": {"cuda_declaration", "cuda_function", "cuda_source", "cuda_types",
                             "source_tokens"},
    "scheduler/batch": {"batch_host", "batch_plan", "batch_runner"},
    "scheduler/devices": None,
    "scheduler/journal": {"batch_journal", "batch_record", "batch_terms_text", "history", "journal",
                          "sqlite_journal", "study_outline"},
    "scheduler/nodes": {"agent", "agent_channel", "forked_links", "node_line", "node_pool",
                        "portable_problem"},
    "scheduler/pool": {"room_left"},
    "scheduler/sources": {"source_files"},
    "scheduler/confirmation": {"confirmation", "evaluation", "succession"},
    "scheduler/trials": {"tolerance_advice"},
    "scheduler/summary": {"batch_summary", "batch_time", "front", "study_standing",
                          "study_summary", "summary", "unaudited"},
}

MOST_FILES = 30
LARGE = {"search": 60, "ipc": 46, "search/model": 39, "search/searchers": 37,
         "search/statistics": 35, "search/expression": 31, "problems/readers/toml": 31}

MOST_LINES = {".h": 150, ".cc": 400}
LONG = {"scheduler/study/study_plan.h": 198}

# Only the messages and their encoding know trials; the rest of ipc/ knows bytes and processes.
IPC_FILES_THAT_KNOW_TRIALS = re.compile(r"^(messages|mailbox|progress|archive|trial_)")
SOURCES = {".h", ".cc", ".cu", ".cuh"}
UNIT = {".h", ".cc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"/]+/[^"]+)"')


def room_of(path):
    return path.split("/", 1)[0]


def sub_room_of(path):
    """The sub-room of a file, or "" where it stands at its room's top."""
    folder = path.rsplit("/", 1)[0]
    return folder if "/" in folder else ""


def unit_of(path):
    return path.rsplit(".", 1)[0]


def offence_of(path, other):
    """Why `path` may not include `other`; empty where it may. Paths from the top."""
    room, other_room = room_of(path), room_of(other)
    inner, other_inner = sub_room_of(path), sub_room_of(other)
    is_program_of_ours = path.startswith(("tests/", "tools/bench/"))  # they may look behind walls
    if path.startswith("tools/bench/") and other.startswith("tests/fakes/"):
        return ""  # benchmarks simulate with the fakes of the tests
    if other_room != room and other_room not in MAY_INCLUDE[room]:
        return f"{room}/ may not include {other}"
    name = pathlib.PurePosixPath(path).name
    if room == "ipc" and other_room == "search" and not IPC_FILES_THAT_KNOW_TRIALS.match(name):
        return f"ipc/ includes search/ in its messages and mailbox only, not {other} here"
    if is_program_of_ours or not other_inner:
        return ""
    if other_room != room:
        face = FACES.get(other_inner, set())
        if face is not None and pathlib.PurePosixPath(other).stem not in face:
            return f"{other} is private to {other_room}/: include what stands at its top"
    elif inner and inner != other_inner and other_inner not in WALLS.get(inner, set()):
        return f"{inner}/ may not include {other}"
    return ""


def includes_of(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        found = INCLUDE.match(line)
        if found and room_of(found.group(1)) in MAY_INCLUDE:
            yield number, found.group(1)


def circles(graph):
    """The strongly connected components of more than one unit (Tarjan 1972)."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []

    def walk(unit):
        order[unit] = low[unit] = len(order)
        stack.append(unit)
        on_stack.add(unit)
        for other in sorted(graph[unit]):
            if other not in graph:
                continue
            if other not in order:
                walk(other)
                low[unit] = min(low[unit], low[other])
            elif other in on_stack:
                low[unit] = min(low[unit], order[other])
        if low[unit] == order[unit]:
            circle = []
            while not circle or circle[-1] != unit:
                circle.append(stack.pop())
                on_stack.discard(circle[-1])
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for unit in sorted(graph):
        if unit not in order:
            walk(unit)
    return found


def too_large(files):
    """A line for each folder of `files`, paths from the top, that holds more than it may."""
    count = {}
    for path in files:
        if not path.startswith(("tests/", "tools/bench/")) and path.endswith(tuple(UNIT)):
            folder = path.rsplit("/", 1)[0]
            count[folder] = count.get(folder, 0) + 1
    return [f"{folder}/: {n} headers and sources, {LARGE.get(folder, MOST_FILES)} at most"
            for folder, n in sorted(count.items()) if n > LARGE.get(folder, MOST_FILES)]


def too_long(lines_of):
    """A line for each file that is longer than it may be; LINES_OF are path from the top -> lines."""
    offences = []
    for path, lines in sorted(lines_of.items()):
        suffix = pathlib.PurePosixPath(path).suffix
        if path.startswith(("tests/", "tools/bench/")) or suffix not in MOST_LINES:
            continue
        most = LONG.get(path, MOST_LINES[suffix])
        if lines > most:
            offences.append(f"{path}: {lines} lines, {most} at most: divide it by its ideas")
    return offences


def check(root):
    """The number of files looked at and the offences, each a line of text."""
    files = [p for room in MAY_INCLUDE for p in sorted((root / room).rglob("*")) if p.suffix in SOURCES]
    offences, graph, lines = [], {}, {}
    for path in files:
        relative = path.relative_to(root).as_posix()
        inner = sub_room_of(relative)
        if path.suffix in UNIT and not relative.startswith("tests/"):
            graph.setdefault(unit_of(relative), set())
        for number, other in includes_of(path):
            why = offence_of(relative, other)
            if why:
                offences.append(f"{relative}:{number}: {why}")
            if unit_of(relative) in graph and unit_of(other) != unit_of(relative):
                graph[unit_of(relative)].add(unit_of(other))
                lines.setdefault((unit_of(relative), unit_of(other)), f"{relative}:{number}")
    for circle in circles(graph):
        for (unit, other), place in sorted(lines.items()):
            if unit in circle and other in circle:
                offences.append(f"{place}: {unit} and {other} include each other in a circle of "
                                f"{len(circle)}")
    offences += too_large([path.relative_to(root).as_posix() for path in files])
    offences += too_long({path.relative_to(root).as_posix(): path.read_bytes().count(b"\n")
                          for path in files})
    return len(files), offences


def main():
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    files, offences = check(root)
    for offence in offences:
        print(offence)
    print(f"{files} files, {len(offences)} offences")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
