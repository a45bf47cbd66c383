#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/host/cache_eviction.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/sampling/machine_watch.h"
#include "evaluator/sampling/retakes.h"
#include "evaluator/sampling/stopping_rule.h"
#include "evaluator/sampling/warm_up_rule.h"
#include "search/measurement.h"
#include "search/problem/sampling_plan.h"

namespace nightshift::evaluator {

// One evaluation of a kernel on one set of arguments, after the plan; to be made when the
// evaluation begins.
//
// Warm-up: until the kernel is warm (WarmUpRule), which also says how many calls make a sample.
// Sample: one call, or that many in a row; value = mean of them. There are as many as StoppingRule
// wants.
// Arguments that are input and output are restored before each call, so that what sorts never gets
// what is sorted: then each call of a sample is timed alone, a tick of the clock taken off. Such a
// sample lasts as long as the others with what restores, which is no part of its value. Rejected:
// rows of calls on copies of them, which are not in the caches that one is in.
// A sample during which others had the core is taken again (retakes.h).
// Cold cache: evicted before each sample, which then is a single call however short.
// Counters are read before and after a sample, outside of its time: some hundred instructions of a
// sample are the clock's and theirs. Nobody reads them while the kernel becomes warm.
// The clock's own cost (some 25 ns a sample) is not subtracted: a sample lasts a thousand times as
// long, and a correction would add noise of its own.
class HostMeasurement {
 public:
  HostMeasurement(const KernelLibrary& library, HostArguments& arguments,
                  const search::SamplingPlan& plan, CacheEviction& eviction, ProgressSink& progress,
                  HardwareCounters* counters = nullptr);

  void warm_up();
  // "time", in seconds a call, and what is counted, of a call and by its own name, with the
  // evaluation's conditions and disturbance; after warm_up().
  // Censored where the first samples are all above `give_up_above` seconds; 0 = never.
  search::Measurement sample(double give_up_above);
  // Joules of a call, over kEnergySeconds of calls on warm caches; after sample().
  double energy(const EnergyMeter& meter);
  // Long enough that what the meter tells once in a millisecond is off by 1 % at most.
  static constexpr double kEnergySeconds = 0.1;

 private:
  using Conditions = std::vector<std::pair<std::string, std::string>>;

  // took_ = seconds for a sample's calls. What it returns is longer by what restores.
  double timed(HardwareCounters* counters = nullptr);
  bool is_timed_by_call() const { return works_in_place_ && warm_up_.calls_per_sample() > 1; }
  double row(HardwareCounters* counters);
  double single_calls(HardwareCounters* counters);
  void undisturbed();  // the same, of a sample that counts
  void note_counts();
  void refill_caches();
  double tick_per_call() const;
  void describe_machine(Conditions& conditions) const;

  const KernelLibrary& library_;
  HostArguments& arguments_;
  const bool works_in_place_;
  const search::SamplingPlan& plan_;
  CacheEviction& eviction_;
  ProgressSink& progress_;
  HardwareCounters* counters_;
  std::vector<std::vector<double>> counts_;  // by figure, of each sample
  bool estimated_ = false;
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
