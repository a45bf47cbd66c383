#pragma once

#include <cstdint>
#include <vector>

#include "search/problem/sampling_plan.h"

namespace nightshift::evaluator {

// When a kernel is warm, and how many calls make one sample. Told of each warm-up sample; has no
// clock of its own.
//
// A sample has so many calls that it takes min_sample_seconds and a thousand ticks of the timer; it
// is a single call where min_sample_seconds is 0 or the cache is to be cold. Samples of that length
// are gathered to batches of a millisecond. The kernel is warm when the means of three successive
// batches agree within 2 %. Warming up takes warm_up_runs calls and warm_up_seconds at least, and
// without agreement ends after ten times warm_up_seconds, or 0.1 s where that is longer.
class WarmUpRule {
 public:
  WarmUpRule(const search::SamplingPlan& plan, double tick_seconds);

  // Of the next sample.
  std::uint64_t calls_per_sample() const { return calls_per_sample_; }
  // A sample of calls_per_sample() calls took `seconds`, and ended `elapsed` seconds after the
  // beginning of the warm-up.
  void add(double seconds, double elapsed);

  bool done() const;
  bool settled() const;  // the batches agree
  std::uint64_t calls() const { return calls_; }

 private:
  void start_batch(double elapsed);

  std::uint64_t least_calls_;
  double least_seconds_;
  double most_seconds_;
  double least_sample_seconds_;
  std::uint64_t calls_per_sample_ = 1;
  std::uint64_t calls_ = 0;
  double elapsed_ = 0;
  bool long_enough_ = false;
  double batch_start_ = 0;
  double batch_seconds_ = 0;
  std::uint64_t batch_calls_ = 0;
  std::vector<double> means_;  // seconds a call, of the last three whole batches
};

}  // namespace nightshift::evaluator
