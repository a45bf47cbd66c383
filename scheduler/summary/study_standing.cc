#include "scheduler/summary/study_standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scheduler/confirmation/self_tests.h"
#include "scheduler/confirmation/succession.h"
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

namespace {

const ConfirmationVerdict* find_verdict(const History& history, search::ConfirmationId id) {
  const auto found = std::ranges::find(history.verdicts, id, &ConfirmationVerdict::id);
  return found == history.verdicts.end() ? nullptr : &*found;
}

}  // namespace

Winner winner_of(const History& history) {
  Succession succession;
  Winner winner;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    const Purpose purpose = purpose_of(history, verdict);
    const bool accepted = search::is_accepted(verdict.verdict);
    if (purpose == Purpose::kDuel && accepted) {
      succession.won_duel(verdict, 0);
      ++winner.duels;
    }
    if (purpose == Purpose::kFinishing && accepted) succession.no_worse(verdict);
    if (purpose == Purpose::kHoldOut) (void)succession.held_out(verdict);
  }
  winner.falls = succession.falls().size();
  const Succession::Reign* reign = succession.reign();
  if (reign == nullptr && winner.falls > 0) reign = &succession.falls().front();
  if (reign == nullptr) return winner;
  winner.trial = reign->trial;
  winner.duel = find_verdict(history, reign->by);
  winner.hold_out = find_verdict(history, reign->hold_out);
  winner.ratio = std::exp(-reign->gain);
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
