#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "search/acceptance/no_worse.h"
#include "search/table/table_decision.h"

namespace nightshift::search {

// A machine without a machine: true ratios of candidates by shapes, and lognormal noise.
struct SimulatedTable : TableQuestions {
  SimulatedTable(std::vector<std::vector<double>> its_truth, double its_noise, std::uint64_t seed)
      : truth(std::move(its_truth)), noise(its_noise), rng(seed) {}

  std::vector<MatrixColumn> matrix(int blocks = 3) {
    std::vector<MatrixColumn> columns;
    for (std::size_t s = 0; s < truth.size(); ++s) {
      const auto n = static_cast<std::int64_t>(s + 1);
      MatrixColumn column{{{{"M", 64 * n}, {"N", 32 << (s % 4)}}, 1}, {}};
      column.cells.resize(truth[s].size());
      for (int b = 0; b < blocks; ++b) {
        const double of_default = noise * rng.normal();
        for (std::size_t c = 1; c < truth[s].size(); ++c) {
          column.cells[c].effects.push_back(std::log(truth[s][c]) + noise * rng.normal() -
                                            of_default);
        }
      }
      columns.push_back(std::move(column));
    }
    return columns;
  }

  double pair(std::size_t shape, std::size_t candidate) {
    return noise * rng.normal() - noise * rng.normal() - std::log(truth[shape][candidate]);
  }
  std::optional<Verdict> no_worse(std::size_t shape, std::size_t candidate, double level) override {
    ++asked;
    AcceptanceSettings settings;
    settings.test = DuelTest::kGroupSequential;  // as tables do
    settings.level = level;
    settings.max_pairs = 32;
    settings.finish_margin = 0.01;
    const DuelPlan plan = plan_comparison(1, settings);
    std::vector<DevicePairs> pairs{{"simulated", {}, {}, 0}};
    for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
      while (static_cast<int>(pairs[0].effects.size()) < plan.pairs[look]) {
        pairs[0].effects.push_back(pair(shape, candidate));
      }
      Verdict verdict = judge_no_worse(pairs, look, plan, settings);
      if (!std::holds_alternative<NeedMore>(verdict.acceptance)) return verdict;
    }
    return std::nullopt;
  }
  std::optional<std::vector<double>> hold_out(std::size_t shape, std::size_t candidate) override {
    if (!reaches_hold_out) return std::nullopt;
    std::vector<double> effects;
    for (int i = 0; i < 8; ++i) effects.push_back(pair(shape, candidate));
    return effects;
  }

  std::vector<std::vector<double>> truth;  // candidate / default, by shape, then by candidate
  double noise;
  base::Rng rng;
  int asked = 0;
  bool reaches_hold_out = true;
};

inline std::size_t switched(const TableDecision& table) {
  std::size_t n = 0;
  for (const std::size_t row : table.rows) n += row == 0 ? 0 : 1;
  return n;
}

}  // namespace nightshift::search
