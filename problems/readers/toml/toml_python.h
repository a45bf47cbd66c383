#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "problems/describer.h"
#include "problems/override.h"

namespace nightshift::problems {

constexpr const char* kPython = "python";

// Takes what it returns out of `own`: what the file that [python] names describes, under what else
// `own` says (toml_merge.h). nullopt where `own`, with the overrides, has no such table. Places of
// what was described say so in place of a file. Throws ProblemFileError.
std::optional<toml::table> described_table(toml::table& own, const std::string& path,
                                           const std::vector<Override>& overrides,
                                           const Describer& describe);

}  // namespace nightshift::problems
