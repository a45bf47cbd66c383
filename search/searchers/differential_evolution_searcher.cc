#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Published: Storn and Price advise 10 members for each dimension, CR 0.9 and F 0.5 to 1; Helion
// keeps 40 members and CR 0.8. With hundreds of evaluations in all, few members are better: 8 and
// 12 are equal, 20 lose 0.01 of the mean quality over 400 evaluations. F is drawn anew for each
// trial (dither), since differences of few values come in few sizes. The best member as base gains
// 0.02 over a random one.
struct EvolutionSettings {
  std::size_t samples = 16;
  std::size_t population = 10;
  double least_factor = 0.5;
  double most_factor = 1;
  double crossover = 0.9;
  std::size_t patience = 60;
};

const OptionTable<EvolutionSettings>& option_table() {
  using Its = EvolutionSettings;
  static const OptionTable<Its> table(
      {}, {{"population", &Its::population, "members that are kept", 3, 10'000},
           {"least_factor", &Its::least_factor,
            "F, which multiplies differences, is drawn from here", 0, 10},
           {"most_factor", &Its::most_factor, "... to here", 0, 10},
           {"crossover", &Its::crossover,
            "CR: chance that a parameter is moved, else as in the member", 0, 1},
           {"samples", &Its::samples, kSamplesMeaning, 1, 10'000},
           {"patience", &Its::patience, kPatienceMeaning, 0, 1e6}});
  return table;
}

// Differential evolution (Storn and Price, J. Global Optimization 1997), best/1/bin, on the
// positions in the lists of values. Members take turns; each trial is for one of them and takes its
// place as soon as it is told of as no worse, so generations have no end to wait for. A position
// between two is rounded to either, the nearer more often. Where values have no order, the base's
// is kept unless the two others differ, of which one is taken then (Helion's rule).
class DifferentialEvolutionSearcher : public StepwiseSearcher {
 public:
  DifferentialEvolutionSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                                const EvolutionSettings& own)
      : StepwiseSearcher(space, settings, {own.samples, own.patience}), own_(own) {}

 protected:
  std::optional<Proposal> propose() override {
    if (population_.size() < 3) return std::nullopt;
    const std::size_t member = turn_++ % population_.size();
    const Digits target = space_.digits(population_[member].place);
    const auto next = take_near(moves_.repaired(trial(target, member), target, rng_));
    return next ? std::optional(Proposal{*next, member}) : std::nullopt;
  }

  void learn(const Told& told) override {
    if (told.cost.failed()) return;
    const auto known = std::ranges::find(population_, told.configuration, &Member::place);
    if (known != population_.end()) {
      known->cost = told.cost;
    } else if (population_.size() < own_.population) {
      population_.push_back({told.configuration, told.cost});
    } else {
      Member& rival = told.tag ? population_[*told.tag] : *worst();
      if (told.cost.value <= rival.cost.value) rival = {told.configuration, told.cost};
    }
  }

  void forget() override { population_.clear(); }

 private:
  struct Member {
    ConfigurationIndex place;
    Cost cost;
    double value() const { return cost.value; }
  };

  std::vector<Member>::iterator worst() {
    return std::ranges::max_element(population_, {}, &Member::value);
  }

  Digits trial(const Digits& target, std::size_t member) {
    const Digits best =
        space_.digits(std::ranges::min_element(population_, {}, &Member::value)->place);
    const auto [one, other] = two_others(member);
    const Digits plus = space_.digits(population_[one].place);
    const Digits minus = space_.digits(population_[other].place);
    const double f = own_.least_factor + (own_.most_factor - own_.least_factor) * rng_.uniform();
    Digits mixed = target;
    for (const std::size_t k : moves_.free_parameters()) {
      if (rng_.uniform() >= own_.crossover) continue;
      mixed[k] = moves_.is_ordered(k) ? moved(k, best[k], f * difference(plus[k], minus[k]))
                                      : chosen(best[k], plus[k], minus[k]);
    }
    return mixed;
  }

  // Members other than the target, and not the same.
  std::array<std::size_t, 2> two_others(std::size_t member) {
    const std::size_t n = population_.size();
    const std::size_t one = (member + 1 + rng_.below(n - 1)) % n;
    std::size_t other = rng_.below(n - 2);
    for (const std::size_t taken : {std::min(member, one), std::max(member, one)}) {
      if (other >= taken) ++other;
    }
    return {one, other};
  }

  static double difference(std::uint32_t a, std::uint32_t b) {
    return static_cast<double>(a) - static_cast<double>(b);
  }

  std::uint32_t moved(std::size_t parameter, std::uint32_t from, double by) {
    const double last = moves_.value_count(parameter) - 1.0;
    const double to = std::floor(from + by + rng_.uniform());
    return static_cast<std::uint32_t>(std::clamp(to, 0.0, last));
  }

  std::uint32_t chosen(std::uint32_t base, std::uint32_t plus, std::uint32_t minus) {
    if (plus == minus) return base;
    return rng_.coin() ? plus : minus;
  }

  const EvolutionSettings own_;
  std::vector<Member> population_;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Searcher> make_differential_evolution_searcher(const ParameterSpace& space,
                                                               const SearcherSettings& settings) {
  return std::make_unique<DifferentialEvolutionSearcher>(space, settings,
                                                         option_table().with(settings.options));
}

std::vector<SearcherOption> differential_evolution_options() { return option_table().described(); }

}  // namespace nightshift::search
