#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/search/replay.h"

namespace nightshift::bench {

// Seeds 0..n-1 of one searcher on one space.
using Runs = std::vector<Replay>;

// [searcher][space]: seeds 0..seeds-1 of each searcher on each space, on `threads` threads. The
// result does not depend on the number of threads. The first exception of any replay is thrown
// on, after the others have ended.
std::vector<std::vector<Runs>> replay_all(const std::vector<std::string>& searchers,
                                          const std::vector<ReplaySpace>& spaces, std::size_t seeds,
                                          std::size_t threads, const ReplaySettings& settings);

}  // namespace nightshift::bench
