#pragma once

#include <filesystem>
#include <string>

namespace nightshift::kernels {

// A file of tests/kernels/data.
inline std::string data_file(const std::string& name) {
  return std::string(NIGHTSHIFT_SOURCE_DIR) + "/tests/kernels/data/" + name;
}

// A published recorded space, which is not part of the repository; empty where it is not there.
inline std::string published_space(const std::string& name) {
  const auto path = std::filesystem::path(NIGHTSHIFT_SOURCE_DIR) / "../shared/data/spaces" / name;
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : "";
}

}  // namespace nightshift::kernels
