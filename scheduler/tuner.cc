#include "scheduler/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "scheduler/errors.h"
#include "scheduler/study/tuner_impl.h"

namespace nightshift::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kTickInterval = 100ms;  // of the observer
constexpr auto kStatusInterval = 2s;   // of the journal's note on how long the run has lasted

}  // namespace

Tuner::Tuner(const TunerParts& parts) : impl_(std::make_unique<Impl>(parts)) {}
Tuner::~Tuner() = default;
void Tuner::resume(const History& history) { impl_->resume(history); }
StudyEnd Tuner::run() { return impl_->run(); }

Tuner::Impl::Impl(const TunerParts& parts)
    : parts_(parts),
      state_(parts.problem, parts.space, parts.searcher),
      care_(parts.problem.scheduling, parts.problem.target),
      builds_needed_(search::needs_build(parts.problem)),
      recorded_(search::is_recorded(parts.problem)) {
  announce();
}

void Tuner::Impl::announce() {
  auto& shown = state_.status().devices;
  const std::vector<Device>& devices = parts_.pool.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (i >= shown.size()) shown.push_back({devices[i], {}, {}, {}, {}, 0});
  }
}

void Tuner::Impl::replay_ask(search::ConfigurationIndex journaled) {
  if (!searcher_follows_) return;
  const auto proposed = parts_.searcher.ask(1);
  searcher_follows_ = proposed.size() == 1 && proposed.front() == journaled;
  if (!searcher_follows_) unplaced_ = proposed;
  if (!searcher_follows_) {
    remark("searcher",
           "the searcher proposes other configurations than in the earlier run (another "
           "version or searcher); it goes on from what was measured");
  }
}

// The journal's configuration is what counts: another version may number the space differently.
ProposedTrial Tuner::Impl::placed(ProposedTrial trial) const {
  if (!trial.index) return trial;
  const search::ParameterSpace& space = parts_.space;
  const bool as_journaled =
      space.contains(*trial.index) && space.configuration(*trial.index) == trial.configuration;
  if (!as_journaled) trial.index = space.index_of(trial.configuration);
  if (!trial.index) {
    throw StudyError(
        fmt::format("trial {} of the journal has a configuration that is not in the "
                    "space any more; start a new study",
                    trial.id.value));
  }
  return trial;
}

void Tuner::Impl::resume(const History& history) {
  earlier_seconds_ = history.run_seconds;
  for (const HistoryEvent& event : history.events) {
    if (const auto* p = std::get_if<ProposedEvent>(&event)) {
      const ProposedTrial trial = placed(history.trials[p->trial].proposed);
      if (trial.index && trial.job == search::JobKind::kExplore) replay_ask(*trial.index);
      state_.proposed(trial);
    } else if (const auto* f = std::get_if<FinishedEvent>(&event)) {
      const TrialRecord& record = history.trials[f->trial];
      state_.finished(placed(record.proposed), *record.finished);
      for (DeviceStatus& d : state_.status().devices) {
        if (d.device.key() == record.finished->device) ++d.trials;
      }
    } else if (const auto* o = std::get_if<OpenedEvent>(&event)) {
      state_.opened(history.confirmations[o->confirmation], history.run_seconds);
    } else {
      state_.concluded(history.verdicts[std::get<VerdictEvent>(event).verdict]);
    }
  }
  for (DeviceStatus& d : state_.status().devices) {
    d.baseline = state_.baselines().value(d.device.key());
  }
  for (const TrialRecord& record : history.trials) {
    if (!record.finished) unfinished_.push_back(placed(record.proposed));
  }
}

void Tuner::Impl::requeue_unfinished() {
  if (Confirmation* confirmation = state_.confirmations().current()) {
    std::vector<std::string> present;
    for (const Device& d : parts_.pool.devices()) present.push_back(d.key());
    confirmation->keep(present);
  }
  for (ProposedTrial& trial : unfinished_) {
    const bool is_baseline =
        trial.job == search::JobKind::kBaseline || trial.job == search::JobKind::kRebaseline;
    const auto& devices = parts_.pool.devices();
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const Device& d) { return d.key() == trial.device; });
    const search::TrialId id = trial.id;
    const std::string key = trial.device;
    live_[id].proposed = std::move(trial);
    if (!key.empty() && device == devices.end()) {
      finish(id, {search::DeviceLost{key + " does not take part in this run"}, {}}, key);
      continue;
    }
    if (is_baseline) care_.baseline_started(static_cast<DeviceIndex>(device - devices.begin()));
    prepare(id);
  }
  unfinished_.clear();
}

