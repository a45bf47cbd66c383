"""A contestant, and how functions of torch become some.

A peer's `prepare(cell, arguments)` returns `run(set)`, which starts one execution and returns the
outputs in the problem's order, or None where it writes to the set's own. What is compiled by torch or
Triton has `warm`, which fills their caches in another process beforehand. One that does `less` than
the problem asks for is shown beside the others, unchecked, and is nobody's peer.
"""

import dataclasses

import torch

MODE = "max-autotune-no-cudagraphs"


@dataclasses.dataclass
class Peer:
    name: str
    prepare: object
    warm: object = None
    graph: bool = True
    less: bool = False


def eager(function, inputs, name="torch", graph=True, less=False):
    def prepare(cell, arguments):
        def run(which):
            one = arguments.sets[which]
            return function(*[one[n] for n in inputs])
        return run
    return Peer(name, prepare, graph=graph, less=less)


def compiled(function, inputs, name="torch.compile"):
    def prepare(cell, arguments):
        # Shapes of their own for each cell: sizes that vary would make them symbols, which is slower.
        call = torch.compile(function, mode=MODE, dynamic=False)
        return eager(call, inputs).prepare(cell, arguments)
    return Peer(name, prepare, warm=first_call(prepare))


def of_sizes(make, inputs):
    """torch and torch.compile of the function that make(sizes) returns."""
    def prepare(cell, arguments):
        return eager(make(cell.sizes), inputs).prepare(cell, arguments)

    def prepare_compiled(cell, arguments):
        return compiled(make(cell.sizes), inputs).prepare(cell, arguments)
    return [Peer("torch", prepare),
            Peer("torch.compile", prepare_compiled, warm=first_call(prepare_compiled))]


def first_call(prepare):
    def warm(cell, arguments):
        prepare(cell, arguments)(0)
    return warm


def backward(forward, inputs, name, compile_it=False):
    """The backward pass that autograd derives, alone: the forward pass is run beforehand, once a set."""
    def prepare(cell, arguments):
        call = torch.compile(forward, mode=MODE, dynamic=False) if compile_it else forward
        tapes = []
        for one in arguments.sets:
            leaves = [(one[n] if n in one else torch.zeros_like(one["weight"]))
                      .detach().requires_grad_() for n in inputs]
            tapes.append((call(*leaves), leaves))

        def run(which):
            result, leaves = tapes[which]
            return torch.autograd.grad(result, leaves, arguments.sets[which]["dy"],
                                       retain_graph=True)
        return run
    return Peer(name, prepare, warm=first_call(prepare) if compile_it else None)


def both(function, inputs):
    return [eager(function, inputs), compiled(function, inputs)]
