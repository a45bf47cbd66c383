#include "tools/bench/accept/landslides.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "scheduler/confirmation/confirmation.h"
#include "search/acceptance/duel.h"

namespace nightshift::bench {
namespace {

using scheduler::Arm;
using scheduler::Confirmation;
using scheduler::Purpose;

constexpr double kFactors[] = {1, 2.5, 10, 47};  // opponent over candidate

// Of the logarithm of a time: what is of this evaluation, and what its process keeps.
struct Wild {
  const char* name;
  double (*evaluation)(base::Rng& rng);
  double (*process)(base::Rng& rng);
};

double none(base::Rng& /*rng*/) { return 0; }
double normal(base::Rng& rng) { return 0.02 * rng.normal(); }
double cauchy(base::Rng& rng) { return 0.02 * std::tan(std::numbers::pi * (rng.uniform() - 0.5)); }
double wide(base::Rng& rng) { return rng.normal(); }  // a third is off by a factor of e
double spiky(base::Rng& rng) { return normal(rng) + (rng.uniform() < 0.2 ? std::log(10) : 0); }
double modes(base::Rng& rng) { return rng.uniform() < 0.5 ? std::log(3) : 0; }
double few_modes(base::Rng& rng) { return rng.uniform() < 0.1 ? std::log(3) : 0; }
double slight_modes(base::Rng& rng) { return rng.uniform() < 0.5 ? std::log(1.9) : 0; }

constexpr Wild kWild[] = {{"normal, 2 %", normal, none},
                          {"Cauchy, 2 %", cauchy, none},
                          {"normal, a factor of e", wide, none},
                          {"a fifth 10 times as slow", spiky, none},
                          {"half 3 times as slow, ties", modes, none},
                          {"a tenth of processes 3 times", normal, few_modes},
                          {"half of processes 1.9 times", normal, slight_modes}};

struct Outcome {
  bool accepted = false, early = false, claimed = false;
  double pairs = 0;
};

// What a confirmation comes to on one device.
search::Verdict verdict_of(Confirmation& c, const Wild& noise, double factor, base::Rng& rng) {
  double process[2] = {};
  const std::string device = c.setup().devices.front();
  double now = 0;
  while (c.verdict() == nullptr) {
    const auto next = c.next(device);
    if (next->begins_round && next->fresh_process) {
      for (double& kept : process) kept = noise.process(rng);
    }
    c.started(*next);
    const bool is_candidate = next->arm == Arm::kCandidate;
    scheduler::EvaluationResult result;
    result.cost = std::exp(noise.evaluation(rng) + process[is_candidate ? 1 : 0]) /
                  (is_candidate ? factor : 1);
    result.started = now;
    result.finished = now += 1;
    c.finished(*next, result);
  }
  return *c.verdict();
}

Outcome outcome_of(const Wild& noise, double factor, const search::AcceptanceSettings& acceptance,
                   std::uint64_t seed) {
  base::Rng rng(seed);
  scheduler::ConfirmationSetup setup;
  setup.id = {1};
  setup.candidate = {1};
  setup.devices = {"node/0"};
  Confirmation duel(setup, acceptance, seed);
  Outcome outcome;
  outcome.accepted = search::is_accepted(verdict_of(duel, noise, factor, rng));
  outcome.pairs = static_cast<double>(duel.measured());
  outcome.early = outcome.accepted && duel.measured() == 4;
  if (!outcome.accepted) return outcome;
  setup.id = {2};
  setup.purpose = Purpose::kHoldOut;
  setup.pairs = 4;
  setup.level = acceptance.level;
  Confirmation hold_out(setup, acceptance, seed);
  outcome.claimed = search::is_accepted(verdict_of(hold_out, noise, factor, rng));
  return outcome;
}

void print_row(const Wild& noise, const LandslideTables& tables) {
  std::string line = fmt::format("  {:<30}", noise.name);
  for (const double factor : kFactors) {
    std::vector<Outcome> outcomes(tables.runs);
    base::in_parallel(tables.runs, tables.threads, [&](std::size_t i) {
      outcomes[i] = outcome_of(noise, factor, tables.acceptance, base::mix_seed(tables.seed, i));
    });
    double accepted = 0, early = 0, claimed = 0, pairs = 0;
    for (const Outcome& o : outcomes) {
      accepted += o.accepted ? 1 : 0;
      early += o.early ? 1 : 0;
      claimed += o.claimed ? 1 : 0;
      pairs += o.pairs;
    }
    const double n = static_cast<double>(tables.runs);
    line += fmt::format("  {:6.2f} {:6.2f} {:6.2f} {:5.1f}", 100 * accepted / n, 100 * early / n,
                        100 * claimed / n, pairs / n);
  }
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace

void landslide_table(const LandslideTables& tables) {
  std::printf(
      "Duels on one device, %zu a cell: accepted, of these at the early look, and claimed by a "
      "hold-out of 4 pairs, in percent; mean pairs of the duel\n  %-30s",
      tables.runs, "");
  for (const double factor : kFactors) {
    std::printf("  %-28s", factor == 1 ? "identical" : fmt::format("{:g} times", factor).c_str());
  }
  std::puts("");
  for (const Wild& noise : kWild) print_row(noise, tables);
}

}  // namespace nightshift::bench
