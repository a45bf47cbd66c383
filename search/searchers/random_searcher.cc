#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {

class RandomSearcher : public Searcher {
 public:
  RandomSearcher(const ParameterSpace& space, std::uint64_t seed) : unseen_(space), rng_(seed) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n) {
      const auto drawn = unseen_.draw(rng_);
      if (!drawn) break;
      proposals.push_back(*drawn);
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation&) override {
    unseen_.mark_seen(configuration);
  }

 private:
  Unseen unseen_;
  base::Rng rng_;
};

}  // namespace

std::unique_ptr<Searcher> make_random_searcher(const ParameterSpace& space,
                                               const SearcherSettings& settings) {
  return std::make_unique<RandomSearcher>(space, settings.seed);
}

}  // namespace nightshift::search
