#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/acceptance/toolchains.h"
#include "search/configuration.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/problem/toolchain.h"
#include "tools/recheck/rechecking.h"
#include "tools/recheck/repair.h"

namespace nightshift::tools {

// What came out of `recheck --compilers`, for people and for scripts. All pure.
struct WinnerUnderToolchains {
  std::string name;  // the study, or the file of an export
  search::Problem problem;
  search::Configuration configuration;
  search::ToolchainFacts facts;
  double stored_ratio = 1;
  // Under each toolchain; empty: none was asked for.
  std::vector<std::optional<RecheckRepair>> repairs = {};
};
struct ToolchainReport : Rechecking {
  std::vector<ShownToolchain> toolchains;
  std::vector<WinnerUnderToolchains> winners;
};

// In this order: stopped 7; ended for want of a device 6; any broken 4; any lost or slower 11; any
// undecided or not reached 75; any faster 10; else 0.
ExitCode exit_code_of(const ToolchainReport& report);

Document document_of(const ToolchainReport& report);
// A test case for each winner under each toolchain: broken is an error, lost and slower are
// failures, undecided and not reached are skipped.
std::string junit_of(const ToolchainReport& report);
// {toolchains [{name, path, version, upgrade ("yes", "no", "undecided", "no winner"), verdicts
// {VERDICT: count}}], winners [{name, problem, configuration, stored {ratio}, best [NAME],
// kept_is_best, toolchains [{name, verdict, reason, artifact, baseline_artifact, speed {ratio,
// interval, confidence} or null, gain the same or null, and where there is one repair, as of
// repair_json()}]}], and what add_rechecking() says}. Ratios are of costs, lower is better: of speed
// over the first toolchain, of gain over the baseline of the same toolchain; an interval is that of
// its own test.
nlohmann::ordered_json json_of(const ToolchainReport& report);

}  // namespace nightshift::tools
