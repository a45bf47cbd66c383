#include "tools/bench/accept/study_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/parallel.h"
#include "base/rng.h"
#include "search/statistics/summary.h"
#include "tools/bench/accept/studies.h"

namespace nightshift::bench {
namespace {

template <class Run>
void print_studies(const char* name, const StudyCase& c, const StudyTables& tables, Run run) {
  std::vector<StudyResult> results(tables.studies);
  base::in_parallel(tables.studies, tables.threads, [&](std::size_t i) {
    results[i] = run(c, base::mix_seed(tables.seed + 7, i));
  });
  std::vector<double> claimed_minus_true, evaluations, chosen, best, regret;
  double claims = 0, false_claims = 0, duels = 0, pairs = 0;
  for (const StudyResult& r : results) {
    duels += r.duels.duels;
    pairs += r.duels.pairs;
    evaluations.push_back(r.evaluations);
    best.push_back(100 * r.best_gain);
    chosen.push_back(100 * r.true_gain);
    regret.push_back(std::exp(r.best_gain - r.true_gain));
    if (!r.claimed) continue;
    ++claims;
    if (!(r.true_gain > 0)) ++false_claims;
    claimed_minus_true.push_back(100 * (r.claimed_gain - r.true_gain));
  }
  const double n = static_cast<double>(results.size());
  const double share = false_claims / n;
  std::printf(
      "  %-12s %-10s claims %5.1f %%, without a gain %5.2f +- %.2f %%; claimed minus true %+6.3f "
      "+- "
      "%.3f; true gain %5.2f of %5.2f %%, regret %.4f; evaluations %5.0f; %.1f pairs a duel\n",
      c.model->name.c_str(), name, 100 * claims / n, 100 * share,
      100 * std::sqrt(share * (1 - share) / n), search::mean_of(claimed_minus_true),
      search::sd_of(claimed_minus_true) /
          std::sqrt(std::max<double>(1, static_cast<double>(claimed_minus_true.size()))),
      search::mean_of(chosen), search::mean_of(best), search::mean_of(regret),
      search::mean_of(evaluations), pairs / std::max(duels, 1.0));
  std::fflush(stdout);
}

}  // namespace

void study_table(const std::vector<NoiseModel>& models, const StudyTables& tables) {
  const std::pair<Effects, const char*> kinds[] = {
      {Effects::kNone, "all 400 candidates equal to the baseline"},
      {Effects::kMixed, "300 candidates, 7 % of them better by 1 to 6 %"},
      {Effects::kSmall, "300 candidates, 7 % of them better by 0.5 to 2 %"}};
  for (const auto& [effects, words] : kinds) {
    std::printf("\nStudies (%zu a row), %s\n", tables.studies, words);
    for (const NoiseModel& model : models) {
      StudyCase c;
      c.model = &model;
      c.acceptance = tables.acceptance;
      c.effects = effects;
      c.candidates = effects == Effects::kNone ? 400 : 300;
      print_studies("nightshift", c, tables, tuned);
      if (effects == Effects::kMixed) {
        c.drift_at_half = 0.05;
        print_studies("drifts 5 %", c, tables, tuned);
        c.drift_at_half = 0;
      }
      print_studies("100 + 100", c, tables, gated);
    }
  }
}

void node_table(const std::vector<NoiseModel>& models, const StudyTables& tables) {
  struct Row {
    const char* words;
    Effects effects;
    double worse_on_last;
  };
  constexpr Row kRows[] = {
      {"all 400 candidates equal to the baseline", Effects::kNone, 0},
      {"300 candidates, 7 % of them better by 1 to 6 %", Effects::kMixed, 0},
      {"the same, but each of those 1 % worse on the last node", Effects::kMixed, 0.01}};
  for (const Row& row : kRows) {
    std::printf("\n4 nodes that differ by 5 %% and drift by 5 %% (%zu studies a row), %s\n",
                tables.studies, row.words);
    for (const NoiseModel& model : models) {
      StudyCase c;
      c.model = &model;
      c.acceptance = tables.acceptance;
      c.effects = row.effects;
      c.candidates = row.effects == Effects::kNone ? 400 : 300;
      c.devices = 4;
      c.spread = c.own_drift = 0.05;
      c.worse_on_last = row.worse_on_last;
      print_studies("4 nodes", c, tables, tuned);
    }
  }
}

}  // namespace nightshift::bench
