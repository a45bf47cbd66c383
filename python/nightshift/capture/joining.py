"""What all processes of a program have seen, as one folder that `nightshift batch run` takes.

    captured.json        the kernels, each launch with its share of the time, and what could not be recorded
    batch.toml           a study for each launch that is worth one
    problems.py          the problems; kernels/HASH/ has each kernel's source, values/ what inputs have
    processes/           what each process has seen

Joining again, after more processes have ended, writes the first two anew."""

import fcntl
import hashlib
import json
import os

from ..whole_files import read_whole, write_whole

MOST_STUDIES = 64
_ENOUGH = 0.99       # of the time that is known
_WEIGHTS = (0.05, 1000)
_PROBLEMS = '''"""Kernels that a program launched, written by nightshift collect; nightshift batch run takes this folder."""

import os

import triton  # so that what is built ahead is Triton's

from nightshift.capture.problems import problems_in

SAME_BITS = False  # True: what a configuration computes has to be equal to the bit

globals().update(problems_in(os.path.dirname(os.path.abspath(__file__)), SAME_BITS))
'''


def join(folder):
    """Writes the folder's own files. Returns what captured.json has. Raises OSError."""
    folder = os.path.abspath(folder)
    with open(os.path.join(folder, ".lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = _joined(_processes(folder))
        for kernel in told["kernels"]:
            files = kernel.pop("files")
            if files:
                _write_kernel(os.path.join(folder, "kernels", kernel["id"]), files)
        _put(os.path.join(folder, "captured.json"), json.dumps(told, indent=1))
        if not os.path.exists(os.path.join(folder, "problems.py")):  # it may have been edited
            _put(os.path.join(folder, "problems.py"), _PROBLEMS)
        _put(os.path.join(folder, "batch.toml"), _batch(told))
    return told


def _processes(folder):
    found, place = [], os.path.join(folder, "processes")
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
        if name.endswith(".json"):
            try:
                found.append(json.loads(read_whole(os.path.join(place, name))))
            except (OSError, ValueError):
                continue  # of a process that was killed while it wrote, by an older version
    return found


def _joined(processes):
    kernels = {}
    for process in processes:
        for kernel in process["kernels"]:
            key = kernel.get("hash") or f"{kernel['name']}: {kernel['why']}"
            known = kernels.setdefault(key, {
                "name": kernel["name"], "kind": kernel["kind"], "why": kernel["why"],
                "hash": kernel.get("hash", ""), "files": kernel.get("files", {}),
                "module": kernel.get("module", ""), "function": kernel.get("function", ""),
                "varying": [], "others": 0, "launches": {}})
            known["varying"] = sorted({*known["varying"], *kernel["varying"]})
            known["others"] += kernel["others"]
            for launch in kernel["launches"]:
                _add_launch(known["launches"], launch)
    _join_unseen(kernels)
    made = [_finished(one) for one in kernels.values()]
    total = sum(launch["time"] or 0 for one in made for launch in one["launches"])
    for one in made:
        for launch in one["launches"]:
            launch["share"] = (launch["time"] or 0) / total if total else 0
        one["launches"].sort(key=lambda launch: (-launch["share"], -launch["count"]))
    made.sort(key=lambda one: -sum(launch["share"] for launch in one["launches"]))
    for one in made:
        one["id"] = _identifier(one["name"], one["hash"])
        for launch in one["launches"]:
            launch["case"] = f"s{hashlib.sha256(launch['key'].encode()).hexdigest()[:8]}"
    machines = [process["machine"] for process in processes if process["machine"].get("gpu")]
    return {"version": 1, "machine": (machines or [process["machine"] for process in processes]
                                      or [{}])[-1],
            "programs": sorted({process["program"] for process in processes}),
            "processes": len(processes), "seconds": sum(p["seconds"] for p in processes),
            "hook_seconds": sum(p["hook_seconds"] for p in processes),
            "describing_seconds": sum(p.get("describing_seconds", 0) for p in processes), "kernel_seconds": total,
            "faults": _counted(processes), "kernels": made}


def _join_unseen(kernels):
    """What one process had no time to look at is the kernel of that name that another one has."""
    for key, kernel in list(kernels.items()):
        if kernel["hash"] or kernel["why"]:
            continue
        same = [one for one in kernels.values() if one["hash"] and one["name"] == kernel["name"]]
        if len(same) == 1:
            same[0]["others"] += kernel["others"] + sum(
                launch["count"] for launch in kernel["launches"].values())
            kernels.pop(key)


def _add_launch(launches, launch):
    known = launches.setdefault(launch["key"], dict(launch, count=0, seconds=[]))
    known["count"] += launch["count"]
    known["seconds"] = sorted([*known["seconds"], *launch["seconds"]])
    if known["detail"] is None or (launch["detail"] and "written" not in known["detail"]):
        known["detail"], known["why"] = launch["detail"], launch["why"]


def _finished(kernel):
    launches = list(kernel["launches"].values())
    for launch in launches:
        seconds = launch.pop("seconds")
        # The host's part of what lies between two events is smallest where the device had work.
        launch["each"] = seconds[0] if seconds else None
        launch["time"] = launch["each"] * launch["count"] if seconds else None
        if launch["detail"] is None and not launch["why"]:
            launch["why"] = "the hook had no time left for it: let the program run longer"
        elif launch["detail"] is not None and "written" not in launch["detail"]:
            launch["detail"], launch["why"] = None, "the program ended in it"
    return dict(kernel, launches=launches)


def _counted(processes):
    found = {}
    for process in processes:
        for words, count in process["faults"].items():
            found[words] = found.get(words, 0) + count
    return found


def _identifier(name, told):
    """A name that stays the kernel's own however often all is joined."""
    base = "".join(c if c.isalnum() and c.isascii() else "_" for c in name).strip("_")[:48] or "kernel"
    return f"{'k' if base[0].isdigit() else ''}{base}_{told[:8]}".rstrip("_")


def studies_of(told):
    """[(kernel, launch)] that are worth a study, those with most time first: as many as have nearly all of it."""
    every = [(kernel, launch) for kernel in told["kernels"] for launch in kernel["launches"]
             if launch["detail"] is not None]
    every.sort(key=lambda pair: (-pair[1]["share"], -pair[1]["count"]))
    found, covered = [], 0.0
    for kernel, launch in every[:MOST_STUDIES]:
        if covered >= _ENOUGH and launch["time"] is not None:
            break
        found.append((kernel, launch))
        covered += launch["share"]
    return found


def study_name(kernel, launch):
    return f"{kernel['id']}-{launch['case']}"


def _batch(told):
    chosen = studies_of(told)
    lines = ["# Written by nightshift collect: a study for each launch, weighted by its share of the time.",
             'name = "captured"', "", "[defaults]", 'budget = "10m"', "warm_start = false"]
    for kernel, launch in chosen:
        least, most = _WEIGHTS
        weight = min(most, max(least, 100 * launch["share"])) if told["kernel_seconds"] else 1
        names = json.dumps(kernel["id"]), json.dumps(launch["case"])
        lines += ["", "[[study]]", 'problem = "problems.py"', f"name = {json.dumps(study_name(kernel, launch))}",
                  f"weight = {weight:.3f}", f"calls = {max(1, launch['count'])}",
                  f"set = {{ python.problem = {names[0]}, python.case = {names[1]} }}"]
    return "\n".join(lines) + "\n"


def _write_kernel(folder, files):
    os.makedirs(folder, exist_ok=True)
    _put(os.path.join(folder, "__init__.py"), "")
    for name, text in files.items():
        _put(os.path.join(folder, f"{name}.py"), text)


def _put(path, text):
    """Replaces a file where it is another. Raises OSError."""
    try:
        if read_whole(path) == text:
            return
    except UnicodeDecodeError:
        pass
    except OSError:
        if os.path.exists(path) and not os.path.isfile(path):
            raise
    write_whole(path, text)
