#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "evaluator/answers/draw_ends.h"
#include "evaluator/backend.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/sampling/honesty_rule.h"
#include "evaluator/sampling/stalled_calls.h"
#include "search/problem/host_backend.h"
#include "search/problem/sampling_plan.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// Whether the time that was measured is that of the work (search::Trust::kNone). Single calls are
// timed in pairs:
//
//   usual  as samples are taken: the inputs were seen, and the outputs hold the answer
//   blind  the outputs hold nothing, or the inputs are new as well
//
// What a kernel that computes what it is told to takes does not depend on which, and a single call
// is no longer than those of the samples, which follow each other on the same inputs and outputs,
// but for caches and the clock: kMost. Before either the same is done to the same memory, so that
// caches hold the same. The answer of a blind call is copied right after it and then checked: what
// other threads write later does not count. At last its answer is checked where the machine code
// was loaded anew, so that what it kept in its own variables is gone, and at other addresses.
//
// What seems longer on new inputs may have more to do there, so it is asked crosswise. The code that
// was sampled knows inputs A and not B. The same code, loaded anew and called for a while on B, knows
// B and not A. Each is timed on both, where the core has forgotten how its branches went
// (branch_history.h). What B has more work than A, and where code lies, cancels in the products
// known * known and new * new; what is remembered does not.
//
// Rejected: timing the code that was loaded anew beside the one that was sampled. The same code at
// two addresses differs by 10 % on an AMD EPYC, and by 57 % now and then, whatever its inputs.
class HostAudit {
 public:
  struct Parts {
    const search::HostBackend& host;
    const std::vector<ArgumentShape>& shapes;
    std::string artifact, reference;  // paths
    std::string scratch_folder;
    std::uint64_t seed = 0;
    double sampled = 0;   // seconds a call, as the samples were taken
    double sampling = 0;  // seconds that all of them took
    // kUsual: somebody means well, and nothing that may be the machine's or the runtime's counts. As
    // few pairs as say so are enough where nothing is found, and each kind has its `most` seconds
    // (judge_pairs()).
    search::Trust trust = search::Trust::kNone;
    double most = 0;
    double most_of_stalls = 0;  // seconds, of StalledCalls
    HostReference& answers;
    ProgressSink& progress;
  };
  // The most that a single call takes of a sampled one, beside what bringing all arguments from
  // memory takes. A kernel that leaves out up to a third of its work where calls follow each other is not seen.
  static constexpr double kMost = 1.5;
  // Of one that is trusted: threads that wait between calls are to be woken first.
  static constexpr double kMostOfTrusted = 3, kSecondsToWake = 2e-4;

  // `seen`: what was measured.
  HostAudit(Parts parts, const KernelLibrary& library, HostArguments& seen);

  // nullopt: nothing is wrong.
  std::optional<search::TrialOutcome> run();
  // What run() found is that calls take longer than the samples, whatever they hold: then the
  // machine may have become slower since, by a neighbour on the same core, and only samples that
  // are taken anew tell that from a kernel.
  bool contradicts_samples() const { return contradicts_samples_; }
  // Nothing was found, but something looked wrong when the time for it was over.
  bool is_cut_short() const { return is_cut_short_; }
  // Where nothing was found and nothing cut short: how many times as long as on those that it knows
  // a call takes on new inputs, because the core has learned how its branches go; 0 where it is not
  // longer. The code itself remembers nothing.
  double times_on_new_inputs() const { return times_on_new_inputs_; }

 private:
  struct Pass {
    const HostArguments::Contents* outputs = nullptr;  // what they hold before the call
    std::optional<std::uint64_t> before;  // seed of the inputs of the call that is not timed
    std::optional<std::uint64_t> inputs;  // of the one that is; absent: those that there are
    bool is_new = false;                  // inputs that it never had, instead
    bool forgets = false;                 // the core has forgotten its branches
  };
  using Times = PairTimes;
  // Seconds of a call; its outputs are in copied_.
  double pass(const KernelLibrary& library, const Pass& how);
  // The same, again where another process had the core meanwhile.
  double undisturbed_pass(const Pass& how);
  double call(const KernelLibrary& library);  // seconds
  std::uint64_t unseen_seed(DrawEnds ends);   // of inputs that nobody has had
  double expected() const;                    // seconds that samples let expect of a single call
  // Of pairs, as many as the rule asks for.
  HonestyRule::Verdict judged(HonestyRule& rule, const std::function<Times()>& pair);
  std::optional<search::TrialOutcome> found(HonestyRule::Verdict verdict, const HonestyRule& rule,
                                            const char* where);
  bool is_stalled() const { return is_cut_short_ && stalls_.are_too_long(); }
  std::optional<search::TrialOutcome> stalled();  // what that means
  std::optional<search::TrialOutcome> of_outputs();
  std::optional<search::TrialOutcome> of_new_inputs();
  std::optional<search::TrialOutcome> crosswise();
  Times crossed(const KernelLibrary& other, std::uint64_t seed);
  std::optional<search::TrialOutcome> answers_new_inputs(const KernelLibrary& library,
                                                         DrawEnds ends);
  std::optional<search::TrialOutcome> loaded_anew();
  std::optional<search::TrialOutcome> elsewhere();
  std::optional<search::TrialOutcome> wrong_in(const HostArguments& arguments,
                                               std::uint64_t seed) const;

  Parts parts_;
  std::uint64_t fresh_;  // seed that no earlier evaluation had: a kernel may keep files
  std::uint64_t new_inputs_ = 0;
  bool contradicts_samples_ = false;
  bool was_disturbed_ = false;  // another process had the core during the call that was timed last
  bool is_cut_short_ = false;
  double times_on_new_inputs_ = 0;
  bool is_disturbed_ = false;                  // during any of those of a crosswise pair
  std::optional<search::TrialOutcome> wrong_;  // of an answer in a pair
  base::Rng dice_;
  std::uint64_t noise_;  // of forget_branches()
  const KernelLibrary& library_;
  HostArguments& seen_;
  HostArguments::Contents answer_, nothing_;
  HostArguments::Contents put_;     // into the outputs before a call
  HostArguments::Contents copied_;  // of the last call
  StalledCalls stalls_;
};

}  // namespace nightshift::evaluator
