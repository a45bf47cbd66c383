#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "search/acceptance/recheck.h"
#include "search/configuration.h"
#include "search/identity.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/recheck/rechecking.h"
#include "tools/recheck/repair.h"

namespace nightshift::tools {

// What came out of `recheck`, for people and for scripts. All pure.
struct RecheckedWinner {
  std::string name;  // the study, or the file of an export
  search::Problem problem;
  search::Configuration configuration;
  search::RecheckFacts facts;
  std::vector<std::string> changes;
  // Logarithm that its pairs would have found nine times out of ten; 0: unknown.
  double detectable = 0;
  std::optional<RecheckRepair> repair = {};
  // For the history: settings with which the problem was read, and what it is made of today.
  std::vector<problems::Override> overrides = {};
  search::Identity made_of = {};
};
struct RecheckReport : Rechecking {
  std::vector<RecheckedWinner> winners;
};

// In this order: stopped 7; ended for want of a device 6; any broken 4; any worse 11; any undecided
// or not reached 75; any faster 10; else 0.
ExitCode exit_code_of(const RecheckReport& report);

Document document_of(const RecheckReport& report);
// One test case a winner: broken is an error, worse a failure, undecided and not reached are
// skipped.
std::string junit_of(const RecheckReport& report);
// {verdicts {VERDICT: count}, winners [{name, problem, verdict, reason, changes, configuration,
// artifact {before, now}, baseline_artifact {before, now}, stored {ratio, interval}, speed
// {verdict, ratio, interval, p_value, level, pairs} or null, advantage the same or null, and where
// there is one repair, as of repair_json()}], and what add_rechecking() says}. Ratios are of costs:
// of speed new over old, of advantage winner over baseline; lower is better.
nlohmann::ordered_json json_of(const RecheckReport& report);

}  // namespace nightshift::tools
