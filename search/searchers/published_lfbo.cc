#include "search/searchers/published_lfbo.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/model/diverse_picks.h"
#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

PublishedLfbo::PublishedLfbo(const ParameterSpace& space, const SearcherSettings& settings,
                             const PublishedLfboSettings& published)
    : space_(space),
      published_(published),
      encoding_(space),
      moves_(space),
      rng_(settings.seed),
      book_(space, settings),
      starts_(settings.starts) {
  // The published program measures its default first. Ours is the baseline, whose score is known.
  if (settings.baseline) PublishedLfbo::tell(*settings.baseline, kBaselineObservation);
  begin();
}

std::vector<ConfigurationIndex> PublishedLfbo::ask(std::size_t n) {
  std::vector<ConfigurationIndex> proposals;
  while (proposals.size() < n) {
    if (wanted_.empty() && awaited_ == 0) advance();
    const bool of_generation = !wanted_.empty();
    std::optional<ConfigurationIndex> next;
    if (of_generation) {
      next = wanted_.back();
      wanted_.pop_back();
      ++awaited_;
    } else {
      next = book_.unseen().draw(rng_);
    }
    if (!next) break;
    book_.propose(*next, of_generation);
    proposals.push_back(*next);
  }
  return proposals;
}

void PublishedLfbo::tell(ConfigurationIndex configuration, const Observation& observation) {
  const auto entry = book_.tell(configuration);
  if (!entry) return;
  std::erase(wanted_, configuration);  // somebody else had it measured
  if (entry->note.value_or(false)) --awaited_;
  if (entry->is_new) rows_.push_back({configuration});
  rows_[entry->place].time = observation.score ? observation.score->value : kInfinite;
}

// Draws the initial population. After the last configuration of the space it stays empty.
void PublishedLfbo::begin() {
  generation_ = 0;
  copies_.clear();
  population_.clear();
  visited_.clear();
  forest_ = Forest();
  if (rows_.size() == 1) population_.push_back(rows_.front().configuration);  // the baseline
  for (const ConfigurationIndex start : starts_) {
    if (book_.take(start)) want(start);
  }
  starts_.clear();
  while (population_.size() < published_.initial_population) {
    const std::optional<ConfigurationIndex> drawn = book_.unseen().draw(rng_);
    if (!drawn) break;
    want(*drawn);
  }
  std::ranges::reverse(wanted_);
  visited_.insert(population_.begin(), population_.end());
}

// Part of this generation, and to be proposed: marked as seen already.
void PublishedLfbo::want(ConfigurationIndex configuration) {
  if (generation_ == 0) population_.push_back(configuration);
  wanted_.push_back(configuration);
}

double PublishedLfbo::time_of(ConfigurationIndex configuration) const {
  const auto place = book_.place_of(configuration);
  return place ? rows_[*place].time : kInfinite;
}

// The generation has been told: on to the next that wants anything evaluated, or to a new
// beginning.
void PublishedLfbo::advance() {
  while (wanted_.empty()) {
    if (generation_ == 0) {
      start_copies();
    } else {
      for (Copy& copy : copies_) judge(copy);
    }
    const bool alive = std::ranges::any_of(copies_, &Copy::alive);
    if (alive && generation_ < published_.generations) {
      fit();
      next_generation();
      continue;
    }
    begin();
    if (wanted_.empty()) return;
  }
}

void PublishedLfbo::start_copies() {
  std::vector<ConfigurationIndex> best = population_;
  std::erase_if(best, [&](ConfigurationIndex i) { return time_of(i) == kInfinite; });
  std::ranges::stable_sort(best, {}, [&](ConfigurationIndex i) { return time_of(i); });
  if (best.size() > published_.copies) best.resize(published_.copies);
  for (const ConfigurationIndex i : best) copies_.push_back({i, {}, published_.patience, true});
}

// Moves a copy to the best of its candidates and ends it where that gains too little for the second
// time.
void PublishedLfbo::judge(Copy& copy) const {
  if (!copy.alive) return;
  const ConfigurationIndex best = *std::ranges::min_element(
      copy.candidates, {}, [&](ConfigurationIndex i) { return time_of(i); });
  const double change = std::abs(time_of(best) / time_of(copy.incumbent) - 1);
  if (best == copy.incumbent || change < published_.least_gain) {
    if (copy.patience == 0) {
      copy.alive = false;
    } else {
      --copy.patience;
    }
  }
  copy.incumbent = best;
}

