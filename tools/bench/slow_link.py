"""A command behind a slow link: each line to and from it comes so many seconds late, in order.

    slow_link.py SECONDS COMMAND [WORD...]

Before `nightshift agent` in a file for --nodes, or before `bench-nodes --agent`, it is a network of that latency."""

import queue
import subprocess
import sys
import threading
import time


def carry(source, target, seconds):
    lines = queue.Queue()

    def read():
        for line in iter(source.readline, b""):
            lines.put((time.monotonic() + seconds, line))
        lines.put((time.monotonic() + seconds, None))

    threading.Thread(target=read, daemon=True).start()
    while True:
        due, line = lines.get()
        time.sleep(max(0.0, due - time.monotonic()))
        if line is None:
            return target.close()
        target.write(line)
        target.flush()


def main(seconds, *command):
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    there = threading.Thread(target=carry, args=(sys.stdin.buffer, child.stdin, float(seconds)), daemon=True)
    there.start()
    carry(child.stdout, sys.stdout.buffer, float(seconds))
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
