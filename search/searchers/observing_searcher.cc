#include "search/searchers/observing_searcher.h"

#include <algorithm>
#include <limits>

#include "base/portable_math.h"

namespace nightshift::search {

namespace {

constexpr int kDistanceCandidates = 16;  // of which the farthest is proposed

}  // namespace

ObservingSearcher::ObservingSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                                     std::size_t start_count)
    : space_(space),
      encoding_(space),
      rng_(settings.seed),
      guess_(space, true),
      start_count_(start_count),
      book_(space, settings),
      feasibility_(space) {
  if (settings.baseline) ObservingSearcher::tell(*settings.baseline, kBaselineObservation);
}

std::vector<ConfigurationIndex> ObservingSearcher::ask(std::size_t n) {
  std::vector<ConfigurationIndex> proposals;
  while (proposals.size() < n) {
    const std::optional<ConfigurationIndex> proposal = next();
    if (!proposal) break;
    Digits digits = space_.digits(*proposal);
    if (begun_with_.size() < start_count_) begun_with_.push_back(digits);
    book_.propose(*proposal, {std::move(digits), epoch_});
    proposals.push_back(*proposal);
  }
  return proposals;
}

std::optional<ConfigurationIndex> ObservingSearcher::next() {
  if (const auto hint = book_.take_hint()) return hint;
  if (begun_with_.size() < start_count_ || ranking_.empty()) return far_from_known();
  if (!has_learnt_ || told_since_ >= good_for()) {
    learn();
    has_learnt_ = true;
    told_since_ = 0;
    queue_.clear();
    if (begun_with_.size() < start_count_) return far_from_known();
  }
  if (std::optional<ConfigurationIndex> queued = next_queued()) return queued;
  queue_ = propose();
  std::ranges::reverse(queue_);
  if (std::optional<ConfigurationIndex> queued = next_queued()) return queued;
  return book_.unseen().draw(rng_);
}

std::optional<ConfigurationIndex> ObservingSearcher::next_queued() {
  while (!queue_.empty()) {
    const ConfigurationIndex proposal = queue_.back();
    queue_.pop_back();
    if (!book_.is_seen(proposal)) return proposal;
  }
  return std::nullopt;
}

// Of a few plausible ones the farthest from its nearest neighbour among those proposed before (best
// candidate sampling, Mitchell 1991). A list of numbers is one unit long, two choices are as far
// apart.
std::optional<ConfigurationIndex> ObservingSearcher::far_from_known() {
  std::optional<ConfigurationIndex> farthest;
  double farthest_distance = -1;
  PriorSampler glance(guess_, book_.unseen(), rng_);
  for (int k = 0; k < kDistanceCandidates; ++k) {
    const std::optional<ConfigurationIndex> candidate = glance.next();
    if (!candidate) continue;
    const Digits digits = space_.digits(*candidate);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Digits& other : begun_with_) {
      double distance = 0;
      for (std::size_t p = 0; p < digits.size(); ++p) {
        if (digits[p] == other[p]) continue;
        const auto last = static_cast<double>(space_.parameters()[p].values.size() - 1);
        const double apart = std::max(digits[p], other[p]) - std::min(digits[p], other[p]);
        distance += encoding_.kind(p) == ParameterKind::kChoice ? 1 : apart / last;
      }
      nearest = std::min(nearest, distance);
    }
    if (nearest > farthest_distance) {
      farthest_distance = nearest;
      farthest = candidate;
    }
  }
  return farthest ? farthest : book_.unseen().draw(rng_);
}

void ObservingSearcher::tell(ConfigurationIndex configuration, const Observation& observation) {
  const auto entry = book_.tell(configuration);
  if (!entry) return;
  if (entry->is_new) {
    records_.push_back({configuration, space_.digits(configuration)});
    records_.back().epoch = entry->note ? entry->note->epoch : epoch_;
    feasibility_.observe(records_.back().digits, observation.score.has_value());
  }
  const std::size_t place = entry->place;
  std::erase(ranking_, place);
  Record& record = records_[place];
  record.works = observation.score.has_value();
  if (record.works) {
    record.cost = base::portable_log(observation.score->value);
    record.error = observation.score->standard_error / observation.score->value;
    record.censored = observation.censored;
    rank(place);
  }
  ++told_since_;
}

void ObservingSearcher::begin_epoch(std::size_t starts) {
  ++epoch_;
  start_count_ = begun_with_.size() + starts;
}

void ObservingSearcher::rank(std::size_t record) {
  const auto place = std::ranges::upper_bound(ranking_, records_[record].cost, {},
                                              [&](std::size_t r) { return records_[r].cost; });
  ranking_.insert(place, record);
}

}  // namespace nightshift::search
