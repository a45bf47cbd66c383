#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/driver_types.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch/launch_plan.h"

namespace nightshift::evaluator::cuda {

// What the kernels of a module take of the device; the largest over them.
struct KernelResources {
  int registers = 0;     // a thread
  int local_bytes = 0;   // a thread: spills and arrays that are indexed
  int shared_bytes = 0;  // a block, static and dynamic
};

// Machine code loaded into the context, ready to be launched.
class KernelModule {
 public:
  // Kernels are looked for when a launch names them: one that no launch of this configuration needs
  // may be missing. Throws CudaError.
  explicit KernelModule(const PackedModule& packed);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  // Once for each launch before it is first made: asks for the dynamic shared memory and cluster
  // sizes beyond the portable ones. Throws CudaError where the kernel is missing or the device has
  // not got them.
  void prepare(const PlannedLaunch& launch);
  // `arguments`: pointers to the values of all arguments and tensor maps of the problem. Throws
  // CudaError for what the driver sees at once; what the kernel does is seen when the stream is
  // synchronised.
  void launch(const PlannedLaunch& launch, const std::vector<void*>& arguments,
              StreamHandle stream) const;

  // Makes `launches` in turn and waits for each, so that an error names the kernel that caused it.
  // `owner` tells people whose kernels they are: "[[cuda.prepare]]". Throws CudaError.
  void run_alone(const std::vector<PlannedLaunch>& launches, const std::vector<void*>& arguments,
                 StreamHandle stream, const std::string& owner);

  // The bytes of a __constant__ array. Throws std::runtime_error where the module has none of that
  // name, CudaError.
  struct Array {
    DevicePointer data = 0;
    std::size_t bytes = 0;
  };
  Array constant_array(const std::string& name) const;

  KernelResources resources(const std::vector<PlannedLaunch>& launches) const;

 private:
  FunctionHandle function(const std::string& name) const;

  ModuleHandle module_ = nullptr;
  std::map<std::string, std::string, std::less<>> symbols_;  // by the problem's names
  mutable std::map<std::string, FunctionHandle, std::less<>> functions_;
  std::map<FunctionHandle, std::uint32_t> shared_limits_;  // dynamic, where it was raised
};

}  // namespace nightshift::evaluator::cuda
