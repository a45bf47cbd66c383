#include "scheduler/batch/batch_runner.h"

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

using namespace std::chrono_literals;
using State = StudyStanding::State;

constexpr auto kPlanInterval = 500ms;  // between two looks at what has changed by itself
constexpr auto kTickInterval = 100ms;  // where nothing runs
// A guest that has nothing to confirm keeps its process for so long: it often has something again
// soon, and nobody measures on the device while a process starts or ends there.
constexpr auto kLinger = 15s;
constexpr double kWaited = 1;  // seconds without a clock, after which time is divided again

}  // namespace

BatchRunner::BatchRunner(const BatchParts& parts, std::vector<StudyTerms> terms,
                         std::vector<bool> ended)
    : parts_(parts),
      terms_(std::move(terms)),
      devices_(parts.pool.devices().size()),
      began_(parts.clock.now()),
      planned_(began_ - kPlanInterval),
      load_(devices_.size(), began_) {
  standings_.resize(terms_.size());
  running_.resize(terms_.size());
  outcome_.ends.resize(terms_.size());
  for (std::size_t s = 0; s < ended.size(); ++s) {
    if (ended[s]) standings_[s].state = State::kEnded;
  }
}

double BatchRunner::now() const {
  return std::chrono::duration<double>(parts_.clock.now() - began_).count();
}

bool BatchRunner::any_waits() const {
  return std::ranges::any_of(standings_,
                             [](const StudyStanding& s) { return s.state == State::kWaiting; });
}

BatchOutcome BatchRunner::run(std::optional<double> deadline) {
  while (true) {
    take_requests();
    take_devices();
    if (!stopping_) plan(deadline);
    give_turns();
    free_what_is_done();
    lend_to_guests();
    const bool any_runs = std::ranges::any_of(running_, [](const auto& r) { return r != nullptr; });
    const bool any_comes = any_waits() || parts_.host.awaits_more();
    if (!any_runs && (stopping_ || !any_comes)) break;
    Clock::TimePoint wake = parts_.clock.now() + kTickInterval;
    for (const auto& running : running_) {
      if (running) wake = std::min(wake, running->study->tuner().wake());
    }
    // What a device did until an event came is what it did before: with the event its job has
    // ended.
    const DeviceLoad::AtWork at_work = who_measures();
    const SharedEvent event = parts_.pool.wait(wake);
    load_.until(parts_.clock.now(), at_work, devices_, standings_);
    fold(event);
  }
  outcome_.interrupted = stopping_;
  return outcome_;
}

// --- What others ask for ---

void BatchRunner::take_requests() {
  for (BatchHost::Request& request : parts_.host.requests()) {
    using Kind = BatchHost::Request::Kind;
    if (request.kind == Kind::kAdd) {
      terms_.push_back(std::move(request.terms));
      standings_.emplace_back().state = request.ended ? State::kEnded : State::kWaiting;
      running_.emplace_back();
      outcome_.ends.emplace_back();
    } else if (request.kind == Kind::kGoOn) {
      if (running_[request.study]) continue;
      terms_[request.study] = std::move(request.terms);
      standings_[request.study].state = State::kWaiting;
      outcome_.ends[request.study].reset();
    } else {
      const bool cancels = request.kind == Kind::kCancel;
      stop(request.study, cancels ? BatchStudyEnd{BatchStudyEnd::Kind::kCancelled, "cancelled"}
                                  : BatchStudyEnd{BatchStudyEnd::Kind::kPaused, "paused"});
    }
    redivide_ = true;
  }
}

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

void BatchRunner::stop(std::size_t study, BatchStudyEnd why) {
  StudyStanding& standing = standings_[study];
  if (running_[study]) {
    running_[study]->stop = std::move(why);
    running_[study]->study->tuner().fold(Interrupted{});
  } else if (standing.state == State::kWaiting || standing.state == State::kPaused) {
    end(study, why);
  }
}

// --- Who gets which device ---

// How long a study that goes on has run before is known once it has begun, so that time is divided
// again then.
void BatchRunner::plan(std::optional<double> deadline) {
  const Clock::TimePoint at = parts_.clock.now();
  if (!redivide_ && at - planned_ < kPlanInterval) return;
  planned_ = at;
  do {
    plan_once(deadline);
  } while (redivide_);
}

