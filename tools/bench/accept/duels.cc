#include "tools/bench/accept/duels.h"

#include <algorithm>
#include <cmath>

#include "scheduler/confirmation/confirmation.h"
#include "search/statistics/location_tests.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

using Values = std::vector<double>;

constexpr int kAge = 50;  // evaluations since a stored baseline was measured

Values evaluations(NoisyDevice& device, double effect, int count) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(device.evaluation(effect));
  return values;
}

// A baseline that was stored kAge evaluations ago, then the candidate.
template <class Summarise>
Decision against_stored(NoisyDevice& device, double effect, int count, double margin,
                        Summarise summarise) {
  const double baseline = summarise(evaluations(device, 0, count));
  device.pass(kAge);
  const double candidate = summarise(evaluations(device, effect, count));
  return {candidate < baseline * (1 - margin), count};
}

Decision single_shot(NoisyDevice& device, double effect) {
  return against_stored(device, effect, 1, 0, [](const Values& v) { return v.front(); });
}
Decision best_of_5(NoisyDevice& device, double effect) {
  return against_stored(device, effect, 5, 0.01,
                        [](const Values& v) { return *std::ranges::min_element(v); });
}
Decision median_of_5(NoisyDevice& device, double effect) {
  return against_stored(device, effect, 5, 0.01,
                        [](const Values& v) { return search::median_of(v); });
}
Decision welch_10(NoisyDevice& device, double effect) {
  const Values a = evaluations(device, 0, 10), b = evaluations(device, effect, 10);
  return {search::welch_test(a, b).p_two_sided < 0.05 && search::mean_of(b) < search::mean_of(a),
          20};
}
Decision welch_100(NoisyDevice& device, double effect) {
  const Values a = evaluations(device, 0, 100), b = evaluations(device, effect, 100);
  const search::TTest test = search::welch_test(a, b);
  return {test.p_two_sided < 0.05 && test.cohens_d > 0.2, 200};
}
// Intervals [min, third quartile] that are half a percent apart.
Decision quartiles_20(NoisyDevice& device, double effect) {
  const Values a = evaluations(device, 0, 20), b = evaluations(device, effect, 20);
  return {search::quantile_of(b, 0.75) * 1.005 < *std::ranges::min_element(a), 40};
}
// The change of the means beyond the smaller relative standard deviation.
Decision relative_sd_20(NoisyDevice& device, double effect) {
  const Values a = evaluations(device, 0, 20), b = evaluations(device, effect, 20);
  const double mean_a = search::mean_of(a), mean_b = search::mean_of(b);
  const double spread = std::min(search::sd_of(a) / mean_a, search::sd_of(b) / mean_b);
  return {(mean_a - mean_b) / mean_a > spread, 40};
}

}  // namespace

Decision duel(const NoiseModel& model, const std::vector<double>& effects,
              const search::AcceptanceSettings& settings, std::uint64_t seed) {
  std::vector<NoisyDevice> devices;
  scheduler::ConfirmationSetup setup;
  setup.id = {1};
  setup.candidate = {1};
  for (std::size_t i = 0; i < effects.size(); ++i) {
    devices.emplace_back(model, static_cast<int>(i), seed);
    setup.devices.push_back("node/" + std::to_string(i));
  }
  scheduler::Confirmation confirmation(setup, settings, seed);
  Decision decision;
  while (confirmation.verdict() == nullptr) {
    for (std::size_t i = 0; i < devices.size() && confirmation.verdict() == nullptr; ++i) {
      const auto evaluation = confirmation.next(setup.devices[i]);
      if (!evaluation) continue;
      confirmation.started(*evaluation);
      scheduler::EvaluationResult result;
      result.cost =
          devices[i].evaluation(evaluation->arm == scheduler::Arm::kCandidate ? effects[i] : 0);
      confirmation.finished(*evaluation, result);
      ++decision.evaluations;
    }
  }
  decision.accepted = search::is_accepted(*confirmation.verdict());
  return decision;
}

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all = {
      {"single shot, stored baseline", single_shot},
      {"best of 5 > 1 %, stored baseline", best_of_5},
      {"median of 5 > 1 %, stored baseline", median_of_5},
      {"Welch 5 %, 10 + 10", welch_10},
      {"nvbench-like: means beyond sd, 20 + 20", relative_sd_20},
      {"nvbench-like: quartiles apart, 20 + 20", quartiles_20},
      {"Welch 5 % and d > 0.2, 100 + 100", welch_100},
  };
  return all;
}

Cell cell_of(const std::vector<Decision>& decisions) {
  Values accepted, counts;
  for (const Decision& d : decisions) {
    accepted.push_back(d.accepted ? 1 : 0);
    counts.push_back(d.evaluations);
  }
  const double n = static_cast<double>(std::max<std::size_t>(decisions.size(), 1));
  return {search::mean_of(accepted), search::sd_of(accepted) / std::sqrt(n),
          search::mean_of(counts), search::sd_of(counts) / std::sqrt(n)};
}

}  // namespace nightshift::bench
