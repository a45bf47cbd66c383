#pragma once

#include <cstdint>

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

}  // namespace nightshift::evaluator::cuda
