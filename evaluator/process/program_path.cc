#include "evaluator/process/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

namespace nightshift::evaluator {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    folders.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return folders;
}

}  // namespace

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
  for (const fs::path& place : folders_on_path()) {
    const fs::path candidate = place / word;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> cpp_compilers() {
  std::set<std::string> names;
  for (const fs::path& place : folders_on_path()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(place, ignored)) {
      const std::string name = entry.path().filename().string();
      for (const std::string_view kind : {"c++", "g++", "clang++"}) {
        const std::string_view rest =
            std::string_view(name).substr(std::min(kind.size(), name.size()));
        const bool is_version =
            rest.empty() || (rest.front() == '-' && rest.size() > 1 &&
                             rest.find_first_not_of("0123456789.", 1) == std::string_view::npos);
        if (name.starts_with(kind) && is_version && is_program(entry.path())) names.insert(name);
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace nightshift::evaluator
