#include "tools/batch/batch_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_terms_text.h"
#include "tools/slurm/job_script.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchStudyState;
using scheduler::DeviceStatus;
using scheduler::LeaseKind;
using scheduler::StudyStatus;

constexpr double kWriteInterval = 1;  // seconds
constexpr double kAskInterval = 0.1;

scheduler::BatchProgressRow row_of(const StudyStatus& status, double at) {
  scheduler::BatchProgressRow row;
  row.trials = status.evaluations;
  row.measured = status.measured;
  row.failed = status.evaluations - std::min(status.evaluations, status.measured + status.skipped);
  row.accepted = status.accepted;
  row.activity = status.activity;
  row.best = status.best_ratio;
  row.incumbent = status.incumbent_ratio;
  row.elapsed = status.elapsed;
  row.limit = status.seconds_limit;
  row.budget_used = status.budget_used;
  row.at = at;
  return row;
}

bool has_ended(BatchStudyState state) {
  return state != BatchStudyState::kWaiting && state != BatchStudyState::kRunning;
}

}  // namespace

BatchLog::BatchLog(const std::string& folder, const std::string& name,
                   const scheduler::Clock& clock)
    : clock_(clock),
      journal_(folder, name),
      earlier_(scheduler::load_batch(folder)),
      began_(clock.unix_seconds()),
      over_nodes_(is_shard_folder(folder)) {}

template <class Action>
void BatchLog::write(Action action) {
  try {
    action();
  } catch (const scheduler::JournalError& error) {
    gap_ = true;
    if (std::exchange(said_, true)) return;
    const std::string line = fmt::format("[{:.0f} s] {}\n", seconds(), one_line(error.what()));
    if (silent_) {
      std::fputs(line.c_str(), stderr);  // standard output is somebody else's
    } else {
      print_page(line);
    }
  }
}

std::string BatchLog::device_name(const scheduler::Device& device) const {
  return over_nodes_ ? device.key() : device.uuid;
}

void BatchLog::begin(const std::vector<scheduler::BatchStudyTerms>& studies,
                     const std::vector<scheduler::Device>& devices,
                     const std::optional<scheduler::BatchDeadline>& deadline, bool over_nodes) {
  over_nodes_ = over_nodes_ || over_nodes;
  for (const scheduler::Device& device : devices) add_device(device);
  see_clock(began_);  // behind an earlier run's times
  deadline_ = deadline;
  const std::optional<double> until = deadline ? std::optional(deadline_at()) : std::nullopt;
  given_ = until ? *until - began_ : 0;
  write([&] {
    journal_.studies(studies);
    journal_.begin_run(began_, until);
  });
}

double BatchLog::deadline_at() const { return deadline_->at - (deadline_->is_of_day ? shift_ : 0); }

void BatchLog::add_device(const scheduler::Device& device) {
  const auto known =
      std::ranges::find(earlier_.devices, device_name(device), &scheduler::BatchDeviceRecord::uuid);
  devices_.push_back(device);
  busy_.push_back(0);
  busy_before_.push_back(known == earlier_.devices.end() ? 0 : known->busy_seconds);
}

std::string BatchLog::nodes() const {
  const auto& events = earlier_.events;
  const auto last = std::ranges::find(events.rbegin(), events.rend(), scheduler::kNodesEvent,
                                      &scheduler::BatchEventRecord::kind);
  return last == events.rend() ? "" : last->text;
}

void BatchLog::nodes(const std::string& list) {
  if (list == nodes()) return;
  write([&] { journal_.event({clock_.unix_seconds(), "", scheduler::kNodesEvent, list}); });
}

void BatchLog::made_up(const std::string& study, double seconds) {
  const std::string text = scheduler::shift_to_text(seconds);
  write([&] { journal_.event({clock_.unix_seconds(), study, scheduler::kMadeUpEvent, text}); });
}

void BatchLog::joined(const scheduler::Device& device) {
  add_device(device);
  event("", "joined", device_name(device) + " joins");
}

void BatchLog::studies(const std::vector<scheduler::BatchStudyTerms>& all) {
  write([&] { journal_.studies(all); });
}

void BatchLog::state(const std::string& study, BatchStudyState state, const std::string& reason,
                     const std::optional<scheduler::BatchClaim>& claim) {
  standings_[study] = {state, reason, claim};
  if (has_ended(state)) release(study);
  write([&] { journal_.state(study, state, reason, claim, clock_.unix_seconds()); });
}

