#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/searchers/searchers.h"
#include "search/searchers/space_filling.h"

namespace nightshift::search {

namespace {

// Random search without its clumps and gaps, see SpaceFilling; learns nothing from scores, but
// keeps away from what it is told of.
class LowDiscrepancySearcher : public Searcher {
 public:
  LowDiscrepancySearcher(const ParameterSpace& space, const SearcherSettings& settings)
      : unseen_(space), rng_(settings.seed), filling_(space) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n) {
      const auto drawn = filling_.draw(unseen_, rng_);
      if (!drawn) break;
      proposals.push_back(*drawn);
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation&) override {
    if (unseen_.mark_seen(configuration)) filling_.add(configuration);
  }

 private:
  Unseen unseen_;
  base::Rng rng_;
  SpaceFilling filling_;
};

}  // namespace

std::unique_ptr<Searcher> make_low_discrepancy_searcher(const ParameterSpace& space,
                                                        const SearcherSettings& settings) {
  return std::make_unique<LowDiscrepancySearcher>(space, settings);
}

}  // namespace nightshift::search
