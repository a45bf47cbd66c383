#pragma once

#include <cstddef>
#include <cstdint>

#include "evaluator/cuda/driver/driver_types.h"

namespace nightshift::evaluator::cuda {

// The functions, by the names under which libcuda exports them.
struct Driver {
  Result (*cuInit)(unsigned flags);
  Result (*cuDriverGetVersion)(int* version);
  Result (*cuGetErrorName)(Result error, const char** text);
  Result (*cuGetErrorString)(Result error, const char** text);
  Result (*cuDeviceGetCount)(int* count);
  Result (*cuDeviceGet)(DeviceOrdinal* device, int ordinal);
  Result (*cuDeviceGetName)(char* name, int bytes, DeviceOrdinal device);
  Result (*cuDeviceGetUuid_v2)(Uuid* uuid, DeviceOrdinal device);
  Result (*cuDeviceGetAttribute)(int* value, DeviceAttribute attribute, DeviceOrdinal device);
  Result (*cuDeviceTotalMem_v2)(std::size_t* bytes, DeviceOrdinal device);
  Result (*cuDevicePrimaryCtxRetain)(ContextHandle* context, DeviceOrdinal device);
  Result (*cuCtxSetCurrent)(ContextHandle context);
  Result (*cuCtxSynchronize)();
  Result (*cuModuleLoadData)(ModuleHandle* module, const void* image);
  Result (*cuModuleUnload)(ModuleHandle module);
  Result (*cuModuleGetFunction)(FunctionHandle* function, ModuleHandle module, const char* name);
  Result (*cuModuleGetGlobal_v2)(DevicePointer* address, std::size_t* bytes, ModuleHandle module,
                                 const char* name);
  Result (*cuFuncGetAttribute)(int* value, FunctionAttribute attribute, FunctionHandle function);
  Result (*cuFuncSetAttribute)(FunctionHandle function, FunctionAttribute attribute, int value);
  Result (*cuMemGetInfo_v2)(std::size_t* free, std::size_t* total);
  Result (*cuMemAlloc_v2)(DevicePointer* memory, std::size_t bytes);
  Result (*cuMemFree_v2)(DevicePointer memory);
  Result (*cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned flags);
  Result (*cuMemFreeHost)(void* memory);
  Result (*cuMemHostGetDevicePointer_v2)(DevicePointer* device, void* host, unsigned flags);
  Result (*cuMemcpyHtoD_v2)(DevicePointer to, const void* from, std::size_t bytes);
  Result (*cuMemcpyDtoH_v2)(void* to, DevicePointer from, std::size_t bytes);
  Result (*cuMemcpyDtoDAsync_v2)(DevicePointer to, DevicePointer from, std::size_t bytes,
                                 StreamHandle stream);
  Result (*cuMemsetD8Async)(DevicePointer to, unsigned char value, std::size_t bytes,
                            StreamHandle stream);
  Result (*cuStreamCreate)(StreamHandle* stream, unsigned flags);
  Result (*cuStreamSynchronize)(StreamHandle stream);
  Result (*cuStreamWaitValue32_v2)(StreamHandle stream, DevicePointer address, std::uint32_t value,
                                   unsigned flags);
  Result (*cuStreamBeginCapture_v2)(StreamHandle stream, int mode);
  Result (*cuStreamEndCapture)(StreamHandle stream, GraphHandle* graph);
  Result (*cuGraphInstantiateWithFlags)(GraphExecHandle* exec, GraphHandle graph,
                                        unsigned long long flags);
  Result (*cuGraphDestroy)(GraphHandle graph);
  Result (*cuGraphExecDestroy)(GraphExecHandle exec);
  Result (*cuGraphUpload)(GraphExecHandle exec, StreamHandle stream);
  Result (*cuGraphLaunch)(GraphExecHandle exec, StreamHandle stream);
  Result (*cuEventCreate)(EventHandle* event, unsigned flags);
  Result (*cuEventDestroy_v2)(EventHandle event);
  Result (*cuEventRecord)(EventHandle event, StreamHandle stream);
  Result (*cuEventSynchronize)(EventHandle event);
  Result (*cuEventElapsedTime)(float* milliseconds, EventHandle start, EventHandle end);
  Result (*cuLaunchKernelEx)(const LaunchConfig* config, FunctionHandle function, void** arguments,
                             void** extra);
  Result (*cuMemGetAllocationGranularity)(std::size_t* bytes, const MemoryProperties* properties,
                                          int option);
  Result (*cuMemAddressReserve)(DevicePointer* range, std::size_t bytes, std::size_t alignment,
                                DevicePointer wanted, unsigned long long flags);
  Result (*cuMemAddressFree)(DevicePointer range, std::size_t bytes);
  Result (*cuMemCreate)(MemoryHandle* memory, std::size_t bytes, const MemoryProperties* properties,
                        unsigned long long flags);
  Result (*cuMemRelease)(MemoryHandle memory);
  Result (*cuMemMap)(DevicePointer at, std::size_t bytes, std::size_t offset, MemoryHandle memory,
                     unsigned long long flags);
  Result (*cuMemUnmap)(DevicePointer at, std::size_t bytes);
  Result (*cuMemSetAccess)(DevicePointer at, std::size_t bytes, const MemoryAccess* access,
                           std::size_t count);
  // nullptr in a driver that has none.
  Result (*cuCtxResetPersistingL2Cache)();
  Result (*cuProfilerStart)();
  Result (*cuProfilerStop)();
  Result (*cuTensorMapEncodeTiled)(TensorMapValue* map, int data_type, std::uint32_t dimensions,
                                   void* address, const std::uint64_t* extent,
                                   const std::uint64_t* pitch_bytes, const std::uint32_t* box,
                                   const std::uint32_t* element_strides, int interleave,
                                   int swizzle, int l2_promotion, int fill);
};

// The driver of this machine, opened once: NIGHTSHIFT_CUDA_DRIVER (a path), else libcuda.so.1.
// Throws std::runtime_error that says what is missing; cuInit was not called.
const Driver& driver();

}  // namespace nightshift::evaluator::cuda
