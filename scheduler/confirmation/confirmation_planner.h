#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/confirmation/device_trust.h"
#include "scheduler/confirmation/duel_candidates.h"
#include "scheduler/confirmation/kind_hold_outs.h"
#include "scheduler/confirmation/open_confirmations.h"
#include "scheduler/confirmation/situation.h"
#include "scheduler/confirmation/succession.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "search/acceptance/devices_needed.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Which confirmation comes next, and what came of the earlier ones: part of StudyState's fold.
//
//   self-test, canary: see DeviceTrust
//   duel        of the best waiting candidate, after kSpacing explored configurations, and after
//               twice as many for each rejection in a row: the best of many equal ones is mostly
//               luck, and each duel of it costs evaluations and its share of false alarms. One that
//               stays undecided is repeated, and is no rejection. None is
//               opened, and no pair of an open one begun, while duels have had their share of the
//               time. When exploration has ended the best of all are left, and duels go on,
//               whatever their share, until kFinalDuels were rejected in a row. Where time is
//               short one duel may be set aside for another that promises more: it stays open, and
//               goes on from its pairs when it is the one that promises most (OpenConfirmations).
//               Where there is time for a hold-out alone, the candidate that promises most goes on
//               to it
//   finishing   when that is settled: see Finishing. What is no worse is the incumbent
//   hold-out    of the last incumbent against the baseline, once that is settled; each further one
//               of the same study halves the level. One that stays undecided has judged nothing:
//               while there is time it is repeated on new data, with the devices that are there.
//               One that rejects brings the incumbent before it back (see Succession), and what
//               lost to the one that fell, or was not worth a duel with it, is a candidate again
//     of a kind then, while there is time: see KindHoldOuts
//   front       last, of what may be on the Pareto front: see FrontRounds
class ConfirmationPlanner {
 public:
  static constexpr int kSpacing = 10;
  static constexpr int kFinalDuels = 8;
  static constexpr int kUsualDevices = 4;

  // That a duel takes place on.
  static int most_devices(const search::Problem& problem) {
    const int wished = problem.acceptance.devices;
    const int needed = search::devices_needed(problem.acceptance).count;
    return std::max(wished > 0 ? wished : kUsualDevices, needed);
  }

  explicit ConfirmationPlanner(const search::Problem& problem)
      : problem_(problem), trust_(problem), kinds_(problem) {}

  // --- The events ---
  void explored() {
    ++explored_since_;
    kinds_.explored();
    final_duels_ = 0;
  }
  void waits(search::TrialId candidate, double score);     // unless it is not worth a duel
  void rescored(search::TrialId candidate, double score);  // if it waits
  // What is believed of an exploration on the device, by its score there; again, where that
  // changes.
  void explored_on(const std::string& device, search::TrialId candidate, double score) {
    kinds_.explored_on(device, candidate, score);
  }
  void opened(const ConfirmationSetup& setup, double run_seconds);
  void concluded(const ConfirmationVerdict& verdict);
  // A later run has begun: what the earlier one had no time to decide waits again.
  void take_up() {
    trust_.take_up();
    candidates_.take_up(opponent());
    final_duels_ = 0;
  }

  // No duel is to come, and what the last one accepted has not been held out.
  bool may_finish(const Situation& situation) const;

  // What is due; nullopt while one is current, or nothing is. A duel that was set aside may have
  // become the current one.
  std::optional<ConfirmationSetup> due(const Situation& situation);
  OpenConfirmations& open() { return open_; }
  const OpenConfirmations& open() const { return open_; }

  // The candidate whose duel would be opened, or go on, if the current one were out of the way.
  std::optional<search::TrialId> next_duel(const Situation& situation) const;
  // A duel that was set aside and will not go on, with its verdict; nullptr where there is none.
  const Confirmation* stale(const Situation& situation);
  bool awaits(search::TrialId candidate) const;
  bool any_waits() const { return candidates_.best().has_value(); }
  // The incumbent has not been held out.
  bool owes_hold_out() const {
    const Succession::Reign* reign = succession_.reign();
    return reign != nullptr && reign->hold_out.value == 0;
  }

  std::optional<search::TrialId> incumbent() const { return succession_.incumbent(); }
  // Sum over the accepted duels: ln(baseline) - ln(incumbent).
  double gain() const { return succession_.gain(); }
  // --- For finishing rounds ---
  // Of the last accepted duel.
  std::optional<search::TrialId> winner() const { return succession_.winner(); }
  double winner_gain() const { return succession_.winner_gain(); }  // gain() then
  double pair_sd() const { return succession_.pair_sd(); }          // in that duel
  // What the round of this candidate against that winner came to; nullopt where there was none.
  std::optional<bool> is_no_worse(search::TrialId candidate) const;

  // A score below this is worth a duel.
  double worth() const;
  // Why nothing is accepted at present; empty where the devices are trusted.
  const std::string& distrust() const { return trust_.distrust(); }

 private:
  bool may_open(const Situation& situation) const;
  std::optional<ConfirmationSetup> hold_out(const Situation& situation) const;
  std::vector<std::string> consensus_set(const std::vector<std::string>& devices) const;
  void accepted(const Confirmation& duel, const ConfirmationVerdict& verdict);
  void finished(const ConfirmationVerdict& verdict);
  void not_accepted(const Confirmation& duel, const ConfirmationVerdict& verdict);
  void held_out(const ConfirmationVerdict& verdict);
  DuelCandidates::Opponent opponent() const { return {incumbent(), worth()}; }

  const search::Problem& problem_;
  OpenConfirmations open_;
  std::uint64_t last_ = 0;  // id
  DuelCandidates candidates_;
  int explored_since_ = 0;  // the last duel
  int final_duels_ = 0;     // rejected in a row since anything was explored
  int rejections_ = 0;      // in a row
  Succession succession_;
  std::unordered_map<search::TrialId, bool> simpler_;  // candidates of finishing rounds
  int hold_outs_ = 0;                                  // that came to a verdict
  int undecided_hold_outs_ = 0;                        // in a row, of the incumbent
  DeviceTrust trust_;
  KindHoldOuts kinds_;
};

}  // namespace nightshift::scheduler
