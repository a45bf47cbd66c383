#pragma once

#include <cstdint>
#include <string>

#include "scheduler/journal/history.h"

namespace nightshift::scheduler {

// What a study's confirmations, remarks and runs come to. Its trials are not looked at, so that
// this is asked of a StudyOutline too.

// The process that is at it counts: the journal has the same of a run that goes on and of one that
// was killed.
struct RunState {
  std::string status;  // running | completed | interrupted | failed
  std::string reason;
};
RunState run_state_of(const History& history);

// What a confirmation was for; one that is not known counts as a duel.
Purpose purpose_of(const History& history, const ConfirmationVerdict& verdict);

// The incumbent (scheduler/confirmation/succession.h). Where hold-outs have left none, the first that one
// of them rejected.
struct Winner {
  search::TrialId trial;  // 0: none
  // Whose pairs speak for it: the duel, or the last round that had any; nullptr: none was accepted.
  const ConfirmationVerdict* duel = nullptr;
  const ConfirmationVerdict* hold_out = nullptr;  // what it says of that candidate; nullptr: none
  double ratio = 1;                               // over the baseline, by the duels on the way
  std::uint64_t duels = 0;                        // that were won
  std::uint64_t falls = 0;                        // hold-outs after which another one reigned
};
Winner winner_of(const History& history);

// Why nothing is accepted on these devices: a self-test or the canary failed. Empty otherwise.
std::string distrust_of(const History& history);

}  // namespace nightshift::scheduler
