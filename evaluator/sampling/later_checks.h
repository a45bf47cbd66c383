#pragma once

#include <chrono>
#include <optional>

#include "search/trial.h"

namespace nightshift::evaluator {

// After its samples a configuration is called again, each time on fresh outputs, and each answer is
// checked: for this share of the time that samples took, at least once and this often at most. So
// a call in a hundred that is wrong is found where calls are short, and seldom where few fit in.
// python/nightshift/visit.py has the same two numbers for what it calls itself.
inline constexpr double kShareOfChecks = 0.05;
inline constexpr int kMostChecks = 200;

// By that rule. CHECK calls once and says what is wrong with the answer; `sampled`: seconds that the
// samples took. The first call's own time does not count.
template <class Check>
std::optional<search::TrialOutcome> checked_later(double sampled, Check check) {
  using std::chrono::steady_clock;
  std::optional<search::TrialOutcome> wrong = check();
  const auto end = steady_clock::now() + std::chrono::duration<double>(kShareOfChecks * sampled);
  for (int call = 1; !wrong && call < kMostChecks && steady_clock::now() < end; ++call) {
    wrong = check();
  }
  return wrong;
}

}  // namespace nightshift::evaluator
