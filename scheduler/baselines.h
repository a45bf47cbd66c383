#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "search/measurement.h"
#include "search/objective.h"
#include "search/searcher.h"
#include "search/statistics.h"

namespace nightshift::scheduler {

// A usable figure is finite and positive. Anything else would turn ratios around, so a trial that
// reports it has failed.
std::optional<search::Summary> usable_figure(const search::Measurement& measurement,
                                             const search::Objective& objective);

// The latest baseline of each device, which every score of that device is relative to. Devices of a
// group differ by several percent, so a score never crosses devices unnormalised.
class Baselines {
 public:
  explicit Baselines(search::Direction direction) : direction_(direction) {}

  // `figure` is usable (see above). Replaces the device's earlier baseline.
  void record(const std::string& device, const search::Summary& figure);
  bool has(const std::string& device) const { return by_device_.contains(device); }
  std::optional<double> value(const std::string& device) const;

  // Cost of `figure` over the baseline of the device: lower is better for either direction, and
  // always positive. The error joins both relative errors. nullopt before the device's baseline.
  std::optional<search::Score> normalise(const std::string& device,
                                         const search::Summary& figure) const;

 private:
  struct Entry {
    double median = 0;
    double relative_error = 0;
  };
  search::Direction direction_;
  std::unordered_map<std::string, Entry> by_device_;
};

}  // namespace nightshift::scheduler
