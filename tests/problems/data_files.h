#pragma once

#include <filesystem>
#include <string>

#include "tests/fakes/paths.h"

namespace nightshift::problems {

// A file of tests/problems/data.
inline std::string data_file(const std::string& name) {
  return testing_paths::source("tests/problems/data/") + name;
}

// A published recorded space, which is not part of the repository; empty where it is not there.
inline std::string published_space(const std::string& name) {
  const auto path = std::filesystem::path(testing_paths::source("../shared/data/spaces")) / name;
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : "";
}

}  // namespace nightshift::problems
