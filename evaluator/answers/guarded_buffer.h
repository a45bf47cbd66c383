#pragma once

#include <cstddef>
#include <span>

namespace nightshift::evaluator {

// Memory for one vector of a kernel: starts at a multiple of 64 bytes, ends within 63 bytes of a
// MiB of unmapped addresses (exactly there when its size is a multiple of 64), and has another one
// in front. Overruns into these fault at once; writes before they begin are found by intact().
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  explicit GuardedBuffer(std::size_t bytes);  // zeroed; throws std::system_error
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }
  // Nothing was written between the buffer and its guard pages.
  bool intact() const;

 private:
  std::span<std::byte> before() const;
  std::span<std::byte> behind() const;

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;  // guard pages included
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nightshift::evaluator
