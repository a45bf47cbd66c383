#include "evaluator/answers/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGuard = std::size_t{1} << 20;  // address space only, at either end
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::byte kCanary{0x5c};

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

[[noreturn]] void no_memory(std::size_t bytes) {
  throw std::system_error(errno, std::generic_category(),
                          "no memory for an argument of " + std::to_string(bytes) + " bytes");
}

bool all_canaries(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == kCanary; });
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes) : size_(bytes) {
  const std::size_t page = page_size();
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    errno = ENOMEM;
    no_memory(bytes);
  }
  const std::size_t usable = (bytes + kAlignment - 1 + page - 1) / page * page;
  mapped_ = usable + 2 * kGuard;
  void* mapping =
      ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) no_memory(bytes);
  mapping_ = static_cast<std::byte*>(mapping);
  std::byte* first = mapping_ + kGuard;
  if (::mprotect(first, usable, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping_, mapped_);
    no_memory(bytes);
  }
  // Which 4 KiB pages an evaluation happens to get is a source of noise; large ones have less of
  // it.
  if (usable >= kHugePage) (void)::madvise(first, usable, MADV_HUGEPAGE);
  std::byte* end = first + usable;
  data_ = end - (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::memset(before().data(), static_cast<int>(kCanary), before().size());
  std::memset(behind().data(), static_cast<int>(kCanary), behind().size());
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

std::span<std::byte> GuardedBuffer::before() const {
  std::byte* first = mapping_ + kGuard;
  return {first, static_cast<std::size_t>(data_ - first)};
}

std::span<std::byte> GuardedBuffer::behind() const {
  const std::byte* end = mapping_ + mapped_ - kGuard;
  return {data_ + size_, static_cast<std::size_t>(end - (data_ + size_))};
}

bool GuardedBuffer::intact() const {
  return mapping_ == nullptr || (all_canaries(before()) && all_canaries(behind()));
}

}  // namespace nightshift::evaluator
