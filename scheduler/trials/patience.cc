#include "scheduler/trials/patience.h"

#include <fmt/format.h>

#include <algorithm>

namespace nightshift::scheduler {
namespace {

// Beyond the budget: seconds, or times the baseline.
constexpr double kGrace = 0.25, kGraceTimes = 1.5;

}  // namespace

Patience patience_of(const search::Limits& limits, const PatienceTerms& terms) {
  Patience patience;
  if (limits.times_baseline > 0 && terms.baseline > 0) {
    patience.seconds =
        std::max(limits.times_baseline * terms.baseline, search::Limits::kLeastPatience);
    patience.why = fmt::format(
        "the limit follows from {}, which took {:.2g} s: limits.times_baseline is {:g}; "
        "limits.trial sets another",
        terms.who, terms.baseline, limits.times_baseline);
  }
  if (terms.left) {
    const double end = std::max(*terms.left, 0.0) + std::max(kGrace, kGraceTimes * terms.baseline);
    if (end < (patience.seconds > 0 ? patience.seconds : limits.trial)) {
      patience = {end, terms.at_the_end};
    }
    patience.left = end;
    patience.at_the_end = terms.at_the_end;
  }
  if (patience.seconds >= limits.trial) {
    patience.seconds = 0;
    patience.why.clear();
  }
  return patience;
}

Patience patience_with_build(const search::Limits& limits, double slowest) {
  if (limits.times_build <= 0 || slowest <= 0) return {};
  const double seconds =
      std::max(limits.times_build * slowest, search::Limits::kLeastPatienceWithBuilds);
  if (seconds >= limits.build) return {};
  return {seconds, fmt::format("the limit follows from the slowest build before it, which took "
                               "{:.2g} s: limits.times_build is {:g}; limits.build sets another",
                               slowest, limits.times_build)};
}

Patience patience_with_first_build(const search::Limits& limits, double budget) {
  if (limits.times_build <= 0 || budget <= 0) return {};
  const double seconds = std::max(budget / 4, search::Limits::kLeastPatienceWithBuilds);
  if (seconds >= limits.build) return {};
  return {seconds,
          "the limit is a quarter of the budget of time, or 20 s, as long as no other "
          "candidate was built; limits.build sets another"};
}

}  // namespace nightshift::scheduler
