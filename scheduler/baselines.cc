#include "scheduler/baselines.h"

#include <algorithm>
#include <cmath>

namespace nightshift::scheduler {

std::optional<search::Summary> usable_figure(const search::Measurement& measurement,
                                             const search::Objective& objective) {
  const search::Samples* samples = measurement.find(objective.name);
  if (samples == nullptr || samples->values.empty()) return std::nullopt;
  const bool finite = std::all_of(samples->values.begin(), samples->values.end(),
                                  [](double v) { return std::isfinite(v); });
  if (!finite) return std::nullopt;
  search::Summary summary = search::summarise(samples->values);
  if (!(summary.median > 0)) return std::nullopt;
  return summary;
}

void Baselines::record(const std::string& device, const search::Summary& figure) {
  by_device_[device] = {figure.median, figure.median_error / figure.median};
}

std::optional<double> Baselines::value(const std::string& device) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  return it->second.median;
}

std::optional<search::Score> Baselines::normalise(const std::string& device,
                                                  const search::Summary& figure) const {
  const auto it = by_device_.find(device);
  if (it == by_device_.end()) return std::nullopt;
  const double gain = figure.median / it->second.median;
  const double ratio = direction_ == search::Direction::kMinimise ? gain : 1 / gain;
  const double error = std::hypot(figure.median_error / figure.median, it->second.relative_error);
  return search::Score{ratio, ratio * error};
}

}  // namespace nightshift::scheduler
