// What happens to a study: the part of Tuner that folds events.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "ipc/stop_signals.h"
#include "scheduler/errors.h"
#include "scheduler/seconds.h"
#include "scheduler/trials/build_complaint.h"
#include "scheduler/trials/tolerance_advice.h"
#include "scheduler/tuner.h"

namespace nightshift::scheduler {

using search::JobKind;

namespace {

std::string lacking(const DeviceCare::Lack& lack) {
  return lack.reason +
         "\nMore is needed of what `ulimit -a`, its control group or the machine limits: then the "
         "same command goes on; nothing is held against a configuration for it";
}

}  // namespace

void Tuner::fold(PoolEvent event) {
  stop_.put(std::move(event));
  take_events();
}

void Tuner::take_events() {
  while (const auto event = stop_.next()) {
    std::visit([this](const auto& e) { on(e); }, *event);
  }
}

void Tuner::on(const JobEnded& ended) {
  if (ended.device) board_.ended(*ended.device);
  if (ended.device && !ended.not_begun) plan_.care().lacks_nothing(*ended.device);
  look_at_sources();
  runner_.ended(ended);
  if (ended.device) {
    if (const auto* trial = runner_.at_work(*ended.device)) board_.started(*trial, *ended.device);
  }
  fold_ends();
  if (runner_.failed_build()) {
    throw StudyError(build_complaint(parts_.problem, *runner_.failed_build()));
  }
}

void Tuner::fold_ends() {
  for (auto ends = runner_.take_ends(); !ends.empty(); ends = runner_.take_ends()) {
    for (TrialEnd& end : ends) fold_end(std::move(end));
  }
}

void Tuner::fold_end(TrialEnd end) {
  const ProposedTrial trial = end.trial;
  const std::optional<DeviceIndex> device = end.device;
  const bool is_first_of_process = end.fresh_process;
  const bool was_measured = std::holds_alternative<search::Measured>(end.report.outcome);
  const FinishedTrial result = plan_.judged(std::move(end));
  parts_.journal.finish(result);
  happened(TrialFinished{trial, result});
  // Those of finishing rounds are few, and are confirmed next.
  const bool explored = trial.job == JobKind::kExplore && !is_of_finishing(trial);
  if (explored && !plan_.needs_artifact(trial.id)) {
    runner_.forget(trial.index);
  }
  parts_.observer.trial_finished(trial, result, board_.status());
  const bool has_failed = search::is_failure(result.report.outcome);
  // It left processes running: the only failure of what was measured.
  if (was_measured && has_failed && !std::exchange(told_left_running_, true)) {
    remark(std::string(kNoticeRemark),
           fmt::format("trial {}{}{}", result.id.value, kEachLikeItFails,
                       search::describe(result.report.outcome)));
  }
  if (trial.job == JobKind::kExplore && has_failed) {
    remark_common_failure();
  }
  for (const std::string& observed : board_.take_observations()) {
    parts_.observer.remark(observed, board_.status());
  }
  if (device) evaluated(trial, result, *device, is_first_of_process);
}

// The study goes on: in a space of which most does not build, the first ones may all fail, and the
// searcher learns from them where the others are. Not for ever, where they all fail alike.
void Tuner::remark_common_failure() {
  const std::string words = board_.common_failure().remark();
  if (!words.empty()) remark("common failure", words);
  const bool is_hopeless = board_.common_failure().is_hopeless(failed_before_);
  if (!is_hopeless || plan_.exploration().was_stopped()) return;
  stop_exploring(fmt::format("none of the first {} configurations builds, all for one reason",
                             board_.common_failure().failed()));
}

void Tuner::evaluated(const ProposedTrial& trial, const FinishedTrial& result, DeviceIndex device,
                      bool is_first_of_process) {
  const std::string key = key_of(device);
  keep_parts(device);
  const bool drifted =
      plan_.evaluated(trial, result, device, is_first_of_process, parts_.clock.now());
  if (search::is_baseline(trial.job) && search::is_failure(result.report.outcome) &&
      !search::ran_out_of_budget(result.report.outcome)) {
    quarantine(device, fmt::format("the baseline failed on {}: {}{}", key,
                                   search::describe(result.report.outcome),
                                   tolerance_advice(parts_.problem, result.report.outcome)));
  }
  const Baselines& baselines = plan_.state().baselines();
  const auto level = baselines.value(key);
  if (level) levels_.begins_at(key, *level);
  if (!drifted || !level || !levels_.is_news(key, *level)) return;
  remark(
      "drift",
      fmt::format("the baseline on {} seems to have moved to {:.4g} {}: it is measured again, and "
                  "scores between the two are interpolated",
                  key, *level, baselines.scoring().primary().unit));
}

// What was measured with something else is not measured again here: who takes up a study looks
// before (tools/study/taken_study.h). This is of devices that come later, and of studies of a
// batch.
void Tuner::keep_parts(DeviceIndex device) {
  for (const StudyIdentity::News& news : identity_.take(device, parts_.pool.devices()[device])) {
    for (const std::string& change : news.changes) remark(std::string(kNoticeRemark), change);
    parts_.journal.remark(kIdentityRemark, identity_remark(news.part), parts_.clock.unix_seconds());
  }
}

void Tuner::quarantine(DeviceIndex device, const std::string& reason) {
  if (!plan_.care().in_service(device)) return;
  parts_.pool.retire(device, reason);
  board_.quarantined(device);
  quarantine_reasons_.push_back(reason);
  remark(std::string(kQuarantineRemark), reason);
  plan_.lose_device(device);
  runner_.withdraw(device, reason);
  fold_ends();
  if (plan_.care().in_service() > 0) return;
  throw StudyError(fmt::format("{}; no device is left", fmt::join(quarantine_reasons_, ";\n")));
}

void Tuner::fail_without_devices(const std::string& what) const {
  throw StudyError(fmt::format("{}:\n  {}", what, fmt::join(quarantine_reasons_, ";\n  ")));
}

// Settings ask for more devices than are there, or left.
// The budget of time ends a study that has no process too, also before its clock has started.
void Tuner::check_devices() const {
  if (stop_.stopping() || parts_.pool.may_grow()) return;
  const double limit = plan_.exploration().budget().seconds;
  const auto lack = plan_.care().lack_of_all();
  const bool is_up = lack && limit > 0 && parts_.clock.now() - lack->since >= seconds(limit);
  if (is_up && !runner_.is_evaluating()) throw NoRoomError(lacking(*lack));
  const std::string why = plan_.why_never();
  if (why.empty()) return;
  if (!quarantine_reasons_.empty()) fail_without_devices(why);
  throw StudyError(why);
}

// Before what has just ended is folded in.
void Tuner::look_at_sources() {
  if (const std::string why = sources_.disturbance(); !why.empty()) runner_.disturb(why);
  if (const auto news = sources_.take_news()) remark(std::string(kNoticeRemark), *news);
}

bool Tuner::sources_are_over() const {
  const double limit = plan_.exploration().budget().seconds;
  return sources_.is_over(plan_.winds_up() || (limit > 0 && clock_.elapsed() >= limit));
}

void Tuner::on(const Notice& notice) {
  remark(std::string(kNoticeRemark), notice.text);
  if (notice.lacks) plan_.care().lacks(*notice.lacks, {notice.text, parts_.clock.now()});
}

void Tuner::on(const DeviceFailed& failed) {
  look_at_sources();
  if (const auto lack = plan_.care().lack_of_all()) throw NoRoomError(lacking(*lack));
  // No evaluator can be started with what is there.
  if (sources_.holds()) return sources_.give_up();
  quarantine(failed.device,
             fmt::format("{} cannot be used: {}", key_of(failed.device), failed.reason));
}

void Tuner::on(const DeviceJoined& joined) {
  while (keys_.size() <= joined.device) {
    const Device& device = parts_.pool.devices()[keys_.size()];
    keys_.push_back(device.key());
    plan_.add_device(keys_.back(), device.kind());
    board_.add_device(device);
  }
}

void Tuner::on(const DeviceAway& away) {
  if (!plan_.care().in_service(away.device)) return;
  plan_.device_away(away.device);
  runner_.recall(away.device, away.reason);
  fold_ends();
}

void Tuner::on(const Interrupted&) {
  if (stop_.requests() != 1) return;
  look_ahead();
  remark("interrupt",
         fmt::format("stopping after {}: measurements in flight have {:g} s to end; another signal "
                     "stops at once",
                     stop_signal(), stop_.grace().count()));
}

void Tuner::on(const WindUp&) {
  if (stop_.stopping() || plan_.winds_up()) return;
  plan_.wind_up(clock_.elapsed(), parts_.stop_times.wind_up);
  remark("interrupt",
         fmt::format("{}: nothing more is explored; duels and the hold-out have "
                     "{:g} s",
                     search::signal_name(ipc::kWindUpSignal), parts_.stop_times.wind_up));
}

}  // namespace nightshift::scheduler
