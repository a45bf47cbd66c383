#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/bench/search/replay.h"

namespace nightshift::bench {

// By how much a process grows at most while the searcher goes through the space once with seed 0,
// in bytes of resident memory: in a child process, so that earlier runs leave nothing to reuse.
// Call it while the process has one thread. nullopt where the child fails.
std::optional<std::size_t> memory_growth(const std::string& searcher, const ReplaySpace& space,
                                         const ReplaySettings& settings);

}  // namespace nightshift::bench
