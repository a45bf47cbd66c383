#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "evaluator/answers/verification.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/kernel_library.h"

namespace nightshift::evaluator {

// What roundings do to an output of a reference, by element: the largest effect of some tries.
struct RoundingEffect {
  // Where each floating input is off by kNudge of itself, either way.
  std::vector<double> of_inputs;
  // Where each step of the reference is rounded once more, in the reference's own type. Steps may be
  // larger than the inputs that they are made of: exp(x) and 1 + x are near 1 for each small x.
  //
  // The answer is computed rounded up, down and to nearest. Up, a step is off by a share r of its
  // last digit, down by 1 - r the other way; so the mean of these two answers is off the third by
  // half a digit of each step, of a sign that is as good as drawn, as roundings are. What steps have
  // in common where all are rounded to one side grows with their number, and cancels in the mean.
  // Functions that round to nearest whatever they are told (sin of glibc) have no effect.
  std::vector<double> of_steps;
  // Root mean square of what steps do to each element beside what they do to all of them alike.
  double of_own_steps = 0;
};

inline constexpr double kNudge = 0x1p-23;  // a step of float32

// One for each of `outputs`, which `reference` makes of `arguments()`; of integers it is empty.
std::vector<RoundingEffect> rounding_effects(const KernelLibrary& reference,
                                             const std::function<HostArguments()>& arguments,
                                             const std::vector<ExpectedOutput>& outputs,
                                             std::uint64_t seed);

}  // namespace nightshift::evaluator
