#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/rng.h"
#include "evaluator/backend.h"
#include "evaluator/cuda/cuda_figures.h"
#include "evaluator/cuda/driver/device_timer.h"
#include "evaluator/cuda/launch/device_answer.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/sampling/honesty_rule.h"
#include "evaluator/sampling/stalled_calls.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

// Whether the time that was measured is that of the work. Passes over some sets of arguments are
// timed in pairs, each beginning with the same cache:
//
//   usual  as samples are taken: inputs were seen, outputs hold the answer of the pass before
//   blind  the outputs hold nothing, or the inputs are new as well and the machine code was loaded
//          anew, so that what a kernel kept in its own variables is gone
//
// A kernel that computes what it is told to takes as long in both, and about as long as its samples
// say. What blind passes leave in their
// outputs is checked: launches that were timed are launches that are right.
//
// What seems longer on new inputs may have more to do there, so it is asked crosswise. The code that
// was sampled knows inputs A and not B. The same code, loaded anew and launched for a while on B,
// knows B and not A. Each is timed on both: what B has more work than A cancels in the products
// known * known and new * new, what is remembered does not.
class CudaAudit {
 public:
  struct Parts {
    const CasePlan& plan;
    const Context& context;
    DeviceTimer& timer;
    SupportKernels& support;
    ProgressSink& progress;
    std::function<void()> clear_cache;
    // kUsual: somebody means well, and nothing that may be the machine's counts. As few pairs as say
    // so are enough where nothing is found, and each kind has its `most` seconds (judge_pairs()).
    search::Trust trust = search::Trust::kUsual;
    std::uint64_t seed = 0;
    double measured = 0;  // mean of the samples, seconds
    double sampling = 0;  // seconds that all of them took
    double most = 0;
    double most_of_stalls = 0;  // seconds, as of StalledCalls
    bool is_cold = true;        // samples began with what is in no cache, as passes do
  };
  // Sets that one pass goes through, each once.
  static constexpr std::size_t kMostSets = 8;

  // `seen`: what was measured, whose first sets all hold the answer.
  CudaAudit(Parts parts, KernelModule& module, DeviceArguments& seen);

  std::size_t sets() const { return sets_; }  // that one pass goes through
  // Seconds that of_outputs() takes where nothing is wrong, about.
  double cost() const;
  // On poisoned outputs; `right` is the checksum of outputs that were judged right.
  std::optional<search::TrialOutcome> of_outputs(const DeviceAnswer& answer, std::uint64_t right);
  // On arguments of which `renew` makes new ones (DeviceArguments::renew) before each pass, with
  // the seed that it is given; `answer_of` says what one of their sets should become. `module` was
  // not used yet, and `load` loads another one.
  struct Unseen {
    DeviceArguments& arguments;
    KernelModule& module;
    std::function<void(std::uint64_t seed)> renew;
    std::function<const DeviceAnswer&(std::uint64_t seed, std::size_t set)> answer_of;
    std::function<std::unique_ptr<KernelModule>()> load;
  };
  std::optional<search::TrialOutcome> of_unseen(const Unseen& unseen);
  // Nothing was found, but something looked wrong when the time for it was over.
  bool is_cut_short() const { return is_cut_short_ || is_stalled(); }

 private:
  void make_ready(KernelModule& module, DeviceArguments& arguments, std::size_t sets, bool blind);
  void launch(KernelModule& module, DeviceArguments& arguments, std::size_t sets);
  // Seconds for each set.
  double pass(KernelModule& module, DeviceArguments& arguments, std::size_t sets, bool blind);
  double longest_pass() const;
  bool is_stalled() const { return stalls_.are_too_long(); }
  // Of somebody who means well nothing is known then.
  std::optional<search::TrialOutcome> stalled() const;
  std::optional<search::TrialOutcome> wrong_in(const DeviceAnswer& answer, std::uint64_t right,
                                               std::size_t sets);
  HonestyRule rule() const;
  TimeForPairs time_for_pairs() const;
  // Of pairs whose order is drawn; `blind` is given the pair's number.
  HonestyRule::Verdict judged(HonestyRule& rule, const std::function<double()>& usual,
                              const std::function<double(std::uint64_t)>& blind);
  std::optional<search::TrialOutcome> crosswise(const Unseen& unseen);
  PairTimes crossed(const Unseen& unseen, std::uint64_t pair, base::Rng& coin);
  std::optional<search::TrialOutcome> answers_unseen(const Unseen& unseen, std::size_t sets);
  std::optional<search::TrialOutcome> found(HonestyRule::Verdict verdict, const HonestyRule& rule,
                                            const char* where) const;

  Parts parts_;
  std::size_t sets_;
  KernelModule& module_;
  DeviceArguments& seen_;
  StalledCalls stalls_;  // passes
  bool is_cut_short_ = false;
};

// Why the measured seconds cannot be: what `bytes` or `flops` of the problem say is more than this
// device can do in that time. Empty: they can. `copy_bytes_per_second` is that of a copy.
std::string impossible(const CaseFindings& found, double seconds, double copy_bytes_per_second,
                       const Context& context);

}  // namespace nightshift::evaluator::cuda
