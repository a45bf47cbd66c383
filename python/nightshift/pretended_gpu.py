"""A GPU that is not there, for a run whose kernels are compiled and not launched.

Tensors of the GPU have no memory ("meta"), but for small ones of integers whose numbers are known:
offsets, lengths and tables of indices, from which hosts compute grids. All say that they are on
cuda:0. Operators that a library registered for CUDA are called as the functions that they are, and
backward passes are followed."""

import contextlib
import importlib
import sys

from .errors import NotAhead
from .torch_arrays import TorchWorkshop, name_of, torch

_KNOWN = 1 << 20  # elements: integers of up to so many have their numbers

# What makes a tensor whose numbers are known, in contrast to empty().
_FACTORIES = {"arange", "as_tensor", "full", "full_like", "ones", "ones_like", "randint",
              "randint_like", "randperm", "scalar_tensor", "tensor", "zeros", "zeros_like"}
_SILENT = {"__get__", "size", "stride", "dim", "numel", "element_size", "data_ptr", "is_contiguous",
           "storage_offset", "__repr__", "__len__", "is_floating_point", "device", "get_device"}
_OWN = {"aten", "prim", "prims", "inductor", "higher_order"}  # namespaces of operators


class Workshop(TorchWorkshop):
    """Inputs of a run: small ones of integers have the numbers that measuring gives them."""

    def __init__(self, dtype):
        super().__init__(0, "meta", dtype)

    def make(self, kind, shape, dtype, options):
        with unrecorded():
            return self._made(kind, shape, dtype, options)

    def _made(self, kind, shape, dtype, options):
        known = TorchWorkshop(0, "cpu", self.default_dtype)
        wanted = name_of(dtype) if dtype is not None else name_of(self.default_dtype)
        small = torch().Size(shape).numel() <= _KNOWN if kind != "load" else False
        if kind in ("integers", "full", "zeros", "load") and small and _is_integer(wanted):
            return known.make(kind, shape, dtype, options)
        made = super().make(kind, shape, dtype, options)
        if kind == "load" and _is_integer(name_of(made.dtype)) and made.numel() <= _KNOWN:
            return known.make(kind, shape, dtype, options)
        return made


def _is_integer(name):
    return name.startswith(("int", "uint", "bool"))


@contextlib.contextmanager
def pretending(facts, calls):
    """A context in which torch behaves as if the GPU of these gpu_facts.Facts were there. calls: gets
    {"identity": ...} of each operation, so that two configurations that differ in what torch does are
    not equal."""
    mode = _mode(calls)
    with answering(facts), _internals(), _eager(calls), _backward_within(mode), mode:
        yield


@contextlib.contextmanager
def importing(facts):
    """A context for a file that allocates on the GPU when it is imported, in a process that sees
    none."""
    importlib.import_module("torch")
    with answering(facts), _internals(), _mode([]):
        yield


class _Anything:
    """A stream, an event: nothing happens on it."""

    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@contextlib.contextmanager
def answering(facts):
    """A context in which torch.cuda answers as if the GPU were there: also while a file is imported."""
    questions = {"get_device_properties": facts.properties, "get_device_name": lambda: facts.all["name"],
                 "_get_device_properties": facts.properties,
                 "mem_get_info": lambda: 2 * (facts.all["total_memory"],)}
    answers = {"get_device_capability": divmod(facts.architecture, 10),
               "current_device": 0, "is_available": True, "device_count": 1, "synchronize": None,
               "set_device": None, "is_initialized": True,
               "current_stream": _Anything(), "default_stream": _Anything(),
               "is_current_stream_capturing": False, "empty_cache": None,
               "_exchange_device": 0, "_maybe_exchange_device": 0,
               "memory_allocated": 0, "memory_reserved": 0,
               "max_memory_allocated": 0, "reset_peak_memory_stats": None,
               # Of those who took hold of torch's functions before, as torch._dynamo does.
               "_lazy_init": None}
    changes = {name: lambda *_, answer=answer, **__: answer for name, answer in answers.items()}
    changes.update({name: lambda *_, ask=ask, **__: ask() for name, ask in questions.items()})
    changes.update(Stream=_Anything, Event=_Anything, stream=_Anything)
    beside = {"is_available": lambda: True, "device_count": lambda: 1, "device_index": _Anything,
              "current_accelerator": lambda *_, **__: torch().device("cuda"),
              "current_device_index": lambda: 0, "set_device_index": lambda *_: None,
              "synchronize": lambda *_: None, "current_stream": _Anything}
    with _attributes(torch().cuda, changes), \
            _attributes(getattr(torch(), "accelerator", None), beside):
        yield


