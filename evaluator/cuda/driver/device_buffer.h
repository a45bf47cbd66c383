#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {

// Device memory for one vector, with 64 KiB of a pattern in front of it and behind it. Starts at a
// multiple of 512 bytes; the band behind begins with the very next byte.
class DeviceBuffer {
 public:
  static constexpr std::size_t kBand = 64 << 10;
  static constexpr unsigned char kBandPattern = 0xb7;

  DeviceBuffer() = default;
  // Throws CudaError; `what` is for its message. Contents are arbitrary.
  DeviceBuffer(std::size_t bytes, const std::string& what, StreamHandle stream);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  DevicePointer data() const { return memory_ + kBand; }
  std::size_t size() const { return bytes_; }
  // Where the bands begin, of kBand bytes each that are kBandPattern.
  std::array<DevicePointer, 2> bands() const { return {memory_, memory_ + kBand + bytes_}; }

 private:
  DevicePointer memory_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace nightshift::evaluator::cuda
