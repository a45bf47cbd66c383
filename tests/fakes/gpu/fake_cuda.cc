// libfakecuda.so: a CUDA driver whose device is the CPU, for the "cubins" of libfakenvrtc.so. What
// it plays is told by the environment (fake_settings.h).
//
// Streams run what they are given at once; a stream that captures keeps it instead. Device time is
// a number that only launches, copies and fills move on, so what events measure is exact and the
// same on every machine. A kernel that fails (fake_fail, __trap) breaks the context: from then on
// every call returns its code, until the process ends.

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/fakes/gpu/fake_machine.h"
#include "tests/fakes/gpu/fake_tiles.h"

namespace nightshift::evaluator::cuda {
namespace {

using fake_gpu::Machine;

// What every call that needs a context looks at first.
Result standing() {
  const Machine& machine = Machine::get();
  if (!machine.initialized) return fake_gpu::kNotInitialized;
  if (machine.sticky != kSuccess) return machine.sticky;
  return machine.context ? kSuccess : fake_gpu::kInvalidContext;
}

const fake_gpu::Device* device_at(DeviceOrdinal ordinal) {
  const auto& devices = Machine::get().devices;
  return ordinal >= 0 && ordinal < static_cast<int>(devices.size())
             ? &devices[static_cast<std::size_t>(ordinal)]
             : nullptr;
}

// The primary contexts, by device.
std::vector<ContextTag>& contexts() {
  static std::vector<ContextTag> all(Machine::get().devices.size());
  return all;
}
ContextHandle& current_context() {
  static ContextHandle current = nullptr;
  return current;
}

// Runs `work` now, or when the graph that `stream` captures is launched. nullptr is the default
// stream, which never captures.
template <class Work>
Result enqueue(StreamHandle stream, Work work) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (stream == nullptr || !stream->capturing) return work();
  stream->captured.emplace_back(std::move(work));
  return kSuccess;
}

bool any_capture(StreamHandle stream) { return stream != nullptr && stream->capturing; }

// Copies of a launch's arguments, as the real driver makes them when a launch is captured. The
// most that a parameter is aligned to is what a tensor map is.
struct CapturedLaunch {
  struct alignas(64) Piece {
    unsigned char bytes[64];
  };
  LaunchConfig config;
  FunctionHandle function = nullptr;
  std::vector<LaunchAttribute> attributes;
  std::vector<std::vector<Piece>> arguments;

  CapturedLaunch(const LaunchConfig& launch, FunctionHandle kernel, void** given)
      : config(launch),
        function(kernel),
        attributes(launch.attributes, launch.attributes + launch.attribute_count) {
    for (std::size_t i = 0; i < kernel->sizes.size(); ++i) {
      const std::size_t bytes = kernel->sizes[i];
      arguments.emplace_back((bytes + sizeof(Piece) - 1) / sizeof(Piece));
      std::memcpy(arguments.back().data(), given[i], bytes);
    }
  }
  Result operator()() {
    std::vector<void*> pointers;
    for (auto& argument : arguments) pointers.push_back(argument.data());
    config.attributes = attributes.data();  // this object may have moved
    return Machine::get().launch(config, *function, pointers.data());
  }
};

struct ErrorText {
  Result code;
  const char *name, *words;
};
constexpr ErrorText kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
};
const ErrorText* text_of(Result code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result cuInit(unsigned) {
  Machine& machine = Machine::get();
  machine.devices = fake_gpu::visible_devices();
  if (machine.devices.empty()) return fake_gpu::kNoDevice;
  machine.initialized = true;
  return kSuccess;
}

Result cuDriverGetVersion(int* version) {
  *version = static_cast<int>(fake_gpu::number_setting("FAKE_GPU_DRIVER_VERSION", 12080));
  return kSuccess;
}

Result cuGetErrorName(Result error, const char** text) {
  const ErrorText* found = text_of(error);
  *text = found != nullptr ? found->name : nullptr;
  return found != nullptr ? kSuccess : fake_gpu::kInvalidValue;
}

Result cuGetErrorString(Result error, const char** text) {
  const ErrorText* found = text_of(error);
  *text = found != nullptr ? found->words : nullptr;
  return found != nullptr ? kSuccess : fake_gpu::kInvalidValue;
}

Result cuDeviceGetCount(int* count) {
  if (!Machine::get().initialized) return fake_gpu::kNotInitialized;
  *count = static_cast<int>(Machine::get().devices.size());
  return kSuccess;
}

Result cuDeviceGet(DeviceOrdinal* device, int ordinal) {
  if (!Machine::get().initialized) return fake_gpu::kNotInitialized;
  if (device_at(ordinal) == nullptr) return fake_gpu::kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char* name, int bytes, DeviceOrdinal device) {
  if (device_at(device) == nullptr) return fake_gpu::kInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU");
  return kSuccess;
}

Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceOrdinal device) {
  const fake_gpu::Device* found = device_at(device);
  if (found == nullptr) return fake_gpu::kInvalidDevice;
  std::memcpy(uuid->bytes, found->uuid_bytes, sizeof uuid->bytes);
  return kSuccess;
}

Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceOrdinal device) {
  const fake_gpu::Device* found = device_at(device);
  if (found == nullptr) return fake_gpu::kInvalidDevice;
  switch (attribute) {
    case DeviceAttribute::kMultiprocessors:
      *value = found->multiprocessors;
      return kSuccess;
    case DeviceAttribute::kClockKhz:
      *value = 1980000;
      return kSuccess;
    case DeviceAttribute::kL2Bytes:
      *value = fake_gpu::kL2Bytes;
      return kSuccess;
    case DeviceAttribute::kMajor:
      *value = found->architecture / 10;
      return kSuccess;
    case DeviceAttribute::kMinor:
      *value = found->architecture % 10;
      return kSuccess;
    case DeviceAttribute::kSharedBytesPerBlockOptin:
      *value = fake_gpu::kMostSharedBytes;
      return kSuccess;
  }
  return fake_gpu::kInvalidValue;
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceOrdinal device) {
  if (device_at(device) == nullptr) return fake_gpu::kInvalidDevice;
  *bytes = Machine::memory_bytes();
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceOrdinal device) {
  if (device_at(device) == nullptr) return fake_gpu::kInvalidDevice;
  if (Machine::get().sticky != kSuccess) return Machine::get().sticky;
  *context = &contexts()[static_cast<std::size_t>(device)];
  return kSuccess;
}