@contextlib.contextmanager
def _attributes(owner, changes):
    """A context in which attributes that the owner has are others."""
    before = {name: getattr(owner, name) for name in changes if hasattr(owner, name)}
    for name in before:
        setattr(owner, name, changes[name])
    try:
        yield
    finally:
        for name, one in before.items():
            setattr(owner, name, one)


@contextlib.contextmanager
def _internals():
    """Functions of torch._C that need a GPU, wherever a module holds them: they are below what modes
    see."""
    lib = torch()
    guards = getattr(getattr(lib._C, "_dynamo", None), "guards", None)

    def allocate(size, stride, dtype):
        return lib.empty_strided(size, stride, dtype=dtype, device="meta")

    instead = [(getattr(guards, "_empty_strided_cuda", None), allocate)] + [
        (getattr(lib._C, name, None), lambda *_: 0) for name in (
            "_cuda_getCurrentRawStream", "_cuda_getDevice", "_cuda_setDevice", "_cuda_synchronize",
            "_cuda_exchangeDevice", "_cuda_maybeExchangeDevice")]
    held = [(place, before, one) for before, one in instead if before is not None
            for place in holders(before)]
    for (members, name), _, one in held:
        members[name] = one
    try:
        yield
    finally:
        for (members, name), before, _ in held:
            members[name] = before


def holders(one):
    """[(a module's members, a name)] of all modules that hold this object."""
    return [(vars(module), name) for module in list(sys.modules.values())
            if isinstance(getattr(module, "__dict__", None), dict)
            for name, held in list(vars(module).items()) if held is one]


@contextlib.contextmanager
def _eager(calls):
    """What torch.compile would write is left to the process that measures; kernels of the user's
    own are launched by the function itself as well."""
    def instead(model=None, **_):
        calls.append({"identity": ["torch.compile"], "compiled": True})
        return model if model is not None else lambda function: function

    stance = beneath = contextlib.nullcontext()
    wrapping = sys.modules.get("torch._library.triton")
    if wrapping is not None and hasattr(wrapping, "set_wrap_triton_enabled"):
        beneath = wrapping.set_wrap_triton_enabled(False)  # a wrapped kernel is launched as it is
    if "torch._dynamo" in sys.modules and hasattr(torch().compiler, "set_stance"):
        stance = torch().compiler.set_stance("force_eager")
    with _attributes(torch(), {"compile": instead, "Generator": _generator()}), stance, beneath:
        yield


def _generator():
    class Generator(torch().Generator):
        """Of random numbers that nobody reads."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls)

    return Generator


@contextlib.contextmanager
def _backward_within(mode):
    """torch leaves a mode before it calls the engine, and the functions that the engine calls are
    the user's."""
    name = "_engine_run_backward"
    engine = getattr(torch().autograd, name, None)

    def run(*args, **kwargs):
        with mode:
            return engine(*args, **kwargs)

    with _attributes(torch().autograd, {name: run}):
        yield


_unrecorded = []  # of contexts that are open


@contextlib.contextmanager
def unrecorded():
    """A context in which torch does what it is told: for a compiler that works with tensors of its
    own while a run is made."""
    _unrecorded.append(True)
    try:
        yield
    finally:
        _unrecorded.pop()


def _mode(calls):
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if _unrecorded:
                return function(*args, **kwargs)
            name = getattr(function, "__name__", "")
            if name == "__get__":
                return _attribute(function, args, kwargs)
            if name in ("get_device", "cuda", "pin_memory"):
                return 0 if name == "get_device" else _moved(args[0]) if name == "cuda" else args[0]
            kernel = _kernel_of(function)
            if kernel is not None:
                with self:
                    return kernel(*args, **kwargs)
            if name not in _SILENT:
                calls.append({"identity": [name, [_shape(value) for value in args],
                                           {key: _shape(kwargs[key]) for key in sorted(kwargs)}]})
            return _done(function, name, args, kwargs)

    return Mode()


