#include "tools/bench/accept/rechecks.h"

#include <cmath>
#include <string>
#include <vector>

#include "scheduler/ranking.h"
#include "search/scoring.h"

namespace nightshift::bench {
namespace {

using search::RecheckFacts;
using search::RecheckStep;
using search::RecheckVerdict;

constexpr double kShareOfGain =
    0.1;  // of a claim, as `verify` takes a change to be worth mentioning

search::Problem problem_of(const search::AcceptanceSettings& acceptance) {
  search::Problem problem;
  problem.name = "simulated";
  problem.backend = search::CommandBackend{};
  problem.acceptance = acceptance;
  return problem;
}

// The plan that `compare` has, on one device: the second is better than the first by `effect`.
search::Verdict compared(const search::AcceptanceSettings& acceptance, NoisyDevice& device,
                         double effect, std::uint64_t seed, int& evaluations) {
  const search::Problem problem = problem_of(acceptance);
  scheduler::Ranking plan(problem, {{"node", "simulated:0", "simulated", {}}}, {"first", "second"},
                          seed);
  while (const auto planned = plan.next(0)) {
    const double time = device.evaluation(planned->contender == 1 ? effect : 0);
    scheduler::TrialEnd end;
    end.report.outcome = search::Measured{{{{"time", std::vector<double>(5, time)}}, {}}};
    end.device = 0;
    end.fresh_process = planned->fresh_process;
    plan.ended(0, *planned, end);
    ++evaluations;
  }
  return plan.verdict();
}

search::AcceptanceSettings fixed(int pairs, double level) {
  search::AcceptanceSettings settings;
  settings.test = search::DuelTest::kFixed;
  settings.max_pairs = pairs;
  settings.level = level;
  return settings;
}

// What a study claimed of a winner that is better by `effect`.
void claim(RecheckFacts& facts, const NoiseModel& model, double effect, int pairs,
           std::uint64_t seed) {
  NoisyDevice device(model, 0, base::mix_seed(seed, 1));
  int ignored = 0;
  const search::Verdict verdict =
      compared(fixed(pairs, facts.level), device, effect, seed, ignored);
  facts.stored_ratio = verdict.ratio;
  facts.stored_interval = verdict.interval;
}

struct Winner {
  RecheckKind kind;
  double effect = 0;  // over the baseline, then
  double change = 0;  // of today's machine code over that of then
  RecheckFacts facts;
};

std::vector<Winner> winners_of(const RecheckCase& c, std::uint64_t seed) {
  std::vector<Winner> winners;
  base::Rng rng(base::mix_seed(seed, 7));
  const auto add = [&](RecheckKind kind, int count) {
    for (int i = 0; i < count; ++i) {
      Winner winner{kind, -std::log1p(-(0.05 + 0.55 * rng.uniform())), 0, {}};
      RecheckFacts& facts = winner.facts;
      facts.margin = c.margin;
      facts.level = c.level;
      facts.source_changed = true;
      facts.winner_before = facts.winner_now = "winner";
      facts.baseline_before = facts.baseline_now = "baseline";
      if (kind == RecheckKind::kSameSpeed || kind == RecheckKind::kSlower)
        facts.winner_now = "another";
      if (kind == RecheckKind::kSlower) winner.change = -std::log1p(c.slower_by);
      if (kind == RecheckKind::kBroken) facts.broken = "it cannot be built";
      claim(facts, *c.model, winner.effect, c.claim_pairs,
            base::mix_seed(seed, 100 + winners.size()));
      winners.push_back(winner);
    }
  };
  add(RecheckKind::kEqualCode, c.equal_code);
  add(RecheckKind::kSameSpeed, c.same_speed);
  add(RecheckKind::kSlower, c.slower);
  add(RecheckKind::kBroken, c.broken);
  return winners;
}

}  // namespace

void RecheckTally::add(const RecheckTally& other) {
  for (std::size_t kind = 0; kind < kRecheckKinds; ++kind) {
    for (std::size_t v = 0; v < search::kRecheckVerdicts; ++v)
      verdicts[kind][v] += other.verdicts[kind][v];
  }
  evaluations += other.evaluations;
}

bool is_open(RecheckVerdict verdict) {
  return verdict == RecheckVerdict::kUndecided || verdict == RecheckVerdict::kNotReached;
}

bool is_wrong(RecheckKind kind, RecheckVerdict verdict) {
  if (is_open(verdict)) return false;
  switch (kind) {
    case RecheckKind::kEqualCode:
      return verdict != RecheckVerdict::kUnchanged;
    case RecheckKind::kSameSpeed:
      return verdict != RecheckVerdict::kSameSpeed;
    case RecheckKind::kSlower:
      return verdict != RecheckVerdict::kRegressed;
    case RecheckKind::kBroken:
      break;
  }
  return verdict != RecheckVerdict::kBroken;
}

RecheckTally rechecked(const RecheckCase& c, std::uint64_t seed) {
  std::vector<Winner> winners = winners_of(c, seed);
  std::vector<RecheckFacts*> facts;
  for (Winner& winner : winners) facts.push_back(&winner.facts);
  search::AcceptanceSettings asked;
  asked.min_improvement = c.margin;
  asked.max_pairs = c.max_pairs;
  RecheckTally tally;
  NoisyDevice device(*c.model, 0, base::mix_seed(seed, 2));
  std::uint64_t step_seed = base::mix_seed(seed, 3);
  search::ask_in_turn(facts, {[&](std::size_t) { return c.level; }, [] { return false; },
                              [&](std::size_t i, RecheckStep step) {
                                const Winner& winner = winners[i];
                                const bool against_old = step == RecheckStep::kAgainstOld;
                                const double effect =
                                    winner.change + (against_old ? 0 : winner.effect);
                                (against_old ? facts[i]->against_old : facts[i]->against_baseline) =
                                    compared(search::settings_of(step, asked, facts[i]->level),
                                             device, effect, ++step_seed, tally.evaluations);
                                return true;
                              }});
  for (const Winner& winner : winners) {
    const RecheckVerdict verdict = search::verdict_of(winner.facts);
    ++tally.verdicts[static_cast<std::size_t>(winner.kind)][static_cast<std::size_t>(verdict)];
    const bool as_it_was =
        winner.kind == RecheckKind::kEqualCode || winner.kind == RecheckKind::kSameSpeed;
    tally.false_alarm = tally.false_alarm || (as_it_was && is_wrong(winner.kind, verdict));
  }
  return tally;
}

search::ClaimVerdict verified(const VerifyCase& c, std::uint64_t seed) {
  RecheckFacts facts;
  facts.level = search::shared_level(c.level, 1);
  const double claimed = -std::log1p(-c.claimed_gain);
  claim(facts, *c.model, claimed, c.claim_pairs, seed);
  facts.margin = 1 - std::exp(-kShareOfGain * std::abs(std::log(facts.stored_ratio)));
  search::AcceptanceSettings asked;
  asked.max_pairs = c.max_pairs;
  NoisyDevice device(*c.model, 0, base::mix_seed(seed, 2));
  int ignored = 0;
  facts.against_baseline =
      compared(search::settings_of(RecheckStep::kAgainstBaseline, asked, facts.level), device,
               c.share * claimed, base::mix_seed(seed, 3), ignored);
  return search::claim_verdict_of(facts);
}

}  // namespace nightshift::bench
