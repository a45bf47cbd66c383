#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {

// In the order of the positions. Nobody comes to the end of a space that is not counted, and its
// valid positions may lie far apart: there it draws.
class ExhaustiveSearcher : public Searcher {
 public:
  ExhaustiveSearcher(const ParameterSpace& space, std::uint64_t seed)
      : counted_(space.counted()), size_(space.size()), unseen_(space), rng_(seed) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (!counted_ && proposals.size() < n) {
      const auto drawn = unseen_.draw(rng_);
      if (!drawn) return proposals;
      proposals.push_back(*drawn);
    }
    for (; proposals.size() < n && next_ < size_; ++next_) {
      if (unseen_.mark_seen({next_})) proposals.push_back({next_});
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation&) override {
    unseen_.mark_seen(configuration);
  }

 private:
  bool counted_;
  base::Wide size_;
  base::Wide next_ = 0;
  Unseen unseen_;
  base::Rng rng_;
};

}  // namespace

std::unique_ptr<Searcher> make_exhaustive_searcher(const ParameterSpace& space,
                                                   const SearcherSettings& settings) {
  return std::make_unique<ExhaustiveSearcher>(space, settings.seed);
}

}  // namespace nightshift::search
