#include "tools/bench/accept/short_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/parallel.h"
#include "base/rng.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

search::Configuration configuration_of(const std::string& json) {
  search::Configuration configuration;
  const auto parsed = nlohmann::ordered_json::parse(json);
  for (const auto& [name, value] : parsed.items()) {
    if (value.is_string()) {
      configuration.set(name, value.get<std::string>());
    } else if (value.is_number_integer()) {
      configuration.set(name, value.get<std::int64_t>());
    } else {
      configuration.set(name, value.get<double>());
    }
  }
  return configuration;
}

struct ShortRow {
  std::vector<double> claims, wrong, truth, gap, evaluations, explored, longest, duels, pairs;
};

void print_short(const ShortRow& row, double plain, double best, std::size_t studies) {
  const auto percent = [](const std::vector<double>& share) {
    return 100 * search::mean_of(share);
  };
  std::printf(
      "  %zu studies: claims %.1f %%, without a gain %.2f %%; explored %.0f of %.0f "
      "evaluations, the longest duel %.1f %% of the time (largest %.1f %%); %.1f duels of %.1f "
      "pairs\n",
      studies, percent(row.claims), percent(row.wrong), search::mean_of(row.explored),
      search::mean_of(row.evaluations), percent(row.longest),
      100 * *std::ranges::max_element(row.longest), search::mean_of(row.duels),
      search::mean_of(row.pairs) / std::max(search::mean_of(row.duels), 1e-9));
  std::printf(
      "  true time of what was claimed over the baseline's: mean %.3f, median %.3f, worst "
      "%.3f; the best recorded %.3f\n",
      search::mean_of(row.truth), search::median_of(row.truth),
      *std::ranges::max_element(row.truth), best);
  std::printf("  claimed minus true gain %+.2f +- %.2f points\n", 100 * search::mean_of(row.gap),
              100 * search::sd_of(row.gap) / std::sqrt(static_cast<double>(row.gap.size())));
  if (!(plain > 0)) return;
  const auto behind = std::ranges::count_if(row.truth, [&](double t) { return t > 1.01 * plain; });
  std::printf(
      "  over the plain line's (%.3f): mean %.3f, worst %.3f; slower by more than 1 %% in "
      "%.1f %%\n",
      plain, search::mean_of(row.truth) / plain, *std::ranges::max_element(row.truth) / plain,
      100 * static_cast<double>(behind) / static_cast<double>(row.truth.size()));
}

void print_finishing(const std::vector<ShortResult>& results) {
  double won = 0, changed = 0, back = 0, simpler = 0, slower = 0, evaluations = 0, worst = 1;
  for (const ShortResult& r : results) {
    evaluations += r.finishing;
    if (r.changed == 0) continue;
    ++won;
    changed += r.changed;
    back += r.went_back;
    simpler += r.went_back > 0 ? 1 : 0;
    slower += r.finished_ratio > 1.003 ? 1 : 0;
    worst = std::max(worst, r.finished_ratio);
  }
  if (won == 0) return;
  std::printf(
      "  finishing rounds: of %.1f changed parameters %.1f went back, in %.1f %% of %.0f winners; "
      "slower than the winner by more than 0.3 %% in %.2f %%, worst %+.2f %%; %.0f evaluations a "
      "study\n",
      changed / won, back / won, 100 * simpler / won, won, 100 * slower / won, 100 * (worst - 1),
      evaluations / static_cast<double>(results.size()));
}

}  // namespace

void short_table(const ShortTable& table) {
  const auto recording = problems::RecordedSpace::read(table.recording);
  ShortCase c = table.short_case;
  c.recording = &recording;
  c.baseline = table.baseline.empty() ? recording.first_working()->configuration
                                      : configuration_of(table.baseline);
  for (const std::string& start : table.starts) c.starts.push_back(configuration_of(start));
  const auto base = recorded_time(recording, c.baseline);
  if (!base) throw std::runtime_error("the baseline is not among what was recorded");
  double best = 1, plain = 0;
  for (const problems::RecordedTrial& trial : recording.trials()) {
    if (const auto t = recorded_time(recording, trial.configuration))
      best = std::min(best, *t / *base);
  }
  if (!table.plain.empty()) {
    plain = recorded_time(recording, configuration_of(table.plain)).value() / *base;
  }
  std::vector<ShortResult> results(table.studies);
  base::in_parallel(table.studies, table.threads, [&](std::size_t i) {
    results[i] = short_study(c, base::mix_seed(table.seed + 11, i));
  });
  ShortRow row;
  for (const ShortResult& r : results) {
    row.claims.push_back(r.claimed ? 1 : 0);
    row.wrong.push_back(r.claimed && r.true_ratio >= 1 ? 1 : 0);
    row.truth.push_back(r.true_ratio);
    if (r.claimed) row.gap.push_back(r.true_ratio - r.ratio);
    row.evaluations.push_back(r.evaluations);
    row.explored.push_back(r.explored);
    row.longest.push_back(r.longest_duel);
    row.duels.push_back(r.duels.duels);
    row.pairs.push_back(r.duels.pairs);
  }
  std::printf(
      "\nShort studies of %s, %g s, %g s an evaluation and %g s around it, %g %% of noise\n",
      recording.kernel_name().c_str(), c.budget, c.evaluation, c.overhead, 100 * c.noise);
  print_short(row, plain, best, table.studies);
  print_finishing(results);
}

}  // namespace nightshift::bench
