#include "tools/bench/search/replays.h"

#include "base/parallel.h"

namespace nightshift::bench {

std::vector<std::vector<Runs>> replay_all(const std::vector<std::string>& searchers,
                                          const std::vector<ReplaySpace>& spaces, std::size_t seeds,
                                          std::size_t threads, const ReplaySettings& settings) {
  std::vector<std::vector<Runs>> results(searchers.size(),
                                         std::vector<Runs>(spaces.size(), Runs(seeds)));
  base::in_parallel(searchers.size() * spaces.size() * seeds, threads, [&](std::size_t i) {
    const std::size_t seed = i % seeds;
    const std::size_t space = i / seeds % spaces.size();
    const std::size_t searcher = i / seeds / spaces.size();
    results[searcher][space][seed] = replay(searchers[searcher], spaces[space], seed, settings);
  });
  return results;
}

}  // namespace nightshift::bench
