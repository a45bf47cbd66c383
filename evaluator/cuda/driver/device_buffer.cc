#include "evaluator/cuda/driver/device_buffer.h"

#include <utility>

namespace nightshift::evaluator::cuda {

DeviceBuffer::DeviceBuffer(std::size_t bytes, const std::string& what, StreamHandle stream)
    : bytes_(bytes) {
  const Driver& d = driver();
  check(d.cuMemAlloc_v2(&memory_, bytes + 2 * kBand),
        "allocating " + std::to_string((bytes >> 20) + 1) + " MiB for " + what);
  check(d.cuMemsetD8Async(memory_, kBandPattern, kBand, stream), "cuMemset");
  check(d.cuMemsetD8Async(memory_ + kBand + bytes, kBandPattern, kBand, stream), "cuMemset");
}

DeviceBuffer::~DeviceBuffer() {
  // In a broken context this fails, and the process's end frees.
  if (memory_ != 0) driver().cuMemFree_v2(memory_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : memory_(std::exchange(other.memory_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace nightshift::evaluator::cuda
