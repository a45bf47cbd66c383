#include "tools/bench/search/replays.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace nightshift::bench {

std::vector<std::vector<Runs>> replay_all(const std::vector<std::string>& searchers,
                                          const std::vector<ReplaySpace>& spaces, std::size_t seeds,
                                          std::size_t threads, const ReplaySettings& settings) {
  std::vector<std::vector<Runs>> results(searchers.size(),
                                         std::vector<Runs>(spaces.size(), Runs(seeds)));
  const std::size_t count = searchers.size() * spaces.size() * seeds;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      const std::size_t seed = i % seeds;
      const std::size_t space = i / seeds % spaces.size();
      const std::size_t searcher = i / seeds / spaces.size();
      try {
        results[searcher][space][seed] = replay(searchers[searcher], spaces[space], seed, settings);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace nightshift::bench
