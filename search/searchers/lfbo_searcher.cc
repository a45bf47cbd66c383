#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/portable_math.h"
#include "search/model/diverse_picks.h"
#include "search/model/forest.h"
#include "search/model/lfbo_labels.h"
#include "search/searchers/observing_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {
// Chosen on recorded spaces of convolution, dedispersion, GEMM and point-in-polygon; unless said
// otherwise half and twice of each differ by no more than seeds do.
constexpr std::size_t kStarts = 5;       // the published 100 spend a small budget on chance
constexpr std::size_t kLaterStarts = 4;  // of a new climb
constexpr std::size_t kPatience = 40;    // trials without a gain that end a climb
constexpr double kLeastGain = 0.001;     // relative
constexpr double kGoodShare = 0.1;       // of a climb's observations
constexpr std::size_t kGoodLeast = 2;
constexpr std::size_t kTrees = 50;
constexpr double kSimilarityPenalty = 1.0;
constexpr std::size_t kBatchMost = 16;
constexpr std::size_t kOutstandingMost = 64;  // that candidates are compared with

constexpr std::size_t kCentres = 5;  // best configurations of the climb, moved from
constexpr std::size_t kMovesPerCentre = 60;
constexpr std::size_t kRandomCandidates = 300;  // with 50 climbs start in worse places
constexpr std::uint32_t kNear = 2;              // places in a list
constexpr std::uint32_t kLongList = 32;  // values; of longer ones a tree sees only those nearby

// So long, in trials, a guess at what suits hardware helps the forest, ever less. It gains 5 % at
// 25 evaluations; twice as long loses 1 % at 200.
constexpr double kGuessing = 60;

struct LfboSettings {
  bool tree_guided = false;
  double features = 0;     // share of the columns looked at in a node
  std::size_t polled = 0;  // centres of which all single changes are candidates
};

