"""Winners of a kernel of Helion as the functions that its kernels built ahead of time load:
`_helion_aot_SOURCE_DEVICE_ARCHITECTURE.py`, with key_KERNEL and autotune_KERNEL."""

import json
import re

from .errors import UserError
from .helion_kernels import config_of

# What a row is chosen by, as Helion names it, and how it is read from the arguments: a tensor's
# size, its numbers, a number that is passed, or a part of what the kernel's key function returns.
_FEATURES = ((r"arg(\d+)_dim(\d+)", "args[{}].shape[{}]"), (r"arg(\d+)_numel", "args[{}].numel()"),
             (r"arg(\d+)_scalar", "args[{}]"), (r"key_(\d+)", "args[{}]"))

_TEXT = '''

def key_{kernel}(*args) -> int:
    """The position of the config whose sizes are nearest to those of the arguments."""
    sizes = ({reads})
    rows = [
{rows}
    ]

    def distance(row):
        return sum(log2((1 + abs(a)) / (1 + abs(b))) ** 2 for a, b in zip(row[0], sizes))

    return min(rows, key=distance)[1]


def autotune_{kernel}(*args) -> dict:
    """The config for the arguments."""
    _C = [
{configs}
    ]
    return _C[key_{kernel}(*args)]
'''


def file_name(source, architecture, device="cuda"):
    """What Helion looks for beside a kernel's source file."""
    stem = re.sub(r"\.py$", "", source.rsplit("/", 1)[-1])
    return f"_helion_aot_{stem}_{device}_{architecture}.py"


def functions_of(kernels):
    """The file's text. kernels: {name: [(key, configuration)]}; a key names sizes, such as
    "arg0_dim0=8192,arg0_dim1=7168", the same ones in every row of a kernel; "" where there is one
    row. Raises UserError."""
    text = '"""Configs of Helion, tuned by Nightshift; chosen by the nearest sizes."""\n\n' \
           "from math import log2\n"
    for kernel, rows in kernels.items():
        if not kernel.isidentifier():
            raise UserError(f"{kernel!r} is no name of a function: --kernel says the kernel's")
        text += _of_kernel(kernel, rows)
    return text


def _of_kernel(kernel, rows):
    names, configs, lines = None, [], []
    for key, configuration in rows:
        sizes = _sizes_of(key, len(rows))
        if names is not None and names != list(sizes):
            raise UserError(f"rows of {kernel} are told apart by {', '.join(names) or 'nothing'}, "
                            f"and one by {', '.join(sizes) or 'nothing'}")
        names = list(sizes)
        if any(tuple(sizes.values()) == given for given, _ in lines):
            raise UserError(f"the row {key} of {kernel} is given twice")
        config = config_of(configuration)
        if config not in configs:
            configs.append(config)
        lines.append((tuple(sizes.values()), configs.index(config)))
    reads = ", ".join(map(_reading, names)) + ("," if len(names) == 1 else "")
    return _TEXT.format(kernel=kernel, reads=reads, rows=_listed(lines), configs=_listed(configs))


def _listed(values):
    return "\n".join(f"        {value!r}," for value in values)


def _sizes_of(key, rows):
    if not key and rows == 1:
        return {}
    found = re.findall(r"(\w+)=(-?\d+(?:\.\d+)?)(?:,|$)", key)
    if not found or ",".join(f"{name}={value}" for name, value in found) != key:
        raise UserError("each of several files needs its sizes, such as "
                        f"arg0_dim0=8192,arg0_dim1=7168=FILE, and not {key!r}")
    return {name: json.loads(value) for name, value in sorted(found)}


def _reading(name):
    for pattern, read in _FEATURES:
        match = re.fullmatch(pattern, name)
        if match:
            return read.format(*match.groups())
    raise UserError(f"{name} is none of Helion's sizes, which are arg0_dim1 (of a tensor), "
                    "arg0_numel, arg2_scalar and, of a kernel with a key function, key_0")
