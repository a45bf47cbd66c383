#include "evaluator/host/host_draws.h"

#include <algorithm>
#include <utility>

#include "evaluator/answers/drawn_inputs.h"
#include "evaluator/answers/error_over_draws.h"
#include "evaluator/process/launched_child.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

struct Asked {
  std::size_t output;  // position among what is expected
  ErrorOverDraws errors;
};

std::vector<Asked> asked_of(const HostDraws::Parts& parts, const HostArguments& arguments) {
  std::vector<Asked> asked;
  for (auto& one : parts.answers.explained(arguments, parts.reference, parts.shapes, parts.seed)) {
    asked.push_back({one.position, ErrorOverDraws(std::move(one.elements), one.least_share)});
  }
  return asked;
}

std::optional<search::TrialOutcome> found_in(const HostDraws::Parts& parts,
                                             const std::vector<Asked>& asked) {
  // Also so that the answer of the evaluation's own inputs is the latest that is kept.
  const auto& right = parts.answers.expected(parts.reference, parts.shapes, parts.seed);
  for (const Asked& one : asked) {
    const ExpectedOutput& output = right[one.output];
    const auto& argument = parts.host.arguments[output.argument];
    const auto tolerance = tolerance_of(parts.host.tolerance, argument, output.size);
    if (auto found = one.errors.systematic(argument.name, tolerance.absolute)) return *found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<search::TrialOutcome> HostDraws::wrong(const KernelLibrary& library,
                                                     HostArguments& arguments) {
  if (!are_drawn(parts_.host.arguments)) return std::nullopt;
  std::vector<Asked> asked = asked_of(parts_, arguments);
  if (asked.empty()) return std::nullopt;
  const auto start = Clock::now();
  bool goes_on = true;
  for (int draw = 1; goes_on && draw <= ErrorOverDraws::kDraws; ++draw) {
    const std::uint64_t seed = ErrorOverDraws::seed_of(parts_.seed, draw);
    arguments.refill(seed);
    arguments.poison_outputs();
    library.call(arguments.pointers());
    parts_.progress.beat(1);
    const auto& expected = parts_.answers.expected(parts_.reference, parts_.shapes, seed);
    for (Asked& one : asked) {
      const ExpectedOutput& output = expected[one.output];
      one.errors.add(arguments.numbers(output.argument), output.floating);
    }
    const bool looks = draw % ErrorOverDraws::kDrawsOfLook == 0;
    if (looks) std::erase_if(asked, [](const Asked& one) { return !one.errors.is_alike(); });
    const bool has_time = seconds_since(start) < parts_.most;
    is_cut_short_ = !has_time && !asked.empty() && draw < ErrorOverDraws::kDraws;
    goes_on = has_time && !asked.empty();
  }
  arguments.refill(parts_.seed);
  return found_in(parts_, asked);
}

}  // namespace nightshift::evaluator
