#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/journal.h"

namespace nightshift::scheduler {

// What is known outside the fold when a confirmation might be opened.
struct Situation {
  std::vector<std::string> devices;  // that are ready, in order
  // The same by kind, once nothing is explored any more.
  std::map<std::string, std::vector<std::string>> kinds = {};
  bool exploring = true;  // configurations are still to come, or on their way
  bool duels = true;      // there is time for them
  // There is none for them, and what is left is kept for a hold-out, which has nobody to judge: the
  // candidate that promises most goes on to it without a verdict of its duel.
  bool hands_over = false;
  bool duels_wait = false;        // they have had their share of the time, for now
  bool drifts = true;             // false for recorded devices: a self-test would show nothing
  double run_seconds = 0;         // of all runs
  double seconds_limit = 0;       // of these; 0: none
  double evaluation_seconds = 0;  // of one evaluation in a confirmation; 0: unknown
  bool holds_out = true;          // there is time for the fewest pairs of a hold-out
  // Finishing rounds are not over: one that is due, or trials of them are awaited.
  bool finishes = false;
  std::optional<ConfirmationSetup> finishing = {};
  // The round of the front that is next, once nothing is explored any more; asked where nothing
  // else is due.
  std::function<std::optional<ConfirmationSetup>()> front;
  // What a candidate that waits or is in a duel promises to gain over the incumbent. It decides
  // between duels that were set aside and the best that waits.
  std::function<double(search::TrialId)> promise;
};

}  // namespace nightshift::scheduler
