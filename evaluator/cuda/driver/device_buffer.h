#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/driver_types.h"
#include "evaluator/cuda/driver/fenced_memory.h"

namespace nightshift::evaluator::cuda {

// Device memory for one vector, with a pattern in front of it and behind it: 64 KiB at least, and
// in fenced memory all of its pages. Starts at a multiple of 512 bytes; the pattern behind begins
// with the very next byte.
class DeviceBuffer {
 public:
  static constexpr std::size_t kBand = 64 << 10;
  static constexpr unsigned char kBandPattern = 0xb7;

  DeviceBuffer() = default;
  // Throws CudaError; `what` is for its message. Contents are arbitrary.
  DeviceBuffer(std::size_t bytes, const std::string& what, StreamHandle stream);
  // In fenced memory, somewhere in its first page by `seed`.
  DeviceBuffer(std::size_t bytes, const std::string& what, const Context& context,
               std::uint64_t seed);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  DevicePointer data() const { return memory_ + before_; }
  std::size_t size() const { return bytes_; }
  // Where areas of kBand bytes begin that together are all of the pattern; some may overlap.
  std::vector<DevicePointer> bands() const;

 private:
  void fill_bands(StreamHandle stream);

  FencedMemory fenced_;  // empty: plain memory of its own
  DevicePointer memory_ = 0;
  std::size_t before_ = 0, bytes_ = 0, behind_ = 0;
};

}  // namespace nightshift::evaluator::cuda
