#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "search/id.h"

namespace nightshift::scheduler {

// Explored configurations that may win a duel, by their scores. Each one waits for its duel, is in
// it, is put off for want of time, or was turned away by an incumbent: it lost to that one, or was
// not worth a duel with it.
class DuelCandidates {
 public:
  // Duels of one candidate that stay undecided: so many, then it is none. Nodes that come and go
  // leave several so in a row, and they say nothing of it: with four, two of 97 studies that lost a
  // node every second left their best out.
  static constexpr int kChances = 8;

  // Whom a duel would be with.
  struct Opponent {
    std::optional<search::TrialId> incumbent;  // nullopt: the baseline
    double worth = 1;                          // a score below this is worth a duel
  };

  // It waits, where it is worth a duel.
  void add(search::TrialId candidate, double score, const Opponent& opponent);
  // Where it waits. One in a duel keeps its score, and of one that was turned away the new one
  // counts once it comes back.
  void rescore(search::TrialId candidate, double score, const Opponent& opponent);

  // --- Its duel ---
  void begin(search::TrialId candidate);
  // It is the incumbent of OPPONENT: those that are not worth a duel with it are turned away.
  void won(search::TrialId candidate, const Opponent& opponent);
  void lost(search::TrialId candidate, const Opponent& opponent);
  // It waits again, on new data.
  void undecided(search::TrialId candidate, const Opponent& opponent);
  // Its time was too short: it waits again after take_up().
  void put_off(search::TrialId candidate);
  void take_up(const Opponent& opponent);  // a later run has begun
  // Its opponent was the incumbent no more: nothing was found against it.
  void put_back(search::TrialId candidate, const Opponent& opponent);

  // An incumbent has fallen: those wait again whom nobody that still REIGNS has turned away.
  void take_back(const std::function<bool(search::TrialId)>& reigns, const Opponent& opponent);

  // It waits or is in its duel.
  bool contains(search::TrialId candidate) const { return scores_.contains(candidate); }
  // Of those that wait the one with the best score; nullopt where none does.
  std::optional<search::TrialId> best() const;

 private:
  struct TurnedAway {
    double score;
    search::TrialId by;
  };

  std::set<std::pair<double, search::TrialId>> waiting_;  // by score
  std::unordered_map<search::TrialId, double> scores_;    // of all that wait or are in a duel
  std::unordered_map<search::TrialId, TurnedAway> turned_away_;
  std::unordered_map<search::TrialId, double> put_off_;  // with their scores
  std::unordered_map<search::TrialId, int> undecided_;   // duels
};

}  // namespace nightshift::scheduler
