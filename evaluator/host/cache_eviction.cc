#include "evaluator/host/cache_eviction.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kUnknownCache = std::size_t{64} << 20;

}  // namespace

std::size_t last_level_cache_bytes() {
  long largest = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    largest = std::max(largest, ::sysconf(level));
  }
  return largest > 0 ? static_cast<std::size_t>(largest) : kUnknownCache;
}

void CacheEviction::evict() {
  if (buffer_.size() == 0) {
    buffer_ = GuardedBuffer(2 * last_level_cache_bytes());
    // Pages never written to are all the one page of zeros, which evicts nothing.
    std::memset(buffer_.data(), 1, buffer_.size());
  }
  unsigned sum = 0;
  for (std::size_t at = 0; at < buffer_.size(); at += kCacheLine) {
    sum += static_cast<unsigned>(buffer_.data()[at]);
  }
  sink_ = sum;
}

}  // namespace nightshift::evaluator
