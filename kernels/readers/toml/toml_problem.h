#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/override.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Reads the TOML form of a problem; throws ProblemFileError. kernels/host/rmsnorm/problem.toml has
// it explained line by line, kernels/cuda/rmsnorm/problem.toml what [cuda] adds. `was_accepted`: by
// an earlier version; what only later ones call a mistake is none.
search::Problem read_toml_problem(std::string_view text, const std::string& path,
                                  const std::vector<Override>& overrides, bool was_accepted);

}  // namespace nightshift::kernels
