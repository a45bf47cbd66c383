#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/describer.h"
#include "problems/override.h"
#include "problems/readers/diagnostics.h"
#include "search/problem.h"

namespace nightshift::problems {

struct TomlOrigin {
  // By an earlier version, and described then: what only later versions call a mistake is none.
  bool was_accepted = false;
  NamedFiles files = NamedFiles::kNeeded;
  Describer describe = nullptr;  // of the file that [python] names
  std::string* whole = nullptr;  // receives both as one text, where there is such a file
};

// Reads the TOML form of a problem; throws ProblemFileError. kernels/host/rmsnorm/problem.toml has
// it explained line by line, kernels/cuda/rmsnorm/problem.toml what [cuda] adds.
search::Problem read_toml_problem(std::string_view text, const std::string& path,
                                  const std::vector<Override>& overrides, const TomlOrigin& origin);

}  // namespace nightshift::problems