Result cuCtxSetCurrent(ContextHandle context) {
  if (!Machine::get().initialized) return fake_gpu::kNotInitialized;
  current_context() = context;
  Machine::get().context = context != nullptr;
  return kSuccess;
}

// For programs of users alone: what loads the kernels of a file into the context that they have.
Result cuCtxGetCurrent(ContextHandle* context) {
  if (!Machine::get().initialized) return fake_gpu::kNotInitialized;
  *context = current_context();
  return kSuccess;
}

Result cuCtxGetDevice(DeviceOrdinal* device) {
  if (const Result result = standing(); result != kSuccess) return result;
  *device = static_cast<DeviceOrdinal>(current_context() - contexts().data());
  return kSuccess;
}

Result cuCtxSynchronize() { return standing(); }

Result cuModuleLoadData(ModuleHandle* module, const void* image) {
  if (const Result result = standing(); result != kSuccess) return result;
  std::unique_ptr<ModuleTag> loaded;
  const Result result = Machine::get().load(image, loaded);
  if (result == kSuccess) *module = loaded.release();
  return result;
}

Result cuModuleUnload(ModuleHandle module) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (module == nullptr) return fake_gpu::kInvalidHandle;
  Machine::get().unload(*module);
  delete module;
  return kSuccess;
}

Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (module == nullptr) return fake_gpu::kInvalidHandle;
  return Machine::get().find(*module, name, *function);
}

Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, ModuleHandle module,
                            const char* name) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (module == nullptr) return fake_gpu::kInvalidHandle;
  return Machine::get().find_array(*module, name, *address, *bytes);
}

Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, FunctionHandle function) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (function == nullptr) return fake_gpu::kInvalidHandle;
  switch (attribute) {
    case FunctionAttribute::kSharedBytes:
      *value = function->shared_bytes;
      return kSuccess;
    case FunctionAttribute::kLocalBytes:
      *value = function->local_bytes;
      return kSuccess;
    case FunctionAttribute::kRegisters:
      *value = function->registers;
      return kSuccess;
    case FunctionAttribute::kMaxDynamicSharedBytes:
      *value = function->most_dynamic_shared_bytes;
      return kSuccess;
    case FunctionAttribute::kNonPortableCluster:
      *value = function->non_portable_cluster;
      return kSuccess;
  }
  return fake_gpu::kInvalidValue;
}

Result cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (function == nullptr) return fake_gpu::kInvalidHandle;
  if (attribute == FunctionAttribute::kMaxDynamicSharedBytes) {
    if (value < 0 || value > fake_gpu::kMostSharedBytes - function->shared_bytes) {
      return fake_gpu::kInvalidValue;
    }
    function->most_dynamic_shared_bytes = value;
    return kSuccess;
  }
  if (attribute == FunctionAttribute::kNonPortableCluster) {
    function->non_portable_cluster = value;
    return kSuccess;
  }
  return fake_gpu::kInvalidValue;
}

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const Result result = standing(); result != kSuccess) return result;
  *total = Machine::memory_bytes();
  *free = *total - Machine::get().allocated();
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  if (const Result result = standing(); result != kSuccess) return result;
  return Machine::get().allocate(bytes, *memory);
}

