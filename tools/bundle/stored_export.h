#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/identity.h"
#include "search/statistics/interval.h"

namespace nightshift::tools {

// What `nightshift export --format json` wrote of a study, as far as a recheck needs it beside the
// configuration. Of what is missing or of another type nothing is known.
struct StoredExport {
  bool accepted = false;  // an improvement, whose ratio is above 0
  std::string problem, problem_file;
  std::string artifact, baseline_artifact;  // hashes
  double ratio = 1;
  search::Interval interval = search::kUnbounded;  // of it
  search::Identity made_of;
};

// Of any text; nullopt where it is no such export.
std::optional<StoredExport> read_export(std::string_view text);

}  // namespace nightshift::tools
