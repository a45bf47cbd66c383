#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/options/option_table.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {

// Chosen on recorded spaces of convolution, dedispersion, GEMM and point-in-polygon, where they lie
// on a plateau: half or twice of each moves the mean quality over 400 evaluations by less than 1 %.
struct PatternSettings {
  std::size_t samples = 8;
  double leap_changes = 0.25;
  std::size_t leap_attempts = 64;
  bool adjacent_only = false;
};

const OptionTable<PatternSettings>& option_table() {
  using Its = PatternSettings;
  static const OptionTable<Its> table(
      {}, {{"samples", &Its::samples, "random ones before a climb, which starts from their best", 1,
            10'000},
           {"leap_changes", &Its::leap_changes, "chance that a leap changes a parameter", 0.001, 1},
           {"leap_attempts", &Its::leap_attempts,
            "draws of a leap, to find one that is valid and new", 1, 10'000},
           {"adjacent_only", &Its::adjacent_only,
            "adjacent values are polled alone, not all others of each parameter"}});
  return table;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Pattern search (Hooke and Jeeves, 1961) over the lists of values, started many times. A climb
// samples at random, takes the best as its centre and polls around it: the adjacent values of each
// parameter, then all its other values. Every other proposal is a leap, which changes several
// parameters at once, since constraints often forbid to change one alone. The first better one is
// the next centre at once: whole neighbourhoods are dear where an evaluation is. When nothing
// around the centre is left, a new climb begins elsewhere.
//
// What is told late counts for the climb that asked for it, or for the present one where it is
// better than everything so far.
class PatternSearcher : public Searcher {
 public:
  PatternSearcher(const ParameterSpace& space, std::uint64_t seed, const PatternSettings& own)
      : space_(space), own_(own), unseen_(space), rng_(seed), samples_left_(own.samples) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n) {
      const std::optional<ConfigurationIndex> next = propose();
      if (!next) break;
      asked_by_.emplace(*next, climb_);
      proposals.push_back(*next);
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    if (configuration.value >= space_.size()) return;
    unseen_.mark_seen(configuration);
    const auto asked = asked_by_.find(configuration);
    const bool of_this_climb = asked == asked_by_.end() || asked->second == climb_;
    if (asked != asked_by_.end()) asked_by_.erase(asked);
    if (!observation.score) return;
    const double cost = observation.score->value;
    if (cost < best_cost_ || (of_this_climb && cost < centre_cost_)) {
      best_cost_ = std::min(best_cost_, cost);
      centre_ = configuration;
      centre_cost_ = cost;
      polls_.clear();
      next_poll_ = Poll::kAdjacent;
    }
  }

 private:
  enum class Poll { kAdjacent, kOneParameter, kNone };

  std::optional<ConfigurationIndex> propose() {
    for (;;) {
      const bool sampling = samples_left_ > 0;
      if (sampling) --samples_left_;
      // Without a centre, since no sample has worked yet or none was told, sampling goes on.
      if (sampling || !centre_) return unseen_.draw(rng_);
      std::optional<ConfigurationIndex> next = rng_.coin() ? leap() : std::nullopt;
      if (!next) next = poll();
      if (next) return next;
      begin_climb();
    }
  }

  void begin_climb() {
    ++climb_;
    centre_.reset();
    centre_cost_ = kInfinite;
    samples_left_ = own_.samples;
  }

  std::optional<ConfigurationIndex> poll() {
    for (;;) {
      while (!polls_.empty()) {
        const ConfigurationIndex next = polls_.back();
        polls_.pop_back();
        if (unseen_.mark_seen(next)) return next;
      }
      if (next_poll_ == Poll::kNone) return std::nullopt;
      const bool adjacent = next_poll_ == Poll::kAdjacent;
      next_poll_ = adjacent && !own_.adjacent_only ? Poll::kOneParameter : Poll::kNone;
      polls_ = space_.neighbours(*centre_, adjacent ? ParameterSpace::Neighbourhood::kAdjacent
                                                    : ParameterSpace::Neighbourhood::kOneParameter);
      rng_.shuffle(polls_);
    }
  }

  std::optional<ConfigurationIndex> leap() {
    const std::vector<std::uint32_t> centre = space_.digits(*centre_);
    for (std::size_t attempt = 0; attempt < own_.leap_attempts; ++attempt) {
      std::vector<std::uint32_t> digits = centre;
      for (std::size_t k = 0; k < digits.size(); ++k) {
        if (rng_.uniform() < own_.leap_changes) digits[k] = changed(k, digits[k]);
      }
      const auto next = space_.index_of_digits(digits);
      if (next && unseen_.mark_seen(*next)) return next;
    }
    return std::nullopt;
  }

  // Half of the changes go to an adjacent value, half anywhere.
  std::uint32_t changed(std::size_t parameter, std::uint32_t digit) {
    const auto count = static_cast<std::uint32_t>(space_.parameters()[parameter].values.size());
    if (!rng_.coin()) return static_cast<std::uint32_t>(rng_.below(count));
    if (rng_.coin()) return std::min(digit + 1, count - 1);
    return digit - std::min(digit, 1U);
  }

  const ParameterSpace& space_;
  const PatternSettings own_;
  Unseen unseen_;
  base::Rng rng_;
  std::unordered_map<ConfigurationIndex, std::uint64_t> asked_by_;  // outstanding -> climb
  double best_cost_ = kInfinite;

  std::uint64_t climb_ = 0;
  std::size_t samples_left_;
  std::optional<ConfigurationIndex> centre_;
  double centre_cost_ = kInfinite;
  Poll next_poll_ = Poll::kAdjacent;       // once `polls_` are used up
  std::vector<ConfigurationIndex> polls_;  // around the centre, the next at the end
};

}  // namespace

std::unique_ptr<Searcher> make_pattern_searcher(const ParameterSpace& space,
                                                const SearcherSettings& settings) {
  return std::make_unique<PatternSearcher>(space, settings.seed,
                                           option_table().with(settings.options));
}

std::vector<SearcherOption> pattern_options() { return option_table().described(); }

}  // namespace nightshift::search
