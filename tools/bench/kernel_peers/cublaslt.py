"""cuBLASLt by ctypes: a product of matrices by each of the algorithms that its heuristics propose.

Imports no torch. Numbers are those of cublasLt.h, cublas_api.h and library_types.h of CUDA 13.0;
scales of blocks are there since CUDA 12.9.
"""

import ctypes
import functools
import glob
import os
import site
import weakref

NAMES = ("libcublasLt.so.13", "libcublasLt.so.12")
COMPUTE_FLOAT, COMPUTE_INTEGER = 68, 72    # cublasComputeType_t: CUBLAS_COMPUTE_32F, _32I
TYPES = {"float32": 0, "int8": 3, "int32": 10, "bfloat16": 14, "float8_e4m3": 28}  # cudaDataType_t
TRANSPOSED = 1                             # cublasOperation_t
TRANSPOSE_A, A_SCALE, B_SCALE = 3, 17, 18  # cublasLtMatmulDescAttributes_t
A_SCALE_MODE, B_SCALE_MODE = 31, 32
OF_128_IN_A_ROW, OF_128_BY_128 = 4, 5      # cublasLtMatmulMatrixScale_t: VEC128_32F, BLK128x128_32F
WORKSPACE_BYTES, REDUCTIONS = 1, 3         # cublasLtMatmulPreferenceAttributes_t
# Masks of cublasLtReductionScheme_t: how parts of k are added. By the schemes that only the first
# has, in place and in the output's type, they are rounded to that type before they are added.
ANY_REDUCTION, FLOAT_REDUCTION = 7, 2
MOST_ALGORITHMS = 128
BLOCK = 128  # of k, and of columns of the result, that share a scale


class CublasError(RuntimeError):
    pass


class Algorithm(ctypes.Structure):  # cublasLtMatmulAlgo_t
    _fields_ = [("data", ctypes.c_uint64 * 8)]


