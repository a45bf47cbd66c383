#include "evaluator/process/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace nightshift::evaluator {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_program(const fs::path& path) { return is_file(path) && access(path.c_str(), X_OK) == 0; }

std::optional<fs::path> find_program(const std::string& word, const fs::path& folder) {
  if (word.find('/') != std::string::npos) {
    const fs::path path = folder / word;
    return is_program(path) ? std::optional(path) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const fs::path candidate = fs::path(left.substr(0, end)) / word;
    if (is_program(candidate)) return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator
