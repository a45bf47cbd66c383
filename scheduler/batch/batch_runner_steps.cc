// What the plan of a batch says, carried out: a part of BatchRunner, as batch_lending.cc is.
#include <exception>
#include <utility>

#include "scheduler/batch/batch_runner.h"

namespace nightshift::scheduler {

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
