#include "search/searchers/starts_first.h"

#include <deque>
#include <unordered_set>
#include <utility>

namespace nightshift::search {

namespace {

class StartsFirst : public Searcher {
 public:
  StartsFirst(std::unique_ptr<Searcher> searcher, const ParameterSpace& space,
              const std::vector<ConfigurationIndex>& starts)
      : searcher_(std::move(searcher)) {
    for (const ConfigurationIndex start : starts) {
      if (start.value < space.size() && starts_.insert(start).second) waiting_.push_back(start);
    }
  }

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n && !waiting_.empty()) {
      proposals.push_back(waiting_.front());
      waiting_.pop_front();
    }
    // The searcher does not know of a start before it is told, and may propose it in between.
    while (proposals.size() < n) {
      const std::vector<ConfigurationIndex> more = searcher_->ask(n - proposals.size());
      if (more.empty()) break;
      for (const ConfigurationIndex i : more) {
        if (!starts_.contains(i)) proposals.push_back(i);
      }
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    if (starts_.contains(configuration)) std::erase(waiting_, configuration);
    searcher_->tell(configuration, observation);
  }

 private:
  std::unique_ptr<Searcher> searcher_;
  std::unordered_set<ConfigurationIndex> starts_;
  std::deque<ConfigurationIndex> waiting_;
};

}  // namespace

std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const std::vector<ConfigurationIndex>& starts) {
  if (starts.empty()) return searcher;
  return std::make_unique<StartsFirst>(std::move(searcher), space, starts);
}

}  // namespace nightshift::search
