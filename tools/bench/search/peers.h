#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/search/replays.h"

namespace nightshift::bench {

// Runs of another tuner, scored as if a searcher of ours had made them.
struct PeerRuns {
  std::string name;
  std::vector<Runs> spaces;  // by space; empty where the tuner did not run on it
};

// Reads what tools/bench/search_peers.py writes: {"peers": [{"name": "kt:pso", "spaces":
// {"convolution-A100": [[17, 3, ...], ...]}}]}. A run is the list of the configurations that were
// evaluated, in order, each once, by their position in the file of the space, from 0. What lies
// beyond the budget is left out; spaces that are not asked for are skipped. Throws UsageError.
std::vector<PeerRuns> read_peers(const std::vector<std::string>& files,
                                 const std::vector<ReplaySpace>& spaces, std::size_t budget);

}  // namespace nightshift::bench
