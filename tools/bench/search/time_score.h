#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tools/bench/search/smoothing.h"

namespace nightshift::bench {

// What the score by time needs to know of a space; costs are simulated seconds.
struct TimedSpace {
  std::span<const double> values;  // of the configurations that worked, best first
  double median_cost = 0;          // over all configurations
  double mean_cost = 0;            // over those that worked
  double mean_failure_cost = 0;
  double failed_share = 0;  // of all configurations
};

// One run: the best value after each evaluation and when that was; nullopt before a success.
struct TimedRun {
  std::span<const std::optional<double>> best;
  std::span<const double> seconds;
};

// One space's performance score by simulated time, after autotuning_methodology 1.1.0 (see
// score.h). The axis runs from the time of the 1 % budget to that of the 95 % budget (evaluations
// times median cost) in `resolution` steps. Random search is calculated at
// time / (mean cost + failed share * mean failure cost) evaluations, rounded, and smoothed by
// PCHIP. A strategy's curve is one isotonic fit through the points (time, rank of the best value)
// of all runs within the axis and a tenth beyond, rounded to a rank; from the first end of a run
// later than the median end it stays flat. The package draws a bag of such fits from the same
// points instead of one; its mean differs by its noise only.
class TimeScore {
 public:
  static constexpr std::size_t kResolution = 10000;
  explicit TimeScore(const TimedSpace& space, std::size_t resolution = kResolution);

  double start() const { return grid_.front(); }  // seconds
  double end() const { return grid_.back(); }

  // Points of all runs, sorted once; of() then takes each run as often as `weights` says.
  class Pool {
   public:
    Pool(const TimeScore& score, std::span<const TimedRun> runs);

   private:
    friend class TimeScore;
    struct Point {
      double seconds, rank;
      std::size_t run;
    };
    std::vector<Point> points_;
    std::vector<double> ends_;  // of each run's last success; negative without one
  };
  // nullopt where no run has a success within the axis.
  std::optional<double> of(const Pool& pool, std::span<const double> weights) const;

 private:
  double flat_from(const Pool& pool, std::span<const double> weights) const;

  std::vector<double> values_;
  std::vector<double> grid_;    // seconds
  std::vector<double> random_;  // on the grid
};

}  // namespace nightshift::bench
