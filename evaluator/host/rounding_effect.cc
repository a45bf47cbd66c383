#include "evaluator/host/rounding_effect.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>

#include "base/rng.h"

namespace nightshift::evaluator {
namespace {

constexpr int kTries = 3;  // one alone may leave a short answer where it was

// While it is there, this thread rounds so: a mode of <cfenv>.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { (void)std::fesetround(mode); }
  ~RoundingMode() { (void)std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

// What is no number says nothing.
void widen(double& effect, double moved) {
  if (std::isfinite(moved)) effect = std::max(effect, std::abs(moved));
}

using Answers = std::vector<std::vector<double>>;  // by output; of integers empty

Answers nudged_answers(const KernelLibrary& reference, HostArguments arguments,
                       const std::vector<ExpectedOutput>& outputs, std::uint64_t seed, int mode) {
  arguments.nudge(kNudge, seed);
  {
    const RoundingMode rounds(mode);
    reference.call(arguments.pointers());
  }
  Answers answers;
  for (const ExpectedOutput& output : outputs) {
    const bool is_floating = !output.floating.empty();
    answers.push_back(is_floating ? arguments.numbers(output.argument) : std::vector<double>());
  }
  return answers;
}

// By element, with its sign: see RoundingEffect::of_steps.
std::vector<double> moved_by_steps(const std::vector<double>& near, const std::vector<double>& up,
                                   const std::vector<double>& down) {
  std::vector<double> moved;
  for (std::size_t at = 0; at < near.size(); ++at) {
    // Each difference is exact where the answers are near each other.
    moved.push_back(((up[at] - near[at]) - (near[at] - down[at])) / 2);
  }
  return moved;
}

// Root mean square beside their mean, of those that are finite.
double scatter_of(const std::vector<double>& moved) {
  double count = 0, sum = 0, squares = 0;
  for (const double one : moved) {
    if (!std::isfinite(one)) continue;
    count += 1;
    sum += one;
    squares += one * one;
  }
  return count > 0 ? std::sqrt(std::max(squares - sum * sum / count, 0.0) / count) : 0;
}

}  // namespace

std::vector<RoundingEffect> rounding_effects(const KernelLibrary& reference,
                                             const std::function<HostArguments()>& arguments,
                                             const std::vector<ExpectedOutput>& outputs,
                                             std::uint64_t seed) {
  std::vector<RoundingEffect> effects(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    effects[i].of_inputs.resize(outputs[i].floating.size());
    effects[i].of_steps.resize(outputs[i].floating.size());
  }
  for (int next = 0; next < kTries; ++next) {
    const std::uint64_t its_seed = base::mix_seed(seed, static_cast<std::uint64_t>(next));
    const auto answers = [&](int mode) {
      return nudged_answers(reference, arguments(), outputs, its_seed, mode);
    };
    const Answers near = answers(FE_TONEAREST), up = answers(FE_UPWARD),
                  down = answers(FE_DOWNWARD);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<double> moved = moved_by_steps(near[i], up[i], down[i]);
      widen(effects[i].of_own_steps, scatter_of(moved));
      for (std::size_t at = 0; at < moved.size(); ++at) {
        widen(effects[i].of_inputs[at], near[i][at] - outputs[i].floating[at]);
        widen(effects[i].of_steps[at], moved[at]);
      }
    }
  }
  return effects;
}

}  // namespace nightshift::evaluator
