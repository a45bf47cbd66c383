#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/acceptance/aa_error.h"
#include "search/statistics/series.h"
#include "search/statistics/shape.h"

namespace nightshift::search {

// What repeated evaluations of one configuration on one device say about the noise there, before
// anything is tuned. Everything but medians is of logarithms, so that 0.01 is 1 %.

struct NoiseEvaluation {
  double value = 0;                  // of the evaluation; positive
  std::vector<double> samples;       // its launches, in order
  bool fresh_process = false;        // the first that its process served
  double started = 0, finished = 0;  // seconds
};

struct Spread {
  std::size_t count = 0;
  double median = 0;     // in the unit of the values
  double sd = 0;         // coefficient of variation, sd of logarithms
  double robust_sd = 0;  // the same by the median absolute deviation
  ShapeLabel shape = ShapeLabel::kUnknown;
  std::size_t mild = 0, severe = 0;     // outliers by Tukey's fences
  std::vector<double> autocorrelation;  // lags 1 to 5
  double independent_p = 1;             // Ljung and Box, 5 lags
};

// How the level moved while it was measured.
struct Drift {
  std::size_t step_before = 0;  // the evaluation that the likeliest step comes before; 0 = none
  double step = 0;              // its size
  double step_t = 0;            // |t| of Welch across it: the largest of many, 5 is much
  double per_minute = 0;        // slope of a line through the evaluations
  double per_minute_error = 0;  // widened by the residuals' lag-1 autocorrelation
};

// What scatters at which level (after Kalibera and Jones 2013): launches within an evaluation,
// evaluations within a process, processes. The scatter of processes is taken from the steps between
// the means of successive ones, so that a slow drift counts for little; its p is approximate.
struct NoiseLevels {
  double launch_sd = 0;  // robust: a launch that was interrupted says nothing of the others; around
                         // the evaluation's own median, so a little low where an evaluation has few
  double evaluation_sd = 0;
  double process_sd = 0;
  double process_robust_sd = 0;   // from the median of the steps: a single jump does not count
  double process_p = 1;           // that processes do not differ
  double evaluation_seconds = 0;  // of an evaluation in a process that is there, with all around it
  double process_seconds = 0;     // that a fresh process costs beyond that
};

// What it takes to find a gain at 1 % (one-sided) with 90 %.
struct Detectable {
  double gain = 0;
  std::size_t pairs = 0;
  double seconds = 0;
};

struct NoiseProfile {
  Spread evaluations, launches;
  Drift drift;
  NoiseLevels levels;
  double pair_sd = 0;  // of the difference within a pair, every fourth in fresh processes
  std::vector<AaPoint> aa;
  std::vector<Detectable> detectable;  // of 0.5, 1, 2 and 5 %
};

// Evaluations in the order in which they were made, all values positive and finite; what needs more
// of them than there are stays as initialised. The seed is that of the resampling.
NoiseProfile profile_noise(std::span<const NoiseEvaluation> evaluations, std::uint64_t seed);

// What to write into the problem file after that; the worst of several devices counts.
struct NoiseAdvice {
  double min_improvement = 0;  // smallest of 0.5, 1, 2 and 5 % that `max_pairs` can find
  int max_pairs = 0;
  int samples = 0;                 // launches of an evaluation, by Kalibera and Jones; 0 = leave it
  bool process_per_trial = false;  // processes scatter more than evaluations, and not in one jump
};
// `launch_seconds`: what one launch costs; 0 = unknown. `samples`: launches of an evaluation now.
NoiseAdvice advise(std::span<const NoiseProfile> devices, double launch_seconds, int samples);

}  // namespace nightshift::search
