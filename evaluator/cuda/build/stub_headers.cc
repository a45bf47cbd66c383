#include "evaluator/cuda/build/stub_headers.h"

#include <array>

namespace nightshift::evaluator::cuda {
namespace {

constexpr const char* kPrelude = R"cuda(#pragma once
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long ssize_t;
typedef struct _IO_FILE FILE;
namespace std {}
namespace cuda { namespace std {} }
#ifndef __extension__
#define __extension__
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#if __CUDA_ARCH__ >= 900
__device__ inline void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#endif
#ifndef INT32_MAX
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX ULLONG_MAX
#endif
)cuda";

// What device code of torch's extensions says of its types.
constexpr const char* kTorch = R"cuda(#ifndef NIGHTSHIFT_TORCH
#define NIGHTSHIFT_TORCH
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
}
namespace at {
using c10::BFloat16;
using c10::Half;
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool on_gpu> using acc_type = opmath_type<T>;
template <class T, int size, int, typename index> struct PackedTensorAccessor;
struct PhiloxCudaState;
}
namespace torch {
using c10::BFloat16;
using c10::Half;
}
template <class T>
__device__ T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ T WARP_SHFL_UP(T value, unsigned lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, lanes, width);
}
template <class T>
__device__ T WARP_SHFL_DOWN(T value, unsigned lanes, int width = 32, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, lanes, width);
}
__device__ inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_WARP_SIZE 32
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define C10_RESTRICT __restrict__
#define GPU_LAMBDA __device__
#define CUDA_KERNEL_ASSERT(condition)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                              \
  for (type i = (type)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
       i += (type)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#endif
)cuda";

// Libraries that hosts call: device code has their types at most in names.
constexpr const char* kLibraries = R"cuda(#ifndef NIGHTSHIFT_LIBRARIES
#define NIGHTSHIFT_LIBRARIES
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef struct cublasContext* cublasHandle_t;
typedef struct cublasLtContext* cublasLtHandle_t;
typedef struct cudnnContext* cudnnHandle_t;
typedef struct cusparseContext* cusparseHandle_t;
typedef struct cublasLtMatmulDescOpaque* cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque* cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque* cublasLtMatmulPreference_t;
typedef enum {} cublasStatus_t;
typedef enum {} cublasOperation_t;
typedef enum {} cublasComputeType_t;
typedef enum {} cublasGemmAlgo_t;
typedef enum {} cusparseStatus_t;
typedef enum {} cudnnStatus_t;
#endif
)cuda";
constexpr auto kOfLibraries = std::to_array<const char*>(
    {"cublas_v2.h", "cublas.h", "cublasLt.h", "cublasXt.h", "cudnn.h", "cusparse.h", "cusolverDn.h",
     "cufft.h", "nccl.h", "nvml.h", "cuda_profiler_api.h", "nvToolsExt.h", "nvtx3/nvToolsExt.h",
     "nvtx3/nvtx3.hpp", "cuda_gl_interop.h"});

// What of CUB is for blocks and warps; the rest is called by hosts.
constexpr const char* kCub = R"cuda(#ifndef NIGHTSHIFT_CUB
#define NIGHTSHIFT_CUB
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#endif
)cuda";

// Of the standard library, as CUDA's own one has them.
constexpr std::array<const char*, 16> kOfCuda = {"algorithm", "array",       "bit",
                                                 "cmath",     "complex",     "cstddef",
                                                 "cstdint",   "functional",  "initializer_list",
                                                 "limits",    "numeric",     "optional",
                                                 "tuple",     "type_traits", "utility",
                                                 "span"};

// What the toolkit's headers include of C, so that it need not be missed one by one.
constexpr auto kOfC =
    std::to_array<const char*>({"assert.h", "float.h", "limits.h", "math.h", "stddef.h", "stdint.h",
                                "stdio.h", "stdlib.h", "string.h", "time.h"});

std::string of_cuda(const std::string& name) {
  return "#pragma once\n#include <cuda/std/" + name +
         ">\nnamespace std { using namespace cuda::std; }\n";
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& stub_headers() {
  static const std::vector<std::pair<std::string, std::string>> stubs = [] {
    std::vector<std::pair<std::string, std::string>> all = {{kStubPrelude, kPrelude}};
    for (const char* name : kOfCuda) all.emplace_back(name, of_cuda(name));
    for (const char* name : kOfC) all.emplace_back(name, "");
    for (const char* name : kOfLibraries) all.emplace_back(name, kLibraries);
    for (const char* name : {"cub/cub.cuh", "cub/cub.h"}) all.emplace_back(name, kCub);
    return all;
  }();
  return stubs;
}

std::string stub_for(std::string_view name) {
  for (const std::string_view folder : {"torch/", "ATen/", "c10/"}) {
    if (name.starts_with(folder)) return kTorch;
  }
  return {};
}

}  // namespace nightshift::evaluator::cuda
