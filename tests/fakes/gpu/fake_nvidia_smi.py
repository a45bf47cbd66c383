#!/usr/bin/env python3
"""Stands in for nvidia-smi as far as clocks and power limits go: changes FAKE_NVML_STATE, the state of
the fake NVML. With FAKE_SMI_REFUSES set it refuses, as the real one does without the rights of root."""

import fcntl
import json
import os
import sys

LOCKS = {"gpu": "locked_sm", "memory": "locked_memory"}


def main():
    if sys.argv[1] != "-i" or len(sys.argv) != 4:
        sys.exit("fake nvidia-smi: expected -i UUID OPTION")
    if os.environ.get("FAKE_SMI_REFUSES"):
        print("The current user does not have permission to change clocks for GPU " + sys.argv[2])
        sys.exit(4)
    uuid, (option, _, value) = sys.argv[2], sys.argv[3].partition("=")
    file = os.environ["FAKE_NVML_STATE"]
    with open(file + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = json.load(open(file))
        state.setdefault("calls", []).append(f"{uuid} smi {sys.argv[3]}")
        figures = state.setdefault("devices", {}).setdefault(uuid, {})
        words = option.strip("-").split("-")
        if words[0] == "lock":
            figures[LOCKS[words[1]]] = int(value.split(",")[1])
        elif words[0] == "reset":
            figures.pop(LOCKS[words[1]], None)
        elif option == "--power-limit":
            figures["power_limit_mw"] = 1000 * int(value)
        else:
            sys.exit("fake nvidia-smi: unknown option " + option)
        with open(file + ".smi", "w") as out:
            json.dump(state, out)
        os.rename(file + ".smi", file)


main()
