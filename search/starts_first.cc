#include "search/starts_first.h"

#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nightshift::search {

namespace {

class StartsFirst : public Searcher {
 public:
  StartsFirst(std::unique_ptr<Searcher> searcher, const ParameterSpace& space,
              const SearcherSettings& settings)
      : searcher_(std::move(searcher)) {
    std::unordered_set<ConfigurationIndex> known;
    for (const ConfigurationIndex start : settings.starts) {
      if (start.value < space.size() && known.insert(start).second) starts_.push_back(start);
    }
  }

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n && !starts_.empty()) {
      const ConfigurationIndex start = starts_.front();
      starts_.pop_front();
      if (told_.contains(start)) continue;
      proposed_.insert(start);
      proposals.push_back(start);
    }
    while (proposals.size() < n) {
      const std::vector<ConfigurationIndex> next = searcher_->ask(n - proposals.size());
      if (next.empty()) break;
      for (const ConfigurationIndex i : next) {
        // It does not know of starts that are outstanding; from now on it does.
        if (proposed_.erase(i) == 0) proposals.push_back(i);
      }
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    if (!starts_.empty()) told_.insert(configuration);
    proposed_.erase(configuration);
    searcher_->tell(configuration, observation);
  }

 private:
  std::unique_ptr<Searcher> searcher_;
  std::deque<ConfigurationIndex> starts_;
  std::unordered_set<ConfigurationIndex> told_;      // while there are starts
  std::unordered_set<ConfigurationIndex> proposed_;  // starts that the searcher knows nothing of
};

}  // namespace

std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const SearcherSettings& settings) {
  if (settings.starts.empty()) return searcher;
  return std::make_unique<StartsFirst>(std::move(searcher), space, settings);
}

}  // namespace nightshift::search
