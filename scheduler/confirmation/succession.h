#pragma once

#include <optional>
#include <vector>

#include "scheduler/journal/journal.h"
#include "search/id.h"

namespace nightshift::scheduler {

// It has no figures: it ended before its pairs were judged.
bool has_no_figures(const search::Verdict& verdict);

// Likewise, as the candidate failed or went beyond a limit. What the time cut off has not failed.
bool ended_at_failure(const search::Verdict& verdict);

// Of a duel: accepted without a look, since a hold-out was to judge (Confirmation::hand_over).
bool was_handed_over(const search::Verdict& verdict);

// The incumbents of a study: who won a duel, what finishing rounds made of it, and who came before.
// A hold-out that rejects the incumbent brings back the one before it, which nothing was found
// against; without one it is the baseline again. A fold over verdicts.
class Succession {
 public:
  // Hold-outs of a study that the pairs decide against an incumbent, so many: then no more is
  // tried. Each one halves the level, and what lost it was flattered by its duel as the next one
  // may be.
  static constexpr int kRejections = 3;

  struct Reign {
    search::TrialId trial;
    double gain = 0;             // sum over the duels on the way: ln(baseline) - ln(trial)
    double pair_sd = 0;          // in its duel
    bool is_simplified = false;  // of the one before, by finishing rounds
    // Whose pairs speak for it: its duel, or the last round that had any.
    search::ConfirmationId by;
    search::ConfirmationId hold_out = {};  // the last one of it; 0: none
  };

  void won_duel(const ConfirmationVerdict& verdict, double pair_sd);
  void no_worse(const ConfirmationVerdict& verdict);  // an accepted finishing round of the winner
  // The incumbent's hold-out. True: it rejects, and the incumbent is another one now, with what its
  // own hold-out said of it.
  bool held_out(const ConfirmationVerdict& verdict);

  std::optional<search::TrialId> incumbent() const;  // nullopt: the baseline
  double gain() const { return reigns_.empty() ? 0 : reigns_.back().gain; }
  double pair_sd() const { return reigns_.empty() ? 0 : reigns_.back().pair_sd; }
  // Of the last accepted duel, before finishing rounds.
  std::optional<search::TrialId> winner() const;
  double winner_gain() const;
  bool reigns(search::TrialId trial) const;  // is the incumbent, or one that may come back
  // It reigns again: what came after it lost its hold-out.
  bool is_restored() const { return is_restored_; }
  const Reign* reign() const { return reigns_.empty() ? nullptr : &reigns_.back(); }
  bool fell(search::TrialId trial) const;
  const std::vector<Reign>& falls() const { return falls_; }  // the first one promised most

 private:
  const Reign* of_winner() const;

  std::vector<Reign> reigns_;
  std::vector<Reign> falls_;
  int rejections_ = 0;
  bool is_restored_ = false;
};

}  // namespace nightshift::scheduler