void BatchLog::release(const std::string& study) {
  const auto held = leases_;
  for (const auto& [owner, device] : held) {
    if (owner == study) lease(study, device, LeaseKind::kNone);
  }
}

void BatchLog::lease(const std::string& study, const std::string& device, LeaseKind kind) {
  std::erase(leases_, std::pair(study, device));
  if (kind != LeaseKind::kNone) leases_.emplace_back(study, device);
  if (kind == LeaseKind::kNone && at_[device].study == study) at_[device] = {};
  write([&] { journal_.lease(study, device, kind, clock_.unix_seconds()); });
}

void BatchLog::say(const std::string& study, const std::string& line) {
  if (silent_) return;
  print_page(study.empty() ? fmt::format("[{:.0f} s] {}\n", seconds(), line)
                           : fmt::format("[{:.0f} s] {}: {}\n", seconds(), study, line));
}

void BatchLog::left(const std::vector<std::string>& studies, double whole_seconds, std::size_t of) {
  const scheduler::BatchShortage shortage{given_, whole_seconds, studies};
  if (studies.empty() == said_short_) {
    said_short_ = !studies.empty();
    say("", said_short_ ? shortage_text(shortage, of) : "the time serves all studies");
  }
  const std::string text = shortage_to_json(shortage);
  write([&] { journal_.event({clock_.unix_seconds(), "", scheduler::kShortageEvent, text}); });
}

void BatchLog::event(const std::string& study, const std::string& kind, const std::string& text) {
  const std::string line = one_line(text);
  say(study, line);
  write([&] { journal_.event({clock_.unix_seconds(), study, kind, line}); });
}

void BatchLog::progress(const std::string& study, const StudyStatus& status) {
  progress_[study] = row_of(status, clock_.unix_seconds());
  for (const DeviceStatus& d : status.devices) {
    At& at = at_[device_name(d.device)];
    if (d.state == DeviceStatus::State::kMeasuring) {
      at = {study, fmt::format("measuring trial {} ({})", d.trial.value, search::name_of(d.job))};
    } else if (at.study == study) {
      at = {};
    }
  }
}

void BatchLog::keep_up(const std::function<double(std::size_t device)>& busy) {
  const double now = clock_.unix_seconds();
  if (now - written_ < kWriteInterval) return;
  written_ = now;
  see_clock(now);
  write([&] {
    if (gap_) {
      for (const auto& [study, s] : standings_) {
        journal_.state(study, s.state, s.reason, s.claim, now);
      }
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) busy_[d] = busy(d);
    write_progress();
    journal_.commit();
    gap_ = said_ = false;
  });
}

// A deadline that was told as a time of the day comes sooner or later by it.
void BatchLog::see_clock(double at) {
  const double shift = scheduler::clock_shift(clock_);
  if (std::abs(shift - shift_) < scheduler::kLeastShift) return;
  shift_ = shift;
  const std::string text = scheduler::shift_to_text(shift);
  say("", shift_text(text));
  write([&] {
    journal_.event({at, "", scheduler::kClockEvent, text});
    if (deadline_ && deadline_->is_of_day) journal_.deadline(deadline_at());
  });
}

void BatchLog::write_progress() {
  for (const auto& [study, row] : progress_) journal_.progress(study, row);
  progress_.clear();
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const std::string name = device_name(devices_[d]);
    const At& at = at_[name];
    journal_.device({name, devices_[d].name, at.study, at.activity, busy_before_[d] + busy_[d]});
  }
}

std::string BatchLog::lost() {
  try {
    journal_.expect_in_place();
  } catch (const scheduler::JournalError& error) {
    return error.what();
  }
  return "";
}

std::vector<scheduler::BatchRequest> BatchLog::requests() {
  const double now = clock_.unix_seconds();
  if (now - asked_ < kAskInterval) return {};
  asked_ = now;
  write([&] { journal_.commit(); });  // nobody is kept from asking for long
  std::vector<scheduler::BatchRequest> requests;
  write([&] { requests = journal_.requests(); });
  return requests;
}

void BatchLog::answer(const scheduler::BatchRequest& request, const std::string& text) {
  write([&] {
    journal_.answer(request.number, text, clock_.unix_seconds());
    journal_.commit();
  });
}

void BatchLog::end(const std::string& status, const std::string& reason) {
  see_clock(clock_.unix_seconds());
  at_.clear();
  write([&] { write_progress(); });
  write([&] { journal_.end_run(status, reason, clock_.unix_seconds()); });
}

}  // namespace nightshift::tools
