#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
//   blind  the outputs hold nothing, or the inputs are new as well and the machine code was loaded
//          anew, so that what a kernel kept in its own variables is gone
//
// What a kernel that computes what it is told to takes does not depend on which, and a single call is no
// longer than those of the samples, which follow each other on the same inputs and outputs, but for
// caches and the clock: kMost.
//  Before either the
// same is done to the same memory, so that caches hold the same. The answer of a blind call is
// copied right after it and then checked: what other threads write later does not count. At last
// its answer is checked at other addresses.
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
  // The most that a single call takes of a sampled one, beside what bringing all arguments from memory
  // takes. A kernel that leaves out up to a third of its work where calls follow each other is not seen.
  static constexpr double kMost = 1.5;

  // `seen`: what was measured.
  HostAudit(Parts parts, const KernelLibrary& library, HostArguments& seen);

  // nullopt: nothing is wrong.
  std::optional<search::TrialOutcome> run();

 private:
  // Seconds of a call on such outputs; its own are in copied_. `inputs`: seed of inputs that it
  // has for the first time; absent: those that it had.
  double pass(const KernelLibrary& library, const HostArguments::Contents& outputs,
              std::optional<std::uint64_t> inputs);
  // The same, again where another process had the core meanwhile.
  double undisturbed_pass(const KernelLibrary& library, const HostArguments::Contents& outputs,
                          const std::function<std::optional<std::uint64_t>()>& inputs);
  HonestyRule rule() const;
  std::optional<search::TrialOutcome> of_outputs();
  std::optional<search::TrialOutcome> of_unseen();
  std::optional<search::TrialOutcome> elsewhere();
  std::optional<search::TrialOutcome> wrong_in(const HostArguments& arguments,
                                               std::uint64_t seed) const;

  Parts parts_;
  std::uint64_t fresh_;  // seed that no earlier evaluation had: a kernel may keep files
  const KernelLibrary& library_;
  HostArguments& seen_;
  HostArguments::Contents answer_, nothing_;
  HostArguments::Contents put_;     // into the outputs before a call
  HostArguments::Contents copied_;  // of the last call
};

}  // namespace nightshift::evaluator