class Proposal(ctypes.Structure):   # cublasLtMatmulHeuristicResult_t
    _fields_ = [("algorithm", Algorithm), ("workspace_bytes", ctypes.c_size_t),
                ("state", ctypes.c_int), ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


@functools.cache
def library():
    """The one that this process has, as torch brings one; else a package's or the toolkit's."""
    for name in NAMES:
        try:
            return declared(ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW))
        except OSError:
            continue
    roots = [f"{p}/nvidia/*/lib" for p in site.getsitepackages()] + \
        [f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/lib64"]
    found = [f for n in NAMES for r in roots for f in sorted(glob.glob(f"{r}/{n}"))]
    for name in [*found, *NAMES]:
        try:
            return declared(ctypes.CDLL(name))
        except OSError:
            continue
    raise CublasError(f"none of {', '.join(NAMES)} can be opened")


def declared(opened):
    """With the types of what is called, which ctypes would guess to be int."""
    pointer, size, whole = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    arguments = {
        "cublasLtCreate": [pointer],
        "cublasLtMatmulDescCreate": [pointer, whole, whole],
        "cublasLtMatmulDescDestroy": [pointer],
        "cublasLtMatmulDescSetAttribute": [pointer, whole, pointer, size],
        "cublasLtMatrixLayoutCreate": [pointer, whole, ctypes.c_uint64, ctypes.c_uint64,
                                       ctypes.c_int64],
        "cublasLtMatrixLayoutDestroy": [pointer],
        "cublasLtMatmulPreferenceCreate": [pointer],
        "cublasLtMatmulPreferenceDestroy": [pointer],
        "cublasLtMatmulPreferenceSetAttribute": [pointer, whole, pointer, size],
        # handle, operation, layouts of A, B, C and D, preference, most, proposals, how many
        "cublasLtMatmulAlgoGetHeuristic": [pointer] * 7 + [whole, pointer, pointer],
        # handle, operation, alpha, A, its layout, B, its layout, beta, C, its layout, D, its layout,
        # algorithm, workspace, its bytes, stream
        "cublasLtMatmul": [pointer] * 14 + [size, pointer]}
    for name, types in arguments.items():
        getattr(opened, name).argtypes = types
        getattr(opened, name).restype = whole
    opened.cublasLtGetStatusName.argtypes = [whole]
    opened.cublasLtGetStatusName.restype = ctypes.c_char_p
    return opened


def check(opened, status, what):
    if status:
        raise CublasError(f"{what}: {opened.cublasLtGetStatusName(status).decode()}")


@functools.cache
def handle(opened):
    """Of this process; it is never given back."""
    made = ctypes.c_void_p()
    check(opened, opened.cublasLtCreate(ctypes.byref(made)), "cublasLtCreate")
    return made


class Descriptor:
    """One of the library's own; `kind`: MatmulDesc, MatrixLayout or MatmulPreference."""

    def __init__(self, opened, kind, *arguments):
        self.library, self.kind, self.value = opened, kind, ctypes.c_void_p()
        create = getattr(opened, f"cublasLt{kind}Create")
        check(opened, create(ctypes.byref(self.value), *arguments), f"cublasLt{kind}Create")
        weakref.finalize(self, getattr(opened, f"cublasLt{kind}Destroy"), self.value)

    def set(self, attribute, value):
        """`value`: of the attribute's own type in ctypes, whose size the library checks."""
        call = getattr(self.library, f"cublasLt{self.kind}SetAttribute")
        check(self.library, call(self.value, attribute, ctypes.byref(value), ctypes.sizeof(value)),
              f"cublasLt{self.kind}SetAttribute of {attribute}")


class Product:
    """c[M, N] = a[M, K] b[N, K]^T, all stored row by row; `inputs` and `output` name types.

    The library counts along columns: what it calls A is b, a matrix of K x N to be transposed, B is
    a, of K x M, and D is c, of N x M. Only so has it products of 8 bits.
    """

    def __init__(self, opened, m, n, k, inputs, output):
        self.library, self.handle = opened, handle(opened)
        whole = output == "int32"
        self.compute = (COMPUTE_INTEGER, TYPES["int32"]) if whole else \
            (COMPUTE_FLOAT, TYPES["float32"])
        number = ctypes.c_int32 if whole else ctypes.c_float
        self.one, self.zero = number(1), number(0)

        def layout(kind, rows, columns):
            return Descriptor(opened, "MatrixLayout", TYPES[kind], rows, columns, rows)
        self.a, self.b = layout(inputs, k, m), layout(inputs, k, n)
        self.c = layout(output, n, m)

    def operation(self, scales=None):
        """What is computed; `scales`: addresses of those of a and of b, as scale_shapes has them."""
        made = Descriptor(self.library, "MatmulDesc", *self.compute)
        made.set(TRANSPOSE_A, ctypes.c_int32(TRANSPOSED))
        if scales:
            made.set(A_SCALE_MODE, ctypes.c_int32(OF_128_BY_128))
            made.set(B_SCALE_MODE, ctypes.c_int32(OF_128_IN_A_ROW))
            made.set(A_SCALE, ctypes.c_void_p(scales[1]))
            made.set(B_SCALE, ctypes.c_void_p(scales[0]))
        return made

    def algorithms(self, operation, workspace_bytes, reductions=ANY_REDUCTION,
                   most=MOST_ALGORITHMS):
        """What the heuristics propose, their own favourite first. Throws where there is nothing."""
        preference = Descriptor(self.library, "MatmulPreference")
        preference.set(WORKSPACE_BYTES, ctypes.c_uint64(workspace_bytes))
        preference.set(REDUCTIONS, ctypes.c_uint32(reductions))
        proposals, count = (Proposal * most)(), ctypes.c_int()
        status = self.library.cublasLtMatmulAlgoGetHeuristic(
            self.handle, operation.value, self.b.value, self.a.value, self.c.value, self.c.value,
            preference.value, most, proposals, ctypes.byref(count))
        check(self.library, status, "cuBLASLt has no algorithm")
        found = [p.algorithm for p in proposals[:count.value] if p.state == 0]
        if not found:
            raise CublasError("cuBLASLt has no algorithm: none proposed")
        return found

    def bind(self, operation, algorithm, a, b, c, workspace, stream):
        """A callable that starts the product; a, b, c: addresses, `workspace`: (address, bytes)."""
        values = (self.handle, operation.value, ctypes.byref(self.one), b, self.b.value, a,
                  self.a.value, ctypes.byref(self.zero), c, self.c.value, c, self.c.value,
                  ctypes.byref(algorithm), workspace[0], workspace[1], stream)
        keep = (self, operation, algorithm)

        def run(matmul=self.library.cublasLtMatmul, keep=keep):
            status = matmul(*values)
            if status:
                check(self.library, status, "cublasLtMatmul")
        return run


def scale_shapes(m, n, k):
    """Shapes of the scales of a and of b. A row of those of a is one block of k, without a gap behind
    its M; a row of those of b is 128 columns of c, and as long as a multiple of 4."""
    blocks = -(-k // BLOCK)
    return (blocks, m), (-(-n // BLOCK), -(-blocks // 4) * 4)
