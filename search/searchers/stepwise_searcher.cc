#include "search/searchers/stepwise_searcher.h"

#include <algorithm>

namespace nightshift::search {

namespace {

constexpr std::size_t kMostChanges = 3;
constexpr int kAttempts = 8;  // for each number of changes

}  // namespace

StepwiseSearcher::StepwiseSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                                   Habits habits)
    : space_(space),
      rng_(settings.seed),
      moves_(space),
      habits_(habits),
      book_(space, settings),
      filling_(space),
      baseline_(settings.baseline),
      samples_left_(habits.samples) {}

// Not in the constructor, where learn() is not yet that of the method.
void StepwiseSearcher::begin() {
  begun_ = true;
  if (baseline_) tell(*baseline_, kBaselineObservation);
}

std::vector<ConfigurationIndex> StepwiseSearcher::ask(std::size_t n) {
  if (!begun_) begin();
  std::vector<ConfigurationIndex> proposals;
  while (proposals.size() < n && propose_next(proposals)) {
  }
  return proposals;
}

void StepwiseSearcher::note(std::vector<ConfigurationIndex>& proposals, ConfigurationIndex i,
                            std::optional<std::size_t> tag) {
  book_.propose(i, {run_, tag});
  proposals.push_back(i);
}

bool StepwiseSearcher::propose_next(std::vector<ConfigurationIndex>& proposals) {
  if (const auto hint = book_.take_hint()) {
    note(proposals, *hint, std::nullopt);
    return true;
  }
  if (samples_left_ == 0) {
    if (const std::optional<Proposal> move = propose()) {
      note(proposals, move->configuration, move->tag);
      ++moves_due_;
      return true;
    }
  }
  if (samples_left_ > 0) --samples_left_;  // propose() may have begun a run
  const auto sample = filling_.draw(book_.unseen(), rng_);
  if (!sample) return false;
  note(proposals, *sample, std::nullopt);
  return true;
}

void StepwiseSearcher::tell(ConfigurationIndex configuration, const Observation& observation) {
  if (!begun_) begin();
  const auto entry = book_.tell(configuration);
  if (!entry) return;
  Told told{configuration, cost_of(observation), observation, std::nullopt};
  if (entry->is_new) costs_.emplace_back();
  costs_[entry->place] = told.cost;
  bool of_this_run = true;
  if (entry->note) {
    of_this_run = entry->note->run == run_;
    if (of_this_run) told.tag = entry->note->tag;
    if (told.tag) --moves_due_;
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
  const auto place = book_.place_of(configuration);
  return place ? &costs_[*place] : nullptr;
}

}  // namespace nightshift::search
