#include "search/searchers/stepwise_searcher.h"

#include <algorithm>

namespace nightshift::search {

namespace {

constexpr std::size_t kHints = 5;  // taken over from an earlier study
constexpr std::size_t kMostChanges = 3;
constexpr int kAttempts = 8;  // for each number of changes

std::vector<ConfigurationIndex> best_of(std::vector<KnownTrial> earlier) {
  std::erase_if(earlier, [](const KnownTrial& t) { return !t.observation.score; });
  std::ranges::stable_sort(earlier, {},
                           [](const KnownTrial& t) { return cost_of(t.observation).value; });
  std::vector<ConfigurationIndex> best;
  for (const KnownTrial& trial : earlier) {
    if (best.size() < kHints) best.push_back(trial.configuration);
  }
  std::ranges::reverse(best);
  return best;
}

}  // namespace

StepwiseSearcher::StepwiseSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                                   Habits habits)
    : space_(space),
      rng_(settings.seed),
      moves_(space),
      habits_(habits),
      unseen_(space),
      filling_(space),
      baseline_(settings.baseline),
      hints_(best_of(settings.earlier)),
      samples_left_(habits.samples) {}

// Not in the constructor, where learn() is not yet that of the method.
void StepwiseSearcher::begin() {
  begun_ = true;
  if (baseline_) tell(*baseline_, {Score{1, 0}});
}

std::vector<ConfigurationIndex> StepwiseSearcher::ask(std::size_t n) {
  if (!begun_) begin();
  std::vector<ConfigurationIndex> proposals;
  while (proposals.size() < n && (propose_hint(proposals) || propose_next(proposals))) {
  }
  return proposals;
}

bool StepwiseSearcher::propose_hint(std::vector<ConfigurationIndex>& proposals) {
  while (!hints_.empty()) {
    const ConfigurationIndex hint = hints_.back();
    hints_.pop_back();
    if (!take(hint)) continue;
    asked_.insert_or_assign(hint, Asked{run_, std::nullopt});
    proposals.push_back(hint);
    return true;
  }
  return false;
}

bool StepwiseSearcher::propose_next(std::vector<ConfigurationIndex>& proposals) {
  if (samples_left_ == 0) {
    if (const std::optional<Proposal> move = propose()) {
      asked_.insert_or_assign(move->configuration, Asked{run_, move->tag});
      ++moves_due_;
      proposals.push_back(move->configuration);
      return true;
    }
  }
  if (samples_left_ > 0) --samples_left_;  // propose() may have begun a run
  const auto sample = filling_.draw(unseen_, rng_);
  if (!sample) return false;
  asked_.insert_or_assign(*sample, Asked{run_, std::nullopt});
  proposals.push_back(*sample);
  return true;
}

void StepwiseSearcher::tell(ConfigurationIndex configuration, const Observation& observation) {
  if (!begun_) begin();
  if (configuration.value >= space_.size()) return;
  unseen_.mark_seen(configuration);
  Told told{configuration, cost_of(observation), observation, std::nullopt};
  costs_.insert_or_assign(configuration, told.cost);
  bool of_this_run = true;
  if (const auto asked = asked_.find(configuration); asked != asked_.end()) {
    of_this_run = asked->second.run == run_;
    if (of_this_run) told.tag = asked->second.tag;
    if (told.tag) --moves_due_;
    asked_.erase(asked);
  } else if (samples_left_ > 0) {
    --samples_left_;
  }
  if (!of_this_run && told.cost.value >= best_cost_) return;
  best_cost_ = std::min(best_cost_, told.cost.value);
  learn(told);
  count(told.cost);
}

// Gains smaller than the noise are none, but they add up.
void StepwiseSearcher::count(const Cost& cost) {
  ++without_gain_;
  if (clearly_better(cost, best_of_run_)) {
    best_of_run_ = cost;
    without_gain_ = 0;
  }
  if (habits_.patience > 0 && without_gain_ >= habits_.patience) begin_run();
}

void StepwiseSearcher::begin_run() {
  ++run_;
  samples_left_ = habits_.samples;
  moves_due_ = 0;
  without_gain_ = 0;
  best_of_run_ = {};
  forget();
}

std::optional<ConfigurationIndex> StepwiseSearcher::take_near(const Digits& digits) {
  const auto itself = space_.index_of_digits(digits);
  if (itself && take(*itself)) return itself;
  for (std::size_t changes = 1; changes <= kMostChanges; ++changes) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto next = moves_.change(digits, changes, rng_);
      if (next && take(*next)) return next;
    }
  }
  return std::nullopt;
}

const Cost* StepwiseSearcher::cost(ConfigurationIndex configuration) const {
  const auto known = costs_.find(configuration);
  return known == costs_.end() ? nullptr : &known->second;
}

}  // namespace nightshift::search
