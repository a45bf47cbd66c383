"""Many configurations of a cell checked and timed in one process, and the fastest beside each other."""

import gc
import statistics

import torch

from . import contestants, data, driver, measuring, timing

QUICK_REPLAYS = 3
QUICK_MICROSECONDS = 300  # about what one replay takes


class Trial:
    """`microseconds`: the median of a few replays, or None, and then `failure` says why."""

    def __init__(self, configuration):
        self.configuration = configuration
        self.microseconds = None
        self.failure = None
        self.errors = {}

    def __str__(self):
        return ", ".join(f"{n}={v}" for n, v in self.configuration.items())


class Bench:
    """A cell on the device: its arguments, and what is right for them."""

    def __init__(self, cell, configuration, reference):
        contestants.start_cell()
        self.cell, self.bytes = cell, cell.figure("bytes")
        self.arguments = data.Arguments(cell, configuration)
        module = driver.Module(reference)
        self.arguments.prepare(module, configuration)
        self.expected = self.arguments.expected(module, configuration)
        module.close()
        self.copy_us = self.bytes / 4e6  # at 4 TB/s
        self.estimate_us = max(self.copy_us, (cell.figure("flops") or 0) / 5e8)

    def close(self):
        del self.arguments, self.expected
        gc.collect()
        if measuring.device_works():
            torch.cuda.empty_cache()

    def contestant(self, trial, built):
        """(module, contestant) whose answer is right. Raises Wrong or CudaError."""
        module = driver.Module(built)
        arguments = self.arguments.adapted(trial.configuration)
        run = measuring.ours(self.cell, arguments, module, trial.configuration)
        trial.errors = measuring.checked(self.cell, run, arguments, self.expected)
        return module, timing.Contestant(str(trial), run)

    def attempt(self, trial, built):
        """Fills in `trial`."""
        module = None
        try:
            module, contestant = self.contestant(trial, built)
            timed = timing.Timed(contestant, len(self.arguments.sets), self.estimate_us, None,
                                 QUICK_MICROSECONDS)
            timed()
            trial.microseconds = statistics.median(timed() for _ in range(QUICK_REPLAYS))
        except measuring.Wrong as e:
            trial.failure = f"wrong: {e}"
        except Exception as e:
            trial.failure = f"failed: {timing.first_line(e)}"
        finally:
            if module and measuring.device_works():
                module.close()

    def race(self, finalists, rounds):
        """`finalists`: [(trial, machine code)]. Fills in their medians over rounds; the faster copy's."""
        together = [self.contestant(trial, built) for trial, built in finalists]
        copies = measuring.Copies(self.bytes, torch.cuda.get_device_properties(
            torch.cuda.current_device()).L2_cache_size)
        timed = [timing.Timed(c, len(self.arguments.sets), self.estimate_us, None)
                 for _, c in together]
        timed += [timing.Timed(c, len(copies.pairs), self.copy_us, None)
                  for c in copies.contestants()]
        timing.race(timed, rounds)
        medians = [statistics.median(one.contestant.times) for one in timed]
        for (trial, _), median in zip(finalists, medians):
            trial.microseconds = median
        for module, _ in together:
            module.close()
        return min(medians[len(finalists):])
