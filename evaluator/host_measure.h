#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/cache_eviction.h"
#include "evaluator/host_arguments.h"
#include "evaluator/kernel_library.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// Times one kernel on one set of arguments, after the plan.
//
// Warm-up: until both its runs and its seconds are done and one sample would be long enough.
// Sample: one call, or as many calls in a row as min_sample_seconds needs; value = mean of them.
// Arguments that are input and output are restored before each sample, not between its calls.
// Cold cache: evicted before each sample, which then is a single call however short.
// The clock's own cost (some 25 ns a sample) is not subtracted: min_sample_seconds keeps it below a
// thousandth, and a correction would add noise of its own.
class HostMeasurement {
 public:
  HostMeasurement(const KernelLibrary& library, HostArguments& arguments,
                  const search::SamplingPlan& plan, CacheEviction& eviction, ProgressSink& progress)
      : library_(library),
        arguments_(arguments),
        plan_(plan),
        eviction_(eviction),
        progress_(progress) {}

  void warm_up();
  std::vector<double> sample();  // seconds a call; after warm_up()

  // What the samples were taken under, as names and text.
  std::vector<std::pair<std::string, std::string>> conditions() const;

 private:
  double timed();  // seconds for `repetitions_` calls

  const KernelLibrary& library_;
  HostArguments& arguments_;
  const search::SamplingPlan& plan_;
  CacheEviction& eviction_;
  ProgressSink& progress_;
  std::uint64_t repetitions_ = 1;
  long preemptions_ = 0;
};

}  // namespace nightshift::evaluator
