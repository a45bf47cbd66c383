"""Launches the CUDA kernels of a file that `nightshift export --format cubin` or `nightshift table
--format cubin` wrote: docs/morning.md has the format and a path through it.

    rmsnorm = nightshift.load_kernels("rmsnorm.kernels")
    rmsnorm(x, weight, y, M=32768, N=4096)        # torch tensors, on torch's current stream

It needs kernel_file.py beside it, the standard library and the driver of CUDA 12.0 or later. A vector
is whatever has data_ptr() as torch's tensors, or __cuda_array_interface__ as CuPy's arrays, or an address.
"""

import ctypes
import math
import os
import struct
import sys

from .kernel_file import TYPES, KernelError, KernelFile, run_program, whole

__all__ = ["KernelError", "Kernels"]


class _Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class _Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("extents", ctypes.c_uint * 6), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


_CLUSTER, _PROGRAMMATIC = 4, 6                                  # CUlaunchAttributeID
_MULTIPROCESSORS, _MAJOR, _MINOR = 16, 75, 76                   # CUdevice_attribute
_DYNAMIC_SHARED, _NON_PORTABLE_CLUSTER = 8, 14                  # CUfunction_attribute
_LIMITS = (2147483647, 65535, 65535, 1024, 1024, 64)            # of grid and block


class Driver:
    def __init__(self):
        name = os.environ.get("NIGHTSHIFT_CUDA_DRIVER") or "libcuda.so.1"
        try:
            self.library = ctypes.CDLL(name)
            self.library.cuLaunchKernelEx  # 12.0 and later have it
        except OSError as error:
            raise KernelError(f"the CUDA driver cannot be opened ({error}): is there an NVIDIA GPU, and its "
                              "driver installed?") from None
        except AttributeError:
            raise KernelError("the CUDA driver is too old: 12.0 or later is needed") from None
        self.ask("cuInit", 0)

    def ask(self, function, *arguments, doing=None):
        result = getattr(self.library, function)(*arguments)
        if result == 0:
            return
        words = ctypes.c_char_p()
        self.library.cuGetErrorString(result, ctypes.byref(words))
        raise KernelError(f"{doing or function}: {(words.value or b'unknown error').decode()}" +
                          (": make the first call of these sizes outside of a capture"
                           if 900 <= result <= 908 else ""))

    def got(self, kind, function, *arguments, doing=None):
        """What the function writes to its first argument."""
        value = kind()
        self.ask(function, ctypes.byref(value), *arguments, doing=doing)
        return value.value


_TORCH_NAMES = {"float8_e4m3fn": "float8_e4m3"}


class _Vector:
    """What is known of a vector that was given."""

    def __init__(self, given):
        self.device = self.elements = self.type = None
        if isinstance(given, int):
            self.address = given
        elif hasattr(given, "data_ptr"):
            self.address, self.elements = given.data_ptr(), given.numel()
            name = str(given.dtype).rsplit(".", 1)[-1]
            self.type = _TORCH_NAMES.get(name, name)
            device = getattr(given, "device", None)
            if device is not None:
                self.device = device.index if device.type == "cuda" else -1
            self.is_contiguous = given.is_contiguous()
        elif hasattr(given, "__cuda_array_interface__"):
            told = given.__cuda_array_interface__
            self.address, self.elements = told["data"][0], math.prod(told["shape"])
            kind, size = told["typestr"][1], int(told["typestr"][2:])
            self.type = {"f": "float", "i": "int", "u": "uint"}.get(kind, kind) + str(8 * size)
            self.is_contiguous = told.get("strides") is None
        else:
            raise KernelError(f"{type(given).__name__} is no vector on a GPU: a torch tensor, an array with "
                              "__cuda_array_interface__ or an address is")

    def key(self):
        return self.address, self.elements, self.type

    def check(self, argument, elements):
        name = argument.name
        if self.device == -1:
            raise KernelError(f"{name} is not on a GPU")
        if self.elements is not None:
            if self.type != argument.type:
                raise KernelError(f"{name} has elements of {self.type}, and the kernel takes {argument.type}")
            if self.elements != elements:
                raise KernelError(f"{name} has {self.elements} elements, and for these sizes the kernel takes "
                                  f"{elements}")
            if not self.is_contiguous:
                raise KernelError(f"{name} is not contiguous: .contiguous() makes a copy that is")
        if self.address % 16 and elements:
            raise KernelError(f"{name} does not begin at a multiple of 16 bytes")