Result cuMemFree_v2(DevicePointer memory) {
  if (const Result result = standing(); result != kSuccess) return result;
  return Machine::get().release(memory);
}

Result cuMemGetAllocationGranularity(std::size_t* bytes, const MemoryProperties*, int) {
  if (const Result result = standing(); result != kSuccess) return result;
  *bytes = std::size_t{2} << 20;
  return kSuccess;
}

Result cuMemAddressReserve(DevicePointer* range, std::size_t bytes, std::size_t, DevicePointer,
                           unsigned long long) {
  if (const Result result = standing(); result != kSuccess) return result;
  return Machine::get().reserve(bytes, *range);
}

Result cuMemAddressFree(DevicePointer range, std::size_t bytes) {
  return Machine::get().give_back(range, bytes);
}

// Memory is made when it is mapped: until then it is a number.
Result cuMemCreate(MemoryHandle* memory, std::size_t bytes, const MemoryProperties*,
                   unsigned long long) {
  if (const Result result = standing(); result != kSuccess) return result;
  *memory = bytes;
  return bytes <= Machine::memory_bytes() ? kSuccess : kOutOfMemory;
}

Result cuMemRelease(MemoryHandle) { return standing(); }

Result cuMemMap(DevicePointer at, std::size_t bytes, std::size_t, MemoryHandle,
                unsigned long long) {
  if (const Result result = standing(); result != kSuccess) return result;
  return Machine::get().map(at, bytes);
}

Result cuMemUnmap(DevicePointer at, std::size_t bytes) {
  if (const Result result = standing(); result != kSuccess) return result;
  return Machine::get().unmap(at, bytes);
}

Result cuMemSetAccess(DevicePointer, std::size_t, const MemoryAccess*, std::size_t) {
  return standing();
}

Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (const Result result = standing(); result != kSuccess) return result;
  *memory = std::calloc(1, bytes);
  return *memory != nullptr ? kSuccess : kOutOfMemory;
}

Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return standing();
}

Result cuMemHostGetDevicePointer_v2(DevicePointer* device, void* host, unsigned) {
  if (const Result result = standing(); result != kSuccess) return result;
  *device = reinterpret_cast<DevicePointer>(host);
  return kSuccess;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (!Machine::get().holds(to, bytes)) return fake_gpu::kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}

Result cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (!Machine::get().holds(from, bytes)) return fake_gpu::kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes,
                            StreamHandle stream) {
  const Machine& machine = Machine::get();
  if (!machine.holds(to, bytes) || !machine.holds(from, bytes)) return fake_gpu::kInvalidValue;
  return enqueue(stream, [=] {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    Machine::get().spend_on_bytes(bytes);
    return kSuccess;
  });
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes,
                       StreamHandle stream) {
  if (!Machine::get().holds(to, bytes)) return fake_gpu::kInvalidValue;
  return enqueue(stream, [=] {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    Machine::get().spend_on_bytes(bytes);
    return kSuccess;
  });
}

Result cuStreamCreate(StreamHandle* stream, unsigned) {
  if (const Result result = standing(); result != kSuccess) return result;
  // Kept until the process ends, as whoever makes one here does: there is no destroying.
  static std::vector<std::unique_ptr<StreamTag>> all;
  all.push_back(std::make_unique<StreamTag>());
  *stream = all.back().get();
  return kSuccess;
}

Result cuStreamSynchronize(StreamHandle stream) {
  if (any_capture(stream)) return fake_gpu::kCaptureInvalid;
  return standing();
}

Result cuCtxResetPersistingL2Cache() { return standing(); }

Result cuProfilerStart() {
  Machine::get().marked = true;
  return standing();
}

Result cuProfilerStop() {
  Machine::get().marked = false;
  return standing();
}

Result cuStreamWaitValue32_v2(StreamHandle, DevicePointer, std::uint32_t, unsigned) {
  return standing();
}

Result cuStreamBeginCapture_v2(StreamHandle stream, int) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (stream == nullptr || stream->capturing) return fake_gpu::kInvalidValue;
  stream->capturing = true;
  stream->captured.clear();
  return kSuccess;
}

Result cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (!any_capture(stream)) return fake_gpu::kInvalidValue;
  stream->capturing = false;
  *graph = new GraphTag{std::move(stream->captured)};
  return kSuccess;
}

