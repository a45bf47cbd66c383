#include "tools/bench/search/score.h"

#include <algorithm>
#include <cmath>

namespace nightshift::bench {
namespace {

constexpr double kCutoff = 0.95;
constexpr std::size_t kFewestEvaluations = 20;

}  // namespace

double median_of_sorted(std::span<const double> values) {
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double calculated_random(std::span<const double> values, std::size_t m) {
  const auto n = static_cast<double>(values.size());
  const auto draws = static_cast<double>(m);
  const double rank = std::min(n - 1, std::nearbyint(draws * (n + 1) / (draws + 1)));
  return values[values.size() - 1 - static_cast<std::size_t>(rank)];
}

std::size_t evaluations_to_share(std::span<const double> values, double share) {
  const double optimum = values.front();
  const double target = optimum + (median_of_sorted(values) - optimum) * (1 - share);
  // Values at or below the target are at the front; the worst of them has the wanted rank.
  const auto good = std::upper_bound(values.begin(), values.end(), target) - values.begin();
  const std::size_t rank = values.size() - static_cast<std::size_t>(good);
  const double left = static_cast<double>(values.size() + 1 - rank);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(rank) / left));
}

double expected_of_random(std::span<const double> gain, std::size_t failures, std::size_t m,
                          double before) {
  const auto total = static_cast<double>(gain.size() + failures);
  const double draws = std::min(static_cast<double>(m), total);
  // P(the k-th is the best drawn) = C(total - k - 1, draws - 1) / C(total, draws), step by step.
  double probability = draws / total;
  double left = 1, sum = 0;
  for (std::size_t k = 0; k < gain.size() && probability > 0; ++k) {
    sum += probability * gain[k];
    left -= probability;
    const auto rank = static_cast<double>(k);
    if (total - rank - 1 <= 0) break;
    probability *= (total - rank - draws) / (total - rank - 1);
  }
  return sum + std::max(0.0, left) * before;
}

EvaluationScore::EvaluationScore(std::span<const double> values, std::size_t budget)
    : median_(median_of_sorted(values)) {
  const std::size_t cutoff = evaluations_to_share(values, kCutoff);
  const std::size_t last = std::min(budget, std::max(cutoff, kFewestEvaluations));
  std::size_t counted = 0;
  for (std::size_t m = 1; m <= last; ++m) {
    random_.push_back(calculated_random(values, m));
    const double room = random_.back() - values.front();
    weights_.push_back(room > 0 ? 1 / room : 0);
    if (room > 0) ++counted;
  }
  for (double& weight : weights_) {
    if (counted > 0) weight /= static_cast<double>(counted);
  }
}

double EvaluationScore::of(std::span<const double> curve) const {
  double score = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double value = curve.empty() ? median_ : curve[std::min(i, curve.size() - 1)];
    score += (random_[i] - value) * weights_[i];
  }
  return score;
}

double EvaluationScore::expected_for_random(std::span<const double> values,
                                            std::size_t failures) const {
  std::vector<double> curve;
  for (std::size_t m = 1; m <= weights_.size(); ++m) {
    curve.push_back(expected_of_random(values, failures, m, median_));
  }
  return of(curve);
}

}  // namespace nightshift::bench
