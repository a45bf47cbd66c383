#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/host/cache_eviction.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/sampling/machine_watch.h"
#include "evaluator/sampling/retakes.h"
#include "evaluator/sampling/stopping_rule.h"
#include "evaluator/sampling/warm_up_rule.h"
#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// One evaluation of a kernel on one set of arguments, after the plan; to be made when the
// evaluation begins.
//
// Warm-up: until the kernel is warm (WarmUpRule), which also says how many calls make a sample.
// Sample: one call, or that many in a row; value = mean of them. There are as many as StoppingRule
// wants.
// Arguments that are input and output are restored before each sample, not between its calls.
// A sample during which others had the core is taken again (retakes.h).
// Cold cache: evicted before each sample, which then is a single call however short.
// The clock's own cost (some 25 ns a sample) is not subtracted: a sample lasts a thousand times as
// long, and a correction would add noise of its own.
class HostMeasurement {
 public:
  HostMeasurement(const KernelLibrary& library, HostArguments& arguments,
                  const search::SamplingPlan& plan, CacheEviction& eviction,
                  ProgressSink& progress);

  void warm_up();
  // "time", in seconds a call, with the evaluation's conditions and disturbance; after warm_up().
  // Censored where the first samples are all above `give_up_above` seconds; 0 = never.
  search::Measurement sample(double give_up_above);

 private:
  using Conditions = std::vector<std::pair<std::string, std::string>>;

  double timed();        // took_ = seconds for the calls of one sample
  double undisturbed();  // the same, of a sample that counts
  void refill_caches();
  double tick_per_call() const;
  void describe_machine(Conditions& conditions) const;

  const KernelLibrary& library_;
  HostArguments& arguments_;
  const search::SamplingPlan& plan_;
  CacheEviction& eviction_;
  ProgressSink& progress_;
  MachineWatch machine_;
  WarmUpRule warm_up_;
  double took_ = 0;
  std::uint64_t beats_ = 0;
  double clock_before_ = 0;     // MHz; 0 = unknown
  long preemptions_ = 0;        // while sampling
  bool was_preempted_ = false;  // the last sample
  Retakes retakes_;
};

}  // namespace nightshift::evaluator
