#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What a device is doing, for display.
struct DeviceStatus {
  Device device;
  enum class State : std::uint8_t { kIdle, kMeasuring, kQuarantined } state = State::kIdle;
  search::TrialId trial;  // in hand while measuring
  search::JobKind job = search::JobKind::kExplore;
  std::optional<double> baseline;  // latest, in the primary objective's unit
  std::uint64_t trials = 0;        // finished there
};

// A study at one moment, for display.
struct StudyStatus {
  const search::Problem* problem = nullptr;  // objectives without a unit have the program's
  base::Wide space_size = 0;
  bool space_counted = true;      // otherwise the size is a bound
  std::uint64_t evaluations = 0;  // unique configurations finished
  std::uint64_t measured = 0;
  std::uint64_t skipped = 0;
  std::uint64_t beyond_limits = 0;  // of those measured
  std::array<std::uint64_t, search::kStatusNames.size()>
      by_status{};                // explore trials, by kStatusNames
  std::uint64_t outstanding = 0;  // asked, not finished
  std::uint64_t building = 0, measuring = 0, ready = 0;
  std::uint64_t confirmations = 0, accepted = 0;
  std::optional<double> best_ratio;  // lowest score seen, unconfirmed; 1 = baseline
  search::Configuration best_configuration;
  std::optional<double> incumbent_ratio;  // over the baseline, of all accepted duels together
  std::optional<search::Verdict> claim;   // the hold-out of this incumbent
  search::Configuration incumbent_configuration;
  // "measuring the baseline", "exploring", "duel of trial 17: 8 of 16 pairs", ...
  std::string activity;
  double elapsed = 0, simulated = 0;  // seconds
  double seconds_limit = 0;           // of `elapsed`; 0: none
  bool explores = true;               // configurations are to come; else duels and the hold-out
  double budget_used = 0;             // 0..1 of whatever limit is nearest; 0 without limit
  std::vector<DeviceStatus> devices;
};

// Told of what happens; prints, counts or ignores. No printing happens in the scheduler itself.
class TuningObserver {
 public:
  virtual ~TuningObserver() = default;
  virtual void trial_finished(const ProposedTrial&, const FinishedTrial&, const StudyStatus&) {}
  virtual void confirmation_opened(const ConfirmationSetup&,
                                   const search::Configuration& /*candidate*/, const StudyStatus&) {
  }
  virtual void verdict_reached(const ConfirmationSetup&, const ConfirmationVerdict&,
                               const StudyStatus&) {}
  virtual void remark(const std::string& /*text*/, const StudyStatus&) {
  }                                         // quarantine, retry, interrupt
  virtual void tick(const StudyStatus&) {}  // at least twice a second, and after every event
};

}  // namespace nightshift::scheduler
