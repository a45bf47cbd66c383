#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/journal/journal.h"
#include "scheduler/study/study_state.h"
#include "search/configuration.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Finishing rounds: after the last duel and before the hold-out each parameter in which the winner
// differs from the baseline goes back to the baseline's value where that costs nothing, so that the
// hold-out judges the simplest configuration of its speed, which is what is handed over. Where the
// baseline is another program, the values to go back to are those of [baseline] or the parameters'
// defaults: they are what the problem file calls usual, and no claim is made of them.
//
//   one by one   each changed parameter alone goes back, as an exploration that the searcher has
//                not asked for: built, checked, and measured once. What does not work, is clearly
//                slower, or is no configuration of the space keeps the winner's value
//   together     all that seem idle go back at once, in pairs with the winner
//   step by step where that is worse, one after the other, the most promising first; what is not
//                worse stays back
//
// Equal machine code needs no pairs. Everything is compared with the winner of the last duel, never
// with the step before, and all rounds share one error level. search/acceptance/no_worse.h judges.
//
// Nothing is kept here: the next step follows from what the state knows, so a resumed study goes
// on where it was. Only whether there is time for a step is asked from outside.
class Finishing {
 public:
  struct Now {
    std::vector<std::string> devices;  // that are ready
    double seconds_left = std::numeric_limits<double>::infinity();
    double evaluation_seconds = 0;  // of one evaluation in a confirmation; 0: unknown
    int most_under_way = 1;         // explorations
  };
  struct Over {};  // nothing more goes back
  struct Wait {};  // for explorations
  struct Explore {
    search::ConfigurationIndex index;
    search::TrialId winner;
  };
  using Step = std::variant<Over, Wait, Explore, ConfirmationSetup>;

  // All of it outlives this.
  Finishing(const search::Problem& problem, const search::ParameterSpace& space,
            const StudyState& state);

  Step next(const Now& now) const;
  // Evaluations, in a row, that the rounds of the present winner take where no parameter is
  // refused.
  struct Wanted {
    int alone = 0;  // parameters one by one; 0: nothing can go back
    int pairs = 0;  // of one round; 0: they would show nothing
    int rounds = 0;
  };
  Wanted wanted(int devices) const;

 private:
  struct Change {  // a parameter in which the winner differs
    std::size_t parameter = 0;
    bool same_code = false;
    double gain = 0;  // of going back, by one evaluation
  };
  struct Winner;
  std::optional<Winner> winner() const;  // nullopt where nothing of it can go back
  std::optional<search::ConfigurationIndex> back(const Winner& winner,
                                                 const std::vector<Change>& changes) const;
  std::vector<Change> idle(const Winner& winner) const;
  std::optional<Step> explore_alone(const Winner& winner, int most_under_way) const;
  bool fits(const Now& now, double level) const;
  int pairs(int devices, double level) const;

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  const StudyState& state_;
  search::Configuration usual_;                         // what parameters go back to
  std::optional<search::ConfigurationIndex> baseline_;  // nullopt: it is none of the space
};

}  // namespace nightshift::scheduler
