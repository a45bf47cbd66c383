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
constexpr double kWaited = 1;          // seconds without a clock, after which time is divided again

}  // namespace

BatchRunner::BatchRunner(const BatchParts& parts, std::vector<StudyTerms> terms,
                         std::vector<StudyStanding> standings)
    : parts_(parts),
      terms_(std::move(terms)),
      standings_(std::move(standings)),
      devices_(parts.pool.devices().size()),
      began_(parts.clock.now()),
      planned_(began_ - kPlanInterval),
      load_(devices_.size(), began_) {
  standings_.resize(terms_.size());
  running_.resize(terms_.size());
  outcome_.ends.resize(terms_.size());
}

double BatchRunner::now() const {
  return std::chrono::duration<double>(parts_.clock.now() - began_).count();
}

bool BatchRunner::any_can_begin() const {
  for (std::size_t s = 0; s < standings_.size(); ++s) {
    if (standings_[s].state == State::kWaiting && !waits_for_paused(s)) return true;
  }
  return false;
}

// No study comes after itself: the reader of batches refuses that.
bool BatchRunner::waits_for_paused(std::size_t study) const {
  return std::ranges::any_of(terms_[study].after, [this](std::size_t other) {
    const State state = standings_[other].state;
    return state == State::kPaused || (state == State::kWaiting && waits_for_paused(other));
  });
}

BatchOutcome BatchRunner::run(std::optional<BatchDeadline> deadline) {
  while (true) {
    take_requests();
    take_devices();
    see_whether_lost();
    if (!stopping_) plan(deadline);
    give_turns();
    free_what_is_done();
    lend_to_guests();
    begin_ahead();
    see_what_is_left_idle();
    const bool any_runs = std::ranges::any_of(running_, [](const auto& r) { return r != nullptr; });
    const bool any_comes = any_can_begin() || parts_.host.awaits_more();
    if (!any_runs && (stopping_ || !any_comes)) break;
    Clock::TimePoint wake = parts_.clock.now();
    if (!redivide_) wake += kTickInterval;
    for (const auto& running : running_) {
      if (running) wake = std::min(wake, running->study->tuner().wake());
    }
    // What a device did until an event came is what it did before: with the event its job has
    // ended.
    const DeviceLoad::AtWork at_work = who_measures();
    const DeviceLoad::AtWork in_the_way = DeviceLoad::in_the_way(at_work, parts_.pool.devices());
    const std::vector<DeviceLoad::Need> needs = who_needs(at_work);
    const SharedEvent event = parts_.pool.wait(wake);
    load_.until(parts_.clock.now(), at_work, in_the_way, needs, devices_, standings_);
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
      standings_.push_back(request.standing);
      running_.emplace_back();
      outcome_.ends.emplace_back();
    } else if (request.kind == Kind::kGoOn) {
      if (running_[request.study]) continue;
      terms_[request.study] = std::move(request.terms);
      standings_[request.study].state = State::kWaiting;
      standings_[request.study].loss = StudyStanding::Loss::kNone;
      standings_[request.study].out_of_time = false;
      outcome_.ends[request.study].reset();
    } else {
      const bool cancels = request.kind == Kind::kCancel;
      stop(request.study, cancels ? BatchStudyEnd{BatchStudyEnd::Kind::kCancelled, "cancelled"}
                                  : BatchStudyEnd{BatchStudyEnd::Kind::kPaused, "paused"});
    }
    redivide_ = true;
  }
}

// --- Who gets which device ---

// How long a study that goes on has run before is known once it has begun, so that time is divided
// again then.
void BatchRunner::plan(const std::optional<BatchDeadline>& deadline) {
  const Clock::TimePoint at = parts_.clock.now();
  see_what_is_built();
  if (deadline) see_what_is_told();
  if (!redivide_ && !told_ && at - planned_ < kPlanInterval) return;
  planned_ = at;
  do {
    plan_once(deadline);
  } while (redivide_);
}

// To begin a study takes this process some 100 ms: devices have something to do first.
void BatchRunner::begin_ahead() {
  if (const auto step = std::exchange(ahead_, std::nullopt)) {
    carry_out(*step);
    share_builders();
  }
}

