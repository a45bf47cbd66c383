#pragma once

#include <cstdint>
#include <string>

#include "search/problem/budget.h"

namespace nightshift::scheduler {

// What a study has used up so far; over all its runs.
struct Usage {
  double seconds = 0;
  double simulated_seconds = 0;
  std::uint64_t proposed = 0;  // unique configurations asked for, failures included
  std::uint64_t stalled = 0;   // configurations finished since the last new best
};

// Why no further configuration may be explored, in a sentence; empty while the budget lasts.
std::string exhausted(const search::Budget& budget, const Usage& usage);

// Share of the nearest limit that is used, 0 to 1; 0 without any limit.
double used_share(const search::Budget& budget, const Usage& usage);

}  // namespace nightshift::scheduler
