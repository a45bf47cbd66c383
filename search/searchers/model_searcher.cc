#include "search/searchers/model_searcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/model/aspects.h"
#include "search/model/candidate_pool.h"
#include "search/model/expectation.h"
#include "search/model/failure_model.h"
#include "search/model/improvement.h"
#include "search/model/pool_surrogate.h"
#include "search/model/prior.h"
#include "search/model/targets.h"
#include "search/model/transfer.h"
#include "search/searchers/model_trials.h"
#include "search/searchers/notebook.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kLeastKnown = 2;     // scores before the model decides
constexpr std::size_t kMoreModelled = 48;  // that it takes up before the next one
constexpr std::size_t kMaxPending = 64;    // outstanding trials that it considers

// A Gaussian process over aspects of the configurations (search/model/aspects.h) chooses the trial
// with the highest expected improvement, weighed by the chance that it works at all and, for the
// first trials, by what is usual on hardware. Ours are: the aspects; the ANOVA kernel, which learns
// main effects from few trials; targets flattened above the median; the kernel of every candidate
// kept up to date by one row a trial, so that thousands are weighed in a millisecond.
class ModelSearcher : public Searcher {
 public:
  ModelSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                const ModelSearchOptions& options)
      : space_(space),
        options_(options),
        aspects_(space),
        trials_(space, aspects_),
        guess_(space, options.roles),
        kernel_(aspects_),
        surrogate_(kernel_),
        works_(aspects_),
        book_(space, settings),
        rng_(settings.seed),
        transfer_(space, aspects_, settings.earlier, !settings.expected.factors.empty(), rng_),
        expectation_(space, settings.expected) {
    if (settings.baseline) ModelSearcher::tell(*settings.baseline, kBaselineObservation);
    baseline_ = settings.baseline;
    told_ = 0;
  }

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n) {
      std::optional<ConfigurationIndex> next = propose();
      // Its score is known, so that it waits until nothing else is left.
      if (!next) next = std::exchange(baseline_, std::nullopt);
      if (!next) break;
      start(*next);
      proposals.push_back(*next);
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    const auto entry = book_.tell(configuration);
    if (!entry) return;
    if (baseline_ == configuration) baseline_.reset();
    if (!entry->is_new) return;
    ++told_;
    const bool scored = observation.score && observation.score->value > 0 &&
                        std::isfinite(observation.score->value);
    if (trials_.observe(configuration, observation.code, scored)) learn_anew();
    if (!scored) {
      trials_.add_failure(configuration);
      works_.observe(trials_.failures().back(), false);
      return;
    }
    const Score score = *observation.score;
    const double error = score.standard_error / score.value;
    Levels levels = trials_.levels_of(configuration);
    if (trials_.is_known(observation.code, levels)) return;
    const double expected = expected_of(configuration, levels);
    works_.observe(levels, true);
    trials_.add({configuration, std::move(levels), std::log(score.value), error * error, expected,
                 observation.code});
    take_up(trials_.scored().size() - 1, entry->note.value_or(kNoRow));
    if (trials_.scored().back().target < best_) {
      best_ = trials_.scored().back().target;
      stale_ = stale_ || !pool_.is_whole_space;  // what is around the new best belongs to the pool
    }
  }

 private:
  static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

  // Of trials that look otherwise to the model, since another parameter is believed to be inert.
  void learn_anew() {
    works_.forget();
    for (const ModelTrial& trial : trials_.scored()) works_.observe(trial.levels, true);
    for (const Levels& failure : trials_.failures()) works_.observe(failure, false);
    built_ = works_built_ = false;
    stale_ = true;
  }

  std::optional<ConfigurationIndex> belief_test() {
    bool changed = false;
    const auto test = trials_.belief_test(rng_, changed);
    if (changed) learn_anew();
    return test && !book_.is_seen(*test) ? test : std::nullopt;
  }

  // --- Proposing ---

  std::optional<ConfigurationIndex> propose() {
    const bool enough = trials_.scored().size() >= kLeastKnown && told_ >= options_.starts;
    if (!enough && !has_expectation()) return start_point();
    if (trials_.scored().empty() && has_expectation()) return expected_best();
    if (const auto test = belief_test()) return test;
    if (book_.outstanding().size() >= kMaxPending || aspects_.size() == 0 ||
        trials_.scored().empty()) {
      return guess_.draw(book_.unseen(), rng_);
    }
    if (stale_ || told_ >= next_fit_ || surrogate_.rows() + kMaxPending >= capacity_) rebuild();
    if (auto best = best_candidate()) return best;
    if (!pool_.is_whole_space) {
      rebuild();
      if (auto best = best_candidate()) return best;
    }
    return guess_.draw(book_.unseen(), rng_);
  }

  // Far from what is known, so that the first trials differ.
  std::optional<ConfigurationIndex> start_point() {
    std::optional<ConfigurationIndex> chosen;
    double chosen_distance = -1;
    PriorSampler glance(guess_, book_.unseen(), rng_);
    for (std::size_t i = 0; i < options_.start_candidates; ++i) {
      const auto candidate = glance.next();
      if (!candidate) break;
      const double distance = trials_.distance_to_known(trials_.levels_of(*candidate));
      if (distance <= chosen_distance) continue;
      chosen = candidate;
      chosen_distance = distance;
    }
    return chosen ? chosen : guess_.draw(book_.unseen(), rng_);
  }

  bool has_expectation() const { return !transfer_.empty() || !expectation_.empty(); }
  bool counts_cost() const {
    return !expectation_.empty() && (transfer_.empty() || transfer_.is_beyond_cost());
  }
  double expected_of(ConfigurationIndex i, const Levels& levels) const {
    const double earlier = transfer_.empty() ? 0 : transfer_.expected(levels);
    if (!counts_cost()) return earlier;
    return earlier + expectation_.expected(space_.digits(i)).value_or(ExpectedScale::kUnknown);
  }

  // By what is expected alone.
  std::optional<ConfigurationIndex> expected_best() {
    if (pool_.empty()) gather();
    std::size_t best = pool_.indices.size();
    for (std::size_t j = 0; j < pool_.indices.size(); ++j) {
      if (book_.is_seen(pool_.indices[j])) continue;
      const bool is_first = best == pool_.indices.size() || std::isnan(expected_[best]);
      if (is_first || expected_[j] < expected_[best]) best = j;
    }
    if (best == pool_.indices.size()) return guess_.draw(book_.unseen(), rng_);
    return pool_.indices[best];
  }

  std::optional<ConfigurationIndex> best_candidate() {
    const Prediction prediction = predict();
    if (!works_.idle() && !works_built_) rebuild_works(false);
    const std::vector<float> chances = works_.idle() ? std::vector<float>() : works_.chances();
    const double guess_weight =
        options_.guess_trials / static_cast<double>(std::max<std::size_t>(1, told_));
    const double target = prediction.best - gain_wished();
    double highest = -std::numeric_limits<double>::infinity();
    std::optional<ConfigurationIndex> best;
    for (std::size_t j = 0; j < pool_.indices.size(); ++j) {
      if (book_.is_seen(pool_.indices[j])) continue;
      if (!pool_.keys.empty() && trials_.inert().is_known(pool_.keys[j])) continue;
      const double mean = prediction.means[j] + slope_ * offset(j);
      const double deviation = prediction.deviations[j];
      double worth = options_.optimistic
                         ? options_.confidence * deviation - mean
                         : std::log(deviation) + log_improvement((target - mean) / deviation);
      if (!chances.empty()) worth += std::log(static_cast<double>(chances[j]));
      worth += guess_weight * static_cast<double>(pool_.log_plausibility[j]);
      if (worth > highest) {
        highest = worth;
        best = pool_.indices[j];
      }
    }
    return best;
  }

  // First the basin, then its bottom: small gains wait while larger ones may be elsewhere. The
  // wish stays within what the first trials differ by, which were chosen while little was known:
  // where these are within a few percent of the best, larger gains are nowhere, and to wish for
  // them leaves only the unknown to look for.
  double gain_wished() const {
    const double wish = options_.gain_trials / static_cast<double>(told_ + 1);
    if (wish >= options_.most_gain) return options_.most_gain;
    const auto first = std::max<std::size_t>(
        1, static_cast<std::size_t>(options_.gain_trials / options_.most_gain));
    std::vector<double> targets;
    for (const ModelTrial& trial : trials_.scored()) {
      if (targets.size() < first) targets.push_back(trial.target);
    }
    const auto median = targets.begin() + static_cast<std::ptrdiff_t>(targets.size() / 2);
    std::nth_element(targets.begin(), median, targets.end());
    return std::min(wish, options_.gain_share * (*median - best_));
  }

  // --- The model ---

  using Prediction = PoolSurrogate::Prediction;

  std::size_t max_rows() const { return options_.max_modelled + kMoreModelled; }

  void start(ConfigurationIndex i) {
    const Levels levels = trials_.levels_of(i);
    std::size_t row = kNoRow;
    if (built_ && book_.outstanding().size() < kMaxPending && surrogate_.rows() < capacity_) {
      row = surrogate_.start(levels, 0);
    }
    book_.propose(i, row);
    trials_.proposed(i);
  }

  // The trial's score becomes part of the model where it has room.
  void take_up(std::size_t trial, std::size_t row) {
    if (!built_) return;
    if (row == kNoRow) {
      if (surrogate_.rows() >= capacity_) return;
      row = surrogate_.start(trials_.scored()[trial].levels, 0);
    }
    surrogate_.tell(row);
    modelled_.push_back(trial);
  }

  std::vector<double> targets_of(const std::vector<std::size_t>& trials) const {
    std::vector<double> targets;
    for (const std::size_t t : trials) targets.push_back(trials_.scored()[t].target);
    return flattened(std::move(targets));
  }

  Prediction predict() {
    std::vector<double> targets = targets_of(modelled_);
    slope_ = 0;
    if (has_expectation()) {
      std::vector<double> expected;
      for (const std::size_t t : modelled_) expected.push_back(trials_.scored()[t].expected);
      scale_ = ExpectedScale(expected, counts_cost());
      for (double& e : expected) e = scale_(e);
      slope_ = Transfer::slope(expected, targets);
      for (std::size_t i = 0; i < targets.size(); ++i) targets[i] -= slope_ * expected[i];
    }
    Prediction prediction = surrogate_.predict(targets);
    if (slope_ != 0) prediction.best = lowest_of(targets_of(modelled_));
    return prediction;
  }

  static double lowest_of(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  }

  double offset(std::size_t candidate) const {
    return expected_.empty() ? 0 : scale_(expected_[candidate]);
  }

  void rebuild() {
    std::vector<double> targets;
    for (const ModelTrial& trial : trials_.scored()) targets.push_back(trial.target);
    const bool fits = told_ >= next_fit_;
    if (fits) fit(targets);
    gather();
    rebuild_works(fits);
    modelled_.clear();
    // Failures and outstanding trials have rows too, and as many outstanding ones may follow.
    capacity_ = max_rows() + kMoreModelled + 2 * kMaxPending;
    surrogate_.reset(pool_.levels, capacity_);
    built_ = true;
    const std::vector<std::size_t> kept = best_and_others(targets, options_.max_modelled, rng_);
    const double scale = spread_of(targets);
    for (const std::size_t t : kept) {
      surrogate_.tell(
          surrogate_.start(trials_.scored()[t].levels, trials_.scored()[t].variance / scale));
      modelled_.push_back(t);
    }
    // Where trials failed nothing more is to be learnt of the scores, however few there are.
    const std::size_t first =
        trials_.failures().size() - std::min(trials_.failures().size(), kMoreModelled);
    for (std::size_t i = first; i < trials_.failures().size(); ++i)
      surrogate_.start(trials_.failures()[i], 0);
    for (auto& [index, row] : book_.outstanding()) {
      row = surrogate_.rows() < capacity_ ? surrogate_.start(trials_.levels_of(index), 0) : kNoRow;
    }
    stale_ = false;
  }

  void rebuild_works(bool fits) {
    works_built_ = !works_.idle();
    works_.rebuild(pool_.levels, fits, rng_);
  }

  void fit(const std::vector<double>& targets) {
    std::vector<Levels> points;
    std::vector<double> chosen;
    std::vector<double> variances;
    for (const std::size_t t : best_and_others(targets, options_.max_fitted, rng_)) {
      points.push_back(trials_.scored()[t].levels);
      chosen.push_back(targets[t]);
      variances.push_back(trials_.scored()[t].variance);
    }
    kernel_.fit(points, flattened(std::move(chosen)), variances, static_cast<int>(options_.sweeps),
                rng_);
    const double grown = std::floor(static_cast<double>(told_) * options_.refit_growth);
    next_fit_ = std::max(told_ + 1, static_cast<std::size_t>(grown));
  }

  static double spread_of(const std::vector<double>& targets) {
    double mean = 0;
    for (const double t : targets) mean += t / static_cast<double>(targets.size());
    double squares = 0;
    for (const double t : targets) squares += (t - mean) * (t - mean);
    return std::max(1e-6, squares / static_cast<double>(targets.size()));
  }

  void gather() {
    const bool everywhere = !options_.only_neighbours;
    pool_ = gather_candidates(space_, aspects_, guess_, book_.unseen(), trials_.inert(),
                              trials_.best_few(), everywhere, rng_);
    expected_.clear();
    for (std::size_t j = 0; has_expectation() && j < pool_.indices.size(); ++j) {
      expected_.push_back(expected_of(pool_.indices[j], pool_.levels[j]));
    }
  }

  const ParameterSpace& space_;
  const ModelSearchOptions options_;
  const Aspects aspects_;
  ModelTrials trials_;
  const ProposalPrior guess_;
  AnovaKernel kernel_;
  PoolSurrogate surrogate_;
  FailureModel works_;
  Notebook<std::size_t> book_;  // the note is the row in the model, kNoRow where it has none
  base::Rng rng_;
  const Transfer transfer_;
  const Expectation expectation_;
  std::optional<ConfigurationIndex> baseline_;  // not proposed yet

  std::size_t told_ = 0;  // without the baseline
  double best_ = std::numeric_limits<double>::infinity();

  CandidatePool pool_;
  std::vector<double> expected_;       // of each candidate
  ExpectedScale scale_;                // of that
  double slope_ = 0;                   // what that is worth here
  std::vector<std::size_t> modelled_;  // trials, in the order in which the model was told
  std::size_t capacity_ = 0;           // rows that the model has room for
  std::size_t next_fit_ = 0;           // trials told
  bool built_ = false;
  bool works_built_ = false;
  bool stale_ = true;
};

}  // namespace

std::unique_ptr<Searcher> make_model_searcher(const ParameterSpace& space,
                                              const SearcherSettings& settings,
                                              const ModelSearchOptions& options) {
  return std::make_unique<ModelSearcher>(space, settings, options);
}

}  // namespace nightshift::search
