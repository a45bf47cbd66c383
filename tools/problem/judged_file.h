#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::tools {

// How the name of such a file ends where it is to be compiled as `source` of a [host] problem is, and
// includes others of that language: ".cc", ".c", ".f90", ".f" (fixed columns) or ".S".
std::string_view judged_ending(const std::string& source);

// Writes the source of a problems::JudgedSource: it includes one of `others`, numbered and absolute,
// as problems::kCandidateParameter says, and else `own`. Throws UsageError where it cannot.
void write_judged_file(const std::string& path, const std::string& own,
                       const std::vector<std::pair<std::int64_t, std::string>>& others);

}  // namespace nightshift::tools
