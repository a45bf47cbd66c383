#include "search/model/failure_model.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace nightshift::search {

namespace {

constexpr std::size_t kMaxEach = 80;  // working and failed trials that the model holds, each
constexpr std::size_t kMore = 80;     // that it takes up before the next rebuild
constexpr int kSweeps = 2;
constexpr double kSpread = 0.03;  // variance of a belief where everything is known

std::span<const Levels> latest(const std::vector<Levels>& points) {
  return std::span(points).last(std::min(points.size(), kMaxEach));
}

}  // namespace

void FailureModel::observe(const Levels& point, bool works) {
  (works ? working_ : failed_).push_back(point);
  if (built_ && surrogate_.rows() < 2 * kMaxEach + kMore) take_up(point, works);
}

void FailureModel::forget() {
  working_.clear();
  failed_.clear();
  built_ = false;
}

void FailureModel::take_up(const Levels& point, bool works) {
  surrogate_.tell(surrogate_.start(point, 0));
  told_.push_back(works ? 1 : 0);
}

void FailureModel::rebuild(const std::vector<Levels>& pool, bool fit, base::Rng& rng) {
  if (idle()) return;
  if (fit || !built_) {
    std::vector<Levels> points;
    std::vector<double> targets;
    for (const Levels& point : latest(working_)) {
      points.push_back(point);
      targets.push_back(1);
    }
    for (const Levels& point : latest(failed_)) {
      points.push_back(point);
      targets.push_back(0);
    }
    kernel_.fit(points, targets, std::vector<double>(points.size(), 0), kSweeps, rng);
  }
  surrogate_.reset(pool, 2 * kMaxEach + kMore);
  told_.clear();
  built_ = true;
  for (const Levels& point : latest(working_)) take_up(point, true);
  for (const Levels& point : latest(failed_)) take_up(point, false);
}

std::vector<float> FailureModel::chances() {
  PoolSurrogate::Prediction prediction = surrogate_.predict(told_);
  for (std::size_t j = 0; j < prediction.means.size(); ++j) {
    const double spread = kSpread + prediction.deviations[j] * prediction.deviations[j];
    const double t = (prediction.means[j] - 0.5) / std::sqrt(spread);
    prediction.means[j] = static_cast<float>(std::max(1e-6, 0.5 * std::erfc(-t * 0.70710678)));
  }
  return std::move(prediction.means);
}

}  // namespace nightshift::search
