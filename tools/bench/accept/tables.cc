#include "tools/bench/accept/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <variant>

#include "base/parallel.h"
#include "base/rng.h"
#include "search/acceptance/no_worse.h"
#include "search/table/table_decision.h"

namespace nightshift::bench {
namespace {

using Truth = std::vector<std::vector<double>>;  // ln(candidate / default), by shape

constexpr std::size_t kShapes = 40, kCandidates = 8;
constexpr int kBlocks = 3, kPairs = 32, kHoldOutPairs = 8;
constexpr double kMargin = 0.01;

// One device that is asked what a table asks.
class SimulatedMachine final : public search::TableQuestions {
 public:
  SimulatedMachine(const Truth& truth, const NoiseModel& model, std::uint64_t seed)
      : truth_(truth), device_(model, 0, seed), coin_(seed + 1) {}

  std::vector<search::MatrixColumn> matrix() {
    std::vector<search::MatrixColumn> columns;
    for (std::size_t s = 0; s < kShapes; ++s) {
      const auto rows = static_cast<std::int64_t>(64) << (s % 8);
      const auto n = static_cast<std::int64_t>(s / 8 + 1) * 256;
      search::MatrixColumn& column = columns.emplace_back();
      column.shape = {{{"M", rows}, {"N", n}}, 1};
      column.cells.resize(kCandidates + 1);
      for (int b = 0; b < kBlocks; ++b) add_block(s, column);
    }
    return columns;
  }
  std::optional<search::Verdict> no_worse(std::size_t shape, std::size_t candidate,
                                          double level) override {
    search::AcceptanceSettings settings;
    settings.test = search::DuelTest::kGroupSequential;  // as tables do
    settings.level = level;
    settings.max_pairs = kPairs;
    settings.finish_margin = kMargin;
    const search::DuelPlan plan = search::plan_comparison(1, settings);
    std::vector<search::DevicePairs> pairs{{"simulated", {}, {}, 0}};
    for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
      while (static_cast<int>(pairs[0].effects.size()) < plan.pairs[look]) {
        pairs[0].effects.push_back(pair(shape, candidate));
      }
      search::Verdict verdict = search::judge_no_worse(pairs, look, plan, settings);
      if (!std::holds_alternative<search::NeedMore>(verdict.acceptance)) return verdict;
    }
    return std::nullopt;
  }
  std::optional<std::vector<double>> hold_out(std::size_t shape, std::size_t candidate) override {
    std::vector<double> effects;
    for (int i = 0; i < kHoldOutPairs; ++i) effects.push_back(pair(shape, candidate));
    return effects;
  }
  int evaluations() const { return evaluations_; }

 private:
  double log_time(double effect) {
    ++evaluations_;
    return std::log(device_.evaluation(-effect));
  }
  void add_block(std::size_t shape, search::MatrixColumn& column) {
    std::vector<std::size_t> order;
    for (std::size_t c = 1; c <= kCandidates; ++c) order.push_back(c);
    coin_.shuffle(order);
    const double first = log_time(0);
    std::vector<double> times;
    for (const std::size_t c : order) times.push_back(log_time(truth_[shape][c]));
    const double last = log_time(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double share = static_cast<double>(i + 1) / static_cast<double>(order.size() + 1);
      column.cells[order[i]].effects.push_back(times[i] - first - (last - first) * share);
    }
  }
  double pair(std::size_t shape, std::size_t candidate) {
    if (coin_.uniform() < 0.5) {
      const double own = log_time(truth_[shape][candidate]);
      return log_time(0) - own;
    }
    const double of_default = log_time(0);
    return of_default - log_time(truth_[shape][candidate]);
  }

