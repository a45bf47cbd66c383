"""Compiles for all cells at once, in processes beside each other, before anything is measured.

Our kernels and the references come back as machine code. torch.compile, Triton and DeepGEMM leave
theirs in caches on disk; the measuring process finds them there, and chooses among them on a quiet
device.
"""

import concurrent.futures
import gc
import multiprocessing
import os
import time

CONTEXT_BYTES = 700 << 20  # of device memory, for each process
MOST_PROCESSES = 16
SHARE_OF_MEMORY = 0.8

# What makes torch.compile's backward passes as fast as they get in torch 2.11 (the defaults since).
ENVIRONMENT = {"TORCHINDUCTOR_MIX_ORDER_REDUCTION": "1",
               "TORCHINDUCTOR_MIX_ORDER_REDUCTION_ALLOW_MULTI_STAGES": "1",
               "TORCHINDUCTOR_MIX_ORDER_REDUCTION_AUTOTUNE_SPLIT_SIZE": "1",
               "TORCHINDUCTOR_FX_GRAPH_CACHE": "1"}


def set_environment(cache):
    """Before torch is imported; the processes inherit it."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(cache, "inductor"))
    os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(cache, "triton"))
    os.environ.setdefault("DG_JIT_CACHE_DIR", os.path.join(cache, "deep_gemm"))  # DeepGEMM, by nvcc


def start_process():
    # One process compiles for one cell: a pool of its own would only cost its start.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"


def warm(cell, configuration, architecture, with_peers):
    """Returns (what driver.build_cell returns, complaints)."""
    from . import driver
    built, complaints = None, []
    try:
        built = driver.build_cell(cell, configuration, architecture)
    except Exception as e:
        complaints.append(f"ours: {e}")
    if with_peers:
        complaints += warm_peers(cell, configuration, built)
    return built, complaints


def warm_peers(cell, configuration, built):
    import torch

    from . import contestants, data, driver, timing
    contestants.set_up()
    contestants.start_cell()
    complaints = []
    peers = [p for p in contestants.peers_of(cell) if p.warm]
    if not peers:
        return []
    try:
        arguments = data.Arguments(cell, configuration, sets=1)
        if built:
            arguments.prepare(driver.Module(built["reference"]), configuration)
    except Exception as e:
        return [f"arguments: {timing.first_line(e)}"]
    for peer in peers:
        try:
            peer.warm(cell, arguments)
            torch.cuda.synchronize()
        except Exception as e:
            complaints.append(f"{peer.name}: {timing.first_line(e)}")
    del arguments
    gc.collect()
    torch.cuda.empty_cache()
    return complaints


def processes_for(cells, memory):
    """As many as have memory for the largest cells at once: inputs, outputs, and outputs again."""
    needs = sorted((2 * (c.figure("bytes") or 0) + CONTEXT_BYTES for c in cells), reverse=True)
    count = max(1, min(MOST_PROCESSES, os.cpu_count() or 1, len(cells)))
    while count > 1 and sum(needs[:count]) > SHARE_OF_MEMORY * memory:
        count -= 1
    return count


def warm_up(jobs, memory, seconds, with_peers=True, say=print):
    """{index of the job: what driver.build_cell returned}, of jobs (cell, configuration, architecture).

    What does not end in time is left to the measuring process.
    """
    begin = time.monotonic()
    count = processes_for([job[0] for job in jobs], memory)
    order = sorted(range(len(jobs)), key=lambda i: -(jobs[i][0].figure("bytes") or 0))
    pool = concurrent.futures.ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("spawn"), initializer=start_process)
    futures = {pool.submit(warm, *jobs[i], with_peers): i for i in order}
    done = {}
    try:
        for future in concurrent.futures.as_completed(futures, timeout=seconds):
            index = futures[future]
            try:
                done[index], complaints = future.result()
            except Exception as e:
                complaints = [f"{type(e).__name__}: {e}"]
            for complaint in complaints:
                say(f"compiling {jobs[index][0]}: {complaint}")
    except concurrent.futures.TimeoutError:
        say(f"compiling ahead was cut off after {seconds:.0f} s, "
            f"{len(jobs) - len(done)} of {len(jobs)} undone")
    children = list(pool._processes.values()) if pool._processes else []
    complete = len(done) == len(jobs)
    pool.shutdown(wait=complete, cancel_futures=True)
    if not complete:  # none may compile on while others are measured
        for child in children:
            child.terminate()
        for child in children:
            child.join()
    say(f"compiled ahead for {len(done)} of {len(jobs)} cells in {time.monotonic() - begin:.0f} s, "
        f"{count} processes")
    return {i: built for i, built in done.items() if built}
