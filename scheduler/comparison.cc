#include "scheduler/comparison.h"

#include <algorithm>
#include <utility>

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

Comparison::Comparison(const search::Problem& problem, const std::vector<Device>& devices,
                       std::array<std::string, 2> names, std::uint64_t seed)
    : figures_(problem, {names.begin(), names.end()}),
      confirmation_(setup_for(devices), problem.acceptance, seed) {
  for (const Device& device : devices) lanes_.push_back({device.key(), 0, {}, {}});
}

void Comparison::built(const std::vector<std::string>& artifacts) {
  same_code_ = artifacts.size() > kSecond && !artifacts[kFirst].empty() &&
               artifacts[kFirst] == artifacts[kSecond];
}

std::optional<PlannedEvaluation> Comparison::next(DeviceIndex device) {
  Lane& lane = lanes_[device];
  if (confirmation_.verdict() != nullptr) return std::nullopt;
  if (lane.warm < warm_ups()) return PlannedEvaluation{lane.warm, false};
  if (same_code_) return std::nullopt;
  lane.evaluation = confirmation_.next(lane.key);
  if (!lane.evaluation) return std::nullopt;
  confirmation_.started(*lane.evaluation);
  return PlannedEvaluation{lane.evaluation->arm == Arm::kCandidate ? kSecond : kFirst,
                           lane.evaluation->fresh_process};
}

void Comparison::ended(DeviceIndex device, const PlannedEvaluation& evaluation,
                       const TrialEnd& end) {
  Lane& lane = lanes_[device];
  const search::Figures figures = figures_.of(evaluation.contender, lane.key, end);
  if (!lane.evaluation) {  // a warm-up
    if (evaluation.contender + 1 == figures_.evaluated()) lane.reference = figures;
    ++lane.warm;
    const bool all =
        std::ranges::all_of(lanes_, [this](const Lane& l) { return l.warm >= warm_ups(); });
    if (same_code_ && all) confirmation_.end_as_same_code();
    return;
  }
  const Evaluation counted = *std::exchange(lane.evaluation, std::nullopt);
  const EvaluationResult result = figures_.result(figures, lane.reference, end);
  records_.push_back({device, counted.round, evaluation.contender, end.fresh_process, figures,
                      result.disturbance, end.last_started, end.finished});
  confirmation_.finished(counted, result);
}

void Comparison::lost(DeviceIndex device, const std::string&) {
  confirmation_.drop(lanes_[device].key);
}

}  // namespace nightshift::scheduler
