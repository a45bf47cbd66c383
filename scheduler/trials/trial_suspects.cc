// Suspects (retry.h) on their way through the TrialRunner.
#include <algorithm>
#include <string>

#include "scheduler/trials/trial_runner.h"

namespace nightshift::scheduler {

using search::JobKind;
using search::TrialId;

// What was in hand when runs died, by the rule for devices that are lost. No device is at fault
// here and no outcome says which run it was, so the count is of runs.
void TrialRunner::submit_again(LiveTrial& trial) {
  const TrialId id = trial.order.trial.id;
  trial.losses = trial.order.deaths;
  const std::string runs = trial.losses == 1 ? "the run" : std::to_string(trial.losses) + " runs";
  search::DeviceLost died{runs + " died while it was in hand"};
  if (trial.order.trial.job != JobKind::kExplore) {
    if (trial.losses < kRunsOfProven) return prepare(id);
    trial.attempt = trial.losses;
    const auto device =
        std::ranges::find(parts_.pool.devices(), trial.order.trial.device, &Device::key);
    trial.evaluated_on = static_cast<DeviceIndex>(device - parts_.pool.devices().begin());
    return end(id, {search::LaunchFailed{died.reason}, {}});
  }
  const Retry how = retry_after(died, {trial.order.trial.job, 1, trial.losses});
  if (how == Retry::kSoon) return prepare(id);
  if (how == Retry::kNone) {
    died.reason += ", the last one while it was alone";
    trial.attempt = trial.losses;
    return end(id, {died, {}});
  }
  suspect(trial, true);
  parts_.log.step(id, TrialState::kRetry, trial.attempt, "",
                  died.reason + ", so it comes last, alone");
  make_ready(trial);
}

void TrialRunner::suspect(LiveTrial& trial, bool ended_runs) {
  trial.suspect = true;
  trial.ended_runs = ended_runs;
  ++suspects_;
  if (ended_runs) ++suspects_of_runs_;
}

// It has ended, or is left to a later run.
void TrialRunner::acquit(const LiveTrial& trial) {
  if (!trial.suspect) return;
  --suspects_;
  if (trial.ended_runs) --suspects_of_runs_;
  if (built_alone_ == trial.order.trial.id) built_alone_.reset();
}

std::optional<TrialId> TrialRunner::take(DeviceIndex device, std::span<const JobKind> kinds) {
  if (built_alone_ || measures_beside(device, true)) return std::nullopt;
  const std::string key = device_key(device);
  for (const JobKind kind : kinds) {
    if (const auto id = queue_.take(kind, key)) return id;
  }
  const bool may_explore = std::ranges::find(kinds, JobKind::kExplore) != kinds.end();
  return suspects_ > 0 && may_explore ? take_suspect(device) : std::nullopt;
}

std::optional<TrialId> TrialRunner::take_suspect(DeviceIndex device) {
  if (building() > 0 || measures_beside(device, false)) return std::nullopt;
  if (suspects_of_runs_ > 0 && builds_.has_next()) return std::nullopt;
  const auto id = queue_.take_suspect(device_key(device));
  if (!id || !builds_needed_ || !live_.at(*id).artifact.empty()) return id;
  // Of an earlier run. What takes a machine down may be its compiler.
  if (parts_.pool.can_build()) {
    built_alone_ = id;
    prepare(*id);
  } else {
    queue_.push_suspect(*id);
  }
  return std::nullopt;
}

bool TrialRunner::measures_beside(DeviceIndex device, bool suspects_alone) const {
  if (suspects_ == 0) return false;
  const auto& devices = parts_.pool.devices();
  return std::ranges::any_of(live_, [&](const auto& entry) {
    const LiveTrial& trial = entry.second;
    if (!trial.evaluating || (suspects_alone && !trial.suspect)) return false;
    return suspects_of_runs_ > 0 || devices[*trial.evaluated_on].node == devices[device].node;
  });
}

// Nothing is built beside a suspect that ended runs.
bool TrialRunner::may_build() const {
  if (suspects_of_runs_ == 0) return true;
  if (built_alone_) return building() == 0;
  return std::ranges::none_of(
      live_, [](const auto& entry) { return entry.second.ended_runs && entry.second.evaluating; });
}

}  // namespace nightshift::scheduler
