"""python3 -m nightshift import: problems and candidates of other benchmarks. docs/imports.md."""

import importlib
import json
import os
import uuid

from .errors import UserError
from .lines import tell

FORMS = {"kernelbench": "a file with a class Model, get_inputs and get_init_inputs",
         "kernelbot": "a folder with task.yml, reference.py and submission.py",
         "flashinfer-bench": "a definition in JSON, with --workloads in JSON lines"}


def add_arguments(parser):
    parser.add_argument("form", choices=sorted(FORMS), help="; ".join(
        f"{name}: {does}" for name, does in FORMS.items()))
    parser.add_argument("path", help="what is imported, or with --candidate a candidate")
    parser.add_argument("--output", help="folder of the problem, which is made (its name)")
    parser.add_argument("--workloads", help="of flashinfer-bench: a file of JSON lines")
    parser.add_argument("--root", help="of flashinfer-bench: the folder that files of tensors are "
                        "relative to (that of --workloads)")
    parser.add_argument("--most", type=int, help="of flashinfer-bench: so many workloads, the first "
                        "ones")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--tolerance", type=float,
                        help="largest norm of the error over the norm of the answer")
    parser.add_argument("--reference", choices=("own", "float64"),
                        help="of kernelbench: the type in which Model computes what is right")
    parser.add_argument("--size", action="append", metavar="NAME=NUMBER",
                        help="of kernelbench: another value of a number at the file's top")
    parser.add_argument("--baseline", choices=("submission", "reference"), default="submission",
                        help="of kernelbot: what candidates are measured against (submission)")
    parser.add_argument("--candidate", action="store_true",
                        help="prints a request of nightshift serve for a candidate instead")
    parser.add_argument("--problem", help="of that request, and so --id, --client and --stage")
    parser.add_argument("--id")
    parser.add_argument("--client")
    parser.add_argument("--stage", choices=("check", "screen", "confirm", "claim"))


def form_of(name):
    """The module that reads a form."""
    return importlib.import_module("." + name.replace("-", "_"), __package__)


def main(arguments):
    """The subcommand `import`. Returns the exit code; raises UserError."""
    form = form_of(arguments.form)
    if arguments.candidate:
        members = {"id": arguments.id or uuid.uuid4().hex}
        members.update((name, getattr(arguments, name)) for name in ("problem", "client", "stage")
                       if getattr(arguments, name))
        print(json.dumps({**members, "files": form.request(arguments.path)}))
        return 0
    folder = arguments.output or form.name_of(arguments.path)
    if os.path.exists(os.path.join(folder, "problem.py")):
        raise UserError(f"{folder} has a problem.py already; --output names another folder")
    said = form.bring(arguments, folder)
    for sentence in said:
        tell(f"nightshift: {sentence}\n")
    tell(f"nightshift: {os.path.join(folder, 'problem.py')} is the problem: nightshift check, tune "
         "and serve take it\n")
    return 0
