#include "tools/bench/accept/nights.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/parallel.h"
#include "base/rng.h"
#include "search/acceptance/night_levels.h"
#include "search/statistics/summary.h"
#include "tools/bench/accept/studies.h"

namespace nightshift::bench {
namespace {

constexpr double kLevel = 0.01;  // of a night

// What the candidates of a night are, to the incumbent that they meet.
enum class Mutator : std::uint8_t {
  kVain,    // nine in ten do the same, the others are up to 10 % worse
  kUseful,  // seven in ten do the same, two are worse, one is better by 0.5 to 5 %
};

// In logarithms; positive: better.
double effect_of(Mutator mutator, base::Rng& rng) {
  const double kind = rng.uniform(), size = rng.uniform();
  const bool is_useful = mutator == Mutator::kUseful;
  if (kind < (is_useful ? 0.7 : 0.9)) return 0;
  if (kind < 0.9 || !is_useful) return -std::log1p(0.1 * size);
  return -std::log1p(-0.005 - 0.045 * size);
}

struct Night {
  bool is_false = false;       // something was kept that is no better
  int kept = 0, offered = 0;   // offered: better ones
  double told = 0, truth = 0;  // sum of the gains of what was kept
  double settled = 0;          // measured in the end, against the first incumbent
  int evaluations = 0;
  int duels = 0, pairs = 0;
};

search::AcceptanceSettings acceptance_at(double level, search::AcceptanceSettings acceptance) {
  acceptance.level = level;
  acceptance.self_test_pairs = 0;
  acceptance.finish_margin = 0;
  acceptance.duel_margin = search::kNightDuelMargin;
  return acceptance;
}

StudyResult judged(const NoiseModel& model, double effect,
                   const search::AcceptanceSettings& acceptance, std::uint64_t seed) {
  StudyCase c;
  c.model = &model;
  c.given = {0, effect};  // the first one is the baseline
  c.candidates = 2;
  c.acceptance = acceptance;
  return tuned(c, seed);
}

Night night(const NoiseModel& model, Mutator mutator, const NightTables& tables,
            std::uint64_t seed) {
  base::Rng rng(seed);
  Night result;
  const auto expected = static_cast<std::uint64_t>(tables.proposals);
  for (int i = 1; i <= tables.proposals; ++i) {
    const double effect = effect_of(mutator, rng);
    const double level = search::night_level(kLevel, static_cast<std::uint64_t>(i), expected);
    const StudyResult one =
        judged(model, effect, acceptance_at(level, tables.acceptance), base::mix_seed(seed, i));
    result.duels += one.duels.duels;
    result.pairs += one.duels.pairs;
    result.evaluations += one.evaluations;
    result.offered += effect > 0 ? 1 : 0;
    if (!one.claimed) continue;
    ++result.kept;
    result.is_false = result.is_false || effect <= 0;
    result.told += one.claimed_gain;
    result.truth += effect;
  }
  if (result.kept == 0) return result;
  result.settled =
      judged(model, result.truth, acceptance_at(kLevel, tables.acceptance), base::mix_seed(seed, 0))
          .claimed_gain;
  return result;
}

double percent(double logarithm) { return 100 * -std::expm1(-logarithm); }

void print_row(const char* mutator, const std::vector<Night>& nights) {
  std::vector<double> told, settled;
  double is_false = 0, kept = 0, offered = 0, evaluations = 0, duels = 0, pairs = 0;
  for (const Night& n : nights) {
    is_false += n.is_false ? 1 : 0;
    kept += n.kept;
    offered += n.offered;
    evaluations += n.evaluations;
    duels += n.duels;
    pairs += n.pairs;
    if (n.kept == 0) continue;
    told.push_back(percent(n.told) - percent(n.truth));
    if (n.settled != 0) settled.push_back(std::abs(percent(n.settled) - percent(n.truth)));
  }
  const auto count = static_cast<double>(nights.size());
  const double share = is_false / count;
  std::printf("  %-8s %6.2f +- %.2f   %6.1f of %5.1f  ", mutator, 100 * share,
              100 * std::sqrt(share * (1 - share) / count), kept / count, offered / count);
  if (told.empty()) {
    std::printf("%10s %10s %10s", "-", "-", "-");
  } else {
    for (double& t : told) t = std::abs(t);
    std::printf("%10.2f %10.2f %10.2f", search::mean_of(told), search::quantile_of(told, 0.95),
                settled.empty() ? 0.0 : search::mean_of(settled));
  }
  std::printf(" %10.0f   %5.1f\n", evaluations / count, pairs / std::max(duels, 1.0));
  std::fflush(stdout);
}

}  // namespace

void night_table(const std::vector<NoiseModel>& models, const NightTables& tables) {
  std::printf(
      "Nights of %d proposals, %zu a row, level 1 %%: nights in which something was kept that is "
      "no\n"
      "better, in percent (+- standard error); kept, of those that are better; how far the product "
      "of\n"
      "the gains that were told is from the true one, in points: mean, 95 %% of nights, and of the "
      "gain\n"
      "that is measured in the end; evaluations; pairs of a duel\n",
      tables.proposals, tables.nights);
  for (const NoiseModel& model : models) {
    std::printf("%s\n", model.name.c_str());
    for (const Mutator mutator : {Mutator::kVain, Mutator::kUseful}) {
      std::vector<Night> nights(tables.nights);
      base::in_parallel(nights.size(), tables.threads, [&](std::size_t i) {
        nights[i] = night(model, mutator, tables, base::mix_seed(tables.seed, i));
      });
      print_row(mutator == Mutator::kVain ? "vain" : "useful", nights);
    }
  }
}

}  // namespace nightshift::bench
