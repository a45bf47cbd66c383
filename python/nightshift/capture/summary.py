"""What was collected, and what was applied, in words."""

import json
import os

from ..errors import Unwritten, UserError
from .joining import join, studies_of

_MOST_LINES = 24


def add_arguments_of_captured(parser):
    parser.add_argument("folder", help="what nightshift collect has written")
    parser.add_argument("--json", action="store_true", help="as one object")


def captured(arguments):
    """Joins what processes have written, and prints what there is. Returns the exit code. Raises UserError."""
    try:
        told = join(arguments.folder)
    except OSError as error:
        raise Unwritten(f"{arguments.folder} can't be written: {error.strerror or error}") from None
    if arguments.json:
        for kernel in told["kernels"]:
            for launch in kernel["launches"]:
                launch.pop("detail")
        print(json.dumps(told, indent=1))
    else:
        print(text_of(told, arguments.folder))
    return 0 if told["kernels"] else 3


def text_of(told, folder):
    """What was collected, a kernel a line."""
    kernels = told["kernels"]
    if not kernels:
        return (f"No launch of a Triton kernel was seen in {told['processes']} processes of Python. A program "
                "started with -S, -I or -E has no hook, nor has one that is not Python.")
    launches = [(kernel, one) for kernel in kernels for one in kernel["launches"]]
    able = [one for _, one in launches if one["detail"] is not None]
    noting = told["hook_seconds"] - told["describing_seconds"]
    share = noting / told["seconds"] if told["seconds"] else 0
    lines = [f"{len(kernels)} kernels, {len(launches)} launches that differ, {len(able)} of them recorded; "
             f"{len(studies_of(told))} studies in {os.path.join(folder, 'batch.toml')}",
             f"Triton's kernels took {_seconds(told['kernel_seconds'])} of {_seconds(told['seconds'])}; "
             f"the hook took {100 * share:.2f} % of the program's time, and {_seconds(told['describing_seconds'])} "
             "once to record launches", "",
             "share   launches   each        kernel"]
    for kernel in kernels[:_MOST_LINES]:
        count = sum(one["count"] for one in kernel["launches"])
        time = sum(one["time"] or 0 for one in kernel["launches"])
        part = sum(one["share"] for one in kernel["launches"])
        each = _seconds(time / count) if time and count else "-"
        lines.append(f"{100 * part:5.1f} % {count:>9,}   {each:<11} {kernel['name']}"
                     f"{_shapes(kernel)}")
    if len(kernels) > _MOST_LINES:
        lines.append(f"and {len(kernels) - _MOST_LINES} more in captured.json")
    return "\n".join([*lines, *_refused(kernels, launches), *_faults(told)])


def _shapes(kernel):
    return f", {len(kernel['launches'])} shapes" if len(kernel["launches"]) > 1 else ""


def _refused(kernels, launches):
    whys = {}
    for kernel, one in launches:
        if one["detail"] is None:
            names = whys.setdefault(one["why"] or kernel["why"], [])
            if kernel["name"] not in names:
                names.append(kernel["name"])
    lines = ["", "Not recorded:"] if whys else []
    return lines + [f"  {', '.join(names[:4])}{' and others' if len(names) > 4 else ''}: {why}"
                    for why, names in whys.items()]


def _faults(told):
    return [f"The hook met {count} times: {words}" for words, count in told["faults"].items()]


def _seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def add_arguments_of_applied(parser):
    parser.add_argument("report", help="what NIGHTSHIFT_APPLY_REPORT named")


def applied(arguments):
    """Prints what a program's processes have been answered. Returns the exit code. Raises UserError."""
    if not os.path.exists(arguments.report):
        print("Nothing was applied: no process that has ended had launched a kernel that was tuned")
        return 0
    try:
        with open(arguments.report) as file:
            told = [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise UserError(f"{arguments.report} can't be read: {error}") from None
    counts, broken = {}, {}
    for one in told:
        for name, count in one["applied"].items():
            counts[name] = counts.get(name, 0) + count
        broken.update(one["broken"])
    total = sum(counts.values())
    print(f"{total:,} launches had what was tuned, {sum(one['as_they_were'] for one in told):,} of the same kernels "
          f"ran as they are; looking them up took {_seconds(sum(one['seconds'] for one in told))}")
    for name, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{count:>10,}  {name}{': ' + broken[name] if name in broken else ''}")
    for words in dict.fromkeys(one["refusal"] for one in told if one["refusal"]):
        print(f"nothing was applied: {words}")
    return 0
