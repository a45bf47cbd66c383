#pragma once

#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// How many runs each evaluation of a confirmation has, the same on both sides, where a problem's
// program goes by time (search/problem/runs_by_time.h): as many as fit into measure.max_seconds by
// the study's first baseline.
class RunsByTime {
 public:
  explicit RunsByTime(const search::Problem& problem);  // which outlives it

  // Of a baseline that took so many seconds; all but the first are passed over.
  void learn(const search::Measurement& baseline, double seconds);
  int count() const { return count_; }  // 0: it is not to be told, or not known yet
  // Of the time that the first baseline took another evaluation takes so much.
  double share() const { return count_ > 0 ? 1.0 * count_ / of_baseline_ : 1; }

 private:
  const search::Problem& problem_;
  int count_ = 0, of_baseline_ = 1;
};

}  // namespace nightshift::scheduler
