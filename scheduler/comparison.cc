#include "scheduler/comparison.h"

#include <fmt/format.h>

#include <utility>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

ConfirmationSetup setup_for(const std::vector<Device>& devices) {
  ConfirmationSetup setup;
  setup.id = {1};
  setup.purpose = Purpose::kComparison;
  setup.candidate = {1};  // any trial: only that the opponent is none keeps a third arm out
  for (const Device& device : devices) setup.devices.push_back(device.key());
  return setup;
}

}  // namespace

bool Comparison::needs_reference(const search::Problem& problem) {
  const search::Scoring scoring(problem);
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    if (scoring.exponent(i) > 0 && scoring.is_change(i)) return true;
  }
  return false;
}

Comparison::Comparison(const search::Problem& problem, const std::vector<Device>& devices,
                       std::array<std::string, 2> names, std::uint64_t seed)
    : scoring_(problem),
      names_(std::move(names)),
      contenders_(needs_reference(problem) ? 3 : 2),
      confirmation_(setup_for(devices), problem.acceptance, seed) {
  for (const Device& device : devices) lanes_.push_back({device.key(), 0, {}, {}});
}

std::optional<PlannedEvaluation> Comparison::next(DeviceIndex device) {
  Lane& lane = lanes_[device];
  if (confirmation_.verdict() != nullptr) return std::nullopt;
  if (lane.warm < contenders_) return PlannedEvaluation{lane.warm, false};
  lane.evaluation = confirmation_.next(lane.key);
  if (!lane.evaluation) return std::nullopt;
  confirmation_.started(*lane.evaluation);
  return PlannedEvaluation{lane.evaluation->arm == Arm::kCandidate ? kSecond : kFirst,
                           lane.evaluation->fresh_process};
}

void Comparison::ended(DeviceIndex device, const PlannedEvaluation& evaluation,
                       const TrialEnd& end) {
  Lane& lane = lanes_[device];
  const std::string& name = evaluation.contender < names_.size() ? names_[evaluation.contender]
                                                                 : std::string("the baseline");
  const auto* measured = std::get_if<search::Measured>(&end.report.outcome);
  if (measured == nullptr) {
    throw ContenderFailed(
        fmt::format("{} failed on {}: {}", name, lane.key, search::describe(end.report.outcome)),
        evaluation.contender, end.report.outcome);
  }
  const search::Figures figures = scoring_.figures_of(measured->measurement).value();
  const std::string beyond = scoring_.beyond_limits(figures);
  if (!beyond.empty() && evaluation.contender != kReference) {
    throw StudyError(fmt::format("{} {} on {}", name, beyond, lane.key));
  }
  if (!lane.evaluation) {  // a warm-up
    if (evaluation.contender + 1 == contenders_) lane.reference = figures;
    ++lane.warm;
    return;
  }
  const Evaluation counted = *std::exchange(lane.evaluation, std::nullopt);
  EvaluationResult result;
  result.cost = scoring_.cost(figures, lane.reference);
  result.tail = scoring_.tail_cost(measured->measurement);
  result.disturbance = measured->measurement.disturbance;
  result.started = end.last_started;
  result.finished = end.finished;
  records_.push_back({device, counted.round, evaluation.contender, end.fresh_process, figures,
                      result.disturbance, end.last_started, end.finished});
  confirmation_.finished(counted, result);
}

void Comparison::lost(DeviceIndex device, const std::string&) {
  confirmation_.drop(lanes_[device].key);
}

}  // namespace nightshift::scheduler
