#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/driver.h"
#include "tests/fakes/gpu/fake_settings.h"

// What the handles of the fake driver point to.
namespace nightshift::evaluator::cuda {

struct ContextTag {};
struct ModuleTag {
  void* library = nullptr;
  int file = -1;  // open as long as the library: it is its name
  std::vector<std::unique_ptr<FunctionTag>> functions;
  std::vector<DevicePointer> arrays;  // that were asked for
};
struct FunctionTag {
  std::string name;
  int (*call)(void** arguments, void* launch) = nullptr;
  std::vector<unsigned long> sizes;  // of its parameters
  int registers = 32, local_bytes = 0, shared_bytes = 0;
  int most_dynamic_shared_bytes = 48 << 10;  // less what is static
  int non_portable_cluster = 0;
};
struct StreamTag {
  bool capturing = false;
  std::vector<std::function<Result()>> captured;
};
struct EventTag {
  bool recorded = false;
  double at = 0;  // nanoseconds of the device's clock
};
struct GraphTag {
  std::vector<std::function<Result()>> nodes;
};
struct GraphExecTag {
  std::vector<std::function<Result()>> nodes;
};

}  // namespace nightshift::evaluator::cuda

namespace fake_gpu {

using nightshift::evaluator::cuda::DevicePointer;
using nightshift::evaluator::cuda::FunctionTag;
using nightshift::evaluator::cuda::LaunchConfig;
using nightshift::evaluator::cuda::ModuleTag;
using nightshift::evaluator::cuda::Result;

// Of CUresult.
constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                 kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200, kInvalidContext = 201,
                 kInvalidHandle = 400, kNotFound = 500, kNotReady = 600, kTooManyResources = 701,
                 kNotSupported = 801, kCaptureInvalid = 901, kInvalidCluster = 912;

// The one device that a process uses, its memory, its clock, and what a fault left behind. Used
// from one thread, as our evaluators use a driver.
class Machine {
 public:
  static Machine& get();

  bool initialized = false;
  bool context = false;  // one is current
  Result sticky = kSuccess;
  std::vector<Device> devices;
  double clock_ns = 0;
  bool marked = false;  // between cuProfilerStart and cuProfilerStop

  Result allocate(std::size_t bytes, DevicePointer& memory);
  Result release(DevicePointer memory);
  // Addresses that nobody may touch, of which a part is mapped later.
  Result reserve(std::size_t bytes, DevicePointer& range);
  Result give_back(DevicePointer range, std::size_t bytes);
  Result map(DevicePointer at, std::size_t bytes);
  Result unmap(DevicePointer at, std::size_t bytes);
  // All of the bytes lie in one allocation.
  bool holds(DevicePointer memory, std::size_t bytes) const;
  std::size_t allocated() const { return allocated_; }
  static std::size_t memory_bytes();

  Result load(const void* image, std::unique_ptr<ModuleTag>& module);
  void unload(ModuleTag& module);
  Result find(ModuleTag& module, const std::string& name, FunctionTag*& function);
  // A __constant__ array, which from then on holds() knows.
  Result find_array(ModuleTag& module, const std::string& name, DevicePointer& data,
                    std::size_t& bytes);

  // Runs the kernel and lets the device's clock go on.
  Result launch(const LaunchConfig& config, const FunctionTag& function, void** arguments);
  // A copy or fill: a microsecond, and one more for each megabyte.
  void spend_on_bytes(std::size_t bytes) { clock_ns += 1000 + static_cast<double>(bytes) / 1000; }

 private:
  Machine() = default;

  struct Allocation {
    std::size_t bytes = 0;
    void* base = nullptr;
  };
  std::map<DevicePointer, Allocation> memory_;
  std::size_t allocated_ = 0;
  std::mt19937_64 noise_{number_setting("FAKE_GPU_SEED", 1)};
};

// What is wrong with a launch before it is tried.
Result check_launch(const LaunchConfig& config, const FunctionTag& function);

}  // namespace fake_gpu