// The lowest tenth of the times is good, weighted by how far below the boundary it lies; on
// average as heavy as the others, which are left to outnumber it.
void PublishedLfbo::fit() {
  if (!published_.learns) return;
  std::vector<double> finite;
  for (const Row& row : rows_) {
    if (row.time < kInfinite) finite.push_back(row.time);
  }
  forest_ = Forest();
  if (finite.empty()) return;
  const double boundary = quantile_of(finite, published_.quantile);
  std::vector<double> points, labels, weights;
  double margins = 0, good = 0;
  for (const Row& row : rows_) {
    encoding_.append(space_.digits(row.configuration), points);
    const bool is_good = row.time <= boundary;
    labels.push_back(is_good ? 1 : 0);
    weights.push_back(is_good ? std::max(1e-5, boundary - row.time) : 1);
    margins += is_good ? weights.back() : 0;
    good += labels.back();
  }
  if (good == static_cast<double>(rows_.size())) return;  // one class only
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == 1) weights[i] *= good / margins;
  }
  ForestSettings settings;
  settings.criterion = SplitCriterion::kEntropy;
  settings.max_features = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::sqrt(static_cast<double>(encoding_.columns()))));
  forest_ = Forest::fit(settings, {points, encoding_.columns()}, labels, weights, rng_.next());
}

void PublishedLfbo::next_generation() {
  for (Copy& copy : copies_) {
    if (!copy.alive) continue;
    copy.candidates = {copy.incumbent};
    for (const ConfigurationIndex i : neighbours_of(copy.incumbent)) copy.candidates.push_back(i);
    if (published_.learns) {
      const auto count = static_cast<std::size_t>(static_cast<double>(copy.candidates.size()) *
                                                  published_.selected);
      copy.candidates = selected_of(copy.candidates, count);
    }
    copy.alive = copy.candidates.size() > 1;
    if (!copy.alive) continue;
    for (const ConfigurationIndex i : copy.candidates) {
      if (book_.take(i)) wanted_.push_back(i);
    }
  }
  ++generation_;
  std::ranges::reverse(wanted_);
}

std::vector<ConfigurationIndex> PublishedLfbo::neighbours_of(ConfigurationIndex incumbent) {
  std::vector<ConfigurationIndex> neighbours;
  for (const Digits& digits : moves_of(space_.digits(incumbent))) {
    const auto index = space_.index_of_digits(digits);
    if (!index || *index == incumbent || book_.is_seen(*index)) continue;
    if (visited_.insert(*index).second) neighbours.push_back(*index);
  }
  return neighbours;
}

std::vector<PublishedLfbo::Digits> PublishedLfbo::moves_of(const Digits& from) {
  if (!published_.learns) return moves_.steps(from);
  // The published counter is raised after the neighbours were made: the first two generations are
  // random.
  const bool guided = published_.tree_guided && generation_ >= 2 && !forest_.empty();
  std::vector<Digits> moves;
  for (std::size_t k = 0; k < published_.neighbours; ++k) {
    moves.push_back(guided ? tree_guided_move(from) : moves_.random_move(from, radius(), rng_));
  }
  return moves;
}

// Along one tree's decision path each parameter in turn takes the value near its own that this tree
// likes best; so do a random block size and the number of warps.
PublishedLfbo::Digits PublishedLfbo::tree_guided_move(const Digits& from) {
  Digits digits = from;
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
  const std::vector<std::size_t>& blocks = moves_.block_sizes();
  if (!blocks.empty()) include(blocks[rng_.below(blocks.size())]);
  if (moves_.warps()) include(*moves_.warps());
  for (const std::size_t p : parameters) {
    std::vector<std::uint32_t> options = moves_.around(p, digits[p], radius());
    options.insert(options.begin(), digits[p]);
    std::vector<std::uint32_t> best;
    double best_score = -kInfinite;
    for (const std::uint32_t digit : options) {
      encoding_.patch(p, digit, row);
      const double score = forest_.predict_tree(tree, row);
      if (score > best_score) best.clear();
      best_score = std::max(best_score, score);
      if (score == best_score) best.push_back(digit);
    }
    digits[p] = best[rng_.below(best.size())];
    encoding_.patch(p, digits[p], row);
  }
  return digits;
}

std::vector<ConfigurationIndex> PublishedLfbo::selected_of(
    const std::vector<ConfigurationIndex>& candidates, std::size_t count) {
  if (count <= 1) return {};
  std::vector<ConfigurationIndex> selected;
  if (forest_.empty()) {
    selected = candidates;
    rng_.shuffle(selected);
    selected.resize(std::min(count, selected.size()));
    return selected;
  }
  std::vector<double> rows, scores(candidates.size());
  for (const ConfigurationIndex i : candidates) encoding_.append(space_.digits(i), rows);
  const PointTable points{rows, encoding_.columns()};
  forest_.predict(points, scores);
  for (const std::size_t k :
       diverse_picks(forest_, points, scores, count, published_.similarity_penalty)) {
    selected.push_back(candidates[k]);
  }
  return selected;
}

