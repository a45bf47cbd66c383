#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "evaluator/backend.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/sampling/honesty_rule.h"
#include "search/problem.h"
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
// caches hold the same. What seems longer on new inputs is timed once more where the core has
// forgotten how its branches went (branch_history.h). The answer of a blind call is copied right
// after it and then checked: what other threads write later does not count. At last its answer is
// checked where the machine code was loaded anew, so that what it kept in its own variables is
// gone, and at other addresses.
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
    double sampled = 0;  // seconds a call, as the samples were taken
    HostReference& answers;
    ProgressSink& progress;
  };
  // The most that a single call takes of a sampled one, beside what bringing all arguments from
  // memory takes. A kernel that leaves out up to a third of its work where calls follow each other is not seen.
  static constexpr double kMost = 1.5;

  // `seen`: what was measured.
  HostAudit(Parts parts, const KernelLibrary& library, HostArguments& seen);

  // nullopt: nothing is wrong.
  std::optional<search::TrialOutcome> run();
  // What run() found is that single calls take longer than the samples, whatever they hold: then
  // the machine may have become slower since, by a neighbour on the same core, and only samples
  // that are taken anew tell that from a kernel.
  bool contradicts_samples() const { return contradicts_samples_; }

 private:
  struct Pass {
    const HostArguments::Contents* outputs = nullptr;  // what they hold before the call
    std::optional<std::uint64_t> inputs;               // their seed; absent: those that there are
    bool is_new = false;                               // inputs that it never had, instead
    bool forgets = false;                              // the core has forgotten its branches
  };
  // Seconds of a call; its outputs are in copied_.
  double pass(const Pass& how);
  // The same, again where another process had the core meanwhile.
  double undisturbed_pass(const Pass& how);
  double most() const;  // seconds that samples let expect of a single call
  std::optional<search::TrialOutcome> found(HonestyRule::Verdict verdict, const HonestyRule& rule,
                                            const char* where);
  std::optional<search::TrialOutcome> of_outputs();
  std::optional<search::TrialOutcome> of_new_inputs(bool forgets);
  std::optional<search::TrialOutcome> answers_new_inputs(const KernelLibrary& library);
  std::optional<search::TrialOutcome> loaded_anew();
  std::optional<search::TrialOutcome> elsewhere();
  std::optional<search::TrialOutcome> wrong_in(const HostArguments& arguments,
                                               std::uint64_t seed) const;

  Parts parts_;
  std::uint64_t fresh_;  // seed that no earlier evaluation had: a kernel may keep files
  std::uint64_t new_inputs_ = 0;
  bool contradicts_samples_ = false;
  base::Rng dice_;
  std::uint64_t noise_;  // of forget_branches()
  const KernelLibrary& library_;
  HostArguments& seen_;
  HostArguments::Contents answer_, nothing_;
  HostArguments::Contents put_;     // into the outputs before a call
  HostArguments::Contents copied_;  // of the last call
};

}  // namespace nightshift::evaluator
