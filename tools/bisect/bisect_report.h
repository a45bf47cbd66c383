#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/acceptance/bisection.h"
#include "search/configuration.h"
#include "search/problem.h"
#include "tools/compare/comparison_report.h"
#include "tools/recheck/rechecking.h"

namespace nightshift::tools {

// What `bisect` found, for people and for scripts. All pure.

// A commit or a compiler that was looked at.
struct BisectedPoint {
  std::size_t place = 0;  // among all, from the good end
  std::string name;       // "1a2b3c4d5e", "g++-12"
  std::string title;      // the commit's first line, the compiler's version
  search::Bisection::Finding finding = search::Bisection::Finding::kUnknown;
  std::string reason;                      // that it was skipped, or whose machine code it has
  std::optional<search::Verdict> verdict;  // against the good end; absent: it was not measured
};

struct BisectReport : Rechecking {
  std::string kind;        // "commit", "compiler"
  std::size_t points = 0;  // both ends among them
  search::Problem problem;
  search::Configuration configuration;
  std::vector<BisectedPoint> looked_at;  // in that order; the good end first, then the bad end
  std::string broken;                    // an end cannot be measured, and why; empty: both can
  bool equal_ends = false;               // the machine code of both ends is equal
  ComparisonOutcome ends = ComparisonOutcome::kNoDifference;  // the bad end against the good one
  // Where the bad end is worse, and all was looked at:
  std::optional<std::size_t> first_bad;  // place
  std::size_t last_good = 0;             // place
  std::vector<std::size_t> suspects;     // places between them that were skipped
  std::optional<search::Verdict> step;   // the first bad one against the last good one
};

// As of `compare`: 7 stopped, 6 no device, 4 broken or not to be judged, 11 the bad end is worse,
// 10 it is better, else 0.
ExitCode exit_code_of(const BisectReport& report);
std::string bisect_text(const BisectReport& report);
// {outcome, points, kind, first_bad, last_good, suspects, step, looked_at [{place, name, title,
// finding, reason, ratio, interval, p_value}], problem, configuration, broken, and what
// add_rechecking() says}
nlohmann::ordered_json bisect_json(const BisectReport& report);

}  // namespace nightshift::tools
