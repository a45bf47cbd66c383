#include "scheduler/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "base/rng.h"
#include "scheduler/confirmation/evaluation_start.h"
#include "search/acceptance/duel_statistics.h"
#include "search/figures/audit_condition.h"
#include "search/figures/told_unit.h"
#include "search/importance/one_code.h"
#include "search/scoring.h"

namespace nightshift::scheduler {
namespace {

std::vector<std::string> keys_of(const std::vector<Device>& devices) {
  std::vector<std::string> keys;
  for (const Device& device : devices) keys.push_back(device.key());
  return keys;
}

// Why a round does not count; empty where it does. Evaluations that stand next to each other in
// time are asked: the more contenders, the further apart the first and the last must be.
std::string flaw_of_round(const std::vector<EvaluationResult>& results) {
  for (std::size_t i = 1; i < results.size(); ++i) {
    std::string flaw = flaw_of_pair(results[i - 1], results[i]);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

void add_pair(search::DevicePairs& pairs, const EvaluationResult& first,
              const EvaluationResult& second) {
  pairs.effects.push_back(std::log(*first.cost / *second.cost));
  if (first.tail && second.tail && *first.tail > 0 && *second.tail > 0) {
    pairs.tails.push_back(std::log(*first.tail / *second.tail));
  }
}

}  // namespace

Ranking::Ranking(const search::Problem& problem, const std::vector<Device>& devices,
                 const std::vector<std::string>& names, std::uint64_t seed, std::size_t others)
    : settings_(search::judging(problem)),
      figures_(problem, names),
      contenders_(names.size()),
      seed_(seed),
      others_(others),
      rounds_of_block_(has_processes_for_each_pair(problem) ? 1 : Confirmation::kRoundsOfBlock),
      plan_(search::plan_ranking(static_cast<int>(devices.size()), settings_)),
      pairs_(search::pairs_among(names.size(), keys_of(devices))),
      left_(figures_.evaluated()),
      learned_(figures_.evaluated()),
      objectives_(problem.objectives),
      doubts_first_(std::holds_alternative<search::HostBackend>(problem.backend)) {
  for (const Device& device : devices) {
    lanes_.emplace_back();
    lanes_.back().key = device.key();
  }
  is_early_ = contenders_ == 2 && plan_.early > 0;
}

Ranking::Ranking(const search::Problem& problem, const std::vector<Device>& devices,
                 const std::vector<std::string>& names, std::uint64_t seed, Question question)
    : Ranking(problem, devices, names, seed) {
  plan_ = question.plan;
  question_ = std::move(question);
  is_early_ = false;
}

void Ranking::built(const std::vector<std::string>& artifacts) {
  same_code_ = contenders_ == 2 && artifacts.size() >= 2 && !artifacts[0].empty() &&
               artifacts[0] == artifacts[1];
}

std::vector<std::size_t> Ranking::contending() const {
  std::vector<std::size_t> left;
  for (std::size_t c = 0; c < contenders_; ++c) {
    const bool open = std::ranges::any_of(pairs_, [&](const search::RankedPair& p) {
      return !p.verdict && (p.first == c || p.second == c);
    });
    if (open) left.push_back(c);
  }
  return left;
}

std::size_t Ranking::rounds() const {
  std::size_t n = 0;
  for (const Lane& lane : lanes_) n += static_cast<std::size_t>(lane.valid);
  return n;
}

std::size_t Ranking::planned() const {
  return ended_ ? rounds() : lanes_.size() * static_cast<std::size_t>(plan_.pairs[look_]);
}

search::Verdict Ranking::verdict() const {
  if (undecided_.empty() && !same_code_) return *pairs_.front().verdict;
  search::Verdict verdict;
  if (undecided_.empty()) {
    verdict.acceptance = search::Reject{search::one_code_words("both")};
    verdict.interval = {1, 1};
  } else {
    verdict.acceptance = search::Undecided{undecided_};
    verdict.interval = {0, std::numeric_limits<double>::infinity()};
  }
  return verdict;
}

double Ranking::pair_sd() const {
  return std::sqrt(search::pooled_variance(pairs_.front().devices));
}

bool Ranking::begins_block(int round) const {
  return round % (is_early_ ? std::min(rounds_of_block_, Confirmation::kRoundsOfShortBlock)
                            : rounds_of_block_) ==
         0;
}

void Ranking::begin_round(Lane& lane) {
  const auto position = static_cast<std::uint64_t>(&lane - lanes_.data());
  lane.order = contending();
  lane.results.clear();
  base::Rng(base::mix_seed(seed_, static_cast<std::uint64_t>(lane.begun) * 4096 + position))
      .shuffle(lane.order);
  ++lane.begun;
}

std::optional<PlannedEvaluation> Ranking::next(DeviceIndex device) {
  Lane& lane = lanes_[device];
  if (ended_) return std::nullopt;
  // Nobody gains by being what the other is.
  const bool doubts = doubts_first_ && !same_code_;
  if (lane.warm < warm_ups()) return PlannedEvaluation{lane.warm, false, doubts};
  if (same_code_) return std::nullopt;
  if (lane.results.size() == lane.order.size()) {
    if (lane.valid >= target()) return std::nullopt;
    const std::string late = question_.why_late ? question_.why_late() : "";
    if (!late.empty()) abandon(late);
    if (ended_) return std::nullopt;
    begin_round(lane);
  }
  lane.evaluating = true;
  return PlannedEvaluation{lane.order[lane.results.size()], begins_block(lane.begun - 1)};
}

void Ranking::ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) {
  Lane& lane = lanes_[device];
  const search::Figures figures = figures_.of(evaluation.contender, lane.key, end);
  const auto& measurement = std::get<search::Measured>(end.report.outcome).measurement;
  left_[evaluation.contender].merge(search::left_running_in(measurement));
  double& learned = learned_[evaluation.contender];
  learned = std::max(learned, search::times_on_new_inputs(measurement));
  search::take_told_units(objectives_, measurement);
  if (!std::exchange(lane.evaluating, false)) {
    return warmed_up(lane, evaluation.contender, figures);
  }
  const EvaluationResult result = figures_.result(figures, lane.reference, end);
  records_.push_back({device, lane.begun - 1, evaluation.contender, end.fresh_process, figures,
                      result.disturbance, end.last_started, end.finished});
  lane.results.push_back(result);
  if (lane.results.size() == lane.order.size() && !ended_) settle(device);
}

void Ranking::warmed_up(Lane& lane, std::size_t contender, const search::Figures& figures) {
  if (contender + 1 == figures_.evaluated()) lane.reference = figures;
  ++lane.warm;
  const bool all =
      std::ranges::all_of(lanes_, [this](const Lane& l) { return l.warm >= warm_ups(); });
  ended_ = ended_ || (same_code_ && all);
}

void Ranking::settle(DeviceIndex device) {
  Lane& lane = lanes_[device];
  const std::string flaw = flaw_of_round(lane.results);
  lane.valid += flaw.empty() ? 1 : 0;
  lane.voided += flaw.empty() ? 0 : 1;
  const auto result = [&](std::size_t contender) {
    const auto it = std::ranges::find(lane.order, contender);
    return it == lane.order.end()
               ? nullptr
               : &lane.results[static_cast<std::size_t>(it - lane.order.begin())];
  };
  for (search::RankedPair& pair : pairs_) {
    if (pair.verdict) continue;
    search::DevicePairs& here = pair.devices[device];
    if (flaw.empty()) {
      add_pair(here, *result(pair.first), *result(pair.second));
      const double effect = here.effects.back();
      is_early_ =
          is_early_ && (search::shows_landslide(effect) || search::shows_landslide(-effect));
    } else {
      ++here.voided;
    }
  }
  if (too_many_void(lane.voided, lane.begun)) {
    return abandon(fmt::format("{} of {} {} on {} do not count, the last because {}", lane.voided,
                               lane.begun, contenders_ == 2 ? "pairs" : "rounds", lane.key, flaw));
  }
  if (std::ranges::all_of(lanes_, [&](const Lane& l) { return l.valid >= target(); })) look();
}

// Of one whose verdict is that one of them is better.
std::string Ranking::flaw_of(const search::RankedPair& pair) const {
  if (!pair.verdict || !search::is_accepted(*pair.verdict)) return "";
  const bool first_is_better = pair.verdict->ratio > 1;
  const std::size_t better = first_is_better ? pair.first : pair.second;
  const std::size_t worse = first_is_better ? pair.second : pair.first;
  const search::ProcessNames names = search::beyond(left_[better], left_[worse]);
  if (names.empty()) return "";
  return search::left_running_complaint(figures_.name_of(better), names, figures_.name_of(worse));
}

void Ranking::look() {
  judge();
  for (const search::RankedPair& pair : pairs_) {
    undecided_ = flaw_of(pair);
    if (undecided_.empty()) continue;
    ended_ = true;
    return;
  }
}

void Ranking::judge() {
  if (question_.judge) {
    search::RankedPair& pair = pairs_.front();
    pair.verdict = question_.judge(pair.devices, look_);
    if (pair.verdict) pair.joint = pair.verdict->interval;
    ended_ = pair.verdict.has_value();
    if (!ended_) ++look_;
    return;
  }
  if (std::exchange(is_early_, false)) {
    search::RankedPair& pair = pairs_.front();
    pair.verdict = search::judge_landslide(pair.devices, plan_, settings_, true);
    if (pair.verdict) pair.joint = pair.verdict->interval;
    ended_ = pair.verdict.has_value();
    return;
  }
  search::judge_pairs(pairs_, look_, settings_, others_);
  ended_ = contending().empty();
  if (!ended_) ++look_;
}

void Ranking::lost(DeviceIndex device, const std::string&) {
  lost_device_ = !ended_;
  abandon(lanes_[device].key + " was lost");
}

void Ranking::abandon(const std::string& reason) {
  if (ended_) return;
  undecided_ = reason;
  ended_ = true;
}

}  // namespace nightshift::scheduler
