"""One cell from its arguments to its figures."""

import gc
import math

import torch

from . import contestants, data, driver, timing


class Copies:
    """Copies that move as many bytes as the cell, by the driver and by a kernel: the ceiling."""

    def __init__(self, total, l2):
        count = max(1, total // 8)  # float32 elements, each read and written
        least = 2 if total <= data.TWO_SETS_UP_TO else 1
        sets = min(data.MOST_SETS, max(least, math.ceil(data.COLD * l2 / (total / 2))))
        self.pairs = [(torch.empty(count, device="cuda"), torch.empty(count, device="cuda"))
                      for _ in range(sets)]
        for source, _ in self.pairs:
            for piece in data.pieces(source):
                piece.normal_()

    def contestants(self):
        def by_driver(which):
            source, target = self.pairs[which]
            target.copy_(source)

        def by_kernel(which):
            source, target = self.pairs[which]
            torch.mul(source, 1.0, out=target)
        # A copy in a graph is slower than the driver's own: it is started call by call.
        return [timing.Contestant("copy by the driver", by_driver, graph=False),
                timing.Contestant("copy by a kernel", by_kernel)]


class Wrong(Exception):
    pass


def device_works():
    """Whether the context still does: an illegal address takes it for good."""
    try:
        torch.cuda.synchronize()
        return torch.ones(1, device="cuda").item() == 1
    except Exception:
        return False


def checked(cell, run, arguments, expected):
    """Runs once on poisoned outputs; the errors. Raises Wrong."""
    arguments.poison()
    result = run(0)
    torch.cuda.synchronize()
    names = cell.problem.outputs()
    if result is None:
        outputs = arguments.sets[0]
        if changed := arguments.changed_work():
            raise Wrong(f"argument {changed} is not left as the next launch needs it")
    else:
        result = [result] if isinstance(result, torch.Tensor) else list(result)
        if len(result) != len(names):
            raise Wrong(f"{len(result)} outputs, not {len(names)}")
        outputs = dict(zip(names, result))
    wrong, errors = data.judge(cell, outputs, expected)
    if wrong:
        raise Wrong(wrong)
    return errors


def ours(cell, arguments, module, configuration):
    launches = cell.launches(configuration, arguments.multiprocessors)
    runs = [arguments.bind(module, launches, one) for one in arguments.sets]
    return lambda which: runs[which]()


def gather(cell, arguments, module, expected, configuration, row, say):
    """The contestants that compute the right thing; the others go to row["left_out"]."""
    def prepare_ours(cell, arguments):
        return ours(cell, arguments, module, configuration)
    everyone = [contestants.Peer("nightshift", prepare_ours)]
    everyone += contestants.peers_of(cell)
    field = []
    for peer in everyone:
        try:
            run = peer.prepare(cell, arguments)
            if peer.less:
                run(0)
                torch.cuda.synchronize()
                row["less"].append(peer.name)
            else:
                row["errors"][peer.name] = checked(cell, run, arguments, expected)
            if hasattr(run, "searched"):
                row["searched"][peer.name] = run.searched
            field.append(timing.Contestant(peer.name, run, peer.graph))
        except Exception as e:
            row["left_out"][peer.name] = f"wrong: {e}" if isinstance(e, Wrong) \
                else f"failed: {timing.first_line(e)}"
            say(f"{cell}: {peer.name} {row['left_out'][peer.name]}")
    return field


def measure(cell, configuration, built, rounds, say):
    """The row of one cell. Frees what it took, whatever happens."""
    modules = []
    try:
        modules = [driver.Module(built["kernel"]), driver.Module(built["reference"])]
        return race(cell, configuration, *modules, rounds, say)
    finally:
        gc.collect()
        if device_works():
            torch.cuda.empty_cache()
            for module in modules:
                module.close()


def race(cell, configuration, kernel, reference, rounds, say):
    contestants.start_cell()
    total, flops = cell.figure("bytes"), cell.figure("flops")
    row = {"problem": cell.problem.name, "sizes": cell.sizes, "dtype": cell.dtype,
           "configuration": configuration, "bytes": total, "flops": flops,
           "errors": {}, "left_out": {}, "less": [], "searched": {}}
    arguments = data.Arguments(cell, configuration)
    row["sets"] = len(arguments.sets)
    arguments.prepare(reference, configuration)
    expected = arguments.expected(reference, configuration)
    field = gather(cell, arguments, kernel, expected, configuration, row, say)
    del expected
    torch.cuda.empty_cache()
    l2 = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    copies = Copies(total, l2)
    pool = torch.cuda.graph_pool_handle()
    timed = []
    copy_us = total / 4e6  # at 4 TB/s
    estimate = max(copy_us, (flops or 0) / 5e8)
    for contestant in field:
        try:
            timed.append(timing.Timed(contestant, len(arguments.sets), estimate, pool))
        except Exception as e:
            row["left_out"][contestant.name] = f"failed: {timing.first_line(e)}"
            say(f"{cell}: {contestant.name} {row['left_out'][contestant.name]}")
    for copy in copies.contestants():
        timed.append(timing.Timed(copy, len(copies.pairs), copy_us, pool))
    timing.race(timed, rounds)
    row["microseconds"] = {t.contestant.name: t.contestant.times for t in timed}
    row["notes"] = {t.contestant.name: t.contestant.note for t in timed if t.contestant.note}
    return row
