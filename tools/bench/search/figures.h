#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/search/estimate.h"
#include "tools/bench/search/replays.h"

namespace nightshift::bench {

// Evaluations at which figures are printed: 25, 50, 100, 200, 400 as far as the budget goes, and
// the budget itself.
std::vector<std::size_t> checkpoints(std::size_t budget);
// About `count` numbers of evaluations from 1 to the budget, evenly spread on a logarithmic axis.
std::vector<std::size_t> logarithmic_places(std::size_t budget, std::size_t count);

// Fractions are optimum / best, 1 at the recorded optimum, 0 before the first success; a run that
// stops early keeps its last value.
struct FractionFigures {
  Estimate median, mean, lowest_tenth;  // over runs
};

struct Overhead {
  double mean = 0, p99 = 0;  // seconds of ask and tell together for one evaluation
};

// Of one searcher on one space, or the mean over spaces.
struct Figures {
  std::vector<FractionFigures> at;  // by checkpoint
  Estimate hits;                    // share of runs within 1 % of the optimum at the end
  // Median evaluations until 95 % and 99 % of the optimum's speed; infinite where fewer than half
  // of the runs came there. Over several spaces their median.
  Estimate to_95, to_99;
  Estimate score_evaluations;
  // Where the 95 % budget is within the runs' budget and there are costs. Over several spaces the
  // mean over those that have it.
  std::optional<Estimate> score_time;
  Estimate failures, evaluations, builds;  // per run
  std::optional<Overhead> overhead;
  std::vector<Estimate> curve;  // mean fraction at logarithmic_places(budget, kCurvePlaces)
  // Mean, median and lowest tenth of the fraction after each evaluation.
  std::vector<double> every_mean, every_median, every_lowest_tenth;
};

constexpr std::size_t kCurvePlaces = 60;

struct FigureSettings {
  std::size_t budget = 400;
  std::size_t samples = 1000;      // of the bootstrap
  std::size_t time_samples = 200;  // of the bootstrap of the score by time
};

// `part` separates the spaces' bootstraps; see Resamples.
Figures figures_of(const ReplaySpace& space, const Runs& runs, std::uint64_t part,
                   const FigureSettings& settings);
Figures mean_figures(const std::vector<const Figures*>& spaces);

// What uniform drawing without replacement is expected to have: exact, without noise.
double expected_random_fraction(const ReplaySpace& space, std::size_t evaluations);

}  // namespace nightshift::bench