def _attribute(function, args, kwargs):
    what = getattr(getattr(function, "__self__", None), "__name__", "")
    if what == "device":
        return torch().device("cuda", 0)
    if what in ("is_cuda", "is_meta", "is_cpu"):
        return what == "is_cuda"
    return function(*args, **kwargs)


def _done(function, name, args, kwargs):
    """What an operation returns, with tensors of the GPU on "meta" or, of few integers, known."""
    device = kwargs.get("device")
    kwargs.pop("generator", None)
    if device is not None:
        kwargs["device"] = "cpu" if name in _FACTORIES else "meta"
    if name in ("to", "new_tensor"):
        args = tuple("meta" if _is_device(value) else value for value in args)
        if name == "to" and _stays(args, kwargs):
            return args[0]
    try:
        made = function(*args, **kwargs)
    except (RuntimeError, NotImplementedError):
        if not any(map(_is_known, _leaves((args, kwargs)))):
            raise
        # What has numbers and what has none are on one device to the user.
        made = function(*_each(_moved, args), **_each(_moved, kwargs))
    return _as_small(made) if device is not None and name in _FACTORIES else made


def _stays(args, kwargs):
    """Whether to() names nothing but the device that the tensor is on already."""
    named = [value for value in args[1:] if value != "meta"] + [
        value for key, value in kwargs.items() if key != "device"]
    wants = "meta" in args[1:] or "device" in kwargs
    return wants and _is_known(args[0]) and all(isinstance(value, bool) for value in named)


def _is_known(one):
    return isinstance(one, torch().Tensor) and not one.is_meta


def _moved(one):
    return one if not _is_known(one) or one.dim() == 0 else one.to("meta")


def _as_small(made):
    if isinstance(made, torch().Tensor) and made.numel() > 64 and (
            made.numel() > _KNOWN or not _is_integer(name_of(made.dtype))):
        return made.to("meta")
    return made


def _each(change, value):
    if isinstance(value, (list, tuple)):
        return type(value)(_each(change, one) for one in value) if type(value) in (list, tuple) \
            else value
    if isinstance(value, dict):
        return {name: _each(change, one) for name, one in value.items()}
    return change(value)


def _leaves(value):
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    else:
        yield value


def _kernel_of(function):
    """What a library registered for CUDA, by torch.library; None for operators of torch itself.
    Raises NotAhead where it is machine code."""
    packet = getattr(function, "_overloadpacket", function)
    name = getattr(packet, "_qualified_op_name", "")
    space = name.partition("::")[0]
    if not space or space in _OWN:
        return None
    defined = sys.modules.get("torch._library.custom_ops")
    found = defined.OPDEFS.get(name) if defined else None
    if found is not None:
        return found._backend_fns.get("cuda") or found._backend_fns.get(None) or found._init_fn
    return _registered(function, packet, name)


def _registered(function, packet, name):
    """By torch.library.Library(...).impl()."""
    overload = function if function is not packet else getattr(packet, packet.overloads()[0])
    for key in ("CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
        if torch()._C._dispatch_has_kernel_for_dispatch_key(overload.name(), key):
            break
    else:
        raise NotAhead(f"the operator {name} is not registered for CUDA")
    kernels = getattr(torch().library, "get_kernel", None)
    if kernels is None:
        raise NotAhead(f"the operator {name} is followed by torch 2.9 and later")
    kernel, keys = kernels(overload, key), torch()._C.DispatchKeySet(
        getattr(torch()._C.DispatchKey, key))
    return lambda *args, **kwargs: kernel.call_boxed(keys, *args, **kwargs)


def _is_device(value):
    return isinstance(value, torch().device) or (
        isinstance(value, str) and value.split(":")[0] == "cuda")


def _shape(value):
    if isinstance(value, torch().Tensor):
        return [name_of(value.dtype), list(value.shape), list(value.stride())]
    if isinstance(value, (list, tuple)):
        return [_shape(one) for one in value]
    return value if isinstance(value, (bool, int, float, str)) or value is None else \
        name_of(value) if isinstance(value, torch().dtype) else type(value).__name__
