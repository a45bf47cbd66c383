#pragma once

#include <cstdint>
#include <string>

#include "base/wide.h"
#include "scheduler/study/finishing.h"
#include "scheduler/study/front_rounds.h"
#include "scheduler/study/study_state.h"
#include "scheduler/study/time/study_time.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Why a study ends that has tried its whole space: a larger budget would have nothing for it.
std::string all_evaluated(base::Wide configurations);

// When a study proposes no more configurations, and why. Its budget counts as if what comes after
// the exploration had been done already.
class Exploration {
 public:
  // All of it outlives this.
  Exploration(const search::Problem& problem, const search::ParameterSpace& space,
              const StudyState& state, const StudyTime& time, const FrontRounds& front_rounds);

  void limit_time(double seconds) { budget_.seconds = seconds; }  // the budget of time from now on
  const search::Budget& budget() const { return budget_; }
  // Nothing more is proposed, for that reason: a sentence's beginning is why_finished().
  void stop(std::string reason) { stopped_ = std::move(reason); }
  bool was_stopped() const { return !stopped_.empty(); }
  // A wind-up came before its end.
  void cut_short() { cut_short_ = true; }
  bool was_cut_short() const { return cut_short_; }
  // The searcher has nothing to propose, whatever it would still learn.
  void exhaust(bool exhausted) { searcher_exhausted_ = exhausted; }
  // What finishing rounds of the present winner would take.
  void keep_for_finishing(const Finishing::Wanted& wanted) { finishing_ = wanted; }

  // More configurations are to be proposed.
  bool goes_on(double elapsed) const;
  // What is left of the budget of time is kept for what comes afterwards.
  bool is_final(double elapsed) const;
  // Why there is nothing more to do, in a sentence, and that no claim could come of it where the time
  // was too short for one.
  std::string why_finished(double elapsed) const;

 private:
  double seconds_afterwards() const;
  std::string why_no_more(double elapsed) const;
  std::string beyond_the_budget(const Usage& usage) const;
  Usage usage_with_what_follows(double elapsed) const;

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  const StudyState& state_;
  const StudyTime& time_;
  const FrontRounds& front_rounds_;
  search::Budget budget_;
  Finishing::Wanted finishing_;
  std::string stopped_;  // why
  bool cut_short_ = false;
  bool searcher_exhausted_ = false;
};

}  // namespace nightshift::scheduler
