#!/usr/bin/env python3
"""What kernels that die cost a study on a real GPU.

    tools/bench/gpu_deaths.py [--nightshift PROGRAM] [--devices IDS] [--limit SECONDS] [--only PARTS]

driver: the least that any tuner can reach. A process with a context of its own waits while another's
    kernel dies; the time from the error to the end of the first process, and to the end of a kernel
    of the waiting one, ordered at once or when the first is gone.
puzzles: from the end of a trial that died (for an endless kernel: its time limit) to the start of the
    next, with two, one and no hot spare.
twins: RMSNorm in a space of a few hundred configurations, and the same space with 30 % of them
    dying in one of six ways. Both are explored whole; which die is drawn so that the clean one's
    winner does not.
"""

import argparse
import ctypes
import itertools
import multiprocessing
import pathlib
import statistics
import tempfile
import time

import gpu_study
from kernel_peers import driver
from kernel_peers.problem import Cell, Problem

# --- The driver alone ---

KERNELS = """
extern "C" __global__ void die(float* y) { y[1ll << 44] = 1; }
extern "C" __global__ void live(float* y) { y[threadIdx.x] = 1; }
"""
ROUNDS = 7


class Device:
    """A context of this process with the two kernels."""

    def __init__(self):
        cuda = driver.driver()
        driver.check(cuda.cuInit(0), "cuInit")
        context, self.memory = ctypes.c_void_p(), ctypes.c_uint64()
        driver.check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "context")
        driver.check(cuda.cuCtxSetCurrent(context), "context")
        driver.check(cuda.cuMemAlloc_v2(ctypes.byref(self.memory), 1 << 20), "memory")
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
            file.write(KERNELS)
            file.flush()
            built = driver.build(pathlib.Path(file.name), ["die", "live"],
                                 ["--gpu-architecture=sm_90a"])
        self.module = driver.Module(built)

    def run(self, kernel):
        """The driver's result when the kernel has ended."""
        function = ctypes.c_void_p()
        driver.check(driver.driver().cuModuleGetFunction(
            ctypes.byref(function), self.module.handle, kernel.encode()), kernel)
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(self.memory))
        launched = driver.driver().cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, pointers,
                                                  None)
        return launched or driver.driver().cuCtxSynchronize()


def run_when_told(kernel, ready, go, ended):
    device = Device()
    device.run("live")
    ready.set()
    go.wait()
    device.run(kernel)
    ended.value = time.monotonic()


def death_beside_a_waiting_context(at_once):
    """(milliseconds to the end of the process that died, to the end of the other's kernel)."""
    spawn = multiprocessing.get_context("spawn")

    def start(kernel):
        ready, go, ended = spawn.Event(), spawn.Event(), spawn.Value("d", 0.0)
        process = spawn.Process(target=run_when_told, args=(kernel, ready, go, ended))
        process.start()
        ready.wait()
        return process, go, ended
    dying, die_now, died = start("die")
    waiting, live_now, lived = start("live")
    die_now.set()
    while not died.value:
        pass
    dying.kill()
    if at_once:
        live_now.set()
    dying.join()
    gone = time.monotonic()
    live_now.set()
    waiting.join()
    return 1e3 * (gone - died.value), 1e3 * (lived.value - died.value)


def show_driver():
    for at_once in (False, True):
        rounds = [death_beside_a_waiting_context(at_once) for _ in range(ROUNDS)]
        gone, lived = (statistics.median(column) for column in zip(*rounds))
        print(f"driver, the waiting context's kernel {'at once' if at_once else 'after'}: the process "
              f"that died is gone after {gone:.0f} ms, a kernel has ended after {lived:.0f} ms "
              f"(medians of {ROUNDS})", flush=True)


# --- Every death there is ---

def show_puzzles(options, folder):
    problem = gpu_study.ROOT / "tests/puzzles/gpu/problem.toml"
    for spares in (2, 1, 0):
        study = folder / f"puzzles-{spares}"
        result = gpu_study.tune(options.nightshift, study, problem, "--devices", options.devices,
                                "--set", f"schedule.hot_spares={spares}")
        print(f"puzzles, hot spares: {spares}; best "
              f"{result['best']['configuration']}, failed {result['trials']['failed']}")
        gpu_study.show_recovery(gpu_study.trials(study))


# --- A space of which 30 % die, and its clean twin ---

BASELINE = Cell(Problem("rmsnorm"), {}, "bfloat16").baseline()
# Other parameters are held at the baseline's values.
SPACE = {"THREADS_PER_ROW": [64, 128, 256, 512], "ROWS_PER_BLOCK": [1, 2],
         "ROWS_PER_THREAD": [1, 2], "BLOCKS_PER_SM": [0, 2], "RESIDENCE": ["registers", "reread"],
         "LOAD_HINT": ["standard", "evict_first"], "STORE_HINT": ["standard", "evict_first"],
         "MIN_BLOCKS": [1, 2]}
