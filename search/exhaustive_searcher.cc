#include "search/searchers.h"
#include "search/unseen.h"

namespace nightshift::search {

namespace {

class ExhaustiveSearcher : public Searcher {
 public:
  explicit ExhaustiveSearcher(const ParameterSpace& space)
      : size_(space.size()), unseen_(space.size()) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    for (; proposals.size() < n && next_ < size_; ++next_) {
      if (unseen_.mark_seen({next_})) proposals.push_back({next_});
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation&) override {
    unseen_.mark_seen(configuration);
  }

 private:
  Wide size_;
  Wide next_ = 0;
  Unseen unseen_;
};

}  // namespace

std::unique_ptr<Searcher> make_exhaustive_searcher(const ParameterSpace& space,
                                                   const SearcherSettings&) {
  return std::make_unique<ExhaustiveSearcher>(space);
}

}  // namespace nightshift::search
