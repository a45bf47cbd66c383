#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/problem/limits.h"

namespace nightshift::scheduler {

inline constexpr std::string_view kBudgetUsedUp = "the budget of time was used up";

// How long an evaluation may take besides the limits of the problem.
struct Patience {
  double seconds = 0;  // 0: as long as they say
  // Of an end by it, for people. Empty, of an exploration: the budget of time ends then, so that it
  // is no failure of the trial, which is left to a later run.
  std::string why;
  // Seconds that are left of the budget, in which a build in the middle of an evaluation ends as
  // well; 0: there is none. Its end for people, as `why`.
  double left = 0;
  std::string at_the_end = {};
};

// What is slower than the baseline by limits.times_baseline is of no use, and one that hangs costs
// no more. What is under way when the time ends has as long as a baseline takes, and a little more.
struct PatienceTerms {
  double baseline = 0;  // seconds that it took there; 0: not known, and nothing follows from it
  std::optional<double> left;             // seconds of the budget
  std::string at_the_end;                 // Patience::why of an end by the budget
  std::string_view who = "the baseline";  // whose seconds `baseline` are, for people
};
Patience patience_of(const search::Limits& limits, const PatienceTerms& terms);

// The same of the build of a candidate, where the slowest one that ended well took so many seconds, by
// limits.times_build; of 0 nothing follows.
Patience patience_with_build(const search::Limits& limits, double slowest);
// Of one before which none ended well: a quarter of the budget of time, so that those that hang do not
// keep all builders from the others until it ends. Of 0, no budget, nothing follows.
Patience patience_with_first_build(const search::Limits& limits, double budget);

}  // namespace nightshift::scheduler
