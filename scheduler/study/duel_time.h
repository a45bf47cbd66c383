#pragma once

#include <limits>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/study/study_state.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// How a study under a budget of time shares it between its search and its duels, and among duels:
//
//   the search first   while it goes on, a duel is opened and goes on only where all the pairs that
//                      it needs, by what its candidate promises and by how evaluations scatter, fit
//                      into the share of duels. One of noisy evaluations, which may take half of a
//                      short study, waits for the end
//   the largest promise first   where time is short, a duel that has had its first look is set
//                      aside between two pairs for one whose candidate promises more
//   no lost causes     where time is short, a duel is given up once it has become unlikely to show
//                      anything in the time that is left. Two equals would go on to the last pair
//                      where evaluations scatter by much more than what is worth accepting
//
// None of it can accept anything: the error levels are those of search/acceptance/duel.h.
class DuelTime {
 public:
  struct Now {
    bool exploring = true;
    bool is_timed = false;          // there is a budget of time, or of simulated time
    double evaluation_seconds = 0;  // of one evaluation in a confirmation; 0: unknown
    // Until the hold-out has to begin; infinite without a limit of wall time.
    double seconds_left = std::numeric_limits<double>::infinity();
  };

  // Both outlive it.
  DuelTime(const search::Problem& problem, const StudyState& state)
      : problem_(problem), state_(state) {}

  // Whether no pair of this candidate's duel is to be begun while the search goes on.
  bool waits(search::TrialId candidate, const Now& now) const;
  // The time is short, and the duel, which rests, is not worth any more of it.
  bool is_lost(const Confirmation& duel, const Now& now) const;
  // The time is short, and another candidate promises enough more than that of a duel that rests.
  bool gives_way(const Confirmation& duel, search::TrialId other, const Now& now) const;

 private:
  // Fewer whole duels fit into what is left of the time than may be rejected at the end.
  bool is_short(const Confirmation& duel, const Now& now) const;
  double promise(search::TrialId candidate) const { return state_.prospect(candidate).gain; }

  const search::Problem& problem_;
  const StudyState& state_;
};

}  // namespace nightshift::scheduler
