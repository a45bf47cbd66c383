"""Compresses a log in chunks with zlib, as fast as it can without needing much more room.

Reads one configuration a line, answers one JSON object a line. See problem.toml, and for both
figures together tradeoff.toml, which starts it with --any-size.
"""

import json
import random
import sys
import time
import zlib

LOG_BYTES = 1 << 20
REPETITIONS = 7
ROOM = 1.15  # an archive may be this much larger than the baseline's, without --any-size

STRATEGIES = {
    "default": zlib.Z_DEFAULT_STRATEGY,
    "filtered": zlib.Z_FILTERED,
    "fixed": zlib.Z_FIXED,
}


def make_log():
    dice = random.Random(1)
    lines, size = [], 0
    while size < LOG_BYTES:
        path = f"/{dice.choice(['users', 'orders', 'images'])}/{dice.randrange(5000)}"
        status = dice.choice([200, 200, 200, 304, 404, 500])
        lines.append(f"10.0.{dice.randrange(8)}.{dice.randrange(256)} GET {path} {status}"
                     f" {dice.randrange(10**6)} us\n")
        size += len(lines[-1])
    return "".join(lines).encode()[:LOG_BYTES]


# The defaults are the baseline: what {} stands for.
def compress(log, chunk_kib=16, level=6, strategy="default", window_bits=15, memory_level=8):
    step = chunk_kib << 10
    archive = []
    for start in range(0, len(log), step):
        packer = zlib.compressobj(level, zlib.DEFLATED, window_bits, memory_level,
                                  STRATEGIES[strategy])
        archive.append(packer.compress(log[start:start + step]) + packer.flush())
    return archive


def measure(log, room, configuration):
    archive = compress(log, **configuration)
    if b"".join(map(zlib.decompress, archive)) != log:
        return {"error": "the archive does not unpack to the log", "kind": "wrong_result"}
    size = sum(map(len, archive))
    if size > room:
        return {"error": f"the archive has {size} bytes, more than {room}"}
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        compress(log, **configuration)
        times.append((time.perf_counter() - start) * 1000)
    return {"time": times, "size": size / 1024}


def main():
    log = make_log()
    any_size = "--any-size" in sys.argv[1:]
    room = len(log) if any_size else int(ROOM * sum(map(len, compress(log))))
    for line in sys.stdin:
        configuration = json.loads(line)
        # Repeated, so that an answer cannot be taken for that to another request.
        answer = {"configuration": configuration, **measure(log, room, configuration)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
