#include "scheduler/baselines.h"

namespace nightshift::scheduler {

const search::Figures* Baselines::find(const std::string& device) const {
  const auto it = by_device_.find(device);
  return it == by_device_.end() ? nullptr : &it->second;
}

std::optional<double> Baselines::value(const std::string& device) const {
  const search::Figures* baseline = find(device);
  if (baseline == nullptr) return std::nullopt;
  return (*baseline)[scoring_.primary_position()].value;
}

std::optional<search::Score> Baselines::score(const std::string& device,
                                              const search::Figures& figures) const {
  const search::Figures* baseline = find(device);
  if (baseline == nullptr) return std::nullopt;
  return scoring_.score(figures, *baseline);
}

std::vector<search::Score> Baselines::objectives(const std::string& device,
                                                 const search::Figures& figures) const {
  const search::Figures* baseline = find(device);
  return baseline == nullptr ? std::vector<search::Score>{}
                             : scoring_.objectives(figures, *baseline);
}

std::optional<double> Baselines::cost(const std::string& device,
                                      const search::Figures& figures) const {
  const search::Figures* baseline = find(device);
  if (baseline == nullptr) return std::nullopt;
  return scoring_.cost(figures, *baseline);
}

}  // namespace nightshift::scheduler
