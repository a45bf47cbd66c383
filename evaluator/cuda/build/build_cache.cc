#include "evaluator/cuda/build/build_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file_text.h"
#include "evaluator/cuda/driver/open_library.h"

namespace nightshift::evaluator::cuda {

namespace fs = std::filesystem;

BuildCache::BuildCache(std::string folder, std::uint64_t most_bytes) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    folder_.clear();
  } else {
    trim(most_bytes);
  }
}

void BuildCache::trim(std::uint64_t most_bytes) const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const auto bytes = file.file_size(gone);
    const auto used = file.last_write_time(gone);
    if (gone) continue;
    entries.push_back({used, bytes, file.path()});
    total += bytes;
  }
  if (total <= most_bytes) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= most_bytes) return;
    if (fs::remove(entry.path, error)) total -= entry.bytes;
  }
}

std::optional<std::string> BuildCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / key;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    std::string bytes = base::read_whole_file(path.string());
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return bytes;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void BuildCache::store(const std::string& key, const std::string& bytes) const {
  if (folder_.empty()) return;
  try {
    base::write_whole_file((fs::path(folder_) / key).string(), bytes);
  } catch (const std::exception&) {
    // A full or read-only disk: the next study compiles again.
  }
}

std::string BuildCache::default_folder() {
  const std::string given = environment("NIGHTSHIFT_BUILD_CACHE");
  if (given == "off") return {};
  if (!given.empty()) return given;
  std::string base = environment("XDG_CACHE_HOME");
  if (base.empty() && !environment("HOME").empty()) base = environment("HOME") + "/.cache";
  return base.empty() ? std::string() : base + "/nightshift/cubins";
}

}  // namespace nightshift::evaluator::cuda
