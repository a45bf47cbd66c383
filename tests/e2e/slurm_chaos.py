"""The long form of slurm_nodes_test.py: for so many minutes batches run over the nodes of a real Slurm, several
at a time, each under faults drawn at random, one after the other. Each has to end as an undisturbed one
does. Prints its counts.

    python3 tests/e2e/slurm_chaos.py [MINUTES [SEED]]      (NIGHTSHIFT_BUILD_DIR: another build)
"""

import collections
import random
import sys
import threading
import time
import traceback
import uuid

import slurm_cluster as slurm
from harness import processes_with

AT_ONCE = 4  # batches
NODES = 3  # of each
FAULTS = (slurm.kill_agent, slurm.kill_node, slurm.cut_link, slurm.kill_head, slurm.requeue, slurm.end_of_time,
          slurm.preempt, slurm.drain, slurm.lose_heads_node)
# Not slurm.kill_controller: all batches share one, and what was asked of it for the others just then is lost.


def slow_node(night):
    slurm.be_slow(night, night.nodes[-1])


def long_cut(night):
    """The head gives the node up before it comes back, and the others may have done all by then."""
    slurm.cut_link(night, 45, comes_back=False)


class Chaos:
    def __init__(self, minutes, seed):
        self.cluster = slurm.Cluster(AT_ONCE * NODES, SLURMD_TIMEOUT="60")
        self.mark = uuid.uuid4().hex
        self.end = time.monotonic() + 60 * minutes
        self.seed, self.lock = seed, threading.Lock()
        self.counts, self.failures = collections.Counter(), []
        self.expected, self.evaluations = None, 0

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def night(self, nodes, draw):
        night = slurm.Night(self.cluster, nodes, self.mark, points=240)
        faults = []
        try:
            night.submit()
            for fault in draw:
                if fault is not slurm.end_of_time:
                    night.until_all_measure()
                if night.state() in slurm.ENDED:
                    break  # it was sooner
                faults.append(fault.__name__)
                fault(night)
            result = night.finish()
            with self.lock:
                self.expected = self.expected or result
            if result != self.expected:
                raise AssertionError(f"{result} instead of {self.expected}")
            for name in faults or ["nothing"]:
                self.count(name)
            self.count("batches that ended as they should")
            self.count("evaluations, each once", len(night.rows()))
        except Exception:
            with self.lock:
                self.failures.append(f"{nodes} {faults}: {traceback.format_exc()[-1500:]}\n{night.log()[-3000:]}")
        finally:
            night.remove()
            for node in nodes:
                (slurm.STATE / "tmp" / node / "slow").unlink(missing_ok=True)
                self.cluster.local("join-node", node)

    def work(self, number):
        nodes = [f"node{number * NODES + i + 1}" for i in range(NODES)]
        chance = random.Random(self.seed * 1000 + number)
        faults = (*FAULTS, slow_node, long_cut)
        while time.monotonic() < self.end:
            last = chance.choice(faults)
            # What needs a node for good ends a night, the rest may come before.
            first = chance.sample([slurm.kill_agent, slurm.cut_link, slurm.requeue, slow_node, slurm.print_noise,
                                   slurm.stall_agent], chance.randrange(4))
            if last is slurm.end_of_time:
                first = []  # its duel may be over by then
            self.night(nodes, [fault for fault in first if fault is not last] + [last])

    def run(self):
        try:
            workers = [threading.Thread(target=self.work, args=(i,)) for i in range(AT_ONCE)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        finally:
            self.cluster.down()
        left = processes_with(self.mark)
        for what, number in sorted(self.counts.items()):
            print(f"{number:6} {what}")
        print(f"{len(self.failures):6} failures\n{len(left):6} processes left")
        for failure in self.failures:
            print(failure)
        return not self.failures and not left


if __name__ == "__main__":
    if slurm.WHY_NOT:
        sys.exit(slurm.WHY_NOT)
    given = [float(word) for word in sys.argv[1:]]
    began = time.monotonic()
    ok = Chaos(given[0] if given else 30, int(given[1]) if len(given) > 1 else 1).run()
    print(f"{time.monotonic() - began:6.0f} seconds")
    sys.exit(0 if ok else 1)