// A device may wait for it.
void BatchRunner::see_what_is_built() {
  for (std::size_t s = 0; s < running_.size(); ++s) {
    bool& building = standings_[s].building;
    if (!running_[s] || !building || running_[s]->study->tuner().only_builds()) continue;
    building = false;
    redivide_ = true;
  }
}

void BatchRunner::look_at(std::size_t study) {
  StudyStanding& standing = standings_[study];
  const Tuner& tuner = running_[study]->study->tuner();
  standing.elapsed = tuner.clock().elapsed();
  const bool waited = tuner.clock().waited() >= kWaited;
  redivide_ = redivide_ || waited != std::exchange(running_[study]->waited, waited);
  const StudyPlan& its = tuner.plan();
  standing.settling = !its.still_explores();
  standing.explored = its.state().evaluations();
  standing.explored_at_gain = its.state().evaluations_at_gain();
  const StudyTime::Least least = its.least();
  if (!(least.whole > 0)) return;
  // Where it builds ahead others measure meanwhile.
  const double waits = terms_[study].builds_ahead ? 0 : tuner.clock().waited();
  if (!least.is_rough) standing.needs = least.whole + waits;
  // One that has had that is kept what comes after its exploration by its own limit.
  const double rest = least.whole + standing.shared - standing.elapsed;
  standing.needs_still = rest > 0 ? std::max(least.end, rest) : 0;
  standing.needs_end = least.end;
}

// Before a study has its turn: it would end where its time is up.
void BatchRunner::see_what_is_told() {
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s] || standings_[s].needs > 0) continue;
    const bool was_rough = standings_[s].needs_still > 0;
    look_at(s);
    told_ = told_ || standings_[s].needs > 0 || (standings_[s].needs_still > 0 && !was_rough);
  }
}

void BatchRunner::plan_once(const std::optional<BatchDeadline>& deadline) {
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    look_at(s);
    tell_made_up(s, false);
  }
  BatchPlan::Moment moment;
  moment.now = now();
  if (deadline) moment.deadline = moment.now + deadline->left(parts_.clock);
  moment.terms = &terms_;
  moment.studies = &standings_;
  moment.devices = &devices_;
  moment.may_grow = parts_.pool.may_grow();
  moment.ahead = studies_ahead();
  moment.told = std::exchange(told_, false);
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    DeviceStanding& device = devices_[d];
    device.busy_share = load_.busy_share(d, moment.now - device.since);
    moment.calm.push_back(std::ranges::all_of(device.owners, [&](std::size_t owner) {
      return running_[owner]->study->tuner().plan().can_spare(d);
    }));
  }
  const auto steps = plan_.steps(moment, std::exchange(redivide_, false));
  ahead_.reset();
  const auto leaves = [](const BatchPlan::Step& step) {
    return std::holds_alternative<BatchPlan::Leave>(step);
  };
  if (std::ranges::none_of(steps, leaves)) carry_out(BatchPlan::Leave{});
  for (const BatchPlan::Step& step : steps) {
    const auto* begin = std::get_if<BatchPlan::Begin>(&step);
    if (begin != nullptr && begin->devices.empty()) {
      ahead_ = *begin;
      continue;
    }
    std::visit([this](const auto& s) { carry_out(s); }, step);
  }
  if (!steps.empty()) share_builders();
}

// Of a batch those that are next, so that they can still start from what others have found.
int BatchRunner::studies_ahead() const {
  if (!parts_.pool.builds_without_device()) return 0;
  const int most = parts_.pool.builder_count();
  return parts_.host.awaits_more() ? most : std::min(most, static_cast<int>(devices_.size()));
}

void BatchRunner::carry_out(const BatchPlan::Limit& step) {
  if (!running_[step.study]) return;
  standings_[step.study].limit = step.seconds;
  running_[step.study]->study->tuner().limit_time(step.seconds);
}

void BatchRunner::carry_out(const BatchPlan::Suffice& step) {
  if (!running_[step.study]) return;
  running_[step.study]->study->tuner().stop_exploring(
      "it had stopped gaining, and its time went to other studies");
}

// Enough for each, and a few more than can run at once, so that they go where they are needed.
void BatchRunner::share_builders() {
  int building = 0;
  for (const auto& running : running_) building += running && running->study->builds() ? 1 : 0;
  if (building == 0) return;
  const int all = parts_.pool.builder_count();
  most_builders_ = std::clamp((2 * all + building - 1) / building, 1, std::max(all, 1));
  for (const auto& running : running_) {
    if (!running || !running->study->builds()) continue;
    running->builders = std::clamp(running->builders, 1, most_builders_);
    parts_.pool.set_builders(running->study->place(), running->builders);
  }
}

