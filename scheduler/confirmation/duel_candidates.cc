#include "scheduler/confirmation/duel_candidates.h"

namespace nightshift::scheduler {

using search::TrialId;

void DuelCandidates::add(TrialId candidate, double score, const Opponent& opponent) {
  if (score < opponent.worth) {
    waiting_.emplace(score, candidate);
    scores_[candidate] = score;
  } else if (opponent.incumbent && score < 1) {
    turned_away_[candidate] = {score, *opponent.incumbent};
  }
}

void DuelCandidates::rescore(TrialId candidate, double score, const Opponent& opponent) {
  if (const auto away = turned_away_.find(candidate); away != turned_away_.end()) {
    away->second.score = score;
    return;
  }
  const auto known = scores_.find(candidate);
  if (known == scores_.end() || waiting_.erase({known->second, candidate}) == 0) return;
  scores_.erase(known);
  add(candidate, score, opponent);
}

void DuelCandidates::begin(TrialId candidate) {
  // A run that is repeated tells nobody when the next one began.
  if (auto later = put_off_.extract(candidate); !later.empty()) scores_.insert(std::move(later));
  if (const auto known = scores_.find(candidate); known != scores_.end()) {
    waiting_.erase({known->second, candidate});
  }
}

void DuelCandidates::won(TrialId candidate, const Opponent& opponent) {
  scores_.erase(candidate);
  const auto worthless = waiting_.lower_bound({opponent.worth, TrialId{}});
  for (auto it = worthless; it != waiting_.end(); ++it) {
    turned_away_[it->second] = {it->first, candidate};
    scores_.erase(it->second);
  }
  waiting_.erase(worthless, waiting_.end());
}

void DuelCandidates::lost(TrialId candidate, const Opponent& opponent) {
  const auto known = scores_.extract(candidate);
  if (!known.empty() && opponent.incumbent) {
    turned_away_[candidate] = {known.mapped(), *opponent.incumbent};
  }
}

void DuelCandidates::undecided(TrialId candidate, const Opponent& opponent) {
  const auto known = scores_.extract(candidate);
  if (!known.empty() && ++undecided_[candidate] < kChances) {
    add(candidate, known.mapped(), opponent);
  }
}

void DuelCandidates::put_off(TrialId candidate) {
  if (auto known = scores_.extract(candidate); !known.empty()) put_off_.insert(std::move(known));
}

void DuelCandidates::take_up(const Opponent& opponent) {
  for (const auto& [candidate, score] : std::exchange(put_off_, {}))
    add(candidate, score, opponent);
}

void DuelCandidates::put_back(TrialId candidate, const Opponent& opponent) {
  const auto known = scores_.extract(candidate);
  if (!known.empty()) add(candidate, known.mapped(), opponent);
}

void DuelCandidates::take_back(const std::function<bool(TrialId)>& reigns,
                               const Opponent& opponent) {
  for (const auto& [candidate, away] : std::exchange(turned_away_, {})) {
    if (reigns(away.by)) {
      turned_away_[candidate] = away;
    } else {
      add(candidate, away.score, opponent);
    }
  }
}

std::optional<TrialId> DuelCandidates::best() const {
  return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->second);
}

}  // namespace nightshift::scheduler
