#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/searchers/space_filling.h"

namespace nightshift::search {

namespace {

const OptionTable<SpaceFilling::Settings>& option_table() {
  using Its = SpaceFilling::Settings;
  static const OptionTable<Its> table(
      {}, {{"candidates", &Its::candidates, "drawn, of which the loneliest is proposed", 1, 10'000},
           {"uniform_every", &Its::uniform_every,
            "so often a uniform draw is proposed instead; 0: never", 0, 10'000}});
  return table;
}

// Random search without its clumps and gaps, see SpaceFilling; learns nothing from scores, but
// keeps away from what it is told of.
class LowDiscrepancySearcher : public Searcher {
 public:
  LowDiscrepancySearcher(const ParameterSpace& space, const SearcherSettings& settings)
      : unseen_(space),
        rng_(settings.seed),
        filling_(space, option_table().with(settings.options)) {}

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

std::vector<SearcherOption> low_discrepancy_options() { return option_table().described(); }

}  // namespace nightshift::search
