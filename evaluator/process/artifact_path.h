#pragma once

#include <filesystem>
#include <string>

namespace nightshift::evaluator {

// Where a process with that artifact folder keeps the artifact of that hash: builders put it there, evaluators open it.
inline std::filesystem::path artifact_path(const std::string& artifact_folder,
                                           const std::string& hash) {
  return std::filesystem::path(artifact_folder) / hash;
}

}  // namespace nightshift::evaluator