class _Call:
    """A call whose numbers are worked out: its launches, and what keeps their arguments alive."""

    def __init__(self, file, variant, numbers):
        self.file, self.variant, self.numbers = file, variant, numbers
        self.values, self.launches, self.kept = [], [], []
        for argument, extent in zip(file.arguments, variant.extents):
            value = numbers.get(argument.name) if argument.is_scalar and argument.name not in file.sizes else None
            value = self.number(extent) if value is None else value
            self.values.append(self.scalar(argument, value) if argument.is_scalar else
                               whole(value, 0, 10**13, f"the elements of {argument.name}"))

    def number(self, program):
        return run_program(program, self.numbers)

    def count(self, program, least, most):
        return whole(self.number(program), least, most, f"a number of a launch of {self.file.problem}")

    @staticmethod
    def scalar(argument, value):
        form = TYPES[argument.type][1]
        try:
            packed = struct.pack("<" + form, value if form in "fd" else whole(value, -2**63, 2**64, argument.name))
        except struct.error:
            raise KernelError(f"{argument.name}: {value} is no {argument.type}") from None
        return ctypes.create_string_buffer(packed, 8)

    def set(self, place, address):
        self.values[place] = ctypes.c_uint64(address)

    def encode(self, driver, given):
        argument, data_type, swizzle, promotion, extent, pitch, box = given
        rank = len(extent)
        memory = ctypes.create_string_buffer(192)
        at = (ctypes.addressof(memory) + 63) // 64 * 64
        swizzle, promotion = self.count(swizzle, 0, 128), self.count(promotion, 0, 256)
        driver.ask("cuTensorMapEncodeTiled", ctypes.c_void_p(at), data_type, rank,
                   ctypes.c_void_p(self.values[argument].value),
                   (ctypes.c_uint64 * rank)(*[self.count(e, 1, 2**32) for e in extent]),
                   (ctypes.c_uint64 * max(rank - 1, 1))(*[self.count(p, 16, 2**40) for p in pitch]),
                   (ctypes.c_uint32 * rank)(*[self.count(b, 1, 256) for b in box]),
                   (ctypes.c_uint32 * rank)(*[1] * rank), 0, (swizzle // 16).bit_length() - 1 if swizzle else 0,
                   (promotion // 32).bit_length() - 1 if promotion else 0, 0,
                   doing=f"the tensor map over {self.file.arguments[argument].name}")
        self.kept.append(memory)
        return at

    def pointer(self, driver, kind, number):
        if kind == "m":
            return self.encode(driver, self.variant.maps[number])
        value = ctypes.c_uint64(number) if kind == "x" else self.values[number]
        self.kept.append(value)
        return ctypes.addressof(value)

    def prepare(self, driver, device, launch, function, stream):
        cluster = [self.count(p, 1, 16) for p in launch.extents["cluster"]]
        extents = [self.count(p, 1, most) for p, most in zip(launch.extents["grid"] + launch.extents["block"], _LIMITS)]
        shared = self.count(launch.shared, 0, 1 << 20)
        attributes, count = (_Attribute * 2)(), 0
        if math.prod(cluster) > 1:
            attributes[count].id, attributes[count].value[:3] = _CLUSTER, cluster
            count += 1
        # What is before the first launch is somebody else's, and has to have ended.
        if self.launches and self.number(launch.programmatic):
            attributes[count].id, attributes[count].value[0] = _PROGRAMMATIC, 1
            count += 1
        # A kernel may be launched with more and with less.
        if shared > device.shared.get(function.value, 0):
            driver.ask("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared, doing=launch.symbol)
            device.shared[function.value] = shared
        if math.prod(cluster) > 8:
            driver.ask("cuFuncSetAttribute", function, _NON_PORTABLE_CLUSTER, 1, doing=launch.symbol)
        config = _Config((ctypes.c_uint * 6)(*extents), shared, stream, attributes, count)
        pointers = [self.pointer(driver, *taken) for taken in launch.takes]
        self.kept.append(attributes)
        self.launches.append((ctypes.byref(config), function, (ctypes.c_void_p * len(pointers))(*pointers),
                              launch.symbol))


class _Device:
    """What is loaded on one device."""

    def __init__(self, driver, file, ordinal):
        self.modules, self.functions, self.work, self.shared = {}, {}, {}, {}
        self.multiprocessors, major, minor = (
            driver.got(ctypes.c_int, "cuDeviceGetAttribute", which, ordinal)
            for which in (_MULTIPROCESSORS, _MAJOR, _MINOR))
        wanted_major, wanted_minor = file.architecture
        if major != wanted_major or (minor != wanted_minor if file.is_exact else minor < wanted_minor):
            raise KernelError(f"{file.path} is for compute capability {wanted_major}.{wanted_minor}, and this "
                              f"device has {major}.{minor}")
        self.context = driver.got(ctypes.c_void_p, "cuDevicePrimaryCtxRetain", ordinal)


class Kernels:
    """The kernels of a file, loaded on each device on which they are called. Of one thread at a time."""

    MOST_CALLS = 1024  # whose numbers are remembered

    def __init__(self, path):
        self.file = KernelFile(path)
        self._driver = Driver()
        self._devices, self._calls = {}, {}
        arguments = enumerate(self.file.arguments)
        self._vectors = [(i, a) for i, a in arguments if not a.is_scalar and a.access != "work"]

    def choose(self, **sizes):
        """What a call of these sizes gets: role and values of the parameters."""
        variant = self.file.variants[self.file.choose(sizes)]
        return {"role": variant.role, "configuration": dict(variant.configuration)}

    def __call__(self, *vectors, stream=None, **numbers):
        """Launches. `vectors` are the problem's in their order, or by their names, without work vectors;
        `numbers` the sizes, and scalars that are to be others than the file's. `stream` is torch's current
        one for tensors, else the default stream. Raises KernelError before anything is launched."""
        vectors = [_Vector(v) for v in self._in_order(vectors, numbers)]
        ordinal = next((v.device for v in vectors if v.device is not None), None)
        if ordinal is None or ordinal < 0:
            ordinal = self._driver.got(ctypes.c_int, "cuCtxGetDevice", doing="no GPU is in use")
        if stream is None:
            of_torch = sys.modules.get("torch") if any(v.device is not None for v in vectors) else None
            stream = of_torch.cuda.current_stream(ordinal).cuda_stream if of_torch else 0
        key = (ordinal, stream, tuple(sorted(numbers.items())), tuple(v.key() for v in vectors),
               all(v.elements is None or v.is_contiguous for v in vectors))
        device = self._device(ordinal)
        before = self._driver.got(ctypes.c_void_p, "cuCtxGetCurrent")
        if before != device.context:
            self._driver.ask("cuCtxSetCurrent", ctypes.c_void_p(device.context))
        try:
            call = self._calls.get(key) or self._made(key, device, vectors, numbers, stream)
            for config, function, pointers, symbol in call.launches:
                self._driver.ask("cuLaunchKernelEx", config, function, pointers, None, doing="launching " + symbol)
        finally:
            if before != device.context:
                self._driver.ask("cuCtxSetCurrent", ctypes.c_void_p(before))

    def _in_order(self, vectors, numbers):
        """All vectors; their names and no others go from `numbers`."""
        names = [a.name for _, a in self._vectors]
        if len(vectors) > len(names):
            raise KernelError(f"{len(vectors)} vectors are given, and the kernel takes {', '.join(names)}")
        given = dict(zip(names, vectors))
        for name in names[len(vectors):]:
            if name not in numbers:
                raise KernelError(f"the vector {name} is not given: the kernel takes {', '.join(names)}")
            given[name] = numbers.pop(name)
        known = set(self.file.sizes) | {a.name for a in self.file.arguments if a.is_scalar}
        unknown = [name for name in numbers if name not in known]
        if unknown:
            raise KernelError(f"{', '.join(unknown)}: the kernel has no such size or scalar; it has "
                              f"{', '.join(sorted(known))}")
        return [given[name] for name in names]

    def _device(self, ordinal):
        if ordinal not in self._devices:
            self._devices[ordinal] = _Device(self._driver, self.file, ordinal)
        return self._devices[ordinal]

    def _made(self, key, device, vectors, numbers, stream):
        numbers = dict(numbers, SM_COUNT=device.multiprocessors)
        variant = self.file.variants[self.file.choose(numbers)]
        call = _Call(self.file, variant, numbers)
        for (place, argument), vector in zip(self._vectors, vectors):
            vector.check(argument, call.values[place])
        self._check_apart(call, vectors)
        for (place, _), vector in zip(self._vectors, vectors):
            call.set(place, vector.address)
        for place, argument in enumerate(self.file.arguments):
            if argument.access == "work":
                call.set(place, self._work(device, stream, place, argument, call.values[place]))
        for launch in variant.launches:
            if call.number(launch.when):
                function = self._function(device, variant.code, launch.symbol)
                call.prepare(self._driver, device, launch, function, stream)
        if len(self._calls) >= self.MOST_CALLS:
            self._calls.clear()
        self._calls[key] = call
        return call

    def _check_apart(self, call, vectors):
        """Kernels are compiled for vectors that do not overlap what they write."""
        spans = [(v.address, v.address + call.values[place] * a.bytes, a)
                 for (place, a), v in zip(self._vectors, vectors)]
        for begin, end, argument in spans:
            for other_begin, other_end, other in spans:
                if other is not argument and argument.access != "in" and begin < other_end and other_begin < end:
                    raise KernelError(f"{argument.name}, which the kernel writes, overlaps {other.name}")

    def _work(self, device, stream, place, argument, elements):
        key = (stream, place, elements)
        if key not in device.work:
            count = max(elements * argument.bytes, 1)
            memory = self._driver.got(ctypes.c_uint64, "cuMemAlloc_v2", ctypes.c_size_t(count),
                                      doing=f"{count} bytes for {argument.name}")
            if argument.fill and elements:
                self._driver.ask("cuMemcpyHtoD_v2", ctypes.c_uint64(memory), argument.fill * elements,
                                 ctypes.c_size_t(count), doing=f"filling {argument.name}")
            device.work[key] = memory
        return device.work[key]

    def _function(self, device, code, symbol):
        if code not in device.modules:
            device.modules[code] = ctypes.c_void_p(self._driver.got(
                ctypes.c_void_p, "cuModuleLoadData", self.file.codes[code], doing="loading the machine code"))
        if (code, symbol) not in device.functions:
            device.functions[code, symbol] = ctypes.c_void_p(self._driver.got(
                ctypes.c_void_p, "cuModuleGetFunction", device.modules[code], symbol.encode(), doing=symbol))
        return device.functions[code, symbol]

