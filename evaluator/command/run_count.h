#pragma once

#include <algorithm>
#include <chrono>

#include "ipc/messages.h"
#include "search/problem/runs_by_time.h"

namespace nightshift::evaluator {

// How often a program that is started per trial is started for one evaluation, from now on:
// CommandBackend::runs; where that is open, what is compared (precision 0) has as many runs as the
// request says, and anything else stops once it has had SamplingPlan::max_seconds.
class RunCount {
 public:
  RunCount(const search::Problem& problem, const ipc::EvaluateRequest& request)
      : by_time_(search::has_runs_by_time(problem)),
        most_(by_time_ ? std::min(search::kMostRunsByTime, request.sampling.samples)
                       : std::get<search::CommandBackend>(problem.backend).runs),
        fewest_(request.configuration.is_baseline() ? search::kFewestRunsOfBaseline : 1),
        ends_early_(by_time_ && request.sampling.precision > 0),
        most_seconds_(request.sampling.max_seconds) {}

  int most() const { return most_; }
  bool wants_more(int had) const {
    if (had >= most_) return false;
    return !ends_early_ || had < fewest_ || seconds() < most_seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  Clock::time_point begun_ = Clock::now();
  bool by_time_;
  int most_, fewest_;
  bool ends_early_;
  double most_seconds_;
};

}  // namespace nightshift::evaluator
