#pragma once

#include <string>

#include "scheduler/study/time/study_time.h"
#include "scheduler/trials/patience.h"
#include "search/id.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// How long builds and evaluations that begin at a moment of a study may take besides the problem's
// own limits, by what its budget of time has left. Of a recording nothing follows.
class StudyPatience {
 public:
  // Both outlive it.
  StudyPatience(const search::Problem& problem, const StudyTime& time);

  // What a baseline takes on the device, in seconds; 0: not known.
  Patience exploring(double baseline, double elapsed) const;
  // A hold-out that began late has what was kept for it, beyond the end of the budget; what others
  // have meanwhile is not counted.
  Patience comparing(double baseline, double elapsed, search::ConfirmationId current) const;
  // Nothing is known yet. One that hangs ends with the budget, and one that only begins slowly has
  // some seconds whatever the budget is.
  Patience of_baseline(double elapsed) const;
  Patience of_needed_build(double elapsed) const;

  // The hold-out, of so many pairs on each device, is open in this run; the first time counts as its
  // beginning.
  void holds_out(search::ConfirmationId id, int pairs, double elapsed);
  bool hold_out_had_its_time(double elapsed) const;

 private:
  Patience of(double baseline, double left, const std::string& at_the_end) const;
  double end_of_hold_out() const;

  const search::Problem& problem_;
  const StudyTime& time_;
  bool recorded_;
  search::ConfirmationId hold_out_;
  int hold_out_pairs_ = 0;
  double hold_out_since_ = 0;
  double others_before_ = 0;  // of StudyTime, when it began
};

}  // namespace nightshift::scheduler
