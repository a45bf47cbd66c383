#include "scheduler/study/time/runs_by_time.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "search/problem/runs_by_time.h"

namespace nightshift::scheduler {

RunsByTime::RunsByTime(const search::Problem& problem) : problem_(problem) {}

void RunsByTime::learn(const search::Measurement& baseline, double seconds) {
  if (count_ > 0 || !search::has_runs_by_time(problem_)) return;
  const std::string text = baseline.condition(search::kRunsCondition);
  int runs = 0;
  std::from_chars(text.data(), text.data() + text.size(), runs);
  if (runs < 1) return;
  of_baseline_ = runs;
  const double each = seconds / runs;
  const double fit = each > 0 ? problem_.sampling.max_seconds / each : search::kMostRunsByTime;
  count_ = static_cast<int>(std::clamp(fit, 1.0, 1.0 * search::kMostRunsByTime));
}

}  // namespace nightshift::scheduler
