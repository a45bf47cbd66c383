#include "scheduler/trials/baselines.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nightshift::scheduler {
namespace {

constexpr std::uint64_t kFewestSteps = 2;
constexpr double kFar = 0.05;  // a twentieth slower or faster than both neighbours

search::Figure between(const search::Figure& before, const search::Figure& after, double share) {
  search::Figure figure{
      before.value + share * (after.value - before.value),
      std::hypot((1 - share) * before.standard_error, share * after.standard_error)};
  for (std::size_t i = 0; i < std::min(before.cases.size(), after.cases.size()); ++i) {
    figure.cases.push_back(between(before.cases[i], after.cases[i], share));
  }
  return figure;
}

}  // namespace

Baselines::Baselines(const search::Problem& problem, std::size_t kept)
    : scoring_(problem),
      kept_(kept),
      normalisation_(problem.scheduling.normalisation),
      given_(problem.scheduling.given_baseline) {}

void Baselines::record(const std::string& device, search::Figures figures, double at) {
  std::vector<Entry>& series = by_device_[device];
  const double level = std::log(scoring_.level(figures));
  if (!series.empty() && std::isfinite(level) && std::isfinite(series.back().level)) {
    squared_steps_ += std::pow(level - series.back().level, 2);
    const auto steps = scoring_.objectives(figures, series.back().figures);
    objective_steps_.resize(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      objective_steps_[k] += std::pow(std::log(steps[k].value), 2);
    }
    ++steps_;
  }
  if (!first_) first_ = search::exactly(figures);
  if (series.size() == kept_) series.erase(series.begin());
  series.push_back({std::move(figures), at, level});
}

bool Baselines::knows_errors() const { return steps_ >= kFewestSteps; }

std::vector<double> Baselines::objective_errors() const {
  std::vector<double> errors(scoring_.sought().size(), 0);
  for (std::size_t k = 0; knows_errors() && k < errors.size(); ++k) {
    errors[k] = std::sqrt(objective_steps_[k] / (2 * static_cast<double>(steps_)));
  }
  return errors;
}

double Baselines::evaluation_error() const {
  if (!knows_errors()) return 0;
  return std::sqrt(squared_steps_ / (2 * static_cast<double>(steps_)));
}

// Its neighbours are the entries before and after; of the first and the last the next two.
bool Baselines::stands_alone(const std::vector<Entry>& series, std::size_t i) {
  if (series.size() < 3) return false;
  const std::size_t a = i == 0 ? 1 : i + 1 == series.size() ? i - 2 : i - 1;
  const std::size_t b = i == 0 ? 2 : i + 1 == series.size() ? i - 1 : i + 1;
  const double from_a = series[i].level - series[a].level;
  const double from_b = series[i].level - series[b].level;
  const double nearer = std::min(std::abs(from_a), std::abs(from_b));
  return from_a * from_b > 0 && nearer > kFar &&
         std::abs(series[a].level - series[b].level) < nearer / 2;
}

std::optional<search::Figures> Baselines::reference(const std::string& device, double at) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  if (normalisation_ == search::Normalisation::kNone) return first_;
  const std::vector<Entry>& series = it->second;
  if (normalisation_ == search::Normalisation::kGiven) {
    search::Figures figures = search::exactly(series.back().figures);
    figures[scoring_.primary_position()].value = given_;
    return figures;
  }
  // One of the two at least is found: an entry that stands alone is further from both of its
  // neighbours than they are from each other, which cannot hold for the first and the second both.
  const Entry *before = nullptr, *after = nullptr;
  const auto later = std::ranges::upper_bound(series, at, {}, &Entry::at) - series.begin();
  const auto next = static_cast<std::size_t>(later);
  for (std::size_t i = next; i-- > 0 && before == nullptr;) {
    if (!stands_alone(series, i)) before = &series[i];
  }
  for (std::size_t i = next; i < series.size() && after == nullptr; ++i) {
    if (!stands_alone(series, i)) after = &series[i];
  }
  if (before == nullptr) return after->figures;  // NOLINT(clang-analyzer-core.NonNullParamChecker)
  if (after == nullptr) return before->figures;
  const double share = (at - before->at) / (after->at - before->at);
  search::Figures figures;
  for (std::size_t i = 0; i < before->figures.size(); ++i) {
    figures.push_back(between(before->figures[i], after->figures[i], share));
  }
  return figures;
}

std::optional<double> Baselines::value(const std::string& device) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  return it->second.back().figures[scoring_.primary_position()].value;
}

std::optional<search::Score> Baselines::score(const std::string& device,
                                              const search::Figures& figures, double at) const {
  const auto baseline = reference(device, at);
  if (!baseline) return std::nullopt;
  return scoring_.score(figures, *baseline);
}

std::vector<search::Score> Baselines::objectives(const std::string& device,
                                                 const search::Figures& figures, double at) const {
  const auto baseline = reference(device, at);
  if (!baseline) return {};
  std::vector<search::Score> scores = scoring_.objectives(figures, *baseline);
  const std::vector<double> errors = objective_errors();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double between = kBothEvaluations * errors[k] * scores[k].value;
    scores[k].standard_error = std::hypot(scores[k].standard_error, between);
  }
  return scores;
}

std::optional<double> Baselines::cost(const std::string& device,
                                      const search::Figures& figures) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  return scoring_.cost(figures, it->second.back().figures);
}

}  // namespace nightshift::scheduler
