#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/confirmation/paired_effects.h"
#include "scheduler/confirmation/situation.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Hold-outs of a kind, where a study has several kinds of device: of what is best on that kind
// alone against the baseline, on its devices alone, where it promises more there than the incumbent
// has shown. The kinds share the level, and a further one on a kind, once more was explored, halves
// it.
class KindHoldOuts {
 public:
  explicit KindHoldOuts(const search::Problem& problem) : settings_(problem.acceptance) {}

  // --- The events ---
  void explored() {
    for (auto& [device, of_kind] : held_out_on_) of_kind.explored_since = true;
  }
  // What is believed of an exploration on the device, by its score there; again, where that
  // changes.
  void explored_on(const std::string& device, search::TrialId candidate, double score);
  // Any confirmation ended: who is better on which device.
  void compared(const ConfirmationSetup& setup, const search::Verdict& verdict) {
    effects_.concluded(setup, verdict);
  }
  // One of a kind.
  void opened(const ConfirmationSetup& setup);
  void concluded(const ConfirmationSetup& setup, bool is_undecided);

  // The incumbent, where there is one, has been held out; its pairs scattered by `pair_sd`.
  std::optional<ConfirmationSetup> due(const Situation& situation,
                                       std::optional<search::TrialId> incumbent,
                                       double pair_sd) const;

 private:
  struct OfKind {
    int count = 0;      // that were decided, or still may be
    int undecided = 0;  // the first of these is repeated
    bool explored_since = false;
  };
  std::optional<std::pair<double, search::TrialId>> best_on(
      const std::vector<std::string>& devices) const;

  const search::AcceptanceSettings& settings_;
  PairedEffects effects_;
  // By device, the lowest of the explorations there.
  std::unordered_map<std::string, std::set<std::pair<double, search::TrialId>>> lowest_;
  std::unordered_map<std::string, OfKind> held_out_on_;  // by the first of the kind's devices
};

}  // namespace nightshift::scheduler
