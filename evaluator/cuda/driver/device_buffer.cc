#include "evaluator/cuda/driver/device_buffer.h"

#include <algorithm>
#include <utility>

#include "base/rng.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {
namespace {

void add_areas(DevicePointer from, std::size_t bytes, std::vector<DevicePointer>& areas) {
  for (std::size_t at = 0; at < bytes; at += DeviceBuffer::kBand) {
    areas.push_back(from + std::min(at, bytes - DeviceBuffer::kBand));
  }
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, const std::string& what, StreamHandle stream)
    : before_(kBand), bytes_(bytes), behind_(kBand) {
  check(driver().cuMemAlloc_v2(&memory_, bytes + 2 * kBand),
        "allocating " + std::to_string((bytes >> 20) + 1) + " MiB for " + what);
  fill_bands(stream);
}

DeviceBuffer::DeviceBuffer(std::size_t bytes, const std::string& what, const Context& context,
                           std::uint64_t seed)
    : fenced_(bytes + 2 * kBand, what, context), memory_(fenced_.data()), bytes_(bytes) {
  constexpr std::size_t kStep = 512;
  const std::size_t spare = fenced_.size() - bytes - 2 * kBand;
  before_ = kBand + base::mix_seed(seed, bytes) % (spare / kStep + 1) * kStep;
  behind_ = fenced_.size() - before_ - bytes;
  fill_bands(context.stream());
}

void DeviceBuffer::fill_bands(StreamHandle stream) {
  const Driver& d = driver();
  check(d.cuMemsetD8Async(memory_, kBandPattern, before_, stream), "cuMemset");
  check(d.cuMemsetD8Async(memory_ + before_ + bytes_, kBandPattern, behind_, stream), "cuMemset");
}

std::vector<DevicePointer> DeviceBuffer::bands() const {
  std::vector<DevicePointer> areas;
  add_areas(memory_, before_, areas);
  add_areas(memory_ + before_ + bytes_, behind_, areas);
  return areas;
}

DeviceBuffer::~DeviceBuffer() {
  // In a broken context this fails, and the process's end frees.
  if (memory_ != 0 && fenced_.size() == 0) driver().cuMemFree_v2(memory_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(fenced_, other.fenced_);
  std::swap(memory_, other.memory_);
  std::swap(before_, other.before_);
  std::swap(bytes_, other.bytes_);
  std::swap(behind_, other.behind_);
  return *this;
}

}  // namespace nightshift::evaluator::cuda
