#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "search/acceptance/toolchains.h"
#include "search/problem.h"
#include "search/statistics/interval.h"

namespace nightshift::tools {

// What was done about a winner that is broken, lost, regressed or slower.
struct RecheckRepair {
  // The machine code that was kept, over today's baseline; absent: it was not measured.
  std::optional<search::CodeRatio> old_code;
  std::string kept;  // where it is; empty: it does not win any more
  // A study that was made where it does not: its folder, and its own claim.
  std::string study;
  bool accepted = false;
  double ratio = 1;
  search::Interval interval{1, 1};
  std::string reason;  // of its verdict, or why there is no study
};

// "repair: ...", a line.
std::string repair_text(const search::Problem& problem, const RecheckRepair& repair);
// {kept, old_code {ratio, interval} or null, study, accepted, ratio, interval, reason}
nlohmann::ordered_json repair_json(const RecheckRepair& repair);

}  // namespace nightshift::tools
