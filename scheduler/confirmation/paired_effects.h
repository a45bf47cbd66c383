#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/journal.h"
#include "search/id.h"

namespace nightshift::scheduler {

// ln(baseline) - ln(candidate), by pairs.
struct PairedEffect {
  double mean = 0;
  double variance = 0;  // of the mean
  double df = 0;
  int pairs = 0;
  bool held_out = false;  // in a hold-out, and not in duels
};

// What confirmations say of each candidate against the baseline, by device: a fold over verdicts.
// Where the opponent was another candidate its effect is added. A hold-out takes the place of the
// duels before it on its devices: its pairs are new ones.
class PairedEffects {
 public:
  struct Candidate {
    std::map<std::string, PairedEffect> devices;
    double level = 0;  // of the hold-out, where there was one
  };

  void concluded(const ConfirmationSetup& setup, const search::Verdict& verdict);

  const std::map<search::TrialId, Candidate>& candidates() const { return candidates_; }
  // Of those of the devices that it has pairs on, each alike; the degrees of freedom are
  // Satterthwaite's, as of search::stratified_t. nullopt without any.
  std::optional<PairedEffect> joined(search::TrialId candidate,
                                     const std::vector<std::string>& devices) const;

 private:
  std::map<search::TrialId, Candidate> candidates_;
};

}  // namespace nightshift::scheduler
