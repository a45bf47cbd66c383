"""python3 -m nightshift describe|serve|init|export|shapes|import|http|mcp: see python/README.md."""

import argparse
import faulthandler
import os
import sys

from .capture import summary, tuned
from . import elsewhere, exporting, foreign, importing, initial, own_configs
from .describing import described
from .errors import Unwritten, UserError, say_user_error
from .lines import leave, take_streams, tell, write_line
from .loading import load, stand_in


def _parser():
    parser = argparse.ArgumentParser(prog="python3 -m nightshift")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in (("describe", "prints a file's problem as TOML"),
                       ("serve", "builds and measures configurations, over lines of JSON")):
        command = commands.add_parser(name, help=does)
        command.add_argument("file")
        command.add_argument("--case", help="number or name; the first one where absent")
        command.add_argument("--problem", help="its name, where the file has several")
        if name == "describe":
            command.add_argument("--candidates", action="store_true",
                                 help="whether candidates can be judged by it; prints nothing")
        else:
            command.add_argument("--space", help="what describe said of its lists")
    initial.add_arguments(commands.add_parser("init", help="prints a problem file to begin with"))
    exporting.add_arguments(commands.add_parser("export", help="winners as files that others load"))
    importing.add_arguments(commands.add_parser("shapes", help="lists of shapes as cases"))
    foreign.add_arguments(commands.add_parser(
        "import", help="problems and candidates of KernelBench, kernelbot and flashinfer-bench"))
    tuned.add_arguments(commands.add_parser("tuned", help="what a batch of captured launches has found"))
    summary.add_arguments_of_captured(commands.add_parser(
        "captured", help="joins what a program's processes have launched"))
    summary.add_arguments_of_applied(commands.add_parser("applied", help="what launches were answered"))
    _add_doors(commands)
    return parser


def _add_doors(commands):
    for name, does in (("http", "a running `nightshift serve` over HTTP on loopback"),
                       ("mcp", "a running `nightshift serve` as tools of MCP")):
        command = commands.add_parser(name, help=does)
        command.add_argument("--socket", required=True,
                             help="where nightshift serve --socket listens")
        if name == "http":
            command.add_argument("--host", default="127.0.0.1", help="a loopback address (127.0.0.1)")
            command.add_argument("--port", type=int, default=8731, help="0: any that is free (8731)")
            command.add_argument("--definitions", action="append", metavar="FOLDER",
                                 help="imported from flashinfer-bench: POST /evaluate and the like")
            command.add_argument("--token-file", help="its first line is what requests have to bring "
                                 "as 'Authorization: Bearer TOKEN'")


def _describe(arguments):
    faulthandler.enable(2)  # what importing the file dies of has its lines
    _, out = take_streams()
    stand_in(arguments.file)
    problem = load(arguments.file, arguments.problem)
    cases = problem.pick(arguments.case)
    if arguments.candidates:
        from .foreseen import look
        said = look(problem, cases)
        tell(f"nightshift: {said}\n" if said else "")
        write_line(out, b"\n")
        return 0
    more = []
    for name in ("case", "problem"):
        if getattr(arguments, name):
            value = getattr(arguments, name)
            more += [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
    text = described(problem, cases, more, own_configs.first_of(problem, cases))
    for loose in problem.loose_tolerances():
        tell(f"nightshift: {loose}\n")
    left = len(problem.cases) - len(cases)
    if left and not arguments.case:
        tell(f"nightshift: {problem.name} has {len(problem.cases)} cases, and this is "
             f"{cases[0]!r}; {left} more {'is' if left == 1 else 'are'} left out, which "
             "python.case names (--set python.case=NAME)\n")
    write_line(out, text.encode())
    return 0


def run(arguments, follow=None):
    """Does what the arguments say, in this process. Returns the exit code. follow: to be called
    before each request that is served."""
    try:
        if arguments.command == "describe":
            return _describe(arguments)
        if arguments.command == "serve":
            from .zygote import serve
            return serve(arguments, follow)
        if arguments.command == "http":
            from .http_door import main as serve_http  # what it needs takes 20 ms to import
            return serve_http(arguments)
        if arguments.command == "mcp":
            from .mcp_door import main as serve_mcp
            return serve_mcp(arguments)
        return {"export": exporting.main, "init": initial.main, "import": foreign.main,
                "shapes": importing.main, "tuned": tuned.main, "captured": summary.captured,
                "applied": summary.applied}[arguments.command](arguments)
    except UserError as error:
        say_user_error(error)
        return error.exit_code


def _with_output(do, arguments):
    """The exit code of what is done; that of an output which could not be written where all else is well. A reader
    who has left is no error."""
    code = 0
    if sys.stdout is None:  # closed: writing to it fails, as to any that takes nothing
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    try:
        code = do(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _forget_output()
        tell(f"nightshift: standard output could not be written: {error.strerror}\n")
        return code or Unwritten.exit_code
    return code


def _forget_output():
    """Nothing is left for the interpreter to write at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main():
    arguments = _parser().parse_args()
    if arguments.command not in ("describe", "serve"):
        return _with_output(run, arguments)
    code = elsewhere.ask(arguments)
    leave(run(arguments) if code is None else code)


if __name__ == "__main__":
    sys.exit(main())
