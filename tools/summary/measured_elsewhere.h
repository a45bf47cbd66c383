#pragma once

#include <string>

#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

inline constexpr const char* kElsewhere = "elsewhere";  // the program of such a problem

// Its configurations are handed to whoever measures them (`nightshift search`): no device of ours
// can.
bool is_measured_elsewhere(const search::Problem& problem);
// "nightshift search bowl.toml --serve --study st", which goes on with a study of such a problem.
std::string search_command(const search::Problem& problem, const StudyFolder& folder);
// Throws UsageError, with that command, for a study of which something is to be measured here.
void expect_measured_here(const search::Problem& problem, const StudyFolder& folder);

}  // namespace nightshift::tools
