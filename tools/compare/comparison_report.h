#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/ranking.h"
#include "search/acceptance.h"
#include "search/configuration.h"
#include "tools/compare/compared.h"
#include "tools/exit_code.h"

namespace nightshift::tools {

// What came out of `compare`, for people and for scripts. All pure.
struct ComparisonReport : Compared {
  std::array<std::string, 2> names;  // as the user gave them
  std::array<search::Configuration, 2> configurations;
  bool with_configurations = true;  // false for two commands: the names say it all
  bool same_code = false;           // both were built to the same machine code: nothing to measure
  std::string check;        // by which two commands' outputs agreed; empty: none was asked for
  search::Verdict verdict;  // of the second against the first
  double pair_sd = 0;       // of ln(first) - ln(second) within a device
};

enum class ComparisonOutcome : std::uint8_t {
  kNoDifference,  // none was shown, or it is smaller than the smallest worth mentioning
  kSecondBetter,
  kSecondWorse,
  kUndecided,  // what was measured cannot be judged
};
std::string_view name_of(ComparisonOutcome outcome);  // "no_difference", "second_better", ...
ComparisonOutcome outcome_of(const search::Verdict& verdict, double min_difference);
ComparisonOutcome outcome_of(const ComparisonReport& report);
ExitCode exit_code_of(ComparisonOutcome outcome);
ExitCode exit_code_of(const ComparisonReport& report);

Document document_of(const ComparisonReport& report);

// The one object that `compare --json` prints:
//   outcome, reason, ratio (second over first, lower is better), interval, p_value, level, pairs,
//   min_difference, objective {name, unit, direction},
//   first, second {name, configuration, objectives {name: {value, unit, interval}}}
//   devices [{device, pairs, voided, ratio, standard_error, visits {first, second}}]
//   heterogeneity {p_value, tau, depends}, shape, same_machine_code, check, seconds, seed, notices
// A configuration is null where it is a program of its own. Visits are the evaluations: figures of
// the first scored objective in the order in which they were measured, those of void pairs too.
// `check` is null where none was asked for, and so is what is not finite.
nlohmann::ordered_json json_of(const ComparisonReport& report);

}  // namespace nightshift::tools
