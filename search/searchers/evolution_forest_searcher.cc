#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "search/model/forest.h"
#include "search/options/option_table.h"
#include "search/searchers/observing_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kLeastPopulation = 4;  // a member and three others are mixed

struct EvolutionForestSettings {
  std::size_t starts = 5;
  std::size_t population = 20;  // half of the published: budgets here are smaller
  double crossover = 0.5;       // the published 0.8 loses 1 % at 100 evaluations and more
  std::size_t batch = 16;
  std::size_t oversampling = 3;
  double optimism = 2;  // with 0.5 the search ends in local optima: it loses 4 % at 100 evaluations
  std::size_t trees = 50;
};

const OptionTable<EvolutionForestSettings>& option_table() {
  using Its = EvolutionForestSettings;
  static const OptionTable<Its> table(
      {},
      {{"population", &Its::population, "members that are kept", kLeastPopulation, 10'000},
       {"crossover", &Its::crossover, "chance that a parameter is mixed from three others", 0, 1},
       {"oversampling", &Its::oversampling, "trials made for each that is proposed", 1, 100},
       {"optimism", &Its::optimism,
        "standard deviations between trees that are taken off a prediction", 0, 100},
       {"trees", &Its::trees, kTreesMeaning, 1, 1'000},
       {"batch", &Its::batch, kBatchMeaning, 1, 1'000},
       {"start_trials", &Its::starts, kStartTrialsMeaning, 1, 10'000}});
  return table;
}

// Differential evolution (Storn and Price 1997) with the moves of PyTorch Helion, whose trials a
// regression forest sifts: the idea of its DESurrogateHybrid. Three trials are made for each that
// is proposed, those with the lowest prediction survive.
//
// Mended: the forest is fitted again after every few tells, not every fifth generation, from the
// fifth observation on, not the hundredth; it learns logarithms of all observations, not
// milliseconds of the survivors; a trial competes with the member that it came from, not with
// whoever has its number; nothing is evaluated twice; no generation has to end before the next
// begins; failures enter a model of their own.
class EvolutionForestSearcher : public ObservingSearcher {
 public:
  EvolutionForestSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                          const EvolutionForestSettings& own)
      : ObservingSearcher(space, settings, own.starts), own_(own) {}

 protected:
  void learn() override {
    absorb();
    fit();
  }

  std::vector<ConfigurationIndex> propose() override {
    if (population_.size() < kLeastPopulation) return {};
    make_trials();
    return best_trials();
  }

 private:
  // Takes what was told since the last time into the population: in the place of the member that
  // it came from where it is better, or of the worst where it came from elsewhere.
  void absorb() {
    for (; absorbed_ < records().size(); ++absorbed_) {
      const Record& record = records()[absorbed_];
      if (!record.works) continue;
      const auto parent = parent_of_.find(record.configuration);
      if (population_.size() < own_.population) {
        population_.push_back(absorbed_);
        continue;
      }
      auto place = std::ranges::find(
          population_, parent == parent_of_.end() ? records().size() : parent->second);
      if (place == population_.end()) {
        place = std::ranges::max_element(population_, {},
                                         [&](std::size_t k) { return records()[k].cost; });
      }
      if (record.cost < records()[*place].cost) *place = absorbed_;
    }
  }

  void fit() {
    std::vector<double> rows, costs;
    for (const std::size_t k : ranking()) {
      encoding_.append(records()[k].digits, rows);
      costs.push_back(records()[k].cost);
    }
    ForestSettings settings;
    settings.trees = own_.trees;
    settings.max_features = (2 * encoding_.columns() + 2) / 3;
    forest_ = Forest::fit(settings, {rows, encoding_.columns()}, costs, {}, rng_.next());
  }

  void make_trials() {
    trials_.clear();
    rows_.clear();
    std::unordered_set<ConfigurationIndex> met;
    for (std::size_t attempt = 0; attempt < 4 * own_.oversampling * own_.batch; ++attempt) {
      const std::size_t parent = population_[rng_.below(population_.size())];
      const Digits digits = trial_of(parent);
      const std::optional<ConfigurationIndex> index = book().fresh(digits);
      if (!index || !met.insert(*index).second) continue;
      trials_.push_back({*index, parent, 0});
      encoding_.append(digits, rows_);
      if (trials_.size() == own_.oversampling * own_.batch) break;
    }
  }

  Digits trial_of(std::size_t parent) {
    const Digits& x = records()[parent].digits;
    const Digits& a = any_member();
    const Digits& b = any_member();
    const Digits& c = any_member();
    Digits digits = x;
    const std::size_t forced = rng_.below(x.size());
    for (std::size_t p = 0; p < x.size(); ++p) {
      if (p == forced || rng_.uniform() < own_.crossover) digits[p] = mixed(p, a[p], b[p], c[p]);
    }
    return digits;
  }
  const Digits& any_member() {
    return records()[population_[rng_.below(population_.size())]].digits;
  }

  // Helion's mutation: a number takes one step in the direction from c to b; a choice becomes b or
  // c, or anything where these are both what it is.
  std::uint32_t mixed(std::size_t p, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto count = static_cast<std::uint32_t>(space_.parameters()[p].values.size());
    if (b == c) return a;
    if (encoding_.kind(p) != ParameterKind::kChoice) {
      return b < c ? a - std::min(a, 1U) : std::min(a + 1, count - 1);
    }
    if (a == b) return c;
    if (a == c) return b;
    return rng_.coin() ? b : c;
  }

  std::vector<ConfigurationIndex> best_trials() {
    if (trials_.empty()) return {};
    const PointTable points{rows_, encoding_.columns()};
    std::vector<double> means(trials_.size()), variances(trials_.size()), works(trials_.size());
    forest_.predict(points, means, variances);
    feasibility().probabilities(points, works);
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      // A failure is taken for a configuration that costs e times as much.
      trials_[i].bound = means[i] - own_.optimism * std::sqrt(variances[i]) + (1 - works[i]);
    }
    std::ranges::stable_sort(trials_, {}, &Trial::bound);
    trials_.resize((trials_.size() + own_.oversampling - 1) / own_.oversampling);
    std::vector<ConfigurationIndex> proposals;
    for (const Trial& trial : trials_) {
      proposals.push_back(trial.configuration);
      parent_of_[trial.configuration] = trial.parent;
    }
    return proposals;
  }

  struct Trial {
    ConfigurationIndex configuration;
    std::size_t parent = 0;  // position in records()
    double bound = 0;
  };

  const EvolutionForestSettings own_;
  Forest forest_;
  std::size_t absorbed_ = 0;             // of records()
  std::vector<std::size_t> population_;  // positions in records()
  std::unordered_map<ConfigurationIndex, std::size_t> parent_of_;
  std::vector<Trial> trials_;
  std::vector<double> rows_;
};

}  // namespace

std::unique_ptr<Searcher> make_differential_evolution_forest_searcher(
    const ParameterSpace& space, const SearcherSettings& settings) {
  return std::make_unique<EvolutionForestSearcher>(space, settings,
                                                   option_table().with(settings.options));
}

std::vector<SearcherOption> differential_evolution_forest_options() {
  return option_table().described();
}

}  // namespace nightshift::search
