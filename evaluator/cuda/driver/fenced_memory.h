#pragma once

#include <cstddef>
#include <string>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/driver_types.h"

namespace nightshift::evaluator::cuda {

// Whole pages of device memory, alone in a range of addresses of which the rest belongs to nobody:
// a kernel that reads or writes outside of them, up to kFence away, breaks its context.
class FencedMemory {
 public:
  static constexpr std::size_t kFence = std::size_t{4} << 30;  // addresses on each side, no memory

  FencedMemory() = default;
  // At least `bytes`. Throws CudaError; `what` is for its message. Contents are arbitrary.
  FencedMemory(std::size_t bytes, const std::string& what, const Context& context);
  ~FencedMemory();
  FencedMemory(FencedMemory&& other) noexcept;
  FencedMemory& operator=(FencedMemory&& other) noexcept;
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  DevicePointer data() const { return range_ + kFence; }
  std::size_t size() const { return bytes_; }

 private:
  DevicePointer range_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace nightshift::evaluator::cuda