namespace {

enum class Method { kPattern, kLfboPattern, kLfboTree };
using Published = OptionTable<PublishedLfboSettings>;

PublishedLfboSettings settings_of(Method method, bool quick) {
  PublishedLfboSettings published;
  published.learns = method != Method::kPattern;
  if (method == Method::kPattern) published.patience = 0;
  published.tree_guided = method == Method::kLfboTree;
  if (published.tree_guided) published.neighbours = 200;
  if (quick) {  // Helion's preset for little effort
    published.initial_population = 30;
    published.copies = 2;
    published.generations = 5;
  }
  return published;
}

Published table_of(Method method, bool quick) {
  using Its = PublishedLfboSettings;
  std::vector<Published::Row> rows = {
      {"initial_population", &Its::initial_population, "random configurations at the beginning", 1,
       100'000},
      {"copies", &Its::copies, "best ones of these that are walked from", 1, 1'000},
      {"generations", &Its::generations, "after which all begins again", 1, 10'000},
      {"least_gain", &Its::least_gain, "relative; a generation below it uses up a copy's patience",
       0, 1},
      {"patience", &Its::patience, "such generations that a copy survives", 0, 1'000}};
  if (method == Method::kPattern) return {settings_of(method, quick), std::move(rows)};
  const std::vector<Published::Row> of_model = {
      {"neighbours", &Its::neighbours, "generated for a copy in a generation", 1, 100'000},
      {"radius", &Its::radius, "places in a list that a number moves at most", 1, 1e6},
      {"selected", &Its::selected, "share of a copy's candidates that is evaluated", 0.001, 1},
      {"quantile", &Its::quantile, "of the times, below which a configuration is good", 0.001, 1},
      {"similarity_penalty", &Its::similarity_penalty,
       "how far candidates stand back that are like others before them", 0, 100}};
  rows.insert(rows.end(), of_model.begin(), of_model.end());
  return {settings_of(method, quick), std::move(rows)};
}

std::unique_ptr<Searcher> make(const ParameterSpace& space, const SearcherSettings& settings,
                               Method method, bool quick) {
  return std::make_unique<PublishedLfbo>(space, settings,
                                         table_of(method, quick).with(settings.options));
}

std::vector<SearcherOption> options(Method method, bool quick) {
  return table_of(method, quick).described();
}

}  // namespace

std::unique_ptr<Searcher> make_pattern_published_searcher(const ParameterSpace& space,
                                                          const SearcherSettings& settings) {
  return make(space, settings, Method::kPattern, false);
}
std::unique_ptr<Searcher> make_pattern_published_quick_searcher(const ParameterSpace& space,
                                                                const SearcherSettings& settings) {
  return make(space, settings, Method::kPattern, true);
}
std::unique_ptr<Searcher> make_lfbo_pattern_published_searcher(const ParameterSpace& space,
                                                               const SearcherSettings& settings) {
  return make(space, settings, Method::kLfboPattern, false);
}
std::unique_ptr<Searcher> make_lfbo_pattern_published_quick_searcher(
    const ParameterSpace& space, const SearcherSettings& settings) {
  return make(space, settings, Method::kLfboPattern, true);
}
std::unique_ptr<Searcher> make_lfbo_tree_published_searcher(const ParameterSpace& space,
                                                            const SearcherSettings& settings) {
  return make(space, settings, Method::kLfboTree, false);
}
std::unique_ptr<Searcher> make_lfbo_tree_published_quick_searcher(
    const ParameterSpace& space, const SearcherSettings& settings) {
  return make(space, settings, Method::kLfboTree, true);
}

std::vector<SearcherOption> pattern_published_options() { return options(Method::kPattern, false); }
std::vector<SearcherOption> pattern_published_quick_options() {
  return options(Method::kPattern, true);
}
std::vector<SearcherOption> lfbo_pattern_published_options() {
  return options(Method::kLfboPattern, false);
}
std::vector<SearcherOption> lfbo_pattern_published_quick_options() {
  return options(Method::kLfboPattern, true);
}
std::vector<SearcherOption> lfbo_tree_published_options() {
  return options(Method::kLfboTree, false);
}
std::vector<SearcherOption> lfbo_tree_published_quick_options() {
  return options(Method::kLfboTree, true);
}

}  // namespace nightshift::search