StudyEnd Tuner::Impl::run() {
  began_ = last_tick_ = last_status_ = parts_.clock.now();
  for (const Device& device : parts_.pool.devices()) {
    care_.add(state_.baselines().has(device.key()));
  }
  try {
    parts_.journal.status("running", "", run_seconds());
    requeue_unfinished();
    const StudyEnd end = loop();
    parts_.journal.status(end.interrupted ? "interrupted" : "completed", end.reason, run_seconds());
    parts_.journal.commit_durably();
    parts_.observer.tick(state_.status());
    return end;
  } catch (const StudyError& error) {
    parts_.journal.status("failed", error.what(), run_seconds());
    parts_.journal.commit_durably();
    throw;
  }
}

StudyEnd Tuner::Impl::loop() {
  while (true) {
    fill();  // start all that fits,
    parts_.journal.end_turn();
    if (finished()) break;
    publish();
    handle(parts_.pool.wait(next_deadline()));  // wait for one, fold it in
  }
  return {interrupts_ > 0, why_finished()};
}

bool Tuner::Impl::finished() {
  if (interrupts_ > 1) return true;
  if (interrupts_ == 1) return measuring_ == 0 || parts_.clock.now() >= grace_end_;
  return live_.empty() && state_.confirmations().current() == nullptr;
}

std::string Tuner::Impl::why_finished() const {
  if (interrupts_ > 0) return "stopped by a signal";
  const search::Budget& budget = parts_.problem.budget;
  std::string reason = exhausted(budget, state_.usage(elapsed()));
  if (!reason.empty()) return reason;
  if (state_.status().evaluations >= parts_.space.size()) {
    return fmt::format("all {} configurations of the space were evaluated", parts_.space.size());
  }
  // Exploration may have ended early for the final duels and the hold-out, which took less time
  // than was kept for them.
  if (!searcher_exhausted_) reason = exhausted(budget, usage_with_final_evaluations());
  return reason.empty() ? "the searcher has nothing more to propose" : reason;
}

double Tuner::Impl::run_seconds() const {
  return std::chrono::duration<double>(parts_.clock.now() - began_).count();
}

double Tuner::Impl::elapsed() const { return earlier_seconds_ + run_seconds(); }

Clock::TimePoint Tuner::Impl::next_deadline() const {
  const Clock::TimePoint tick = last_tick_ + kTickInterval;
  return interrupts_ > 0 ? std::min(tick, grace_end_) : tick;
}

void Tuner::Impl::publish() {
  const Clock::TimePoint now = parts_.clock.now();
  if (now - last_tick_ < kTickInterval) return;
  last_tick_ = now;
  StudyStatus& status = state_.status();
  status.elapsed = elapsed();
  status.budget_used = used_share(parts_.problem.budget, state_.usage(status.elapsed));
  status.building = builds_.running();
  status.measuring = measuring_;
  status.ready = queue_.size();
  if (interrupts_ > 0) {
    status.activity = "stopping";
  } else if (const Confirmation* c = state_.confirmations().current()) {
    status.activity = fmt::format("{}{}: {} of {} pairs", name_of(c->setup().purpose),
                                  c->setup().candidate.value == 0
                                      ? std::string()
                                      : fmt::format(" of trial {}", c->setup().candidate.value),
                                  c->measured(), c->planned());
  } else {
    status.activity = care_.any_ready() ? "exploring" : "measuring the baseline";
  }
  parts_.observer.tick(status);
  if (now - last_status_ >= kStatusInterval) {
    last_status_ = now;
    parts_.journal.status("running", "", run_seconds());
  }
}

void Tuner::Impl::remark(const std::string& what, const std::string& text) {
  parts_.journal.remark(what, text, parts_.clock.unix_seconds());
  parts_.observer.remark(text, state_.status());
}

}  // namespace nightshift::scheduler
