#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::tools {

// Writes the source of a problems::JudgedSource: it includes one of `others`, numbered and absolute,
// as problems::kCandidateParameter says, and else `own`. Throws UsageError where it cannot.
void write_judged_file(const std::string& path, const std::string& own,
                       const std::vector<std::pair<std::int64_t, std::string>>& others);

}  // namespace nightshift::tools
