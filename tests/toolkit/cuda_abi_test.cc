// Holds evaluator/cuda/driver/driver.h against the toolkit's cuda.h.
#include "evaluator/cuda/driver/driver.h"

#include <gtest/gtest.h>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/launch/tensor_map.h"
#include "tests/toolkit/abi.h"

// After our headers: it has macros of the names that are members there.
#include <cuda.h>
#if __has_include(<cudaProfiler.h>)  // a package of its own
#include <cudaProfiler.h>
#define HAS_PROFILER_FUNCTIONS
#endif

// From CUDA 13.0 on a macro for a second version, with the same arguments.
using TheirElapsedTime = decltype(&cuEventElapsedTime);
#undef cuEventElapsedTime

// The formatter would lay such a list out anew at every pass.
// clang-format off
#define DRIVER_FUNCTIONS(HOLD) \
  HOLD(cuInit) HOLD(cuDriverGetVersion) HOLD(cuGetErrorName) HOLD(cuGetErrorString) \
  HOLD(cuDeviceGetCount) HOLD(cuDeviceGet) HOLD(cuDeviceGetName) HOLD(cuDeviceGetUuid_v2) \
  HOLD(cuDeviceGetAttribute) HOLD(cuDeviceTotalMem_v2) HOLD(cuDevicePrimaryCtxRetain) \
  HOLD(cuCtxSetCurrent) HOLD(cuCtxSynchronize) HOLD(cuModuleLoadData) HOLD(cuModuleUnload) \
  HOLD(cuModuleGetFunction) HOLD(cuModuleGetGlobal_v2) HOLD(cuFuncGetAttribute) HOLD(cuFuncSetAttribute) \
  HOLD(cuMemGetInfo_v2) HOLD(cuMemAlloc_v2) HOLD(cuMemFree_v2) HOLD(cuMemHostAlloc) \
  HOLD(cuMemFreeHost) HOLD(cuMemHostGetDevicePointer_v2) HOLD(cuMemcpyHtoD_v2) \
  HOLD(cuMemcpyDtoH_v2) HOLD(cuMemcpyDtoDAsync_v2) HOLD(cuMemsetD8Async) HOLD(cuStreamCreate) \
  HOLD(cuStreamSynchronize) HOLD(cuStreamWaitValue32_v2) HOLD(cuStreamBeginCapture_v2) \
  HOLD(cuStreamEndCapture) HOLD(cuGraphInstantiateWithFlags) HOLD(cuGraphDestroy) \
  HOLD(cuGraphExecDestroy) HOLD(cuGraphUpload) HOLD(cuGraphLaunch) HOLD(cuEventCreate) HOLD(cuEventDestroy_v2) \
  HOLD(cuEventRecord) HOLD(cuEventSynchronize) HOLD(cuLaunchKernelEx) \
  HOLD(cuMemGetAllocationGranularity) HOLD(cuMemAddressReserve) HOLD(cuMemAddressFree) \
  HOLD(cuMemCreate) HOLD(cuMemRelease) HOLD(cuMemMap) HOLD(cuMemUnmap) HOLD(cuMemSetAccess) \
  HOLD(cuCtxResetPersistingL2Cache) HOLD(cuTensorMapEncodeTiled)
// clang-format on

