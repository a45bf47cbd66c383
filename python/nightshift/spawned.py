"""A worker that imports the file itself: python3 -m nightshift.spawned PARENT REQUESTS REPLIES ROLE
FILE [--case=..] [--problem=..]. Started by the zygote alone."""

import argparse

from . import processes
from .lines import mend_streams
from .loading import load, stand_in
from .worker import work


def main():
    parser = argparse.ArgumentParser(prog="python3 -m nightshift.spawned")
    for name in ("parent", "requests", "replies"):
        parser.add_argument(name, type=int)
    parser.add_argument("role")
    parser.add_argument("file")
    parser.add_argument("--case")
    parser.add_argument("--problem")
    arguments = parser.parse_args()
    processes.die_with(arguments.parent)
    stand_in(arguments.file)
    problem = load(arguments.file, arguments.problem)
    mend_streams()
    work(problem, problem.pick(arguments.case), arguments.role, arguments.requests,
         arguments.replies)


if __name__ == "__main__":
    main()
