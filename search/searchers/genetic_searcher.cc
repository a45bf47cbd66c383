#include <algorithm>
#include <optional>
#include <vector>

#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Published: Kernel Tuner 1.4.0 breeds 90 generations of 26 with single-point crossover, each
// parameter mutated once in 55 times. Small populations are better here, since children enter at
// once: 8 to 12 are equal within 0.004, 16 lose 0.01 and 24 lose 0.02 of the mean quality over 400
// evaluations. Two, three or four in a tournament are equal, and so are mutations from 0.25 to 1.
struct GeneticSettings {
  std::size_t samples = 16;
  std::size_t population = 10;
  std::size_t tournament = 2;
  double crossover = 1;
  double mutations = 0.5;
  std::size_t patience = 60;
};

const OptionTable<GeneticSettings>& option_table() {
  using Its = GeneticSettings;
  static const OptionTable<Its> table(
      {}, {{"population", &Its::population, "members that are kept", 2, 10'000},
           {"tournament", &Its::tournament, "members drawn, the best of which is a parent", 1, 100},
           {"crossover", &Its::crossover, "chance that a child has two parents, else one", 0, 1},
           {"mutations", &Its::mutations, "parameters that change in a child, in the mean", 0, 100},
           {"samples", &Its::samples, kSamplesMeaning, 1, 10'000},
           {"patience", &Its::patience, kPatienceMeaning, 0, 1e6}});
  return table;
}

// A genetic algorithm in the steady state (Syswerda 1989; Whitley's GENITOR 1989): one child at a
// time, which replaces the worst of the population when it is better. Parents win tournaments;
// their child takes each parameter from either, is mutated, and is repaired where a constraint is
// violated. No configuration is proposed twice, so the population cannot become copies of one.
class GeneticSearcher : public StepwiseSearcher {
 public:
  GeneticSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                  const GeneticSettings& own)
      : StepwiseSearcher(space, settings, {own.samples, own.patience}), own_(own) {}

 protected:
  std::optional<Proposal> propose() override {
    if (population_.empty()) return std::nullopt;
    const Digits mother = space_.digits(parent());
    // A chance of one draws no number.
    const bool has_father = own_.crossover >= 1 || rng_.uniform() < own_.crossover;
    const Digits child = has_father ? moves_.cross(mother, space_.digits(parent()), rng_) : mother;
    const auto next = take_near(moves_.mutated(child, own_.mutations, rng_));
    return next ? std::optional(Proposal{*next}) : std::nullopt;
  }

  void learn(const Told& told) override {
    if (told.cost.failed()) return;
    std::erase_if(population_, [&](const Member& m) { return m.place == told.configuration; });
    population_.push_back({told.configuration, told.cost});
    if (population_.size() <= own_.population) return;
    population_.erase(
        std::ranges::max_element(population_, {}, [](const Member& m) { return m.cost.value; }));
  }

  void forget() override { population_.clear(); }

 private:
  struct Member {
    ConfigurationIndex place;
    Cost cost;
  };

  // Within the noise the first one drawn wins, which is either with equal chance.
  ConfigurationIndex parent() {
    const Member* winner = &population_[rng_.below(population_.size())];
    for (std::size_t i = 1; i < own_.tournament; ++i) {
      const Member* rival = &population_[rng_.below(population_.size())];
      if (clearly_better(rival->cost, winner->cost)) winner = rival;
    }
    return winner->place;
  }

  const GeneticSettings own_;
  std::vector<Member> population_;
};

}  // namespace

std::unique_ptr<Searcher> make_genetic_searcher(const ParameterSpace& space,
                                                const SearcherSettings& settings) {
  return std::make_unique<GeneticSearcher>(space, settings, option_table().with(settings.options));
}

std::vector<SearcherOption> genetic_options() { return option_table().described(); }

}  // namespace nightshift::search
