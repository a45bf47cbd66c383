#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/acceptance/ranking.h"
#include "search/configuration.h"
#include "tools/compare/compared.h"
#include "tools/exit_code.h"
#include "tools/summary/contender_figures_text.h"

namespace nightshift::tools {

// What came out of `compare` with more than two contenders, for people and for scripts. All pure.
struct RankingReport : Compared {
  std::vector<std::string> names;  // as the user gave them; the others in this order
  std::vector<search::Configuration> configurations;
  std::vector<std::string> artifacts;  // hashes of the machine code; empty where nothing is built
  std::string undecided;               // why there is no verdict; empty = there is
  std::vector<search::RankedPair> pairs;
  std::vector<search::Standing> standings;  // best first; empty where undecided
};

// About the first contender, which scripts take for the one in use. Of two it would be what
// ComparisonOutcome says.
enum class RankingOutcome : std::uint8_t {
  kNoDifference,   // the first was told apart from none
  kAnotherBetter,  // one of the others at least is better than the first
  kOthersWorse,    // none is better, and one at least is worse
  kUndecided,      // what was measured cannot be judged
};
std::string_view name_of(RankingOutcome outcome);  // "no_difference", "another_better", ...
RankingOutcome outcome_of(const RankingReport& report);
ExitCode exit_code_of(RankingOutcome outcome);
ExitCode exit_code_of(const RankingReport& report);

Document document_of(const RankingReport& report);

// The one object that `compare --json` prints of more than two:
//   outcome, reason, level, min_difference, objective {name, unit, direction},
//   ranking [{rank, groups [letter], contender, name, configuration, objectives {name: {value,
//             unit, interval}}, artifact, ratio, interval}]     best first; ratio over the best one
//   pairs [{first, second, told_apart, ratio (second over first), interval, p_value, level, pairs,
//           voided, reason, heterogeneity {p_value, tau, depends}}]
//   devices [{device, evaluations [[figure]]}]            of each contender in the order given
//   seconds, seed, notices
// Contenders are positions in the order given, from 0. Intervals of ratios hold together with 95 %.
// Figures are of the first scored objective, those of void rounds too. What is not finite is null.
nlohmann::ordered_json json_of(const RankingReport& report);

}  // namespace nightshift::tools
