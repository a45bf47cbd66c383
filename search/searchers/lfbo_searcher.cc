#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/portable_math.h"
#include "search/model/diverse_picks.h"
#include "search/model/forest.h"
#include "search/model/lfbo_labels.h"
#include "search/options/option_table.h"
#include "search/searchers/observing_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {
// Chosen on recorded spaces of convolution, dedispersion, GEMM and point-in-polygon; unless said
// otherwise half and twice of each differ by no more than seeds do.
constexpr std::size_t kOutstandingMost = 64;  // that candidates are compared with
constexpr std::uint32_t kLongList = 32;  // values; of longer ones a tree sees only those nearby

struct LfboSettings {
  bool tree_guided = false;
  double features = 0.6;
  std::size_t polled = 2;
  std::size_t starts = 5;        // the published 100 spend a small budget on chance
  std::size_t later_starts = 4;  // of a new climb
  std::size_t patience = 40;
  double least_gain = 0.001;  // relative
  double good_share = 0.1;    // of a climb's observations
  std::size_t good_least = 2;
  std::size_t trees = 50;
  double similarity_penalty = 1.0;
  std::size_t batch = 16;
  std::size_t centres = 5;
  std::size_t moves = 60;
  std::size_t random_candidates = 300;  // with 50 climbs start in worse places
  std::size_t near = 2;                 // places in a list
  double guessing = 60;  // gains 5 % at 25 evaluations; twice as long loses 1 % at 200
};

OptionTable<LfboSettings> table_of(const LfboSettings& usual) {
  using Its = LfboSettings;
  std::vector<OptionTable<Its>::Row> rows = {
      {"start_trials", &Its::starts, kStartTrialsMeaning, 1, 10'000},
      {"later_start_trials", &Its::later_starts, "the same of each further climb", 1, 10'000},
      {"patience", &Its::patience, "trials without a gain that end a climb", 1, 1e6},
      {"least_gain", &Its::least_gain, "what is no gain, relative", 0, 1},
      {"good_share", &Its::good_share, "share of a climb's trials that counts as good", 0.001, 1},
      {"good_least", &Its::good_least, "good ones at least", 1, 10'000},
      {"trees", &Its::trees, kTreesMeaning, 1, 1'000},
      {"features", &Its::features, "share of the columns that a node of a tree looks at", 0.01, 1},
      {"similarity_penalty", &Its::similarity_penalty,
       "how far candidates stand back that are like others before them", 0, 100},
      {"batch", &Its::batch, kBatchMeaning, 1, 1'000},
      {"centres", &Its::centres, "best configurations of the climb that candidates are around", 1,
       1'000},
      {"moves", &Its::moves, "candidates around each centre", 1, 10'000},
      {"polled", &Its::polled, "centres of which every change of one parameter is a candidate", 0,
       1'000},
      {"random_candidates", &Its::random_candidates, "candidates anywhere", 0, 100'000},
      {"guessing", &Its::guessing,
       "trials for which a guess at what suits hardware helps the forest, ever less", 0.001, 1e6}};
  if (!usual.tree_guided) {
    rows.push_back({"near", &Its::near, "places in a list that a near move goes at most", 1, 1e6});
  }
  return {usual, std::move(rows)};
}

const OptionTable<LfboSettings>& pattern_table() {
  static const OptionTable<LfboSettings> table = table_of({});
  return table;
}

const OptionTable<LfboSettings>& tree_table() {
  static const OptionTable<LfboSettings> table = [] {
    LfboSettings usual;
    usual.tree_guided = true;
    usual.features = 0.4;
    usual.polled = 0;
    return table_of(usual);
  }();
  return table;
}

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
      : ObservingSearcher(space, settings, lfbo.starts), lfbo_(lfbo) {
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      if (space.parameters()[p].values.size() > 1) free_.push_back(p);
    }
  }

 protected:
  void learn() override {
    if (has_stagnated()) begin_epoch(lfbo_.later_starts);
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
      if (!record.works || record.cost >= best - lfbo_.least_gain) continue;
      best = record.cost;
      since = 0;
    }
    return since >= lfbo_.patience;
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
    const auto share = static_cast<std::size_t>(std::ceil(lfbo_.good_share * count));
    const std::size_t good = std::min(std::max(share, lfbo_.good_least), climb_.size());
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
    settings.trees = lfbo_.trees;
    settings.max_features = std::max<std::size_t>(
        1, static_cast<std::size_t>(lfbo_.features * static_cast<double>(encoding_.columns())));
    forest_ = Forest::fit(settings, {points, encoding_.columns()}, labelled.labels,
                          labelled.weights, rng_.next());
  }

  void collect_candidates() {
    found_.clear();
    rows_.clear();
    met_.clear();
    for (std::size_t c = 0; c < std::min(climb_.size(), lfbo_.centres); ++c) {
      const Record& centre = records()[climb_[c]];
      if (c < lfbo_.polled) poll(centre.configuration);
      for (std::size_t k = 0; k < lfbo_.moves; ++k) {
        add(lfbo_.tree_guided ? tree_guided_move(centre.digits) : random_move(centre.digits));
      }
    }
    for (std::size_t k = 0; k < lfbo_.random_candidates; ++k)
      add(space_.digits(space_.sample(rng_)));
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
      const auto [low, high] = around(p, digits[p], rng_.coin() ? near() : count_of(p));
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

  std::uint32_t near() const { return static_cast<std::uint32_t>(lfbo_.near); }
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
    const double guessing =
        std::max(0.0, 1 - static_cast<double>(records().size()) / lfbo_.guessing);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] *= works[i];
      if (guessing > 0) scores[i] *= plausible(found_[i], guessing);
    }
    std::size_t others = 0;
    for (const auto& [configuration, proposal] : book().outstanding()) {
      if (++others > kOutstandingMost) break;
      encoding_.append(proposal.digits, rows_);
    }
    const std::size_t batch = std::min(lfbo_.batch, good_for() + book().outstanding().size());
    std::vector<ConfigurationIndex> proposals;
    for (const std::size_t k :
         diverse_picks(forest_, {rows_, columns}, scores, batch, lfbo_.similarity_penalty)) {
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
  return std::make_unique<LfboSearcher>(space, settings, pattern_table().with(settings.options));
}

std::unique_ptr<Searcher> make_lfbo_tree_searcher(const ParameterSpace& space,
                                                  const SearcherSettings& settings) {
  return std::make_unique<LfboSearcher>(space, settings, tree_table().with(settings.options));
}

std::vector<SearcherOption> lfbo_pattern_options() { return pattern_table().described(); }
std::vector<SearcherOption> lfbo_tree_options() { return tree_table().described(); }

}  // namespace nightshift::search
