#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace nightshift::evaluator {

// Where a process with that artifact folder keeps the artifact of that hash: builders put it there,
// evaluators open it.
inline std::filesystem::path artifact_path(const std::string& artifact_folder,
                                           const std::string& hash) {
  return std::filesystem::path(artifact_folder) / hash;
}

// The same, for what is about to be put there: somebody may have removed the folder in mid-run.
// What it held is built again as it is missed.
inline std::filesystem::path kept_path(const std::string& artifact_folder,
                                       const std::string& hash) {
  std::error_code stays;
  std::filesystem::create_directories(artifact_folder, stays);
  return artifact_path(artifact_folder, hash);
}

}  // namespace nightshift::evaluator
