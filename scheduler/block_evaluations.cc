#include "scheduler/block_evaluations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/rng.h"

namespace nightshift::scheduler {
namespace {

std::string flaw_of_block(const std::vector<EvaluationResult>& results) {
  for (std::size_t i = 1; i < results.size(); ++i) {
    std::string flaw = flaw_of_pair(results[i - 1], results[i]);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

}  // namespace

BlockEvaluations::BlockEvaluations(Parts parts)
    : parts_(std::move(parts)), figures_(parts_.problem, parts_.names) {
  for (const Device& device : parts_.devices) lanes_.emplace_back().key = device.key();
}

int BlockEvaluations::under_way() const {
  return static_cast<int>(std::ranges::count_if(lanes_, [](const Lane& lane) {
    return !lane.out && lane.results.size() < lane.order.size();
  }));
}

void BlockEvaluations::begin_block(Lane& lane, DeviceIndex device) {
  std::vector<std::size_t> others(parts_.names.size() - 1);
  std::iota(others.begin(), others.end(), std::size_t{1});
  const auto number = static_cast<std::uint64_t>(lane.begun) * 4096 + device;
  base::Rng(base::mix_seed(parts_.seed, number)).shuffle(others);
  lane.order.assign(1, 0);
  lane.order.insert(lane.order.end(), others.begin(), others.end());
  lane.order.push_back(0);
  lane.results.clear();
  ++lane.begun;
}

std::optional<PlannedEvaluation> BlockEvaluations::next(DeviceIndex device) {
  Lane& lane = lanes_[device];
  const bool is_between = lane.results.size() == lane.order.size();
  const int wanted = parts_.blocks - static_cast<int>(blocks_.size());
  if (lane.out || (is_between && under_way() >= wanted)) return std::nullopt;
  if (is_between && parts_.is_late && parts_.is_late()) return std::nullopt;
  if (lane.warm < figures_.evaluated()) return PlannedEvaluation{lane.warm, false};
  if (is_between) begin_block(lane, device);
  lane.evaluating = true;
  return PlannedEvaluation{lane.order[lane.results.size()], lane.results.empty()};
}

void BlockEvaluations::ended(DeviceIndex device, const PlannedEvaluation& evaluation,
                             const TrialEnd& end) {
  Lane& lane = lanes_[device];
  const search::Figures figures = figures_.of(evaluation.contender, lane.key, end);
  if (!std::exchange(lane.evaluating, false)) {
    if (evaluation.contender + 1 == figures_.evaluated()) lane.reference = figures;
    ++lane.warm;
    return;
  }
  lane.results.push_back(figures_.result(figures, lane.reference, end));
  if (lane.results.size() == lane.order.size()) settle(lane);
}

void BlockEvaluations::settle(Lane& lane) {
  const std::string flaw = flaw_of_block(lane.results);
  if (!flaw.empty()) {
    ++lane.voided;
    lane.out = too_many_void(lane.voided, lane.begun);
    if (lane.out) {
      trouble_ = fmt::format("{} of {} blocks do not count on {}, the last because {}", lane.voided,
                             lane.begun, lane.key, flaw);
    }
    return;
  }
  const double first = std::log(*lane.results.front().cost);
  const double last = std::log(*lane.results.back().cost);
  MeasuredBlock block{lane.key, std::vector<double>(parts_.names.size())};
  const auto steps = static_cast<double>(lane.order.size() - 1);
  for (std::size_t i = 1; i + 1 < lane.order.size(); ++i) {
    const double there = first + (last - first) * static_cast<double>(i) / steps;
    block.effects[lane.order[i]] = std::log(*lane.results[i].cost) - there;
  }
  blocks_.push_back(std::move(block));
  if (parts_.done) parts_.done(blocks_.back());
}

void BlockEvaluations::lost(DeviceIndex device, const std::string& reason) {
  lanes_[device].out = true;
  trouble_ = lanes_[device].key + " was lost: " + reason;
}

}  // namespace nightshift::scheduler
