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
        part = self._part
        parts = [value if type(value) is int and name not in self.varying else part(name, value)
                 for name, value in zip(self.names, args)]
        for name, value in kwargs.items():
            parts.append(name)
            parts.append(part(name, value))
        return tuple(parts)

    def text(self, args, kwargs):
        """The same as text, with the arguments in the order of their names."""
        named = dict(zip(self.names, args))
        named.update(kwargs)
        return " ".join(f"{name}={_words(self._part(name, named[name]))}" for name in sorted(named))

    def _part(self, name, value):
        kind = type(value)
        how = _KINDS.get(kind) or _kind_of(kind)
        if how == "tensor":
            return value.dtype, value.shape, value.stride(), value.data_ptr() % _DIVISOR == 0
        if how == "int":
            if name in self.varying:
                return ("i", value == 1, value % _DIVISOR == 0, _fits_32(value))
            return value
        if how == "float":
            return value if name in self.constants else "f"
        if how == "plain":
            return (value,)  # True is no 1
        if how == "list":
            return tuple(self._part(name, one) for one in value)
        return repr(value)


_KINDS = {int: "int", float: "float", bool: "plain", str: "plain", type(None): "plain", tuple: "list",
          list: "list"}


def _kind_of(kind):
    found = _KINDS[kind] = "tensor" if hasattr(kind, "data_ptr") else "other"
    return found


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
