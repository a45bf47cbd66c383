#include "scheduler/summary/study_standing.h"

#include <fmt/format.h>

#include <cmath>

#include "scheduler/study/self_tests.h"
#include "search/acceptance.h"

namespace nightshift::scheduler {

RunState run_state_of(const History& history) {
  if (history.status != "running") return {history.status, history.status_reason};
  if (history.writer) return {"running", fmt::format("process {} is at it", *history.writer)};
  return {"interrupted", "the last run did not say how it ended: it was killed"};
}

Purpose purpose_of(const History& history, const ConfirmationVerdict& verdict) {
  const ConfirmationSetup* setup = find_confirmation(history, verdict.id);
  return setup == nullptr ? Purpose::kDuel : setup->purpose;
}

Winner winner_of(const History& history) {
  Winner winner;
  double log_ratio = 0, of_round = 0;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    const Purpose purpose = purpose_of(history, verdict);
    const bool accepted = search::is_accepted(verdict.verdict);
    if ((purpose == Purpose::kDuel || purpose == Purpose::kComparison) && accepted) {
      winner.duel = &verdict;
      winner.trial = verdict.candidate;
      winner.hold_out = nullptr;
      ++winner.duels;
      log_ratio += of_round + std::log(verdict.verdict.ratio);
      of_round = 0;
    }
    if (purpose == Purpose::kFinishing && accepted) {
      winner.trial = verdict.candidate;
      winner.hold_out = nullptr;
      of_round = std::log(verdict.verdict.ratio);
      if (!verdict.verdict.devices.empty()) winner.duel = &verdict;
    }
    const bool is_its = winner.duel != nullptr && winner.trial == verdict.candidate;
    if (purpose == Purpose::kHoldOut && is_its) winner.hold_out = &verdict;
  }
  winner.ratio = std::exp(log_ratio + of_round);
  return winner;
}

std::string distrust_of(const History& history) {
  SelfTests self_tests;
  std::string canary;  // what the last one says against the devices
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    const Purpose purpose = purpose_of(history, verdict);
    if (purpose == Purpose::kSelfTest) self_tests.concluded(verdict.verdict);
    if (purpose != Purpose::kCanary) continue;
    const bool passed = search::is_accepted(verdict.verdict);
    canary = passed ? "" : search::reason_of(verdict.verdict.acceptance);
  }
  return canary.empty() ? self_tests.distrust() : canary;
}

}  // namespace nightshift::scheduler
