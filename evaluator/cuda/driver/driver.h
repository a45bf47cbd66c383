#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nightshift::evaluator::cuda {

// The binary interface of the CUDA driver, as far as it is used here. The toolkit's headers are
// not needed to build, and the driver is opened at run time, so that one program serves machines
// with and without a GPU. Names and numbers are those of cuda.h (12.0 and later).
using Result = int;
using DeviceOrdinal = int;
using DevicePointer = std::uint64_t;
using ContextHandle = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using GraphHandle = struct GraphTag*;
using GraphExecHandle = struct GraphExecTag*;
using MemoryHandle = unsigned long long;
struct TensorMapValue;  // tensor_map.h

constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotFound = 500;

struct Uuid {
  unsigned char bytes[16];
};

// CUmemAllocationProp and CUmemAccessDesc, of memory that lies on a device.
struct MemoryLocation {
  static constexpr int kDevice = 1;
  int type = kDevice;
  int id = 0;
};
struct MemoryProperties {
  static constexpr int kPinned = 1;
  int type = kPinned;
  int handle_types = 0;
  MemoryLocation location;
  void* meta_data = nullptr;
  unsigned char flags[8] = {};
};
struct MemoryAccess {
  static constexpr int kReadAndWrite = 3;
  MemoryLocation location;
  int flags = kReadAndWrite;
};

enum class DeviceAttribute : int {
  kClockKhz = 13,  // the highest of the multiprocessors
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kMajor = 75,
  kMinor = 76,
  kSharedBytesPerBlockOptin = 97,
};
enum class FunctionAttribute : int {
  kSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
  kNonPortableCluster = 14,
};

// CUlaunchAttribute: an id, and a union of 64 bytes of which a cluster uses the first twelve, and
// programmatic stream serialisation, which is 1 for a programmatic dependent launch, the first
// four.
struct alignas(8) LaunchAttribute {
  static constexpr int kClusterDimension = 4;
  static constexpr int kProgrammaticSerialisation = 6;
  int id = 0;
  char padding[4] = {};
  unsigned value[16] = {};
};
// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  StreamHandle stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

constexpr unsigned kHostMemoryMapped = 2;    // CU_MEMHOSTALLOC_DEVICEMAP
constexpr unsigned kStreamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr unsigned kEventDefault = 0;        // with timing
constexpr unsigned kWaitGreaterOrEqual = 0;  // CU_STREAM_WAIT_VALUE_GEQ
constexpr int kCaptureThreadLocal = 1;       // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

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

// A call of the driver failed.
class CudaError : public std::runtime_error {
 public:
  CudaError(Result code, const std::string& call);
  Result code() const { return code_; }

 private:
  Result code_;
};

// Throws CudaError unless `result` is kSuccess; `call` says what was tried: "cuMemAlloc of 12 MiB".
void check(Result result, const char* call);
void check(Result result, const std::string& call);

// What an error leaves behind (CUDA 13.0 driver reference, and trials on real devices):
//   kNothing  the context is as good as before (bad launch, out of memory, bad image)
//   kContext  the kernel broke it: every later call fails, only a new process helps
//   kDevice   as kContext, and the device itself may be at fault (ECC, lost, unknown)
enum class Damage : std::uint8_t { kNothing, kContext, kDevice };
Damage damage_of(Result code);

}  // namespace nightshift::evaluator::cuda
