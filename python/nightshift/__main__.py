"""python3 -m nightshift describe|serve|export|shapes: see python/README.md."""

import argparse
import faulthandler
import sys

from . import exporting, importing
from .describing import described
from .errors import UserError, say_user_error
from .lines import take_output, write_line
from .loading import load


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m nightshift")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in (("describe", "prints a file's problem as TOML"),
                       ("serve", "builds and measures configurations, over lines of JSON")):
        command = commands.add_parser(name, help=does)
        command.add_argument("file")
        command.add_argument("--case", help="number or name; the first one where absent")
        command.add_argument("--problem", help="its name, where the file has several")
    exporting.add_arguments(commands.add_parser("export", help="winners as files that others load"))
    importing.add_arguments(commands.add_parser("shapes", help="lists of shapes as cases"))
    return parser


def _describe(arguments):
    faulthandler.enable()  # what importing the file dies of has its lines
    out = take_output()
    problem = load(arguments.file, arguments.problem)
    cases = problem.pick(arguments.case)
    more = []
    for name in ("case", "problem"):
        if getattr(arguments, name):
            more += [f"--{name}", getattr(arguments, name)]
    text = described(problem, cases, more)
    left = len(problem.cases) - len(cases)
    if left and not arguments.case:
        print(f"nightshift: {problem.name} has {len(problem.cases)} cases, and this is "
              f"{cases[0]!r}; {left} more {'is' if left == 1 else 'are'} left out, which "
              "python.case (or --case) names", file=sys.stderr)
    write_line(out, text.encode())
    return 0


def main():
    arguments = _parser().parse_args()
    try:
        if arguments.command == "describe":
            return _describe(arguments)
        if arguments.command == "serve":
            from .zygote import serve
            return serve(arguments)
        return {"export": exporting.main, "shapes": importing.main}[arguments.command](arguments)
    except UserError as error:
        say_user_error(error)
        return 2


if __name__ == "__main__":
    sys.exit(main())
