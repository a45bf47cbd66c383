#include "search/model/transfer.h"

#include <algorithm>
#include <cmath>

#include "search/model/targets.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {
constexpr std::size_t kMaxTrials = 150;
constexpr int kSweeps = 10;
constexpr double kTrust = 4;  // measurements that the earlier study is worth
}  // namespace

Transfer::Transfer(const ParameterSpace& space, const Aspects& aspects,
                   const std::vector<KnownTrial>& earlier, bool beyond, base::Rng& rng)
    : kernel_(aspects), surrogate_(kernel_), is_beyond_(beyond) {
  std::vector<const KnownTrial*> trials;
  std::vector<double> targets;
  for (const KnownTrial& trial : earlier) {
    if (trial.configuration.value >= space.size() || !trial.observation.score) continue;
    if (!(trial.observation.score->value > 0)) continue;
    trials.push_back(&trial);
    targets.push_back(std::log(trial.observation.score->value));
    is_beyond_ = is_beyond_ && trial.expected;
  }
  empty_ = trials.size() < 3;
  if (empty_) return;
  std::vector<Levels> kept;
  std::vector<double> kept_targets, kept_expected;
  for (const std::size_t i : best_and_others(targets, kMaxTrials, rng)) {
    kept.emplace_back(aspects.size());
    aspects.levels(space.digits(trials[i]->configuration), kept.back());
    kept_targets.push_back(targets[i]);
    kept_expected.push_back(trials[i]->expected.value_or(0));
  }
  kept_targets = flattened(std::move(kept_targets));
  if (is_beyond_) {
    kept_expected = flattened(std::move(kept_expected));
    const double worth = slope(kept_expected, kept_targets);
    for (std::size_t i = 0; i < kept.size(); ++i) kept_targets[i] -= worth * kept_expected[i];
  }
  kernel_.fit(kept, kept_targets, std::vector<double>(kept.size(), 0), kSweeps, rng);
  surrogate_.reset({}, kept.size());
  for (const Levels& point : kept) surrogate_.tell(surrogate_.start(point, 0));
  surrogate_.predict(kept_targets);
}

double Transfer::expected(const Levels& point) const {
  return empty_ ? 0 : surrogate_.mean_at(point);
}

double Transfer::slope(const std::vector<double>& expected, const std::vector<double>& measured) {
  if (expected.empty()) return 1;
  const double mean_expected = mean_of(expected);
  const double mean_measured = mean_of(measured);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    products += (expected[i] - mean_expected) * (measured[i] - mean_measured);
    squares += (expected[i] - mean_expected) * (expected[i] - mean_expected);
  }
  if (squares <= 0) return 1;
  const double trust = kTrust * squares / static_cast<double>(expected.size());
  return std::clamp((products + trust) / (squares + trust), 0.0, 2.0);
}

}  // namespace nightshift::search
