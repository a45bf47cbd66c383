#include <algorithm>
#include <cmath>
#include <optional>

#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Costs are relative to the present place, so temperatures are too: at the first one a step to a
// place that is 5 % slower is taken once in e times. Published: Kernel Tuner 1.4.0 begins at 0.1
// and ends at 1e-4 after the budget; here no budget is known, so the temperature falls with the
// steps of the run, and starts anew with the next. Half or twice of each constant changes the mean
// quality over 400 evaluations by less than 0.003, of the samples by less than 0.008.
struct AnnealingSettings {
  double first_temperature = 0.05;
  double last_temperature = 1e-4;
  double cooling_steps = 40;
  std::size_t changes = 1;
  std::size_t known_steps = 50;
  std::size_t samples = 16;
  std::size_t patience = 40;
};

const OptionTable<AnnealingSettings>& option_table() {
  using Its = AnnealingSettings;
  static const OptionTable<Its> table(
      {},
      {{"first_temperature", &Its::first_temperature,
        "at which a run begins: a step that loses this share is taken once in e times", 1e-6, 10},
       {"last_temperature", &Its::last_temperature, "below which it never falls", 1e-9, 10},
       {"cooling_steps", &Its::cooling_steps, "steps in which it falls by a factor of e", 0.1, 1e6},
       {"changes", &Its::changes, "parameters that a step changes", 1, 100},
       {"known_steps", &Its::known_steps, "steps over known ground without reaching a new place", 1,
        10'000},
       {"samples", &Its::samples, kSamplesMeaning, 1, 10'000},
       {"patience", &Its::patience, kPatienceMeaning, 0, 1e6}});
  return table;
}

// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 1983). A step changes one parameter,
// half of the times to an adjacent value; a better place is taken at once, a worse one with the
// probability exp(-loss / temperature). Kernel Tuner's steps, several random changes and then one
// value up or down in all parameters, are worse on the recorded spaces: 0.80 of the optimum after
// 50 evaluations against 0.85, both from one random sample.
//
// Steps over configurations that are known already cost nothing and are taken in thought, by the
// same rule. Where nothing new is in reach, or nothing better was found for long, a run ends.
class AnnealingSearcher : public StepwiseSearcher {
 public:
  AnnealingSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                    const AnnealingSettings& own)
      : StepwiseSearcher(space, settings, {own.samples, own.patience}), own_(own) {}

 protected:
  std::optional<Proposal> propose() override {
    if (!place_) return std::nullopt;
    for (std::size_t step = 0; step < own_.known_steps; ++step) {
      const auto next = moves_.change(space_.digits(*place_), own_.changes, rng_);
      if (!next) break;
      if (take(*next)) return Proposal{*next};
      const Cost* known = cost(*next);
      if (known && is_accepted(*known)) move(*next, *known);
    }
    if (moves_due() == 0) begin_run();
    return std::nullopt;
  }

  // A sample is taken only where it is better: the walk begins at the best of them.
  void learn(const Told& told) override {
    if (told.tag) ++steps_;
    if (place_ == told.configuration) place_cost_ = told.cost;
    const bool better = !place_ || told.cost.value < place_cost_.value;
    if (told.cost.failed()) return;
    if (better || (told.tag && is_accepted(told.cost))) move(told.configuration, told.cost);
  }

  void forget() override {
    place_.reset();
    steps_ = 0;
  }

 private:
  // The temperature never falls below the noise of the comparison, which is no evidence of a loss.
  bool is_accepted(const Cost& c) {
    if (c.failed()) return false;
    const double loss = c.value / place_cost_.value - 1;
    if (loss < 0) return true;
    const double noise = std::hypot(c.error, place_cost_.error) / place_cost_.value;
    const double cooled = own_.first_temperature * std::exp(-steps_ / own_.cooling_steps);
    return rng_.uniform() < std::exp(-loss / std::max({own_.last_temperature, cooled, noise}));
  }

  void move(ConfigurationIndex configuration, const Cost& c) {
    place_ = configuration;
    place_cost_ = c;
  }

  const AnnealingSettings own_;
  std::optional<ConfigurationIndex> place_;
  Cost place_cost_;
  double steps_ = 0;  // told of in this run
};

}  // namespace

std::unique_ptr<Searcher> make_annealing_searcher(const ParameterSpace& space,
                                                  const SearcherSettings& settings) {
  return std::make_unique<AnnealingSearcher>(space, settings,
                                             option_table().with(settings.options));
}

std::vector<SearcherOption> annealing_options() { return option_table().described(); }

}  // namespace nightshift::search
