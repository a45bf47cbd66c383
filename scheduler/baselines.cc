#include "scheduler/baselines.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nightshift::scheduler {
namespace {

constexpr std::uint64_t kFewestSteps = 2;
constexpr std::size_t kKept = 64;  // of each device: scores look back to the last refresh only

search::Figure between(const search::Figure& before, const search::Figure& after, double share) {
  return {before.value + share * (after.value - before.value),
          std::hypot((1 - share) * before.standard_error, share * after.standard_error)};
}

}  // namespace

Baselines::Baselines(const search::Problem& problem)
    : scoring_(problem),
      normalisation_(problem.scheduling.normalisation),
      given_(problem.scheduling.given_baseline) {}

void Baselines::record(const std::string& device, search::Figures figures, double at) {
  std::vector<Entry>& series = by_device_[device];
  if (!series.empty()) {
    const double before = scoring_.cost(series.back().figures, series.back().figures);
    const double now = scoring_.cost(figures, series.back().figures);
    if (before > 0 && now > 0) {
      squared_steps_ += std::pow(std::log(now / before), 2);
      ++steps_;
    }
  }
  if (!first_) first_ = search::exactly(figures);
  if (series.size() == kKept) series.erase(series.begin());
  series.push_back({std::move(figures), at});
}

double Baselines::visit_error() const {
  if (steps_ < kFewestSteps) return 0;
  return std::sqrt(squared_steps_ / (2 * static_cast<double>(steps_)));
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
  const auto after = std::ranges::upper_bound(series, at, {}, &Entry::at);
  if (after == series.begin()) return after->figures;
  const auto before = after - 1;
  if (after == series.end()) return before->figures;
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
  return baseline ? scoring_.objectives(figures, *baseline) : std::vector<search::Score>{};
}

std::optional<double> Baselines::cost(const std::string& device,
                                      const search::Figures& figures) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  return scoring_.cost(figures, it->second.back().figures);
}

}  // namespace nightshift::scheduler
