#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ipc/messages.h"

namespace nightshift::ipc::codec {

// Bytes in the byte order of the machine: both sides run on it. archive.h says what of them a value
// is made of.
class Writer {
 public:
  static constexpr bool kReads = false;
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  void raw(const void* data, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), begin, begin + bytes);
  }

 private:
  std::vector<std::byte>& out_;
};

// Never reads outside its bytes, whatever they are, and never makes more than they can fill.
class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  void raw(void* data, std::size_t bytes) {
    need(bytes);
    if (bytes > 0) std::memcpy(data, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }
  void need(std::uint64_t bytes) const {
    if (bytes > left_.size()) throw DecodeError("the message ends too early");
  }
  std::size_t left() const { return left_.size(); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace nightshift::ipc::codec