// Processes cost this one some 15 ms each, in which no device is given anything: none is started
// for a study that has nothing for it.
void BatchRunner::add_builders() {
  for (const auto& running : running_) {
    if (!running || !running->study->builds()) continue;
    const std::size_t wanted = running->study->tuner().runner().to_build();
    const int usable = static_cast<int>(std::min(wanted, static_cast<std::size_t>(most_builders_)));
    if (usable <= running->builders) continue;
    running->builders = usable;
    parts_.pool.set_builders(running->study->place(), usable);
  }
}

// --- Turns ---

// On a device that two share, whoever has not measured for longest goes first.
std::vector<std::size_t> BatchRunner::in_order() {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    order.push_back(s);
    const auto* open = running_[s]->study->tuner().plan().state().confirmations().open().current();
    const std::uint64_t id = open == nullptr ? 0 : open->id().value;
    if (id != 0 && id != running_[s]->confirmation) running_[s]->opened = ++confirmations_;
    running_[s]->confirmation = id;
  }
  const auto rank = [this](std::size_t s) {
    const Running& r = *running_[s];
    const bool confirms = r.confirmation != 0;
    const std::uint64_t turn = shares_device(s) ? r.measured : 0;
    const std::size_t ready = r.study->tuner().runner().ready();
    return std::tuple(!confirms, !has_device(s), confirms ? r.opened : turn, ready, s);
  };
  std::ranges::sort(order, {}, rank);
  return order;
}

void BatchRunner::give_turns() {
  for (const std::size_t study : in_order()) turn(study);
  add_builders();
}

// The runs of a study that stopped in good order are none that died.
void BatchRunner::interrupt(std::size_t study, std::string reason) {
  try {
    running_[study]->study->tuner().interrupt(reason);
  } catch (const JournalError& error) {
    reason += std::string("\n") + error.what();
  }
  end(study, {BatchStudyEnd::Kind::kInterrupted, reason});
}

// What is wrong with one study ends that study alone.
void BatchRunner::guarded(std::size_t study, const std::function<void()>& action) {
  std::string failure;
  try {
    return action();
  } catch (const StudyError& error) {
    failure = error.what();
  } catch (const NoRoomError& error) {
    return interrupt(study, error.what());
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
    tuner.others_had(standings_[study].shared);
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

void BatchRunner::end(std::size_t study, const BatchStudyEnd& how) {
  redivide_ = true;
  if (running_[study]) tell_made_up(study, true);
  using Kind = BatchStudyEnd::Kind;
  using Loss = StudyStanding::Loss;
  standings_[study].state = how.kind == Kind::kPaused   ? State::kPaused
                            : how.kind == Kind::kPutOff ? State::kWaiting
                                                        : State::kEnded;
  standings_[study].loss = how.kind == Kind::kFailed        ? Loss::kFailed
                           : how.kind == Kind::kNotBegun    ? Loss::kNotBegun
                           : how.kind == Kind::kInterrupted ? Loss::kCutOff
                                                            : Loss::kNone;
  outcome_.ends[study] = how.kind == Kind::kPutOff ? std::nullopt : std::optional(how);
  for (DeviceStanding& device : devices_) {
    if (std::erase(device.owners, study) > 0 && device.owners.empty()) device.leaving = false;
  }
  if (const auto running = std::exchange(running_[study], nullptr); running && running->study) {
    parts_.pool.dismiss(running->study->place());
  }
  BatchStudyEnd told = how;
  told.is_alone = how.kind == Kind::kInterrupted && !stopping_ && parts_.host.lost().empty();
  parts_.host.ended(study, told);
}

// --- What happens ---

void BatchRunner::fold(const SharedEvent& event) {
  if (event.study) {
    for (std::size_t s = 0; s < running_.size(); ++s) {
      if (!running_[s] || running_[s]->study->place() != *event.study) continue;
      const auto* ended = std::get_if<JobEnded>(&event.event);
      if (ended != nullptr && ended->device) running_[s]->measured = ++evaluations_;
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

}  // namespace nightshift::scheduler
