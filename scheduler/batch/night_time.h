#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "scheduler/batch/batch_standing.h"

namespace nightshift::scheduler {

// The time until a batch's deadline, beside what its studies take at the least until their claims
// (StudyTime::least): by their own evaluations, and before there are any by the mean of others.
//
// Where it does not serve all, a share for each would give none of them a claim: those that it
// serves are served whole, and the others are left. While nobody has told anything it serves all.
class NightTime {
 public:
  // All of it outlives this. `seconds`: until the deadline; each of `devices` measures so long.
  NightTime(const std::vector<StudyTerms>& terms, const std::vector<StudyStanding>& studies,
            double seconds, int devices);

  // In that order, as far as the time goes. Studies that settle come before all others; one whose
  // predecessors are left is left too. Before, all are served.
  void serve(const std::vector<std::size_t>& order);

  bool suffices() const;  // for all
  bool serves(std::size_t study) const { return served_[study]; }
  // It does not fit into the time whatever is left out for it; where it has told nothing itself and
  // three others have, by the one of these that takes least.
  bool is_too_long(std::size_t study) const;
  bool has_told(std::size_t study) const { return studies_[study].needs > 0; }
  // Seconds that it takes from now on; 0: nothing is known.
  double cost(std::size_t study) const;
  // Weight for the cost; infinite where nothing is known.
  double worth(std::size_t study) const;

  // Seconds on a device for each study: by weight, and nobody that is served or runs has less than
  // it takes, be that known roughly. `weights`: 0 for those that have ended.
  std::vector<double> shares(const std::vector<double>& weights) const;
  // By weight alone some would have less.
  bool has_floors(const std::vector<double>& weights) const;

  // That wait and are not served, or have ended for that.
  std::vector<std::size_t> left() const;
  // What all that have not ended take, and those that were left, each device at work.
  double seconds_for_all() const;

 private:
  double floor(std::size_t study) const;
  bool counts(std::size_t study) const;  // it has not ended, nor is it paused
  bool has_predecessors_left(std::size_t study) const;

  const std::vector<StudyTerms>& terms_;
  const std::vector<StudyStanding>& studies_;
  double seconds_;
  int devices_;
  double mean_ = 0;   // of what those take that have told it
  double least_ = 0;  // the least of these; 0: fewer than three have told it
  std::vector<bool> served_;
};

}  // namespace nightshift::scheduler
