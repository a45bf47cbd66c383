#include "tools/compare/match.h"

#include <fmt/format.h>

#include "scheduler/comparison.h"
#include "tools/compare/contest.h"

namespace nightshift::tools {
namespace {

using scheduler::Comparison;

// A comparison for which a time has been set: what is not decided by then stays so.
class UntilTheEnd final : public scheduler::EvaluationPlan {
 public:
  UntilTheEnd(Comparison& comparison, std::optional<scheduler::Clock::TimePoint> end)
      : comparison_(comparison), end_(end) {}

  void built(const std::vector<std::string>& artifacts) override { comparison_.built(artifacts); }
  std::optional<scheduler::PlannedEvaluation> next(scheduler::DeviceIndex device) override {
    if (end_ && scheduler::SystemClock{}.now() >= *end_) {
      comparison_.abandon("the budget of time was used up");
    }
    return comparison_.next(device);
  }
  void ended(scheduler::DeviceIndex device, const scheduler::PlannedEvaluation& evaluation,
             const scheduler::TrialEnd& end) override {
    comparison_.ended(device, evaluation, end);
  }
  void lost(scheduler::DeviceIndex device, const std::string& reason) override {
    comparison_.lost(device, reason);
  }

 private:
  Comparison& comparison_;
  std::optional<scheduler::Clock::TimePoint> end_;
};

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
                                         std::optional<std::uint64_t> asked_seed,
                                         const MatchTime& time) {
  Contest contest(match.problem, devices, match.artifacts, match.temporary);
  const std::uint64_t seed = seed_or_drawn(asked_seed);
  Comparison comparison(
      match.problem, contest.devices(),
      {"the first (" + match.sides[0].name + ")", "the second (" + match.sides[1].name + ")"},
      seed);
  UntilTheEnd plan(comparison, time.end);
  const bool ended =
      contest.run(plan, with_reference(match.problem, {match.sides.begin(), match.sides.end()}),
                  [&] { return progress_text(comparison, contest.seconds()); }, match.reference,
                  {time.end, time.first_limits_second});
  if (!ended) return std::nullopt;
  ComparisonReport report = report_of(match, comparison, contest);
  report.seconds = contest.seconds();
  report.seed = seed;
  return report;
}

}  // namespace nightshift::tools
