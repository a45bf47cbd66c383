#include "evaluator/cuda/driver/fenced_memory.h"

#include <utility>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr int kMinimumGranularity = 0;  // CU_MEM_ALLOC_GRANULARITY_MINIMUM

}  // namespace

FencedMemory::FencedMemory(std::size_t bytes, const std::string& what, const Context& context) {
  const Driver& d = driver();
  MemoryProperties properties;
  properties.location.id = context.device();
  std::size_t page = 0;
  check(d.cuMemGetAllocationGranularity(&page, &properties, kMinimumGranularity),
        "cuMemGetAllocationGranularity");
  const std::size_t whole = (bytes + page - 1) / page * page;
  MemoryHandle memory = 0;
  check(d.cuMemCreate(&memory, whole, &properties, 0),
        "allocating " + std::to_string(whole >> 20) + " MiB for " + what);
  Result result = d.cuMemAddressReserve(&range_, whole + 2 * kFence, page, 0, 0);
  if (result == kSuccess) {
    result = d.cuMemMap(data(), whole, 0, memory, 0);
    if (result == kSuccess) {
      bytes_ = whole;
      const MemoryAccess access{properties.location};
      result = d.cuMemSetAccess(data(), whole, &access, 1);
    }
  }
  d.cuMemRelease(memory);  // what is mapped stays until it is unmapped
  if (result == kSuccess) return;
  const FencedMemory given_back = std::move(*this);
  check(result, "mapping memory for " + what);
}

FencedMemory::~FencedMemory() {
  // In a broken context these fail, and the process's end frees.
  if (bytes_ != 0) driver().cuMemUnmap(data(), bytes_);
  if (range_ != 0) driver().cuMemAddressFree(range_, bytes_ + 2 * kFence);
}

FencedMemory::FencedMemory(FencedMemory&& other) noexcept
    : range_(std::exchange(other.range_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

FencedMemory& FencedMemory::operator=(FencedMemory&& other) noexcept {
  std::swap(range_, other.range_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace nightshift::evaluator::cuda