  const Truth& truth_;
  NoisyDevice device_;
  base::Rng coin_;
  int evaluations_ = 0;
};

// Each candidate has a gain or loss of its own, and on each shape another one beside it.
Truth drawn_truth(bool equal, std::uint64_t seed) {
  base::Rng rng(seed);
  Truth truth(kShapes, std::vector<double>(kCandidates + 1, 0.0));
  if (equal) return truth;
  for (std::size_t c = 1; c <= kCandidates; ++c) {
    const double own = 0.05 * rng.normal();
    for (std::size_t s = 0; s < kShapes; ++s) truth[s][c] = own + 0.08 * rng.normal();
  }
  return truth;
}

struct TableOutcome {
  bool made = false;
  std::size_t switched = 0, slower = 0;
  double claimed = 1, truth = 1, best = 1;
  int evaluations = 0;
};

TableOutcome one_table(const NoiseModel& model, bool equal, std::uint64_t seed) {
  const Truth truth = drawn_truth(equal, seed);
  SimulatedMachine machine(truth, model, seed + 7);
  const auto columns = machine.matrix();
  const search::TableDecision table = search::decided_table(columns, {}, machine);
  TableOutcome outcome;
  outcome.made = table.claim.accepted;
  outcome.claimed = table.claim.ratio;
  outcome.evaluations = machine.evaluations();
  double mean = 0, best = 0;
  for (std::size_t s = 0; s < kShapes; ++s) {
    const double own = truth[s][table.rows[s]];
    mean += own / kShapes;
    best += std::min(0.0, *std::ranges::min_element(truth[s])) / kShapes;
    outcome.switched += table.rows[s] != 0 ? 1 : 0;
    outcome.slower += own > std::log1p(kMargin) ? 1 : 0;
  }
  outcome.truth = std::exp(mean);
  outcome.best = std::exp(best);
  return outcome;
}

std::vector<TableOutcome> many_tables(const NoiseModel& model, bool equal,
                                      const TableRuns& options) {
  std::vector<TableOutcome> outcomes(options.runs);
  base::in_parallel(options.runs, options.threads, [&](std::size_t i) {
    outcomes[i] = one_table(model, equal, base::mix_seed(options.seed + 23, i));
  });
  return outcomes;
}

void print_equal(const NoiseModel& model, const std::vector<TableOutcome>& outcomes) {
  int made = 0;
  double evaluations = 0;
  for (const TableOutcome& o : outcomes) {
    made += o.switched > 0 ? 1 : 0;
    evaluations += o.evaluations;
  }
  const auto runs = static_cast<double>(outcomes.size());
  std::printf("  %-20s a shape is switched in %.2f %% of the tables; %.0f evaluations each\n",
              model.name.c_str(), 100 * made / runs, evaluations / runs);
}

void print_gains(const NoiseModel& model, const std::vector<TableOutcome>& outcomes) {
  double made = 0, claimed = 0, truth = 0, best = 0, switched = 0, slower = 0;
  for (const TableOutcome& o : outcomes) {
    made += o.made ? 1 : 0;
    claimed += std::log(o.made ? o.claimed : 1);
    truth += std::log(o.truth);
    best += std::log(o.best);
    switched += static_cast<double>(o.switched);
    slower += o.slower > 0 ? 1 : 0;
  }
  const auto runs = static_cast<double>(outcomes.size());
  std::printf(
      "  %-20s made in %.1f %%; claimed %.4f, true %.4f, the best of each shape %.4f; %.1f of %zu "
      "shapes switched; one slower by more than 1 %% in %.2f %% of the tables\n",
      model.name.c_str(), 100 * made / runs, std::exp(claimed / runs), std::exp(truth / runs),
      std::exp(best / runs), switched / runs, kShapes, 100 * slower / runs);
}

}  // namespace

void shape_tables(const std::vector<NoiseModel>& models, const TableRuns& options) {
  std::printf("\nTables of %zu shapes and %zu candidates, %zu a row, all equal to the default\n",
              kShapes, kCandidates, options.runs);
  for (const NoiseModel& model : models) print_equal(model, many_tables(model, true, options));
  std::printf("\nThe same with gains and losses: 5 %% by candidate and 8 %% by shape\n");
  for (const NoiseModel& model : models) print_gains(model, many_tables(model, false, options));
}

}  // namespace nightshift::bench
