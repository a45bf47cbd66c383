#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/confirmation/front_scores.h"
#include "scheduler/journal/journal.h"
#include "scheduler/study/study_state.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// A point of a front that is open is beaten only beyond so many combined standard errors.
inline constexpr double kFrontSigmas = 2;

// Several objectives are sought, on devices that can be asked again, and nobody has said otherwise.
bool measures_front_again(const search::Problem& problem);

// Rounds of the front: where several objectives are sought, the last thing that a study does, after
// the claim. Each configuration that may be on the Pareto front is measured again, in a few pairs
// with the baseline; explorations are single runs, of which the luckiest fill the front. They claim
// nothing: what they change is what is known (FrontScores), and with it who is next.
//
//   first    what no other beats by the present figures, those that lie furthest apart first: they
//            decide the shape
//   then     what is beaten by less than noise, the best first
//
// Nothing is asked of recordings, which would only say the same again, and of what never varies.
// Nothing is kept here, as in Finishing.
class FrontRounds {
 public:
  // Rounds after the last exploration, so that a front of thousands ends.
  static constexpr int kMost = 24;

  struct Now {
    std::vector<std::string> devices;  // the study's own that are ready
    double seconds_left = std::numeric_limits<double>::infinity();
    double evaluation_seconds = 0;  // of one in a confirmation; 0: unknown
  };

  // All of it outlives this.
  FrontRounds(const search::Problem& problem, const StudyState& state)
      : problem_(problem), state_(state), measures_(measures_front_again(problem)) {}

  // Without an id; nullopt: nothing is left, or no time.
  std::optional<ConfirmationSetup> next(const Now& now) const;
  // Evaluations, in a row, that the rounds of the front as it is now would take.
  int wanted() const;

 private:
  std::vector<search::TrialId> candidates() const;
  bool may_vary(const FrontScores::Point& point, const std::vector<double>& errors) const;

  const search::Problem& problem_;
  const StudyState& state_;
  bool measures_;
};

// By how many standard errors a configuration has to be beaten to be off the front that is handed
// over. None: the best figures that there are decide, or a row would stand there that is worse in
// everything. A recording cannot be asked again: what its noise leaves open stays.
double front_sigmas(const search::Problem& problem);

}  // namespace nightshift::scheduler
