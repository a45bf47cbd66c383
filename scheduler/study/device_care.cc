#include "scheduler/study/device_care.h"

#include <algorithm>
#include <chrono>
#include <variant>

namespace nightshift::scheduler {

void DeviceCare::add(bool known) {
  State state;
  state.known = known;
  state.checked = known && target_ == search::Target::kRecording;
  devices_.push_back(state);
}

DeviceCare::Need DeviceCare::need(DeviceIndex device, Clock::TimePoint now) const {
  const State& d = devices_[device];
  if (!d.is_here() || d.busy || d.access == DeviceAccess::kNone) return Need::kNothing;
  if (!d.checked) return d.known ? Need::kCheck : Need::kBaseline;
  if (d.access == DeviceAccess::kGuest) return Need::kNothing;
  if (target_ == search::Target::kRecording) return Need::kNothing;
  const bool each = settings_.normalisation == search::Normalisation::kEach;
  const int after = each ? 1 : settings_.rebaseline_trials;
  const bool many = after > 0 && d.trials >= after;
  const std::chrono::duration<double> age = now - d.since;
  const bool old = settings_.rebaseline_seconds > 0 && age.count() >= settings_.rebaseline_seconds;
  return many || (old && d.trials > 0) ? Need::kRefresh : Need::kNothing;
}

std::size_t DeviceCare::in_service() const {
  return static_cast<std::size_t>(std::ranges::count(devices_, true, &State::in_service));
}

void DeviceCare::set_away(DeviceIndex device) {
  State& d = devices_[device];
  d.away = true;
  d.busy = false;
  if (target_ != search::Target::kRecording) d.checked = false;
}

bool DeviceCare::awaits_return() const {
  return owned() == 0 && std::ranges::any_of(devices_, [](const State& d) {
           return d.in_service && d.away && d.access == DeviceAccess::kOwner;
         });
}

bool DeviceCare::awaits_loan() const {
  return owned() == 0 && std::ranges::any_of(devices_, [](const State& d) {
           return d.in_service && d.access != DeviceAccess::kOwner;
         });
}

// Another study has been there meanwhile.
void DeviceCare::set_access(DeviceIndex device, DeviceAccess access) {
  State& d = devices_[device];
  d.access = access;
  if (access == DeviceAccess::kNone && target_ != search::Target::kRecording) d.checked = false;
}

std::size_t DeviceCare::owned() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      devices_, [](const State& d) { return d.is_here() && d.access == DeviceAccess::kOwner; }));
}

bool DeviceCare::ready(DeviceIndex device) const {
  const State& d = devices_[device];
  return d.is_here() && d.checked && d.access != DeviceAccess::kNone;
}

bool DeviceCare::any_at_work() const {
  for (DeviceIndex device = 0; device < devices_.size(); ++device) {
    if (ready(device) || (devices_[device].is_here() && awaits_baseline(device))) return true;
  }
  return false;
}

bool DeviceCare::any_ready() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const State& d) {
    return d.is_here() && d.checked && d.access == DeviceAccess::kOwner;
  });
}

void DeviceCare::baseline_started(DeviceIndex device) {
  devices_[device].busy = true;
  devices_[device].lacked_time = false;
}

void DeviceCare::baseline_lacked_time(DeviceIndex device) {
  devices_[device].busy = false;
  devices_[device].lacked_time = true;
}

void DeviceCare::baseline_succeeded(DeviceIndex device, Clock::TimePoint now, double seconds) {
  State& d = devices_[device];
  d.baseline_seconds = std::max(d.baseline_seconds, seconds);
  d.known = d.checked = true;
  d.busy = false;
  d.trials = d.deaths = 0;
  d.since = now;
}

bool DeviceCare::drifted(DeviceIndex device, double level) {
  State& d = devices_[device];
  if (target_ == search::Target::kRecording || d.level.add(level) == search::Cusum::Alarm::kNone)
    return false;
  d.level.restart();
  d.checked = false;
  return true;
}

void DeviceCare::trial_finished(DeviceIndex device, const search::TrialOutcome& outcome) {
  State& d = devices_[device];
  ++d.trials;
  const bool died = std::holds_alternative<search::Crashed>(outcome) ||
                    std::holds_alternative<search::TimedOut>(outcome) ||
                    std::holds_alternative<search::LaunchFailed>(outcome);
  d.deaths = died ? d.deaths + 1 : 0;
  if (suspected_by(outcome, d.deaths)) d.checked = false;
}

bool DeviceCare::suspected_by(const search::TrialOutcome& outcome, int deaths) const {
  if (target_ == search::Target::kRecording) return false;
  if (std::holds_alternative<search::DeviceLost>(outcome) || deaths >= kSuspectAfter) return true;
  if (target_ != search::Target::kGpus) return false;
  return std::holds_alternative<search::Crashed>(outcome) ||
         std::holds_alternative<search::TimedOut>(outcome);
}

std::optional<DeviceCare::Lack> DeviceCare::lack_of_all() const {
  std::optional<Lack> latest;
  for (const State& d : devices_) {
    if (!d.in_service) continue;
    if (!d.lack) return std::nullopt;
    if (!latest || d.lack->since > latest->since) latest = d.lack;
  }
  return latest;
}

}  // namespace nightshift::scheduler
