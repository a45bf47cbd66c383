"""A worker that imports the file itself: python3 -m nightshift.spawned PARENT REQUESTS REPLIES ROLE
FILE [--case=..] [--problem=..] [--space=..] [--answers=..]. Started by the zygote alone, which need not have imported
the file: what it says first is the hello of `serve`."""

import argparse

import sys

from . import processes
from .describing import hello
from .errors import UserError, say_user_error
from .lines import mend_streams, write_frame
from .loading import load, stand_in
from .same_space import expect_same
from .worker import work


def main():
    parser = argparse.ArgumentParser(prog="python3 -m nightshift.spawned")
    for name in ("parent", "requests", "replies"):
        parser.add_argument(name, type=int)
    parser.add_argument("role")
    parser.add_argument("file")
    parser.add_argument("--case")
    parser.add_argument("--problem")
    parser.add_argument("--space")
    parser.add_argument("--answers", type=int)
    arguments = parser.parse_args()
    processes.die_with(arguments.parent)
    stand_in(arguments.file)
    try:
        problem = load(arguments.file, arguments.problem)
        mend_streams()
        cases = problem.pick(arguments.case)
        expect_same(problem.space, arguments.space, arguments.role)
    except UserError as error:
        say_user_error(error)
        sys.exit(2)
    write_frame(arguments.replies, {"ready": hello(problem), "device": problem.device})
    work(problem, cases, arguments.role, arguments.requests, arguments.replies, arguments.answers)


if __name__ == "__main__":
    main()
