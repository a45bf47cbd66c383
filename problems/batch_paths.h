#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// What a study of a problem file is called that has no name: by the file, or by its folder where
// that is called problem.toml.
std::string default_name(const std::filesystem::path& problem);

struct NamedProblem {
  std::string name, file;  // an absolute path
};
// Of a batch without a file: problem files, recorded spaces, and folders with problem files beneath
// them. No two have one name.
std::vector<NamedProblem> problems_at(const std::vector<std::string>& paths,
                                      Diagnostics& diagnostics);

}  // namespace nightshift::problems
