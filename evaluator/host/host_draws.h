#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/host/kernel_library.h"
#include "search/problem/host_backend.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// Whether what passes as rounding is rounding (error_over_draws.h): calls a kernel on other draws of
// the inputs, where some element of its answer is right by what rounding explains alone
// (host_reference.h). Usually the first kDrawsOfLook draws say that it is. The reference's answers
// are kept with its others, so that the next candidates have them.
//
// Asked only where the inputs are drawn (drawn_inputs.h).
class HostDraws {
 public:
  struct Parts {
    const search::HostBackend& host;
    const std::vector<ArgumentShape>& shapes;
    std::string reference;  // path
    std::uint64_t seed = 0;
    double most = 0;  // seconds: what is not known by then passes
    HostReference& answers;
    ProgressSink& progress;
  };
  explicit HostDraws(Parts parts) : parts_(std::move(parts)) {}

  // nullopt: nothing is wrong. `arguments` hold an answer that is right, of the inputs of `seed`; they
  // hold those inputs again afterwards, and no answer.
  std::optional<search::TrialOutcome> wrong(const KernelLibrary& library, HostArguments& arguments);
  // wrong() passed what further draws might have shown: the time for them was over.
  bool is_cut_short() const { return is_cut_short_; }

 private:
  Parts parts_;
  bool is_cut_short_ = false;
};

}  // namespace nightshift::evaluator
