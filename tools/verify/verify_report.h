#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evaluator/dry_run.h"
#include "tools/exit_code.h"
#include "tools/recheck/recheck_report.h"

namespace nightshift::tools {

// What `verify` says of a bundle, for people and for scripts. All pure.

// One that was read and found to be whole, before any of it runs.
struct BundleOutline {
  std::string name;  // as it was named
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::string folder;  // of the copies, where all of it is built and run
  search::Problem problem;
  search::Configuration winner;
  double ratio = 1;  // claimed
  search::Interval interval{1, 1};
  std::vector<std::string> claimed_on;  // kinds of device
  bool builds_nothing = false;          // the kept machine code is measured
  // Of the winner and of the baseline; empty where that cannot be said.
  std::vector<evaluator::DryRun> runs;
};

// What is about to be compiled and started, by whom and where.
std::string outline_text(const BundleOutline& outline);

struct VerifyReport : Rechecking {
  BundleOutline outline;
  search::RecheckFacts facts;
  std::vector<std::string> changes;      // "the compiler c++ was g++ 12.2 and is g++ 13.1"
  std::vector<std::string> measured_on;  // kinds of device
  double detectable = 0;                 // as of RecheckedWinner
};

// Both are known, and no kind is in both.
bool is_on_other_device(const VerifyReport& report);

// In this order: stopped 7; ended for want of a device 6; broken 4; smaller or lost 11; undecided
// or not reached 75; larger 10; else 0.
ExitCode exit_code_of(const VerifyReport& report);

std::string verify_text(const VerifyReport& report);
// {bundle, problem, verdict, reason, files, bytes, configuration, claim {ratio, interval, devices},
// measured null or {ratio, interval, p_value, level, pairs}, devices, other_device, machine_code
// {built (false: what the bundle keeps), equal (of both; null where nothing is built), winner
// {claimed, measured}, baseline the same}, changes}, and what add_rechecking() says. Ratios are
// winner over baseline; lower is better.
nlohmann::ordered_json verify_json(const VerifyReport& report);
// {bundle, problem, files, bytes, folder, configuration, claim, runs [{of, compile [[word]], build
// [word], start [word], directory}]}: of --dry-run.
nlohmann::ordered_json outline_json(const BundleOutline& outline);

}  // namespace nightshift::tools