void BatchRunner::plan_once(std::optional<double> deadline) {
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    standings_[s].elapsed = running_[s]->study->tuner().elapsed();
    const bool waited = running_[s]->study->tuner().waited() >= kWaited;
    redivide_ = redivide_ || waited != std::exchange(running_[s]->waited, waited);
    const StudyPlan& its = running_[s]->study->tuner().plan();
    const bool was_building = standings_[s].building;
    standings_[s].building = was_building && running_[s]->study->tuner().only_builds();
    redivide_ = redivide_ || was_building != standings_[s].building;
    standings_[s].settling = !its.still_explores();
    standings_[s].explored = its.state().evaluations();
    standings_[s].explored_at_gain = its.state().evaluations_at_gain();
  }
  BatchPlan::Moment moment;
  moment.now = now();
  if (deadline) moment.deadline = moment.now + (*deadline - parts_.clock.unix_seconds());
  moment.terms = &terms_;
  moment.studies = &standings_;
  moment.devices = &devices_;
  moment.may_grow = parts_.pool.may_grow();
  moment.ahead = parts_.pool.builder_count();
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    DeviceStanding& device = devices_[d];
    device.busy_share = load_.busy_share(d, moment.now - device.since);
    moment.calm.push_back(std::ranges::all_of(device.owners, [&](std::size_t owner) {
      return running_[owner]->study->tuner().plan().can_spare(d);
    }));
  }
  const auto steps = plan_.steps(moment, std::exchange(redivide_, false));
  for (const BatchPlan::Step& step : steps) {
    std::visit([this](const auto& s) { carry_out(s); }, step);
  }
  if (!steps.empty()) share_builders();
}

void BatchRunner::carry_out(const BatchPlan::Begin& step) {
  auto running = std::make_unique<Running>();
  try {
    running->study = parts_.host.begin(step.study, parts_.pool);
  } catch (const std::exception& error) {
    end(step.study, {BatchStudyEnd::Kind::kFailed, error.what()});
    return;
  }
  running->guest.resize(devices_.size());
  running->wanted.resize(devices_.size());
  Tuner& tuner = running->study->tuner();
  running_[step.study] = std::move(running);
  standings_[step.study].state = State::kRunning;
  parts_.host.began(step.study, step.devices);
  redivide_ = true;
  standings_[step.study].building = step.devices.empty();
  if (step.devices.empty()) tuner.build_ahead();
  guarded(step.study, [&] { tuner.begin(); });
  if (!running_[step.study]) return;
  for (DeviceIndex d = 0; d < devices_.size() && running_[step.study]; ++d) bar(step.study, d);
  if (!running_[step.study]) return;
  for (const DeviceIndex d : step.devices) own(step.study, d);
}

