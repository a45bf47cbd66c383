// What the plan of a batch says, carried out: a part of BatchRunner, as batch_lending.cc is.
#include <algorithm>
#include <exception>
#include <utility>

#include "scheduler/batch/batch_runner.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {
constexpr double kToldShare = 0.02;  // of a budget
}

using State = StudyStanding::State;

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
  running->told_made_up = standings_[step.study].made_up;
  Tuner& tuner = running->study->tuner();
  running_[step.study] = std::move(running);
  standings_[step.study].state = State::kRunning;
  parts_.host.began(step.study, step.devices);
  redivide_ = true;
  standings_[step.study].building = step.devices.empty();
  if (step.devices.empty()) tuner.build_ahead();
  guarded(step.study, [&] { tuner.begin(); });
  if (!running_[step.study]) return;
  // Before its first turn: with its own budget alone it would end there.
  if (standings_[step.study].made_up > 0 && terms_[step.study].budget_seconds > 0) {
    carry_out(BatchPlan::Limit{step.study, budget_of(terms_[step.study], standings_[step.study])});
  }
  for (DeviceIndex d = 0; d < devices_.size() && running_[step.study]; ++d) bar(step.study, d);
  if (!running_[step.study]) return;
  for (const DeviceIndex d : step.devices) own(step.study, d);
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

// Each study's own end is written as far as it can be: where all has been moved it goes on there.
void BatchRunner::see_whether_lost() {
  if (stopping_) return;
  outcome_.lost = parts_.host.lost();
  if (outcome_.lost.empty()) return;
  stopping_ = true;
  for (std::size_t s = 0; s < running_.size(); ++s) {
    if (!running_[s]) continue;
    try {
      running_[s]->study->tuner().interrupt(outcome_.lost);
    } catch (const JournalError&) {
      // It is gone as well.
    }
    end(s, {BatchStudyEnd::Kind::kInterrupted, outcome_.lost});
  }
}

// Now and then, and once it has ended: a run that is killed loses little of it.
void BatchRunner::tell_made_up(std::size_t study, bool has_ended) {
  const double seconds = standings_[study].made_up;
  const double news = seconds - running_[study]->told_made_up;
  const double least = std::max(1.0, kToldShare * terms_[study].budget_seconds);
  if (news <= 0 || (news < least && !has_ended)) return;
  running_[study]->told_made_up = seconds;
  parts_.host.made_up(study, seconds);
}

void BatchRunner::carry_out(const BatchPlan::GiveUp& step) {
  using Kind = BatchStudyEnd::Kind;
  standings_[step.study].out_of_time = step.out_of_time;
  const Kind unfinished = standings_[step.study].put_off ? Kind::kInterrupted : Kind::kNotBegun;
  end(step.study, {step.failed ? Kind::kFailed : unfinished, step.reason});
}

void BatchRunner::carry_out(const BatchPlan::PutOff& step) {
  standings_[step.study].put_off = true;
  stop(step.study, {BatchStudyEnd::Kind::kPutOff, step.reason});
}

void BatchRunner::carry_out(const BatchPlan::Leave& step) {
  if (left_ == step.studies) return;
  left_ = step.studies;
  parts_.host.left(left_, step.whole_seconds);
}

}  // namespace nightshift::scheduler
