"""What tells one launch of a kernel from another: types, shapes, strides, alignment, numbers.

A key has two forms. The quick one is a tuple, made at each launch. The text says the same by the names of the
arguments, so that it is the same in another process; it is made once for each quick key."""

_DIVISOR = 16  # by which Triton tells addresses and integers apart


class Shape:
    """What is known of a kernel's arguments before any launch.

    names: of its arguments, in order; constants: those that are constexpr; varying: integers whose
    values say nothing, such as seeds and counters of steps"""

    def __init__(self, names, constants, varying=()):
        self.names, self.constants, self.varying = list(names), frozenset(constants), set(varying)

    def quick(self, args, kwargs):
        """The key of a launch. Raises what a strange argument raises."""
        parts = [self._part(name, value) for name, value in zip(self.names, args)]
        for name, value in kwargs.items():
            parts += (name, self._part(name, value))
        return tuple(parts)

    def text(self, args, kwargs):
        """The same as text, with the arguments in the order of their names."""
        named = dict(zip(self.names, args))
        named.update(kwargs)
        return " ".join(f"{name}={_words(self._part(name, named[name]))}" for name in sorted(named))

    def _part(self, name, value):
        kind = type(value)
        if kind is int:
            if name in self.varying:
                return ("i", value == 1, value % _DIVISOR == 0, _fits_32(value))
            return value
        if kind is float:
            return value if name in self.constants else "f"
        if kind is bool or kind is str or value is None:
            return (value,)
        pointer = getattr(value, "data_ptr", None)
        if pointer is not None:
            return (value.dtype, value.shape, value.stride(), pointer() % _DIVISOR == 0)
        if kind is tuple or kind is list:
            return tuple(self._part(name, one) for one in value)
        return repr(value)


def _fits_32(value):
    return -(1 << 31) <= value < 1 << 31


def _words(part):
    if isinstance(part, tuple) and len(part) == 4 and hasattr(part[1], "numel"):
        dtype, shape, stride, aligned = part
        return f"{str(dtype).rsplit('.', 1)[-1]}{_list(shape)}{_list(stride)}{'a' if aligned else 'u'}"
    if isinstance(part, tuple):
        return "(" + ",".join(map(_words, part)) + ")"
    return "".join(repr(part).split())


def _list(numbers):
    return "[" + ",".join(map(str, numbers)) + "]"
