"""NVRTC and the CUDA driver by ctypes: what is needed to build and launch a kernel of the catalogue."""

import ctypes
import functools
import glob
import os
import pathlib
import site

MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14  # CUfunction_attribute
CLUSTER_DIMENSION, PROGRAMMATIC_SERIALISATION = 4, 6  # CUlaunchAttributeID
PORTABLE_CLUSTER = 8


class CudaError(RuntimeError):
    pass


# --- NVRTC ---

@functools.cache
def nvrtc():
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda",
             *sorted(glob.glob("/usr/local/cuda-*"), reverse=True)]
    packages = [f"{p}/nvidia/*/lib" for p in site.getsitepackages()]
    places = [f"{r}/{d}" for r in roots if r for d in ("lib64", "lib")] + packages
    names = [os.environ.get("NIGHTSHIFT_NVRTC")] + [
        f for p in places for f in sorted(glob.glob(f"{p}/libnvrtc.so.1[0-9]"), reverse=True)]
    for name in [n for n in names if n] + ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library, name
    raise SystemExit("NVRTC cannot be opened: install the CUDA toolkit, or let NIGHTSHIFT_NVRTC "
                     "name libnvrtc")


def nvrtc_version():
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc()[0].nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def toolkit_folders():
    near = pathlib.Path(nvrtc()[1]).resolve().parent.parent / "include"
    packages = [p for s in site.getsitepackages() for p in glob.glob(f"{s}/nvidia/*/include")]
    toolkits = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/include",
                *sorted(glob.glob("/usr/local/cuda-*/include"), reverse=True)]
    for folder in map(pathlib.Path, [near, *toolkits, *packages]):
        if (folder / "cuda_bf16.h").exists():
            return [folder] + [f for f in [folder / "cccl"] if f.is_dir()]
    raise SystemExit("cuda_bf16.h was not found: install the CUDA toolkit, or set CUDA_HOME")


def build(file, functions, options):
    """Compiles `file`; returns the machine code and the symbol of each function."""
    library = nvrtc()[0]

    def require(result, what):
        if result:
            raise CudaError(f"{what}: {library.nvrtcGetErrorString(result).decode()}")
    program = ctypes.c_void_p()
    require(library.nvrtcCreateProgram(ctypes.byref(program), file.read_bytes(),
                                       str(file).encode(), 0, None, None), "nvrtcCreateProgram")
    try:
        expressions = [f for f in functions if "<" in f]
        for name in expressions:
            require(library.nvrtcAddNameExpression(program, name.encode()), name)
        everything = [o.encode() for o in [*options, *(f"-I{f}" for f in toolkit_folders())]]
        result = library.nvrtcCompileProgram(
            program, len(everything), (ctypes.c_char_p * len(everything))(*everything))
        size = ctypes.c_size_t()
        if result:
            library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            library.nvrtcGetProgramLog(program, log)
            raise CudaError(f"{file.name} does not compile: {log.value.decode()[:2000]}")
        symbols = {f: f for f in functions}
        for name in expressions:
            lowered = ctypes.c_char_p()
            require(library.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(lowered)), name)
            symbols[name] = lowered.value.decode()
        require(library.nvrtcGetCUBINSize(program, ctypes.byref(size)), "nvrtcGetCUBINSize")
        code = ctypes.create_string_buffer(size.value)
        require(library.nvrtcGetCUBIN(program, code), "nvrtcGetCUBIN")
        return code.raw, symbols
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def build_cell(cell, configuration, architecture):
    """The built kernel and reference of a cell: {"kernel": ..., "reference": ...}."""
    options = cell.options(configuration, architecture)
    return {what: build(file, functions, options)
            for what, (file, functions) in cell.sources().items()}


# --- The driver ---

class Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared_bytes", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


@functools.cache
def driver():
    return ctypes.CDLL("libcuda.so.1")


def check(result, what):
    if result:
        name = ctypes.c_char_p()
        driver().cuGetErrorName(result, ctypes.byref(name))
        raise CudaError(f"{what}: {(name.value or b'unknown error').decode()}")


# CUtensorMapDataType
TENSOR_TYPES = {"uint8": 0, "int8": 0, "uint32": 2, "int32": 3, "int64": 5, "float16": 6,
                "float32": 7, "float64": 8, "bfloat16": 9, "float8_e4m3": 0}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}        # bytes: CUtensorMapSwizzle
L2_PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}  # bytes: CUtensorMapL2promotion
TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT = 128, 64


def encode(tensor_map, address):
    """The map (problem.TensorMap) of the tensor at `address`, as a kernel takes it by value."""
    memory = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
    aligned = -ctypes.addressof(memory) % TENSOR_MAP_ALIGNMENT
    encoded = (ctypes.c_char * TENSOR_MAP_BYTES).from_buffer(memory, aligned)
    rank = len(tensor_map.extent)
    check(driver().cuTensorMapEncodeTiled(
        encoded, TENSOR_TYPES[tensor_map.type], rank, ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*tensor_map.extent),
        (ctypes.c_uint64 * rank)(*tensor_map.pitch_bytes), (ctypes.c_uint32 * rank)(*tensor_map.box),
        (ctypes.c_uint32 * rank)(*[1] * rank), 0, SWIZZLES[tensor_map.swizzle],
        L2_PROMOTIONS[tensor_map.l2_promotion], 0), "cuTensorMapEncodeTiled")
    return encoded


class Module:
    """A loaded piece of machine code. The current context must be there: torch has made it."""

    def __init__(self, built):
        code, self.symbols = built
        self.handle = ctypes.c_void_p()
        check(driver().cuModuleLoadData(ctypes.byref(self.handle), code), "cuModuleLoadData")

    def close(self):
        driver().cuModuleUnload(self.handle)

    def bind(self, launch, values, stream):
        """A callable that launches with these arguments: ctypes values, kept alive by it."""
        function = ctypes.c_void_p()
        check(driver().cuModuleGetFunction(ctypes.byref(function), self.handle,
                                           self.symbols[launch.kernel].encode()), launch.kernel)
        blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2]
        if launch.shared_bytes > 0:  # static shared memory counts as well
            check(driver().cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, launch.shared_bytes),
                  f"{launch.kernel} wants {launch.shared_bytes} bytes of shared memory")
        if blocks > PORTABLE_CLUSTER:
            check(driver().cuFuncSetAttribute(function, NON_PORTABLE_CLUSTER, 1),
                  f"{launch.kernel} wants clusters of {blocks}")
        config = Config((ctypes.c_uint * 3)(*launch.grid), (ctypes.c_uint * 3)(*launch.block),
                        launch.shared_bytes, stream, None, 0)
        attributes = (Attribute * 2)()
        config.attributes = attributes
        if blocks > 1:
            attributes[config.count].id = CLUSTER_DIMENSION
            attributes[config.count].value[:3] = launch.cluster
            config.count += 1
        if launch.programmatic:
            attributes[config.count].id = PROGRAMMATIC_SERIALISATION
            attributes[config.count].value[0] = 1
            config.count += 1
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        keep = (values, attributes)

        def run(launch_kernel=driver().cuLaunchKernelEx, config=ctypes.byref(config), keep=keep):
            result = launch_kernel(config, function, pointers, None)
            if result:
                check(result, f"launching {launch.kernel}")
        return run