void BatchRunner::own(std::size_t study, DeviceIndex device) {
  Running& running = *running_[study];
  running.guest[device] = false;
  devices_[device].owners.push_back(study);
  devices_[device].since = now();
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

void BatchRunner::carry_out(const BatchPlan::Limit& step) {
  if (!running_[step.study]) return;
  standings_[step.study].limit = step.seconds;
  running_[step.study]->study->tuner().limit_time(step.seconds);
}

void BatchRunner::carry_out(const BatchPlan::GiveUp& step) {
  end(step.study, {BatchStudyEnd::Kind::kNotBegun, step.reason});
}

void BatchRunner::carry_out(const BatchPlan::Suffice& step) {
  if (!running_[step.study]) return;
  running_[step.study]->study->tuner().stop_exploring(
      "it had stopped gaining, and its time went to other studies");
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

// Enough for each, and a few more than can run at once, so that they go where they are needed.
void BatchRunner::share_builders() {
  int building = 0;
  for (const auto& running : running_) building += running && running->study->builds() ? 1 : 0;
  if (building == 0) return;
  const int all = parts_.pool.builder_count();
  const int each = std::clamp((2 * all + building - 1) / building, 1, std::max(all, 1));
  for (const auto& running : running_) {
    if (running && running->study->builds()) {
      parts_.pool.set_builders(running->study->place(), each);
    }
  }
}

// --- Turns ---

std::vector<std::size_t> BatchRunner::in_order() {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    order.push_back(s);
    const auto* open = running_[s]->study->tuner().plan().state().confirmations().current();
    const std::uint64_t id = open == nullptr ? 0 : open->id().value;
    if (id != 0 && id != running_[s]->confirmation) running_[s]->opened = ++confirmations_;
    running_[s]->confirmation = id;
  }
  const auto rank = [this](std::size_t s) {
    const Running& r = *running_[s];
    const bool confirms = r.confirmation != 0;
    const std::size_t ready = r.study->tuner().runner().ready();
    return std::tuple(!confirms, confirms ? r.opened : ready, s);
  };
  std::ranges::sort(order, {}, rank);
  return order;
}

void BatchRunner::give_turns() {
  for (const std::size_t study : in_order()) turn(study);
}

// What is wrong with one study ends that study alone.
template <class Action>
void BatchRunner::guarded(std::size_t study, Action action) {
  std::string failure;
  try {
    action();
    return;
  } catch (const StudyError& error) {
    failure = error.what();
  } catch (const JournalError& error) {
    // A full disk, mostly: it goes on where its journal stops.
    return end(study, {BatchStudyEnd::Kind::kInterrupted, error.what()});
  }
  try {
    running_[study]->study->tuner().fail(failure);
  } catch (const JournalError& error) {
    failure += std::string("\n") + error.what();
  }
  end(study, {BatchStudyEnd::Kind::kFailed, failure});
}

void BatchRunner::turn(std::size_t study) {
  guarded(study, [&] {
    Running& running = *running_[study];
    Tuner& tuner = running.study->tuner();
    if (tuner.turn()) {
      lose_devices(study);
      return;
    }
    const StudyEnd ended = tuner.end();
    BatchStudyEnd how{
        ended.interrupted ? BatchStudyEnd::Kind::kInterrupted : BatchStudyEnd::Kind::kCompleted,
        ended.reason};
    if (ended.interrupted && running.stop) how = *running.stop;
    end(study, how);
  });
}

// A device that the study lost is free for others.
void BatchRunner::lose_devices(std::size_t study) {
  const Tuner& tuner = running_[study]->study->tuner();
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!terms_[study].may_use[d] || tuner.plan().in_service(d)) continue;
    terms_[study].may_use[d] = false;
    running_[study]->guest[d] = false;
    redivide_ = std::erase(devices_[d].owners, study) > 0 || redivide_;
    devices_[d].leaving = false;
    parts_.host.taken_back(study, d);
  }
}

void BatchRunner::end(std::size_t study, const BatchStudyEnd& how) {
  redivide_ = true;
  const bool paused = how.kind == BatchStudyEnd::Kind::kPaused;
  standings_[study].state = paused ? State::kPaused : State::kEnded;
  outcome_.ends[study] = how;
  for (DeviceStanding& device : devices_) {
    if (std::erase(device.owners, study) > 0 && device.owners.empty()) device.leaving = false;
  }
  if (const auto running = std::exchange(running_[study], nullptr); running && running->study) {
    parts_.pool.dismiss(running->study->place());
  }
  parts_.host.ended(study, how);
}

// --- What happens ---

void BatchRunner::fold(const SharedEvent& event) {
  if (event.study) {
    for (std::size_t s = 0; s < running_.size(); ++s) {
      if (!running_[s] || running_[s]->study->place() != *event.study) continue;
      guarded(s, [&] { running_[s]->study->tuner().fold(event.event); });
      return;
    }
    return;
  }
  if (const auto* notice = std::get_if<Notice>(&event.event)) parts_.host.notice(notice->text);
  if (const auto* away = std::get_if<DeviceAway>(&event.event)) reach(away->device, false, *away);
  if (const auto* back = std::get_if<DeviceBack>(&event.event)) reach(back->device, true, *back);
  const bool winds_up = std::holds_alternative<WindUp>(event.event);
  if (!winds_up && !std::holds_alternative<Interrupted>(event.event)) return;
  stopping_ = true;  // nothing begins any more
  for (const auto& running : running_) {
    if (running) running->study->tuner().fold(event.event);
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

}  // namespace nightshift::scheduler
