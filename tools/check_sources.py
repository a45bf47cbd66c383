#!/usr/bin/env python3
"""Checks sources one by one, each in a process of its own, as the builds that join them cannot.

    tools/check_sources.py alone [--all | --since COMMIT | --recent] [--minutes M]
        each source and header compiles alone, without a warning: nothing rests on what another one
        included before. Of headers also those that include what has changed.
    tools/check_sources.py tidy  [--all | --since COMMIT | --recent] [--minutes M]
        clang-tidy finds nothing in the sources of the programs; .clang-tidy says what it looks for.
    tools/check_sources.py rooms [--since COMMIT]
        prints the rooms and test folders whose sources have changed.

Looks at what has changed since COMMIT, edits that are not committed included. Without --since that
is where the branch left main; on main itself the last ten commits, and in a clone that has but one,
nothing. --recent looks at the 40 files that changed last in the 24 hours before the newest commit,
in that order: what a gate has time for. With --minutes no further file is begun after so long; what is
left then is named. Needs `cmake --preset dev` to have run.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build/dev/compile_commands.json"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
COMMITS_ON_MAIN = 10
RECENT_HOURS, RECENT_FILES = 24, 40
# They stand in for headers of the CUDA toolkit and are read by kernels only.
FOR_KERNELS = "tests/fakes/gpu/include/"


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def sources():
    found = git("ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.cc")
    return [path for path in found if (ROOT / path).is_file() and not path.startswith(FOR_KERNELS)]


def base():
    head = git("rev-parse", "HEAD")
    for main in ["origin/HEAD", "origin/main", "main"]:
        fork = git("merge-base", "HEAD", main)
        if fork and fork != head:
            return fork[0]
    return git("rev-list", "--first-parent", f"--max-count={COMMITS_ON_MAIN + 1}", "HEAD")[-1]


def recent():
    """Paths that changed in the last hours before HEAD or since, the latest first."""
    edited = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    end = git("show", "-s", "--format=%ct", "HEAD")
    if not end:
        return edited
    since = int(end[0]) - RECENT_HOURS * 3600
    return list(dict.fromkeys(
        edited + git("-c", "log.showRoot=false", "log", f"--since={since}", "--format=", "--name-only", "HEAD")))


def changed(since):
    names = set(git("diff", "--name-only", since or base()))
    return names | set(git("ls-files", "--others", "--exclude-standard"))


def including(names, paths):
    """Those of PATHS that include one of NAMES, directly or not."""
    includes = {path: set(INCLUDE.findall((ROOT / path).read_text())) for path in sources()}
    found = set(names)
    while True:
        more = {path for path, its in includes.items() if its & found} - found
        if not more:
            return [path for path in paths if path in found]
        found |= more


class Commands:
    """How each source is compiled; a header as any source of its room, in which it stands alone."""

    def __init__(self):
        entries = json.loads(DATABASE.read_text())
        self.of = {}
        for entry in entries:
            arguments = shlex.split(entry["command"])
            while not re.search(r"(\+\+|clang|gcc|cc)[-\d.]*$", arguments[0]):
                arguments.pop(0)  # a compiler cache and its environment
            path = os.path.relpath(entry["file"], ROOT)
            self.of[path] = arguments[:arguments.index("-o")]
        self.system = sorted({part for command in self.of.values()
                              for one, two in zip(command, command[1:]) if one == "-isystem"
                              for part in [two]})

    def alone(self, path):
        command = self.of.get(path)
        if path.endswith(".h"):
            room = path.split("/")[0]
            likely = [its for name, its in self.of.items() if name.startswith(room + "/")]
            folders = [part for folder in self.system for part in ("-isystem", folder)]
            command = likely[0] + folders if likely else None
        if command is None:
            return None  # not part of this build
        rest = ["-x", "c++", "-include", str(ROOT / path), os.devnull] if path.endswith(".h") else [
            str(ROOT / path)]
        return [*command, "-fsyntax-only", *rest]


def run_all(commands, minutes):
    """Runs COMMANDS, path -> arguments, as many at once as there are cores. Returns 1 if one failed."""
    end = time.monotonic() + minutes * 60 if minutes else float("inf")

    def run(item):
        if time.monotonic() > end:
            return item[0], None
        done = subprocess.run(item[1], cwd=ROOT, capture_output=True, text=True)
        return item[0], (done.returncode, done.stdout + done.stderr)

    failed, left = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in pool.map(run, commands.items()):
            if result is None:
                left.append(path)
            elif result[0] != 0:
                failed += 1
                print(f"{path}:\n{result[1]}", file=sys.stderr)
    print(f"{len(commands) - len(left) - failed} files are good, {failed} are not"
          + (f", {len(left)} were left after {minutes:g} minutes: {' '.join(left)}" if left else ""),
          file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["alone", "tidy", "rooms"])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--since")
    parser.add_argument("--recent", action="store_true")
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    names = recent() if options.recent else changed(options.since)
    if options.what == "rooms":
        print(*sorted({name.split("/")[1 if name.startswith("tests/") else 0]
                       for name in names if name.endswith((".h", ".cc"))}))
        return 0
    paths = sources()
    if options.recent:
        known = set(paths)
        names = [name for name in names if name in known][:RECENT_FILES]
        place = {name: i for i, name in enumerate(names)}
        paths.sort(key=lambda path: place.get(path, len(place)))
    commands = Commands()
    if options.what == "tidy":
        chosen = [path for path in paths if path.endswith(".cc") and not path.startswith("tests/")
                  and path in commands.of and (options.all or path in names)]
        tidy = ["clang-tidy", "--quiet", "-p", str(DATABASE.parent),
                "--extra-arg=-Wno-unknown-warning-option"]
        if options.recent:  # what others have left in headers is no fault of theirs
            headers = "|".join(re.escape(name) for name in names if name.endswith(".h"))
            tidy.append(f"--header-filter=/({headers})$")
        return run_all({path: [*tidy, path] for path in chosen}, options.minutes)
    if not options.all:
        affected = including(names, paths)
        paths = [path for path in affected if path.endswith(".h") or path in names]
    alone = {path: commands.alone(path) for path in paths}
    return run_all({path: command for path, command in alone.items() if command}, options.minutes)


if __name__ == "__main__":
    sys.exit(main())
