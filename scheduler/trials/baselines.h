#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// The error of a score is so many times that of one evaluation: of the trial itself, and of the
// baseline that it is relative to, which half of the time is interpolated between two.
inline constexpr double kBothEvaluations = 1.3;  // sqrt(1 + (1 + 1/2) / 2)

// The baselines of every device over time: a matrix over (node, device), each entry a series.
// Devices of a group differ by several percent and drift by as much, so a score is relative to the
// baseline of the same device, interpolated in time between the measurements before and after it;
// before the next one is there, to the last. A single measurement that stands far from both of its
// neighbours while these agree was disturbed and is passed over, or one bad evaluation would make
// heroes of all the trials around it. Normalisation says otherwise where the user wants it.
class Baselines {
 public:
  // How many of each device are kept: scores of a running study look back to the last refresh only.
  static constexpr std::size_t kFew = 16, kAll = std::numeric_limits<std::size_t>::max();
  explicit Baselines(const search::Problem& problem, std::size_t kept = kFew);

  const search::Scoring& scoring() const { return scoring_; }

  // A baseline of the device measured at `at` (Unix seconds), not before the earlier ones.
  void record(const std::string& device, search::Figures figures, double at);
  // The device left: its entry expires. It needs a baseline of its own when it comes back.
  void expire(const std::string& device) { by_device_.erase(device); }
  bool any() const { return first_.has_value(); }  // has ever been measured
  bool has(const std::string& device) const { return by_device_.contains(device); }
  std::optional<double> value(const std::string& device) const;  // latest, of the primary objective

  // See Scoring, at the time `at`; absent or empty before the device's first baseline. The standard
  // errors of objectives() have the scatter between evaluations in them (objective_errors()): one
  // sample alone has none of its own, and the samples of one evaluation know nothing of it.
  std::optional<search::Score> score(const std::string& device, const search::Figures& figures,
                                     double at) const;
  std::vector<search::Score> objectives(const std::string& device, const search::Figures& figures,
                                        double at) const;
  std::optional<double> cost(const std::string& device, const search::Figures& figures) const;

  // Relative scatter between evaluations of the same program on the same device, from the
  // differences of successive baselines (von Neumann's estimate, which drift hardly moves); 0
  // before three.
  double evaluation_error() const;
  // The same of the logarithm of each score of objectives(): 0 of a figure that never varied, such
  // as a size.
  std::vector<double> objective_errors() const;
  bool knows_errors() const;  // has three baselines of a device

 private:
  struct Entry {
    search::Figures figures;
    double at = 0;
    double level = 0;  // logarithm of the cost
  };
  static bool stands_alone(const std::vector<Entry>& series, std::size_t i);
  // The figures that a score at `at` is relative to; nullopt where there are none.
  std::optional<search::Figures> reference(const std::string& device, double at) const;

  search::Scoring scoring_;
  std::size_t kept_;
  search::Normalisation normalisation_;
  double given_;
  std::unordered_map<std::string, std::vector<Entry>> by_device_;
  std::optional<search::Figures> first_;
  double squared_steps_ = 0;
  std::vector<double> objective_steps_;  // squared, of each that is sought
  std::uint64_t steps_ = 0;
};

}  // namespace nightshift::scheduler
