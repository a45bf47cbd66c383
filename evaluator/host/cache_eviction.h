#pragma once

#include <cstddef>

#include "evaluator/answers/guarded_buffer.h"

namespace nightshift::evaluator {

// Size of the last-level cache as the system reports it; 64 MiB where it does not.
std::size_t last_level_cache_bytes();

// Empties the caches of what a kernel left there by reading twice the last-level cache's size.
// Writing would do as well, but leaves dirty lines whose write-back the next kernel pays for.
class CacheEviction {
 public:
  void evict();
  std::size_t bytes() const { return buffer_.size(); }  // 0 before the first evict()

 private:
  GuardedBuffer buffer_;
  volatile unsigned sink_ = 0;
};

}  // namespace nightshift::evaluator
