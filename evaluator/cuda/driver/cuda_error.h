#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "evaluator/cuda/driver/driver_types.h"

namespace nightshift::evaluator::cuda {

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