Result cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
  if (const Result result = standing(); result != kSuccess) return result;
  *exec = new GraphExecTag{graph->nodes};
  return kSuccess;
}

Result cuGraphDestroy(GraphHandle graph) {
  delete graph;
  return standing();
}

Result cuGraphExecDestroy(GraphExecHandle exec) {
  delete exec;
  return standing();
}

Result cuGraphUpload(GraphExecHandle, StreamHandle) { return standing(); }

Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  if (any_capture(stream)) return fake_gpu::kCaptureInvalid;
  if (const Result result = standing(); result != kSuccess) return result;
  for (const auto& node : exec->nodes) {
    if (node() != kSuccess) break;  // told by the next call that waits
  }
  return kSuccess;
}

Result cuEventCreate(EventHandle* event, unsigned) {
  if (const Result result = standing(); result != kSuccess) return result;
  *event = new EventTag;
  return kSuccess;
}

Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  return standing();
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return enqueue(stream, [=] {
    event->recorded = true;
    event->at = Machine::get().clock_ns;
    return kSuccess;
  });
}

Result cuEventSynchronize(EventHandle) { return standing(); }

Result cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (!start->recorded || !end->recorded) return fake_gpu::kInvalidHandle;
  *milliseconds = static_cast<float>((end->at - start->at) / 1e6);
  return kSuccess;
}

Result cuLaunchKernelEx(const LaunchConfig* config, FunctionHandle function, void** arguments,
                        void**) {
  if (const Result result = standing(); result != kSuccess) return result;
  if (function == nullptr) return fake_gpu::kInvalidHandle;
  if (const Result result = fake_gpu::check_launch(*config, *function); result != kSuccess) {
    return result;
  }
  if (any_capture(config->stream)) {
    return enqueue(config->stream, CapturedLaunch(*config, function, arguments));
  }
  // As on a device, where a fault surfaces at the next call that waits.
  (void)Machine::get().launch(*config, *function, arguments);
  return kSuccess;
}

Result cuTensorMapEncodeTiled(TensorMapValue* map, int data_type, std::uint32_t dimensions,
                              void* address, const std::uint64_t* extent,
                              const std::uint64_t* pitch_bytes, const std::uint32_t* box,
                              const std::uint32_t* element_strides, int interleave, int swizzle,
                              int l2_promotion, int fill) {
  if (const Result result = standing(); result != kSuccess) return result;
  return fake_gpu::encode_tiles(
      map, {data_type, dimensions, reinterpret_cast<DevicePointer>(address), extent, pitch_bytes,
            box, element_strides, interleave, swizzle, l2_promotion, fill});
}

}  // extern "C"
#pragma GCC visibility pop

// Each function of the table is there, with its type.
[[maybe_unused]] const Driver kExported{
    cuInit,
    cuDriverGetVersion,
    cuGetErrorName,
    cuGetErrorString,
    cuDeviceGetCount,
    cuDeviceGet,
    cuDeviceGetName,
    cuDeviceGetUuid_v2,
    cuDeviceGetAttribute,
    cuDeviceTotalMem_v2,
    cuDevicePrimaryCtxRetain,
    cuCtxSetCurrent,
    cuCtxSynchronize,
    cuModuleLoadData,
    cuModuleUnload,
    cuModuleGetFunction,
    cuModuleGetGlobal_v2,
    cuFuncGetAttribute,
    cuFuncSetAttribute,
    cuMemGetInfo_v2,
    cuMemAlloc_v2,
    cuMemFree_v2,
    cuMemHostAlloc,
    cuMemFreeHost,
    cuMemHostGetDevicePointer_v2,
    cuMemcpyHtoD_v2,
    cuMemcpyDtoH_v2,
    cuMemcpyDtoDAsync_v2,
    cuMemsetD8Async,
    cuStreamCreate,
    cuStreamSynchronize,
    cuStreamWaitValue32_v2,
    cuStreamBeginCapture_v2,
    cuStreamEndCapture,
    cuGraphInstantiateWithFlags,
    cuGraphDestroy,
    cuGraphExecDestroy,
    cuGraphUpload,
    cuGraphLaunch,
    cuEventCreate,
    cuEventDestroy_v2,
    cuEventRecord,
    cuEventSynchronize,
    cuEventElapsedTime,
    cuLaunchKernelEx,
    cuMemGetAllocationGranularity,
    cuMemAddressReserve,
    cuMemAddressFree,
    cuMemCreate,
    cuMemRelease,
    cuMemMap,
    cuMemUnmap,
    cuMemSetAccess,
    cuCtxResetPersistingL2Cache,
    cuProfilerStart,
    cuProfilerStop,
    cuTensorMapEncodeTiled,
};

}  // namespace nightshift::evaluator::cuda
