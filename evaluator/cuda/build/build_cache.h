#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nightshift::evaluator::cuda {

// Machine code kept across studies and processes, one file a key. Several processes may use a
// folder at once: files appear whole, by renaming. What cannot be read or written is a miss; a
// cache is no reason to fail.
class BuildCache {
 public:
  // `folder` is made where it is missing; empty = no cache. When all files together are larger than
  // `most_bytes`, those used longest ago are removed.
  explicit BuildCache(std::string folder, std::uint64_t most_bytes = std::uint64_t{1} << 30);

  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& bytes) const;

  // NIGHTSHIFT_BUILD_CACHE ("off" for none), else nightshift/cubins in XDG_CACHE_HOME or ~/.cache.
  static std::string default_folder();

 private:
  void trim(std::uint64_t most_bytes) const;

  std::string folder_;
};

}  // namespace nightshift::evaluator::cuda
