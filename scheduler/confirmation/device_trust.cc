#include "scheduler/confirmation/device_trust.h"

#include <algorithm>

#include "scheduler/confirmation/out_of_time.h"

namespace nightshift::scheduler {

namespace {
// Where evaluations are long the first self-test would use up the time of everything else: it has
// this share of it, and fewer pairs then, but so many at least: half as many where these would take
// more than twice the share. So has one that is repeated since nothing came of it; one that failed is
// cleared up whatever it takes.
constexpr double kSelfTestShare = 0.1;
constexpr int kFewestTestPairs = 4;
}  // namespace

std::optional<ConfirmationSetup> DeviceTrust::due(const Situation& situation,
                                                  search::TrialId incumbent) const {
  if (auto setup = self_test(situation, incumbent)) return setup;
  if (!distrust().empty() || canary_done_ || problem_.acceptance.canary.is_baseline()) {
    return std::nullopt;
  }
  ConfirmationSetup setup;
  setup.purpose = Purpose::kCanary;
  setup.pairs = std::max(problem_.acceptance.self_test_pairs / 2, 4);
  return setup;
}

std::optional<ConfirmationSetup> DeviceTrust::self_test(const Situation& situation,
                                                        search::TrialId incumbent) const {
  const search::AcceptanceSettings& settings = problem_.acceptance;
  if (settings.self_test_pairs == 0 || !situation.drifts) return std::nullopt;
  const double since = tested_at_ ? situation.run_seconds - *tested_at_ : 0;
  const bool is_first = !tested_at_;
  if (is_first && (lacks_time(situation) || (was_left_out_ && !may_catch_up(situation)))) {
    return std::nullopt;
  }
  const bool is_old = since >= settings.self_test_seconds;
  const bool is_repeat = self_tests_.is_repeated();
  if (!is_first && !is_old && !is_repeat) return std::nullopt;
  // A test that is cut short says nothing; after a failure that is not enough.
  const bool clears_up = is_repeat && self_tests_.has_failed();
  if (!is_first && !situation.duels && !clears_up) return std::nullopt;
  ConfirmationSetup setup;
  setup.purpose = Purpose::kSelfTest;
  setup.candidate = setup.opponent = incumbent;
  setup.pairs = self_tests_.pairs(settings.self_test_pairs, since, settings.self_test_seconds);
  if (!clears_up && situation.seconds_limit > 0 && situation.evaluation_seconds > 0) {
    const double fit =
        kSelfTestShare * situation.seconds_limit / (2 * situation.evaluation_seconds);
    const int fewest = 2 * fit < kFewestTestPairs ? kFewestTestPairs / 2 : kFewestTestPairs;
    setup.pairs = std::max(static_cast<int>(std::min<double>(setup.pairs, fit)), fewest);
  }
  setup.devices = situation.devices;
  return setup;
}

// Even the fewest pairs would take twice the share. What can be shown in such a time is a landslide
// at best, and no device whose code differs from itself by as much is one on which each of four
// pairs agrees.
bool DeviceTrust::lacks_time(const Situation& situation) const {
  if (problem_.acceptance.hold_out_most == 0) return false;  // nothing would ask for a landslide
  constexpr int kFewest = 2 * (kFewestTestPairs / 2);        // evaluations
  const double fewest = kFewest * situation.evaluation_seconds;
  return situation.seconds_limit > 0 && fewest > 2 * kSelfTestShare * situation.seconds_limit;
}

// What is left has room for the fewest pairs and the hold-out behind them.
bool DeviceTrust::may_catch_up(const Situation& situation) const {
  const int pairs = kFewestTestPairs + problem_.acceptance.hold_out_least;
  const double left = situation.seconds_limit - situation.run_seconds;
  return situation.exploring || 2 * pairs * situation.evaluation_seconds <= left;
}

bool DeviceTrust::is_tested() const {
  return tested_at_ || problem_.acceptance.self_test_pairs == 0 || !was_left_out_;
}

void DeviceTrust::opened(const ConfirmationSetup& setup, double run_seconds) {
  if (setup.purpose == Purpose::kSelfTest) {
    tested_at_ = run_seconds;
  } else if (!search::is_recorded(problem_)) {
    was_left_out_ = !tested_at_;
  }
}

void DeviceTrust::concluded(Purpose purpose, const search::Verdict& verdict) {
  if (purpose == Purpose::kSelfTest) {
    self_tests_.concluded(verdict);
  } else if (purpose == Purpose::kCanary) {
    const bool is_undecided = std::holds_alternative<search::Undecided>(verdict.acceptance);
    canary_done_ = !is_undecided || canary_undecided_;
    canary_undecided_ = is_undecided;
    canary_cut_off_ = was_cut_off(verdict);
    if (canary_done_ && !search::is_accepted(verdict)) {
      bad_canary_ = search::reason_of(verdict.acceptance);
    }
  }
}

void DeviceTrust::take_up() {
  self_tests_.take_up();
  if (!canary_cut_off_) return;
  canary_done_ = false;
  bad_canary_.clear();
}

}  // namespace nightshift::scheduler
