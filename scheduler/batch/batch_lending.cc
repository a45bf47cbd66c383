// Who has which device: the part of BatchRunner that lends devices to studies and takes them back, and
// sees who has something to do there.
#include <algorithm>
#include <chrono>

#include "scheduler/batch/batch_runner.h"

namespace nightshift::scheduler {

namespace {

using namespace std::chrono_literals;

// A guest that has nothing to confirm keeps its process for so long: it often has something again
// soon, and nobody measures on the device while a process starts or ends there.
constexpr auto kLinger = 15s;

}  // namespace

// Those that have joined. A study that runs and may not use one never does.
void BatchRunner::take_devices() {
  while (devices_.size() < parts_.pool.devices().size()) {
    const DeviceIndex device = devices_.size();
    devices_.emplace_back();
    load_.add_device();
    std::vector<bool> users = parts_.host.joined(device);
    users.resize(terms_.size());
    for (std::size_t s = 0; s < terms_.size(); ++s) {
      terms_[s].may_use.push_back(users[s]);
      if (!running_[s]) continue;
      running_[s]->guest.push_back(false);
      running_[s]->wanted.emplace_back();
      Tuner& tuner = running_[s]->study->tuner();
      guarded(s, [&] { tuner.fold(DeviceJoined{device}); });
      if (running_[s]) bar(s, device);
    }
    redivide_ = true;
  }
}

// Until it is lent.
void BatchRunner::bar(std::size_t study, DeviceIndex device) {
  Tuner& tuner = running_[study]->study->tuner();
  tuner.set_access(device, DeviceAccess::kNone);
  if (!terms_[study].may_use[device]) {
    tuner.exclude(device);
  } else if (!devices_[device].in_service) {
    guarded(study, [&] { tuner.fold(DeviceAway{device, "it is away"}); });
  }
}

void BatchRunner::reach(DeviceIndex device, bool can_be_reached, const PoolEvent& event) {
  devices_[device].in_service = can_be_reached;
  redivide_ = true;
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (running_[s]) guarded(s, [&] { running_[s]->study->tuner().fold(event); });
  }
}

void BatchRunner::own(std::size_t study, DeviceIndex device) {
  Running& running = *running_[study];
  running.guest[device] = false;
  devices_[device].was_left_idle = devices_[device].left_idle && !devices_[device].owners.empty();
  devices_[device].owners.push_back(study);
  devices_[device].since = now();
  standings_[study].had_device = true;
  devices_[device].leaving = false;
  load_.begin_lease(device);
  parts_.pool.open(running.study->place(), device, true);
  running.study->tuner().set_access(device, DeviceAccess::kOwner);
}

void BatchRunner::carry_out(const BatchPlan::Lend& step) {
  if (!running_[step.study]) return;
  own(step.study, step.device);
  parts_.host.lent(step.study, step.device, false);
}

// It begins nothing more there; once its last job has ended the device is free.
void BatchRunner::carry_out(const BatchPlan::TakeBack& step) {
  running_[step.study]->study->tuner().set_access(step.device, DeviceAccess::kNone);
  devices_[step.device].leaving = true;
}

void BatchRunner::free_what_is_done() {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    DeviceStanding& device = devices_[d];
    if (!device.leaving || device.owners.empty()) continue;
    const std::size_t owner = device.owners.front();
    const StudyIndex place = running_[owner]->study->place();
    if (parts_.pool.is_measuring(place, d)) continue;
    parts_.pool.close(place, d);
    device.owners.clear();
    device.leaving = false;
    redivide_ = true;
    parts_.host.taken_back(owner, d);
  }
}

// After all turns: what a study could start it has started.
void BatchRunner::see_what_is_left_idle() {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    DeviceStanding& device = devices_[d];
    const Running* owner =
        device.owners.size() == 1 ? running_[device.owners.front()].get() : nullptr;
    const bool is_idle = owner != nullptr && !parts_.pool.is_measuring(owner->study->place(), d) &&
                         !owner->study->tuner().plan().still_explores();
    if (is_idle && !device.left_idle) redivide_ = true;
    device.left_idle = is_idle;
  }
}

void BatchRunner::lend_to_guests() {
  const Clock::TimePoint at = parts_.clock.now();
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    Running& running = *running_[s];
    Tuner& tuner = running.study->tuner();
    const StudyIndex place = running.study->place();
    for (DeviceIndex d = 0; d < devices_.size(); ++d) {
      const bool wanted = tuner.plan().wants_guest(d) && !stopping_;
      if (wanted) running.wanted[d] = at;
      if (wanted && !running.guest[d]) {
        running.guest[d] = true;
        parts_.pool.open(place, d, false);
        tuner.set_access(d, DeviceAccess::kGuest);
        parts_.host.lent(s, d, true);
      } else if (running.guest[d] && at - running.wanted[d] >= kLinger &&
                 tuner.plan().can_spare(d) && !parts_.pool.is_measuring(place, d)) {
        running.guest[d] = false;
        tuner.set_access(d, DeviceAccess::kNone);
        parts_.pool.close(place, d);
        parts_.host.taken_back(s, d);
      }
    }
  }
}

bool BatchRunner::has_device(std::size_t study) const {
  return std::ranges::any_of(
      devices_, [study](const DeviceStanding& device) { return device.is_owned_by(study); });
}

bool BatchRunner::shares_device(std::size_t study) const {
  return std::ranges::any_of(devices_, [study](const DeviceStanding& device) {
    return device.owners.size() > 1 && device.is_owned_by(study);
  });
}

// A device that the study lost is free for others.
void BatchRunner::lose_devices(std::size_t study) {
  const Tuner& tuner = running_[study]->study->tuner();
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!terms_[study].may_use[d] || tuner.plan().care().in_service(d)) continue;
    terms_[study].may_use[d] = false;
    running_[study]->guest[d] = false;
    redivide_ = std::erase(devices_[d].owners, study) > 0 || redivide_;
    devices_[d].leaving = false;
    parts_.host.taken_back(study, d);
  }
}

DeviceLoad::AtWork BatchRunner::who_measures() const {
  DeviceLoad::AtWork at_work(devices_.size());
  for (std::size_t s = 0; s < running_.size(); ++s) {
    for (DeviceIndex d = 0; running_[s] && d < devices_.size(); ++d) {
      if (parts_.pool.is_measuring(running_[s]->study->place(), d)) at_work[d] = s;
    }
  }
  return at_work;
}

// Whose duel goes on somewhere loses nothing yet. A hold-out does: it was kept the time that it takes
// on all of its devices at once.
std::vector<DeviceLoad::Need> BatchRunner::who_needs(const DeviceLoad::AtWork& at_work) const {
  std::vector<DeviceLoad::Need> needs;
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    const StudyPlan& plan = running_[s]->study->tuner().plan();
    const Confirmation* open = plan.state().confirmations().open().current();
    const bool is_at_work = std::ranges::find(at_work, std::optional(s)) != at_work.end();
    if (open == nullptr) continue;
    if (is_at_work && open->setup().purpose != Purpose::kHoldOut) continue;
    needs.push_back({s, {}});
    for (DeviceIndex d = 0; d < devices_.size(); ++d) {
      if (open->next(parts_.pool.devices()[d].key())) needs.back().devices.push_back(d);
    }
  }
  return needs;
}

}  // namespace nightshift::scheduler
