"""What a problem leaves to candidates, and what they could know of it beforehand: told before the first
one is asked for."""

from . import candidates
from .answers import NO_REFERENCE
from .benches import GpuBench, bench_for
from .errors import UserError
from .evaluation import Evaluator
from .gpu_facts import Facts, target
from .visit import SEEDED_BY, WRITTEN_DOWN, Visit

CONSTANT = f"no input of {{}} is {WRITTEN_DOWN} inputs {SEEDED_BY}"


class _Meta(GpuBench):
    """Makes tensors without memory."""

    name = "meta"


def look(problem, cases):
    """What is to be told of a problem that is served; "" of most. Raises UserError where each candidate
    would be refused. What else goes wrong is told where it is measured."""
    candidates.expect_declared()
    candidates.choose({})
    for position in range(len(cases)):
        try:
            is_seeded = _on_gpu(problem, cases, position) if problem.device == "gpu" else \
                _looked(Evaluator(problem, cases, bench_for(problem)), position)
        except UserError:
            raise
        except Exception:
            continue
        if not is_seeded:
            return CONSTANT.format(problem.name)
    return ""


def _looked(evaluator, position):
    """Whether an input of a case is made from a seed. Raises UserError."""
    problem = evaluator.problem
    request = {"trust": "none", "seed": 1}
    visit = Visit(evaluator, position, problem.space.baseline(), request, lambda phase: None)
    try:
        visit.load()
        if not visit.run.reference:
            raise UserError(NO_REFERENCE, problem.place)
        return visit.is_seeded()
    finally:
        visit.close()


def _on_gpu(problem, cases, position):
    """The same by tensors that have no memory, on a GPU that is not touched."""
    from .pretended_gpu import pretending
    with pretending(Facts(target()), []):
        return _looked(Evaluator(problem, cases, _Meta(problem)), position)
