"""What a kernel changes and needs as it was (restore_value, reset_to_zero of triton.autotune)."""

_recorders = []


class Restorer:
    """Tensors to be put back before each sample, outside of what is timed."""

    def __init__(self):
        self.tensors = []  # (tensor, copy or None for zeros)

    def record(self, tensor, to_zero):
        if not any(known is tensor for known, _ in self.tensors):
            self.tensors.append((tensor, None if to_zero else tensor.clone()))

    def restore(self):
        for tensor, copy in self.tensors:
            if copy is not None:
                tensor.copy_(copy)
        self.zero()

    def zero(self):
        for tensor, copy in self.tensors:
            if copy is None:
                tensor.zero_()


class restoring:
    """A context in which record() reaches a recorder, a new one or the given one."""

    def __init__(self, recorder=None):
        self.recorder = recorder or Restorer()

    def __enter__(self):
        _recorders.append(self.recorder)
        return self.recorder

    def __exit__(self, *_):
        _recorders.pop()


def record(tensor, to_zero):
    """To be called right before a launch that changes `tensor`."""
    if _recorders:
        _recorders[-1].record(tensor, to_zero)
