#include "tools/run/match.h"

#include <fmt/format.h>

#include "scheduler/comparison.h"
#include "tools/run/contest.h"

namespace nightshift::tools {
namespace {

using scheduler::Comparison;

std::string progress_text(const Comparison& comparison, double seconds) {
  const scheduler::Confirmation& c = comparison.confirmation();
  if (comparison.records().empty()) return fmt::format("warming up, {:.0f} s", seconds);
  return fmt::format("{} of {} pairs until the next look, {:.0f} s", c.measured(), c.planned(),
                     seconds);
}

ComparisonReport report_of(const Match& match, const Comparison& comparison,
                           const Contest& contest) {
  ComparisonReport report;
  report.problem = &match.problem;
  report.devices = contest.devices();
  report.names = {match.sides[0].name, match.sides[1].name};
  report.configurations = {match.sides[0].configuration, match.sides[1].configuration};
  report.with_configurations = match.with_configurations;
  report.same_code = comparison.is_same_code();
  report.verdict = *comparison.confirmation().verdict();
  report.pair_sd = comparison.confirmation().pair_sd();
  report.records = comparison.records();
  report.notices = match.notices;
  report.check = match.check;
  return report;
}

}  // namespace

std::optional<ComparisonReport> measured(const Match& match, const std::string& devices,
                                         std::optional<std::uint64_t> asked_seed) {
  Contest contest(match.problem, devices, match.artifacts, match.temporary);
  const std::uint64_t seed = seed_or_drawn(asked_seed);
  Comparison comparison(
      match.problem, contest.devices(),
      {"the first (" + match.sides[0].name + ")", "the second (" + match.sides[1].name + ")"},
      seed);
  const bool ended = contest.run(
      comparison, with_reference(match.problem, {match.sides.begin(), match.sides.end()}),
      [&] { return progress_text(comparison, contest.seconds()); }, match.reference);
  if (!ended) return std::nullopt;
  ComparisonReport report = report_of(match, comparison, contest);
  report.seconds = contest.seconds();
  report.seed = seed;
  return report;
}

}  // namespace nightshift::tools
