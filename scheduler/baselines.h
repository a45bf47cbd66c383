#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/scoring.h"

namespace nightshift::scheduler {

// The latest baseline of each device, which every score of that device is relative to. Devices of a
// group differ by several percent, so a score never crosses devices unnormalised.
class Baselines {
 public:
  explicit Baselines(const search::Problem& problem) : scoring_(problem) {}

  const search::Scoring& scoring() const { return scoring_; }

  // Replaces the device's earlier baseline.
  void record(const std::string& device, search::Figures figures) {
    by_device_[device] = std::move(figures);
  }
  bool has(const std::string& device) const { return by_device_.contains(device); }
  std::optional<double> value(const std::string& device) const;  // of the primary objective

  // See Scoring; absent or empty before the device's baseline.
  std::optional<search::Score> score(const std::string& device,
                                     const search::Figures& figures) const;
  std::vector<search::Score> objectives(const std::string& device,
                                        const search::Figures& figures) const;
  std::optional<double> cost(const std::string& device, const search::Figures& figures) const;

 private:
  const search::Figures* find(const std::string& device) const;

  search::Scoring scoring_;
  std::unordered_map<std::string, search::Figures> by_device_;
};

}  // namespace nightshift::scheduler
