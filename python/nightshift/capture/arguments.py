"""The arguments of a launch as JSON has them, and the values of those that say where a kernel reads.

Tensors that share memory are views of one storage, of which only what they span counts. Integers are kept as they are
up to a bound, since a kernel may read through them; of floating-point numbers the mean and the spread of
a few are kept, or with `values` a sample."""

import math
import os

from ..whole_files import write_whole
from .sources import Unrecordable

MOST_INTEGER_BYTES = 1 << 20   # of one tensor of integers
MOST_SAMPLE_BYTES = 16 << 20   # of one tensor with `values`
_LOOKED_AT = 4096              # numbers of a tensor that its mean and spread are of
_DIVISOR = 16


def is_tensor(value):
    return hasattr(value, "data_ptr") and hasattr(value, "untyped_storage")


def device_of(named):
    """The kind of the first tensor's device."""
    return next((str(value.device).split(":")[0] for value in named.values() if is_tensor(value)), "cuda")


def described(named, constants):
    """({name: member}, [storage]) of a launch. named: {name: value}; constants: names of constexpr
    arguments. Raises Unrecordable."""
    storages, members = {}, {}
    for name, value in named.items():
        if is_tensor(value):
            members[name] = _tensor(name, value, storages)
        else:
            members[name] = {"value": plain(name, value)}
    for storage in storages.values():
        storage["tensors"].sort(key=lambda one: one["start"])
    spans = _spans(storages)
    for member in members.values():
        if "start" in member:
            number, first = spans[member.pop("key"), member["start"]]
            member["storage"], member["start"] = number, member["start"] - first
    return members, [span for _, span in sorted(spans["all"].items())]


def plain(name, value):
    """A number, a text, or what stands for a type. Raises Unrecordable."""
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value).__name__ == "dtype" and type(value).__module__.startswith("triton"):
        return {"type": value.name}
    if isinstance(value, (tuple, list)):
        return {"tuple": [plain(name, one) for one in value]}
    if type(value).__name__ == "constexpr":
        return plain(name, value.value)
    what = "a tensor descriptor" if hasattr(value, "block_shape") else f"a {type(value).__name__}"
    raise Unrecordable(f"its argument {name} is {what}")


def value_of(told):
    """What plain() has made JSON of."""
    if isinstance(told, dict):
        if "float" in told:
            return float(told["float"])
        if "tuple" in told:
            return tuple(map(value_of, told["tuple"]))
        import triton.language as tl  # whoever launches kernels has it
        return tl.dtype(told["type"])
    return told


def _tensor(name, value, storages):
    if value.layout is not None and "strided" not in str(value.layout):
        raise Unrecordable(f"its argument {name} is a tensor of the layout {value.layout}")
    item, start = value.element_size(), value.data_ptr()
    span = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride())) + 1
    key = (value.untyped_storage().data_ptr(), str(value.device))
    member = {"type": str(value.dtype).rsplit(".", 1)[-1], "shape": list(value.shape),
              "stride": list(value.stride()), "aligned": start % _DIVISOR == 0, "start": start,
              "key": key}
    if value.numel():
        storages.setdefault(key, {"tensors": []})["tensors"].append(
            {"start": start, "end": start + span * item, "value": value, "item": item})
    else:
        member.pop("key"), member.pop("start")
    return member


def _spans(storages):
    """{(key, start): (number of a span, its first address)}, and under "all" the spans: what overlaps of
    one storage is one."""
    found, spans = {}, {}
    for key, storage in storages.items():
        end = None
        for one in storage["tensors"]:
            if end is None or one["start"] >= end:
                number = len(spans)
                first, end = one["start"], one["end"]
                spans[number] = {"value": one["value"], "bytes": 0, "offset": first % _DIVISOR,
                                 "type": str(one["value"].dtype).rsplit(".", 1)[-1]}
            end = max(end, one["end"])
            spans[number]["bytes"] = end - first
            found[key, one["start"]] = (number, first)
    return {**found, "all": spans}


def keep_values(spans, folder, stem, values, room):
    """Replaces each span's tensor by what is known of its numbers; files go into `folder`. room: bytes that may be
    written. Returns the bytes that were. Raises what torch or the disk raise."""
    used = 0
    for number, span in enumerate(spans):
        tensor = span.pop("value").detach()
        is_whole = not (tensor.dtype.is_floating_point or tensor.dtype.is_complex)
        span["bytes"] = int(span["bytes"])
        if is_whole:
            used += _keep_integers(span, tensor, folder, f"{stem}-{number}", values, room - used)
        else:
            _look_at(span, tensor)
            if values and span["bytes"] <= min(MOST_SAMPLE_BYTES, room - used):
                used += _write(span, tensor, folder, f"{stem}-{number}")
    return used


def _keep_integers(span, tensor, folder, stem, values, room):
    flat = _memory_of(tensor, span["bytes"])
    if flat.numel() == 0:
        return 0
    bound = MOST_SAMPLE_BYTES if values else MOST_INTEGER_BYTES
    if span["bytes"] <= min(bound, room):
        return _write(span, tensor, folder, stem)
    low, high = flat.min().item(), flat.max().item()
    span["low"], span["high"] = int(low), int(high)
    return 0


def _look_at(span, tensor):
    flat = _memory_of(tensor, span["bytes"])
    step = max(1, flat.numel() // _LOOKED_AT)
    numbers = flat[::step][:_LOOKED_AT].to("cpu").double()
    numbers = numbers[numbers.isfinite()]
    if numbers.numel():
        span["mean"] = float(numbers.mean())
        span["std"] = float(numbers.std(unbiased=False))
        span["low"], span["high"] = float(numbers.min()), float(numbers.max())


def _memory_of(tensor, size):
    """The span as one row of elements of the tensor's type."""
    return tensor.as_strided((size // tensor.element_size(),), (1,), tensor.storage_offset())


def _write(span, tensor, folder, stem):
    import torch  # the program has it
    content = _memory_of(tensor, span["bytes"]).to("cpu").contiguous().view(torch.uint8)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{stem}.bin")
    write_whole(path, content.numpy().tobytes() if _has_numpy() else bytes(content.tolist()))
    span["file"] = os.path.basename(path)
    return span["bytes"]


def _has_numpy():
    import sys
    return "numpy" in sys.modules
