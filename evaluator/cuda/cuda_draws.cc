#include "evaluator/cuda/cuda_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluator/answers/drawn_inputs.h"
#include "evaluator/process/launched_child.h"
#include "search/element_type.h"
#include "search/figures/usual_gate.h"

namespace nightshift::evaluator::cuda {
namespace {

using Access = search::Argument::Access;

// Of what sums are made in: float32 also where the answer has fewer bits.
double rounding_of(search::ElementType type) {
  return std::ldexp(1.0, type == search::ElementType::kFloat64 ? -53 : -24);
}

}  // namespace

double CudaDraws::longest_read(const DeviceArguments& arguments) const {
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < parts_.arguments.size(); ++i) {
    const search::Argument& argument = parts_.arguments[i];
    const bool is_read =
        !argument.scalar && argument.access != Access::kOut && argument.access != Access::kWork;
    if (is_read) longest = std::max(longest, arguments.vector(i).elements);
  }
  return static_cast<double>(longest);
}

std::vector<CudaDraws::Asked> CudaDraws::asked_of(const DeviceAnswer& right,
                                                  const DeviceArguments& seen) const {
  std::vector<Asked> asked;
  const double longest = longest_read(seen);
  for (std::size_t i = 0; i < right.outputs().size(); ++i) {
    const DeviceAnswer::Output& output = right.outputs()[i];
    const DeviceVector got = seen.vector(output.gate.argument);
    // Who says what elements may be off by is not asked, as in DeviceAnswer::judge().
    if (!search::is_floating(got.type) || output.gate.element <= 0) continue;
    if (search::says_of_elements(got.type, output.gate)) continue;
    const double least =
        std::max(share_of_steps(parts_.arguments),
                 ErrorOverDraws::least_share(output.gate.element, longest, rounding_of(got.type)));
    auto picked = parts_.support.pick(got, output.expected, least);
    std::vector<std::size_t> elements;
    for (std::size_t at = 0; at < picked.elements.size(); ++at) {
      if (picked.elements[at].asked > 0) elements.push_back(at);
    }
    if (elements.empty()) continue;
    asked.push_back({i, std::move(picked), ErrorOverDraws(std::move(elements), least)});
  }
  return asked;
}

void CudaDraws::launch(KernelModule& module, DeviceArguments& others) const {
  others.poison_outputs();
  others.reset_work();
  if (others.has_constant_arrays()) others.fill_constant_arrays(module);
  for (const PlannedLaunch& launch : parts_.plan.launches) {
    module.launch(launch, others.pointers(0), parts_.context.stream());
  }
  parts_.context.synchronise();
  parts_.progress.beat(1);
}

std::optional<search::TrialOutcome> CudaDraws::wrong(const DeviceAnswer& right,
                                                     const DeviceArguments& seen,
                                                     KernelModule& module,
                                                     DeviceArguments& others) {
  if (!are_drawn(parts_.arguments)) return std::nullopt;
  std::vector<Asked> asked = asked_of(right, seen);
  const auto start = Clock::now();
  for (int draw = 1; !asked.empty() && draw <= ErrorOverDraws::kDraws; ++draw) {
    parts_.progress.mark(search::Phase::kVerify);
    const DeviceAnswer answer = parts_.answer_of(ErrorOverDraws::seed_of(parts_.seed, draw));
    launch(module, others);
    for (Asked& one : asked) {
      const DeviceAnswer::Output& output = answer.outputs()[one.output];
      one.errors.add(parts_.support.read(others.vector(output.gate.argument), one.picked),
                     parts_.support.read(output.expected, one.picked));
    }
    const bool looks = draw == kFirstLook || draw % ErrorOverDraws::kDrawsOfLook == 0;
    if (looks) std::erase_if(asked, [](const Asked& one) { return !one.errors.is_alike(); });
    if (seconds_since(start) < parts_.most) continue;
    is_cut_short_ = !asked.empty() && draw < ErrorOverDraws::kDraws;
    break;
  }
  for (const Asked& one : asked) {
    const DeviceAnswer::Output& output = right.outputs()[one.output];
    auto found = one.errors.systematic(output.name, output.gate.element * output.rms);
    if (!found) continue;
    found->element = one.picked.elements[found->element].at;
    return *std::move(found);
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator::cuda
