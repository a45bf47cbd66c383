#include "tools/bench/accept/recheck_tables.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "base/parallel.h"
#include "base/rng.h"
#include "tools/bench/accept/rechecks.h"

namespace nightshift::bench {
namespace {

constexpr std::array<const char*, kRecheckKinds> kKinds = {"equal code", "same speed", "3 % slower",
                                                           "does not build"};

struct Counts {
  int right = 0, wrong = 0, open = 0;
  std::string words;  // of the verdicts
};

Counts counts_of(const RecheckTally& tally, std::size_t kind) {
  Counts counts;
  for (std::size_t v = 0; v < search::kRecheckVerdicts; ++v) {
    const int winners = tally.verdicts[kind][v];
    if (winners == 0) continue;
    const auto verdict = static_cast<search::RecheckVerdict>(v);
    const bool open = is_open(verdict), wrong = is_wrong(static_cast<RecheckKind>(kind), verdict);
    (open ? counts.open : wrong ? counts.wrong : counts.right) += winners;
    counts.words += (counts.words.empty() ? "" : ", ") + std::to_string(winners) + " " +
                    std::string(search::name_of(verdict));
  }
  return counts;
}

void print_recheck(const NoiseModel& model, const std::vector<RecheckTally>& tallies,
                   double seconds) {
  RecheckTally all;
  int alarms = 0;
  for (const RecheckTally& tally : tallies) {
    all.add(tally);
    alarms += tally.false_alarm ? 1 : 0;
  }
  const auto runs = static_cast<double>(tallies.size());
  Counts sum;
  std::string rows;
  for (std::size_t kind = 0; kind < kRecheckKinds; ++kind) {
    const Counts counts = counts_of(all, kind);
    sum.right += counts.right;
    sum.wrong += counts.wrong;
    sum.open += counts.open;
    rows += "    " + std::string(kKinds[kind]) + ": " + counts.words + "\n";
  }
  const double winners = sum.right + sum.wrong + sum.open;
  std::printf(
      "%-20s right %.2f %%, wrong %.2f %%, open %.2f %%; a false alarm in %.1f %% of the rechecks; "
      "%.0f evaluations, %.1f min each\n%s",
      model.name.c_str(), 100 * sum.right / winners, 100 * sum.wrong / winners,
      100 * sum.open / winners, 100 * alarms / runs, all.evaluations / runs,
      all.evaluations / runs * seconds / 60, rows.c_str());
  std::fflush(stdout);
}

}  // namespace

void recheck_table(const std::vector<NoiseModel>& models, const RecheckTables& options) {
  std::printf("Rechecks of 50 winners, %zu a row, 1 %% over all of them, --min-difference 1 %%\n",
              options.runs);
  for (const NoiseModel& model : models) {
    RecheckCase c;
    c.model = &model;
    std::vector<RecheckTally> tallies(options.runs);
    base::in_parallel(options.runs, options.threads, [&](std::size_t i) {
      tallies[i] = rechecked(c, base::mix_seed(options.seed, i));
    });
    print_recheck(model, tallies, options.seconds);
  }
}

void verify_table(const std::vector<NoiseModel>& models, const RecheckTables& options) {
  std::printf("Claims of a gain of 20 %% verified, %zu a row: verdicts in percent\n", options.runs);
  for (const NoiseModel& model : models) {
    std::printf("%s\n", model.name.c_str());
    for (const double share : {1.0, 0.95, 0.75, 0.5, 0.0}) {
      VerifyCase c;
      c.model = &model;
      c.share = share;
      std::vector<search::ClaimVerdict> verdicts(options.runs);
      base::in_parallel(options.runs, options.threads, [&](std::size_t i) {
        verdicts[i] = verified(c, base::mix_seed(options.seed, i));
      });
      std::printf("  %3.0f %% of it is true:", 100 * share);
      for (std::size_t v = 0; v <= static_cast<std::size_t>(search::ClaimVerdict::kHolds); ++v) {
        const auto verdict = static_cast<search::ClaimVerdict>(v);
        const auto count = static_cast<double>(std::ranges::count(verdicts, verdict));
        if (count == 0) continue;
        std::printf(" %s %.2f", std::string(search::name_of(verdict)).c_str(),
                    100 * count / static_cast<double>(options.runs));
      }
      std::puts("");
      std::fflush(stdout);
    }
  }
}

}  // namespace nightshift::bench
