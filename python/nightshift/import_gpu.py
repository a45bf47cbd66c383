"""The GPU that a file may ask about while it is imported.

Many ask torch for properties of the GPU at once. torch's own answer would start CUDA: a process
could not be forked then, would keep a context beside measurements, and one that sees no GPU could
not import the file at all. So these questions have answers of gpu_facts.py. Whoever allocates there
starts CUDA all the same."""

import contextlib

from . import import_hooks
from .gpu_facts import Facts, gpu_facts, target
from .lines import tell


class _Answers:
    """The functions of torch.cuda that answer in place of its own, between set() and mend()."""

    def __init__(self):
        self.cuda, self.before, self.asked = None, {}, False

    def set(self, cuda):
        answers = {"get_device_properties": lambda *_, **__: self._properties(),
                   "_get_device_properties": lambda *_, **__: self._properties(),
                   "get_device_capability": lambda *_, **__: (
                       self._properties().major, self._properties().minor),
                   "get_device_name": lambda *_, **__: self._properties().name,
                   "current_device": lambda: 0,
                   "device_count": lambda: min(1, gpu_facts()["count"]),
                   "is_available": lambda: gpu_facts()["count"] > 0}
        self.cuda = cuda
        for name, answer in answers.items():
            if hasattr(cuda, name):
                self.before[name] = getattr(cuda, name)
                setattr(cuda, name, answer)

    def _properties(self):
        self.asked = True
        return Facts(target()).properties()

    def mend(self):
        for name, function in self.before.items():
            setattr(self.cuda, name, function)
        self.before.clear()


@contextlib.contextmanager
def answering():
    """A context in which a file is imported. What it was told is said."""
    answers = _Answers()
    # Where it was imported before, whoever did that answers, or torch itself.
    forget = import_hooks.after("torch.cuda", answers.set)
    try:
        yield
    finally:
        forget()
        answers.mend()
    if answers.asked:
        facts = gpu_facts()
        here = facts["name"] if facts["count"] else f"{facts['name']}, as there is no GPU here"
        tell("nightshift: what the file asks of the GPU while it is imported is answered without "
             f"starting CUDA: {here}, {facts['multi_processor_count']} multiprocessors\n")
