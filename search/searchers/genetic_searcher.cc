#include <algorithm>
#include <optional>
#include <vector>

#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Published: Kernel Tuner 1.4.0 breeds 90 generations of 26 with single-point crossover, each
// parameter mutated once in 55 times. Small populations are better here, since children enter at
// once: 8 to 12 are equal within 0.004, 16 lose 0.01 and 24 lose 0.02 of the mean quality over 400
// evaluations. Two, three or four in a tournament are equal, and so are mutations from 0.25 to 1.
constexpr std::size_t kSamples = 16;
constexpr std::size_t kPopulation = 10;
constexpr int kTournament = 2;
constexpr double kMutations = 0.5;  // parameters that change in a child, in the mean
constexpr std::size_t kPatience = 60;

// A genetic algorithm in the steady state (Syswerda 1989; Whitley's GENITOR 1989): one child at a
// time, which replaces the worst of the population when it is better. Parents win tournaments;
// their child takes each parameter from either, is mutated, and is repaired where a constraint is
// violated. No configuration is proposed twice, so the population cannot become copies of one.
class GeneticSearcher : public StepwiseSearcher {
 public:
  GeneticSearcher(const ParameterSpace& space, const SearcherSettings& settings)
      : StepwiseSearcher(space, settings, {kSamples, kPatience}) {}

 protected:
  std::optional<Proposal> propose() override {
    if (population_.empty()) return std::nullopt;
    const Digits mother = space_.digits(parent());
    const Digits child = moves_.cross(mother, space_.digits(parent()), rng_);
    const auto next = take_near(moves_.mutated(child, kMutations, rng_));
    return next ? std::optional(Proposal{*next}) : std::nullopt;
  }

  void learn(const Told& told) override {
    if (told.cost.failed()) return;
    std::erase_if(population_, [&](const Member& m) { return m.place == told.configuration; });
    population_.push_back({told.configuration, told.cost});
    if (population_.size() <= kPopulation) return;
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
    for (int i = 1; i < kTournament; ++i) {
      const Member* rival = &population_[rng_.below(population_.size())];
      if (clearly_better(rival->cost, winner->cost)) winner = rival;
    }
    return winner->place;
  }

  std::vector<Member> population_;
};

}  // namespace

std::unique_ptr<Searcher> make_genetic_searcher(const ParameterSpace& space,
                                                const SearcherSettings& settings) {
  return std::make_unique<GeneticSearcher>(space, settings);
}

}  // namespace nightshift::search