WEIGHTS = {"VEC_BYTES": 3, "THREADS_PER_ROW": 7, "ROWS_PER_BLOCK": 11, "ROWS_PER_THREAD": 13,
           "BLOCKS_PER_SM": 17, "MIN_BLOCKS": 29}
WORDS = {"RESIDENCE": ("reread", 19), "LOAD_HINT": ("evict_first", 23),
         "STORE_HINT": ("evict_first", 31)}
MODULUS, DYING = 101, 30

DEATHS = """
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*,
                                        unsigned long);
extern "C" __global__ void death(DTYPE* y, int kind) {
  if (kind == 0) y[1ll << 44] = DTYPE(1.0f);
  if (kind == 1) *(double*)((char*)y + 4) = 1;
  if (kind == 2) __assertfail("alive", "death.cu", 1, "death", 1);
  if (kind == 3) __trap();
  if (kind == 4) while (*(volatile int*)y != 123456789) {}
  if (kind == 5) y[-1] = DTYPE(1.0f);
}
"""


def lot(configuration, salt):
    total = sum(configuration[n] // 8 * w if n in ("THREADS_PER_ROW", "VEC_BYTES")
                else configuration[n] * w for n, w in WEIGHTS.items())
    total += sum(w for n, (word, w) in WORDS.items() if configuration[n] == word)
    return total * 37 + salt


def lot_expression(salt):
    terms = [f"{n} // 8 * {w}" if n in ("THREADS_PER_ROW", "VEC_BYTES") else f"{n} * {w}"
             for n, w in WEIGHTS.items()]
    terms += [f"({w} if {n} == '{word}' else 0)" for n, (word, w) in WORDS.items()]
    return f"(({' + '.join(terms)}) * 37 + {salt})"


def problem_text(salt, limit):
    """RMSNorm in the space above; `salt`: the draw of those that die, None for the clean twin."""
    text = (gpu_study.ROOT / "kernels/cuda/rmsnorm/problem.toml").read_text()
    kernels = gpu_study.ROOT / "kernels/cuda"
    head, _ = text.split("\n[parameters]\n")
    _, baseline = text.split("\n[baseline]\n")
    baseline, _ = baseline.split("\n[search]\n")
    head = head.replace('include_folders = [".."]', f'include_folders = ["{kernels}"]')
    head = head.replace('source = "reference.cu"', f'source = "{kernels}/rmsnorm/reference.cu"')
    if salt is not None:
        head += f"""
[[cuda.argument]]
name = "kind"
type = "int32"
value = "{lot_expression(salt)} // 7 % 6"

[[cuda.launch]]
kernel = "death"
grid = 1
block = 1
when = "{lot_expression(salt)} % {MODULUS} < {DYING}"
arguments = ["y", "kind"]
"""
    held = {name: [value] for name, value in BASELINE.items()}
    parameters = "\n".join(f"{name} = {values!r}" for name, values in {**held, **SPACE}.items())
    return (f"{head}\n[parameters]\n{parameters}\n[baseline]\n{baseline}\n[search]\n"
            f'searcher = "exhaustive"\n[limits]\nverify = {limit}\nmeasure = {limit}\n'
            "[measure]\nmax_seconds = 1\n")


def dies(configuration, salt):
    return lot(configuration, salt) % MODULUS < DYING


def show_twins(options, folder):
    kernel = (gpu_study.ROOT / "kernels/cuda/rmsnorm/rmsnorm.cu").read_text()
    (folder / "rmsnorm.cu").write_text(kernel + DEATHS)

    def study(name, salt):
        problem = folder / f"{name}.toml"
        problem.write_text(problem_text(salt, options.limit))
        begin = time.monotonic()
        result = gpu_study.tune(options.nightshift, folder / name, problem, "--devices",
                                options.devices)
        seconds = time.monotonic() - begin
        rows = gpu_study.trials(folder / name)
        ends = {}
        for row in (r for r in rows if r["job"] == "explore"):
            ends[row["status"]] = ends.get(row["status"], 0) + 1
        improvement = result["improvement"]
        print(f"twins, {name}: {seconds:.1f} s, " + ", ".join(f"{k} {v}" for k, v in ends.items())
              + f"; accepted {improvement['accepted']}, ratio {improvement.get('ratio')}, "
              f"best {result['best']['configuration']}", flush=True)
        gpu_study.show_recovery(rows)
        return result["best"]["configuration"]
    winner = study("clean", None)
    salt = next(s for s in itertools.count(1) if not dies(winner, s) and not dies(BASELINE, s))
    study("dying", salt)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--devices", default="gpu:0")
    parser.add_argument("--limit", type=float, default=2, help="seconds of an endless kernel")
    parser.add_argument("--only", default="driver,puzzles,twins")
    options = parser.parse_args()
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "driver" in parts:
            show_driver()
        if "puzzles" in parts:
            show_puzzles(options, folder)
        if "twins" in parts:
            show_twins(options, folder)


if __name__ == "__main__":
    main()