namespace nightshift::toolkit {

using namespace evaluator::cuda;
using search::ElementType;

template <>
inline constexpr bool kStandsFor<ContextTag, CUctx_st> = true;
template <>
inline constexpr bool kStandsFor<ModuleTag, CUmod_st> = true;
template <>
inline constexpr bool kStandsFor<FunctionTag, CUfunc_st> = true;
template <>
inline constexpr bool kStandsFor<StreamTag, CUstream_st> = true;
template <>
inline constexpr bool kStandsFor<EventTag, CUevent_st> = true;
template <>
inline constexpr bool kStandsFor<GraphTag, CUgraph_st> = true;
template <>
inline constexpr bool kStandsFor<GraphExecTag, CUgraphExec_st> = true;
template <>
inline constexpr bool kStandsFor<Uuid, CUuuid> = true;
template <>
inline constexpr bool kStandsFor<LaunchAttribute, CUlaunchAttribute> = true;
template <>
inline constexpr bool kStandsFor<LaunchConfig, CUlaunchConfig> = true;
template <>
inline constexpr bool kStandsFor<MemoryProperties, CUmemAllocationProp> = true;
template <>
inline constexpr bool kStandsFor<MemoryAccess, CUmemAccessDesc> = true;
template <>
inline constexpr bool kStandsFor<TensorMapValue, CUtensorMap> = true;

#define HOLD(name) HOLD_FUNCTION(Driver, name)
DRIVER_FUNCTIONS(HOLD)
#undef HOLD
static_assert(kSameFunction<decltype(Driver::cuEventElapsedTime), TheirElapsedTime>);
#ifdef HAS_PROFILER_FUNCTIONS
HOLD_FUNCTION(Driver, cuProfilerStart);
HOLD_FUNCTION(Driver, cuProfilerStop);
#endif
static_assert(sizeof(Driver) / sizeof(void*) == 3 DRIVER_FUNCTIONS(COUNT_FUNCTION),
              "a function of the driver is not held against the toolkit");

HOLD_SIZE(Uuid, CUuuid);
// Toolkits from 13.0 on align the type to 128 bytes; what the driver asks for is 64.
static_assert(sizeof(TensorMapValue) == sizeof(CUtensorMap) && alignof(TensorMapValue) >= 64);
HOLD_SIZE(LaunchAttribute, CUlaunchAttribute);
HOLD_MEMBER(LaunchAttribute, id, CUlaunchAttribute, id);
HOLD_MEMBER(LaunchAttribute, value, CUlaunchAttribute, value);
static_assert(offsetof(CUlaunchAttributeValue, clusterDim) == 0 &&
              sizeof(CUlaunchAttributeValue::clusterDim) == 3 * sizeof(unsigned));
HOLD_SIZE(LaunchConfig, CUlaunchConfig);
static_assert(offsetof(LaunchConfig, grid) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(LaunchConfig, block) == offsetof(CUlaunchConfig, blockDimX));
HOLD_MEMBER(LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
HOLD_MEMBER(LaunchConfig, stream, CUlaunchConfig, hStream);
HOLD_MEMBER(LaunchConfig, attributes, CUlaunchConfig, attrs);
HOLD_MEMBER(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);

HOLD_SIZE(MemoryProperties, CUmemAllocationProp);
HOLD_MEMBER(MemoryProperties, type, CUmemAllocationProp, type);
HOLD_MEMBER(MemoryProperties, location, CUmemAllocationProp, location);
HOLD_MEMBER(MemoryProperties, flags, CUmemAllocationProp, allocFlags);
HOLD_SIZE(MemoryLocation, CUmemLocation);
HOLD_MEMBER(MemoryLocation, type, CUmemLocation, type);
HOLD_MEMBER(MemoryLocation, id, CUmemLocation, id);
HOLD_SIZE(MemoryAccess, CUmemAccessDesc);
HOLD_MEMBER(MemoryAccess, location, CUmemAccessDesc, location);
HOLD_MEMBER(MemoryAccess, flags, CUmemAccessDesc, flags);

HOLD_VALUE(kSuccess, CUDA_SUCCESS);
HOLD_VALUE(MemoryProperties::kPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
HOLD_VALUE(MemoryLocation::kDevice, CU_MEM_LOCATION_TYPE_DEVICE);
HOLD_VALUE(MemoryAccess::kReadAndWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
HOLD_VALUE(DeviceAttribute::kClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
HOLD_VALUE(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
HOLD_VALUE(DeviceAttribute::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
HOLD_VALUE(DeviceAttribute::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
HOLD_VALUE(DeviceAttribute::kMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
HOLD_VALUE(DeviceAttribute::kMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
HOLD_VALUE(DeviceAttribute::kSharedBytesPerBlockOptin,
           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
HOLD_VALUE(FunctionAttribute::kSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
HOLD_VALUE(FunctionAttribute::kLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
HOLD_VALUE(FunctionAttribute::kRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
HOLD_VALUE(FunctionAttribute::kMaxDynamicSharedBytes,
           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
HOLD_VALUE(FunctionAttribute::kNonPortableCluster,
           CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
HOLD_VALUE(LaunchAttribute::kClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
HOLD_VALUE(LaunchAttribute::kProgrammaticSerialisation,
           CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
HOLD_VALUE(kHostMemoryMapped, CU_MEMHOSTALLOC_DEVICEMAP);
HOLD_VALUE(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
HOLD_VALUE(kEventDefault, CU_EVENT_DEFAULT);
HOLD_VALUE(kWaitGreaterOrEqual, CU_STREAM_WAIT_VALUE_GEQ);
HOLD_VALUE(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

namespace {

TEST(CudaAbi, ElementTypesOfTensorMaps) {
  EXPECT_EQ(tensor_data_type(ElementType::kUint8), CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(tensor_data_type(ElementType::kFloat8E4M3), CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(tensor_data_type(ElementType::kUint16), CU_TENSOR_MAP_DATA_TYPE_UINT16);
  EXPECT_EQ(tensor_data_type(ElementType::kUint32), CU_TENSOR_MAP_DATA_TYPE_UINT32);
  EXPECT_EQ(tensor_data_type(ElementType::kInt32), CU_TENSOR_MAP_DATA_TYPE_INT32);
  EXPECT_EQ(tensor_data_type(ElementType::kUint64), CU_TENSOR_MAP_DATA_TYPE_UINT64);
  EXPECT_EQ(tensor_data_type(ElementType::kInt64), CU_TENSOR_MAP_DATA_TYPE_INT64);
  EXPECT_EQ(tensor_data_type(ElementType::kFloat16), CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(tensor_data_type(ElementType::kFloat32), CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(tensor_data_type(ElementType::kFloat64), CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  EXPECT_EQ(tensor_data_type(ElementType::kBfloat16), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
}

TEST(CudaAbi, SwizzlesAndPromotionsOfTensorMaps) {
  EXPECT_EQ(tensor_swizzle(0), CU_TENSOR_MAP_SWIZZLE_NONE);
  EXPECT_EQ(tensor_swizzle(32), CU_TENSOR_MAP_SWIZZLE_32B);
  EXPECT_EQ(tensor_swizzle(64), CU_TENSOR_MAP_SWIZZLE_64B);
  EXPECT_EQ(tensor_swizzle(128), CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(tensor_l2_promotion(0), CU_TENSOR_MAP_L2_PROMOTION_NONE);
  EXPECT_EQ(tensor_l2_promotion(64), CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
  EXPECT_EQ(tensor_l2_promotion(128), CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
  EXPECT_EQ(tensor_l2_promotion(256), CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
}

TEST(CudaAbi, DamageOfErrors) {
  for (const CUresult harmless :
       {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_IMAGE,
        CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_FOUND, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, CUDA_ERROR_NOT_SUPPORTED,
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
        CUDA_ERROR_STREAM_CAPTURE_UNJOINED, CUDA_ERROR_INVALID_CLUSTER_SIZE}) {
    EXPECT_EQ(damage_of(harmless), Damage::kNothing) << harmless;
  }
  for (const CUresult breaking :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_CONTEXT_IS_DESTROYED,
        CUDA_ERROR_ASSERT, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,
        CUDA_ERROR_LAUNCH_FAILED}) {
    EXPECT_EQ(damage_of(breaking), Damage::kContext) << breaking;
  }
  for (const CUresult grave : {CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE,
                               CUDA_ERROR_SYSTEM_NOT_READY, CUDA_ERROR_UNKNOWN}) {
    EXPECT_EQ(damage_of(grave), Damage::kDevice) << grave;
  }
}

}  // namespace
}  // namespace nightshift::toolkit