// Likelihood-free Bayesian optimisation as PyTorch Helion has it (lfbo-pattern-published), with its
// defects mended. A forest learns to tell the best tenth from the rest, candidates around the best
// configurations are ranked by its probability, and those that end in the same leaves as others
// before them stand back.
//
// Mended:
// - Five starts instead of a hundred, and a new model after every few tells: there are no
//   generations to wait for.
// - Only what was proposed is never proposed again, not all that was ever a candidate.
// - The centres are always the best of the climb; none drifts to worse ones.
// - Margins are relative, not milliseconds; near the boundary noise makes an observation good in
//   part; a second tell of a configuration replaces the first.
// - Failures are no slow configurations: a model of feasibility multiplies the probability.
// - What is outstanding counts in the similarity penalty, so several devices spread out.
// - A climb that gains nothing for long ends, and another begins elsewhere: good and bad are then
//   judged by what the new climb has seen, so that the old optimum does not silence it.
class LfboSearcher : public ObservingSearcher {
 public:
  LfboSearcher(const ParameterSpace& space, const SearcherSettings& settings,
               const LfboSettings& lfbo)
      : ObservingSearcher(space, settings, kStarts), lfbo_(lfbo) {
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      if (space.parameters()[p].values.size() > 1) free_.push_back(p);
    }
  }

 protected:
  void learn() override {
    if (has_stagnated()) begin_epoch(kLaterStarts);
    find_climb();
    if (!climb_.empty()) fit();
  }

  // Early in a climb each observation matters, whatever earlier climbs have seen.
  std::size_t good_for() const override {
    const std::size_t all = records().size();
    return climb_.empty() ? 1 : 1 + std::min(all / 40, climb_.size() / 40 + all / 100);
  }

  std::vector<ConfigurationIndex> propose() override {
    if (climb_.empty()) return {};
    collect_candidates();
    return best_candidates();
  }

 private:
  bool has_stagnated() const {
    double best = std::numeric_limits<double>::infinity();
    std::size_t since = 0;
    for (const Record& record : records()) {
      if (record.epoch != epoch()) continue;
      ++since;
      if (!record.works || record.cost >= best - kLeastGain) continue;
      best = record.cost;
      since = 0;
    }
    return since >= kPatience;
  }

  void find_climb() {
    climb_.clear();
    for (const std::size_t k : ranking()) {
      if (records()[k].epoch == epoch()) climb_.push_back(k);
    }
  }

  // Between the climb's good ones and its others.
  double boundary() const {
    const double count = static_cast<double>(climb_.size());
    const auto share = static_cast<std::size_t>(std::ceil(kGoodShare * count));
    const std::size_t good = std::min(std::max(share, kGoodLeast), climb_.size());
    const double last = records()[climb_[good - 1]].cost;
    return good == climb_.size() ? last : (last + records()[climb_[good]].cost) / 2;
  }

  void fit() {
    std::vector<LabelledCost> costs;
    for (const std::size_t k : ranking()) costs.push_back({records()[k].cost, records()[k].error});
    const LfboRows labelled = lfbo_rows(costs, boundary());
    std::vector<double> points;
    for (const std::size_t i : labelled.observation) {
      encoding_.append(records()[ranking()[i]].digits, points);
    }
    ForestSettings settings;
    settings.criterion = SplitCriterion::kEntropy;
    settings.trees = kTrees;
    settings.max_features = std::max<std::size_t>(
        1, static_cast<std::size_t>(lfbo_.features * static_cast<double>(encoding_.columns())));
    forest_ = Forest::fit(settings, {points, encoding_.columns()}, labelled.labels,
                          labelled.weights, rng_.next());
  }

  void collect_candidates() {
    found_.clear();
    rows_.clear();
    met_.clear();
    for (std::size_t c = 0; c < std::min(climb_.size(), kCentres); ++c) {
      const Record& centre = records()[climb_[c]];
      if (c < lfbo_.polled) poll(centre.configuration);
      for (std::size_t k = 0; k < kMovesPerCentre; ++k) {
        add(lfbo_.tree_guided ? tree_guided_move(centre.digits) : random_move(centre.digits));
      }
    }
    for (std::size_t k = 0; k < kRandomCandidates; ++k) add(space_.digits(space_.sample(rng_)));
  }

  void poll(ConfigurationIndex centre) {
    for (const ConfigurationIndex neighbour :
         space_.neighbours(centre, ParameterSpace::Neighbourhood::kOneParameter)) {
      if (!book().is_seen(neighbour)) add(space_.digits(neighbour));
    }
  }

  void add(const Digits& digits) {
    const std::optional<ConfigurationIndex> index = book().fresh(digits);
    if (!index || !met_.insert(*index).second) return;
    found_.push_back(*index);
    encoding_.append(digits, rows_);
  }

  // Two to four parameters change, each by up to two places or to any other value.
  Digits random_move(Digits digits) {
    const std::size_t changes = 2 + rng_.below(3);
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t p = free_[rng_.below(free_.size())];
      const auto [low, high] = around(p, digits[p], rng_.coin() ? kNear : count_of(p));
      const auto drawn = low + static_cast<std::uint32_t>(rng_.below(high - low));
      digits[p] = drawn < digits[p] ? drawn : drawn + 1;
    }
    return digits;
  }

  // Along the decision path of one tree, and at one parameter more, each value becomes the one that
  // this tree likes best with the others as they are by then; ties are drawn.
  Digits tree_guided_move(Digits digits) {
    std::vector<double> row(encoding_.columns());
    encoding_.encode(digits, row);
    const std::size_t tree = rng_.below(forest_.trees());
    std::vector<std::size_t> parameters;
    const auto include = [&](std::size_t p) {
      if (std::ranges::find(parameters, p) == parameters.end()) parameters.push_back(p);
    };
    for (const std::uint32_t column : forest_.path(tree, row)) {
      include(encoding_.parameter_of(column));
    }
    include(free_[rng_.below(free_.size())]);
    for (const std::size_t p : parameters) {
      digits[p] = liked_most(tree, p, digits[p], row);
      encoding_.patch(p, digits[p], row);
    }
    return digits;
  }

  std::uint32_t liked_most(std::size_t tree, std::size_t p, std::uint32_t digit,
                           std::vector<double>& row) {
    const auto [low, high] = around(p, digit, kLongList / 2);
    double best = -1;
    std::uint32_t liked = digit;
    std::uint64_t ties = 0;
    for (std::uint32_t d = low; d <= high; ++d) {
      encoding_.patch(p, d, row);
      const double score = forest_.predict_tree(tree, row);
      if (score < best) continue;
      ties = score > best ? 1 : ties + 1;
      best = score;
      if (rng_.below(ties) == 0) liked = d;
    }
    return liked;
  }

  std::uint32_t count_of(std::size_t p) const {
    return static_cast<std::uint32_t>(space_.parameters()[p].values.size());
  }

  // First and last digit within `radius`; of a choice, or a short list and a large radius, all.
  std::pair<std::uint32_t, std::uint32_t> around(std::size_t p, std::uint32_t digit,
                                                 std::uint32_t radius) const {
    const std::uint32_t last = count_of(p) - 1;
    const bool all = encoding_.kind(p) == ParameterKind::kChoice ||
                     (radius == kLongList / 2 && last < kLongList);
    if (all) return {0, last};
    return {digit - std::min(digit, radius), std::min(last, digit + radius)};
  }

  std::vector<ConfigurationIndex> best_candidates() {
    if (found_.empty()) return {};
    const std::size_t columns = encoding_.columns();
    std::vector<double> scores(found_.size()), works(found_.size());
    forest_.predict({rows_, columns}, scores);
    feasibility().probabilities({rows_, columns}, works);
    const double guessing = std::max(0.0, 1 - static_cast<double>(records().size()) / kGuessing);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] *= works[i];
      if (guessing > 0) scores[i] *= plausible(found_[i], guessing);
    }
    std::size_t others = 0;
    for (const auto& [configuration, proposal] : book().outstanding()) {
      if (++others > kOutstandingMost) break;
      encoding_.append(proposal.digits, rows_);
    }
    const std::size_t batch = std::min(kBatchMost, good_for() + book().outstanding().size());
    std::vector<ConfigurationIndex> proposals;
    for (const std::size_t k :
         diverse_picks(forest_, {rows_, columns}, scores, batch, kSimilarityPenalty)) {
      proposals.push_back(found_[k]);
    }
    return proposals;
  }

  double plausible(ConfigurationIndex configuration, double exponent) const {
    return base::portable_exp(
        exponent * base::portable_log(guess_.plausibility(space_.digits(configuration))));
  }

  const LfboSettings lfbo_;
  std::vector<std::size_t> free_;   // parameters with more than one value
  std::vector<std::size_t> climb_;  // positions in records(), best first
  Forest forest_;
  std::vector<ConfigurationIndex> found_;  // candidates, and their rows
  std::vector<double> rows_;
  std::unordered_set<ConfigurationIndex> met_;
};

}  // namespace

std::unique_ptr<Searcher> make_lfbo_pattern_searcher(const ParameterSpace& space,
                                                     const SearcherSettings& settings) {
  return std::make_unique<LfboSearcher>(space, settings, LfboSettings{false, 0.6, 2});
}

std::unique_ptr<Searcher> make_lfbo_tree_searcher(const ParameterSpace& space,
                                                  const SearcherSettings& settings) {
  return std::make_unique<LfboSearcher>(space, settings, LfboSettings{true, 0.4, 0});
}

}  // namespace nightshift::search
